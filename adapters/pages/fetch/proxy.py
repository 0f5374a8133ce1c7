"""Connections through the proxy that the settings name: it looks up and dials in our stead.

Its own address is the user's choice and is not judged. No name but the proxy's is looked up here.
"""

import asyncio
import contextlib
import socket
from collections.abc import Sequence

import httpx
from returns.result import Failure, Result, Success

from ....ports.errors import DnsNotFound, DnsUnavailable
from ....ports.targets import Target
from ...http.connection import Connection
from ...http.dial import connect_error, connect_first, literal_address
from ...http.exceptions import ProxyRefused
from ...http.exchange import Exchange
from .connect import wrap
from .resolve import find_addresses
from .surroundings import Surroundings

_PIECE = 4096


async def open_through(
    proxy: Target, target: Target, around: Surroundings
) -> Result[Connection, DnsNotFound | DnsUnavailable]:
    """Connect to ``proxy``, and for https through it to ``target``. Raises httpx's errors."""
    found = await _addresses(proxy, around)
    if isinstance(found, Failure):
        return found
    tried = found.unwrap()[: around.limits.addresses]
    try:
        async with asyncio.timeout(around.limits.connect):
            opened = await connect_first([literal_address(text, proxy.port) for text in tried])
            if target.scheme == "https":
                await _tunnel(opened.socket, target)
            return Success(await wrap(opened.socket, target, around))
    except (OSError, UnicodeError) as error:
        raise connect_error(error) from error


async def _addresses(
    proxy: Target, around: Surroundings
) -> Result[Sequence[str], DnsNotFound | DnsUnavailable]:
    if proxy.literal:
        return Success((proxy.host,))
    return await find_addresses(around.resolve, proxy.host, proxy.port, around.limits.dns)


async def _tunnel(opened: socket.socket, target: Target) -> None:
    """Have the proxy connect us to ``target``, and close the socket unless it does."""
    with contextlib.ExitStack() as unless_fine:
        unless_fine.callback(opened.close)
        await asyncio.get_running_loop().sock_sendall(opened, _connect_request(target))
        status = await _status(opened)
        if not httpx.codes.is_success(status):
            message = f"the proxy refused with status {status}"
            raise ProxyRefused(message)
        unless_fine.pop_all()


def _connect_request(target: Target) -> bytes:
    host = f"[{target.host}]" if ":" in target.host else target.host
    place = f"{host}:{target.port}"
    return f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode("ascii")


async def _status(opened: socket.socket) -> int:
    """Read the head of the proxy's answer; in TLS the server waits, so what follows is dropped."""
    loop = asyncio.get_running_loop()
    exchange = Exchange(loop, lambda: None)
    while not exchange.head.done():
        data = await loop.sock_recv(opened, _PIECE)
        if not data:
            message = "the proxy hung up"
            raise ProxyRefused(message)
        exchange.feed(data)
    return (await exchange.head).status
