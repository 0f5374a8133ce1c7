"""Connections to addresses that were checked, and to no others.

The socket is opened to the literal address; both its ends are judged before a byte is sent; only
then comes TLS, on the name. Nothing here ever looks up a name.
"""

import asyncio
import contextlib
import socket
from collections.abc import Sequence

from returns.result import Failure, Result, Success

from ....ports.errors import UrlDenied
from ....ports.targets import Target
from ...http.connection import Connection
from ...http.dial import Connected, connect_error, connect_first, literal_address, tls_context
from .surroundings import Surroundings


async def open_wire(
    target: Target, addresses: Sequence[str], around: Surroundings
) -> Result[Connection, UrlDenied]:
    """Connect to the first address that answers. Raises httpx's connection errors."""
    try:
        async with asyncio.timeout(around.limits.connect):
            opened = await _open(target, addresses, around)
            if isinstance(opened, Failure):
                return opened
            return Success(await wrap(opened.unwrap(), target, around))
    except (OSError, UnicodeError) as error:
        raise connect_error(error) from error


async def open_socket(
    target: Target, addresses: Sequence[str], around: Surroundings
) -> Result[socket.socket, UrlDenied]:
    """Connect likewise, and leave to the caller what is spoken. Raises the same errors."""
    try:
        async with asyncio.timeout(around.limits.connect):
            return await _open(target, addresses, around)
    except OSError as error:
        raise connect_error(error) from error


async def _open(
    target: Target, addresses: Sequence[str], around: Surroundings
) -> Result[socket.socket, UrlDenied]:
    tried = addresses[: around.limits.addresses]
    opened = await connect_first([literal_address(text, target.port) for text in tried])
    refusal = _judge(opened, target, around)
    return Success(opened.socket) if refusal is None else Failure(refusal)


def _judge(opened: Connected, target: Target, around: Surroundings) -> UrlDenied | None:
    """Judge both ends of the connection, and close it unless it may be used."""
    with contextlib.ExitStack() as unless_fine:
        unless_fine.callback(opened.socket.close)
        # A server that resets at once may leave no peer to ask for: an OSError.
        ends = (opened.socket.getsockname()[0], opened.socket.getpeername()[0])
        refusal = around.guard.judge_connection(target, opened.address, ends)
        if refusal is None:
            unless_fine.pop_all()
        return refusal


async def wrap(opened: socket.socket, target: Target, around: Surroundings) -> Connection:
    """Give the socket to asyncio, which closes it from here on, whatever happens."""
    secure = target.scheme == "https"
    _, wire = await asyncio.get_running_loop().create_connection(
        Connection,
        sock=opened,
        ssl=(around.context or tls_context()) if secure else None,
        server_hostname=target.host if secure else None,
    )
    return wire
