"""Connections to addresses that were checked, and to no others.

The socket is opened to the literal address; both its ends are judged before a byte is sent; only
then comes TLS, on the name. Nothing here ever looks up a name.
"""

import asyncio
import contextlib
import socket
from collections.abc import Sequence

from returns.result import Failure, Result, Success

from ....ports.errors import DnsNotFound, DnsUnavailable, UrlDenied
from ....ports.targets import Target
from ...http.connection import Connection
from ...http.dial import Connected, connect_error, connect_first, literal_address, tls_context
from ...http.tunnel import open_tunnel
from .deps import FetchDeps
from .name_resolution import find_addresses


async def open_stream(
    target: Target, addresses: Sequence[str], deps: FetchDeps
) -> Result[Connection, UrlDenied]:
    """Connect to the first address that answers. Raises httpx's connection errors."""
    try:
        async with asyncio.timeout(deps.limits.connect):
            opened = await _open(target, addresses, deps)
            if isinstance(opened, Failure):
                return opened
            return Success(await wrap_socket(opened.unwrap(), target, deps))
    except (OSError, UnicodeError) as error:
        raise connect_error(error) from error


async def open_socket(
    target: Target, addresses: Sequence[str], deps: FetchDeps
) -> Result[socket.socket, UrlDenied]:
    """Connect likewise, and leave to the caller what is spoken. Raises the same errors."""
    try:
        async with asyncio.timeout(deps.limits.connect):
            return await _open(target, addresses, deps)
    except OSError as error:
        raise connect_error(error) from error


async def _open(
    target: Target, addresses: Sequence[str], around: FetchDeps
) -> Result[socket.socket, UrlDenied]:
    tried = addresses[: around.limits.addresses]
    opened = await connect_first([literal_address(text, target.port) for text in tried])
    refusal = _judge(opened, target, around)
    return Success(opened.socket) if refusal is None else Failure(refusal)


def _judge(opened: Connected, target: Target, around: FetchDeps) -> UrlDenied | None:
    """Judge both ends of the connection, and close it unless it may be used."""
    with contextlib.ExitStack() as unless_fine:
        unless_fine.callback(opened.socket.close)
        # A server that resets at once may leave no peer to ask for: an OSError.
        ends = (opened.socket.getsockname()[0], opened.socket.getpeername()[0])
        refusal = around.guard.judge_connection(target, opened.address, ends)
        if refusal is None:
            unless_fine.pop_all()
        return refusal


async def wrap_socket(connected: socket.socket, target: Target, deps: FetchDeps) -> Connection:
    """Give the socket to asyncio, which closes it from here on, whatever happens."""
    secure = target.scheme == "https"
    _, wire = await asyncio.get_running_loop().create_connection(
        Connection,
        sock=connected,
        ssl=(deps.context or tls_context()) if secure else None,
        server_hostname=target.host if secure else None,
    )
    return wire


async def open_via_proxy(
    proxy: Target, target: Target, deps: FetchDeps
) -> Result[Connection, DnsNotFound | DnsUnavailable]:
    """Connect to ``proxy``, and for https through it to ``target``. Raises httpx's errors.

    The proxy is the one that the settings name: it looks up and dials in our stead.
    """
    addresses = await _addresses(proxy, deps)
    if isinstance(addresses, Failure):
        return addresses
    tried = addresses.unwrap()[: deps.limits.addresses]
    try:
        async with asyncio.timeout(deps.limits.connect):
            opened = await connect_first([literal_address(text, proxy.port) for text in tried])
            if target.scheme == "https":
                await open_tunnel(opened.socket, target.host, target.port)
            return Success(await wrap_socket(opened.socket, target, deps))
    except (OSError, UnicodeError) as error:
        raise connect_error(error) from error


async def _addresses(
    proxy: Target, around: FetchDeps
) -> Result[Sequence[str], DnsNotFound | DnsUnavailable]:
    if proxy.literal:
        return Success((proxy.host,))
    return await find_addresses(around.resolve, proxy.host, proxy.port, around.limits.dns)
