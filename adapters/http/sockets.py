"""Connected sockets: the addresses of a name, tried one after another and in part side by side.

asyncio can race addresses too, but a race that is cancelled just as it is won leaves its socket
open (seen in Python 3.11 to 3.13).
"""

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

# As RFC 8305 has it: the next address is tried after this long, beside the ones before it.
HEAD_START = 0.25

# As getaddrinfo gives it: family, type, protocol, canonical name, and where to.
Address: TypeAlias = tuple[Any, ...]


class Connected(NamedTuple):
    """A connected socket, and the literal address that was dialled for it."""

    address: str
    socket: socket.socket


async def connected_socket(host: str, port: int) -> socket.socket:
    """Return a socket connected to the first address of ``host`` that answers."""
    return (await connect_first(await _addresses(host, port))).socket


async def connect_first(addresses: Sequence[Address]) -> Connected:
    """Connect to the first of ``addresses`` that answers; raise OSError if none does."""
    return await (_connect(addresses[0]) if len(addresses) == 1 else _race(addresses))


def literal_address(text: str, port: int) -> Address:
    """Return a literal IP address as getaddrinfo would give it, without asking anybody."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    return (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (text, port))


async def _addresses(host: str, port: int) -> list[Address]:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        loop = asyncio.get_running_loop()
        return list(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    # A literal address needs no look-up, and no thread to wait for one.
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


async def _connect(address: Address) -> Connected:
    family, kind, protocol, _, where = address
    connecting = socket.socket(family, kind, protocol)
    try:
        connecting.setblocking(False)  # noqa: FBT003  the standard library's own signature
        await asyncio.get_running_loop().sock_connect(connecting, where)
    except BaseException:
        connecting.close()
        raise
    return Connected(where[0], connecting)


async def _race(addresses: Sequence[Address]) -> Connected:
    waiting = list(addresses)
    running: set[asyncio.Task[Connected]] = set()
    failed: BaseException = OSError("the name has no address")
    try:
        while waiting or running:
            if waiting:
                running.add(asyncio.ensure_future(_connect(waiting.pop(0))))
            patience = HEAD_START if waiting else None
            done, _ = await asyncio.wait(running, timeout=patience, return_when=_FIRST)
            for attempt in done:
                running.discard(attempt)
                failed = attempt.exception() or failed
                if attempt.exception() is None:
                    return attempt.result()
        raise failed
    finally:
        for attempt in running:
            attempt.cancel()
            attempt.add_done_callback(_drop)


def _drop(attempt: "asyncio.Task[Connected]") -> None:
    """Close a socket that came too late."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().socket.close()


_FIRST = asyncio.FIRST_COMPLETED
