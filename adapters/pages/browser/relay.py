"""Bytes between the browser and a site, counted, until either side has had enough."""

import asyncio
import contextlib
import socket
from typing import NamedTuple

from .allowance import Allowance

_PIECE = 64 * 1024


class Caller(NamedTuple):
    """The browser's end of a connection to the proxy."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def relay(
    client: Caller, site: socket.socket, allowance: Allowance, *, length: int | None
) -> None:
    """Carry bytes both ways until one side ends; who calls this closes both.

    ``length`` is how many bytes the browser may send, None when it may send what it likes. More
    than that is its next request, which was not judged: it ends the connection, and the browser
    asks again on another.
    """
    ways = (
        asyncio.ensure_future(_to_site(client.reader, site, allowance, length)),
        asyncio.ensure_future(_to_browser(client.writer, site, allowance)),
    )
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        # Only when both have let go of the socket may it be closed.
        await asyncio.wait(ways)


async def _to_site(
    reader: asyncio.StreamReader, site: socket.socket, allowance: Allowance, length: int | None
) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while piece := await reader.read(_PIECE if length is None else min(_PIECE, length or 1)):
            if length == 0 or not allowance.spend(len(piece)):
                return
            await loop.sock_sendall(site, piece)
            length = None if length is None else length - len(piece)


async def _to_browser(
    writer: asyncio.StreamWriter, site: socket.socket, allowance: Allowance
) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while piece := await loop.sock_recv(site, _PIECE):
            if not allowance.spend(len(piece)):
                return
            writer.write(piece)
            await writer.drain()
