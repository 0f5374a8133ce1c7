"""Bytes between the browser and a site, counted, until either side has had enough."""

import asyncio
import contextlib
import socket
from typing import NamedTuple


class ByteAllowance:
    """Counts down, and says so when there is nothing left."""

    def __init__(self, connections: int, transfer_bytes: int) -> None:
        """Begin with everything unspent."""
        self._connections = connections
        self._bytes = transfer_bytes

    @property
    def overdrawn(self) -> bool:
        """Whether more bytes came or went than were allowed."""
        return self._bytes < 0

    def admit(self) -> bool:
        """Take one connection; False when there is none left, or no bytes for it."""
        self._connections -= 1
        return self._connections >= 0 and not self.overdrawn

    def spend(self, count: int) -> bool:
        """Take ``count`` bytes; False when there were not as many."""
        self._bytes -= count
        return not self.overdrawn


_READ_BYTES = 64 * 1024


class BrowserClient(NamedTuple):
    """The browser's end of a connection to the proxy."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def relay_bytes(
    client: BrowserClient, site: socket.socket, allowance: ByteAllowance, *, length: int | None
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
    reader: asyncio.StreamReader, site: socket.socket, allowance: ByteAllowance, length: int | None
) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while piece := await reader.read(
            _READ_BYTES if length is None else min(_READ_BYTES, length or 1)
        ):
            if length == 0 or not allowance.spend(len(piece)):
                return
            await loop.sock_sendall(site, piece)
            length = None if length is None else length - len(piece)


async def _to_browser(
    writer: asyncio.StreamWriter, site: socket.socket, allowance: ByteAllowance
) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while piece := await loop.sock_recv(site, _READ_BYTES):
            if not allowance.spend(len(piece)):
                return
            writer.write(piece)
            await writer.drain()
