"""Opening connections: names, addresses, TLS, and what can go wrong with each."""

import asyncio
import functools
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import certifi
import httpx

from .connection import Connection
from .exceptions import NameNotFound, NameServerFailed, SecureConnectionFailed

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


class HostPort(NamedTuple):
    """What connections are shared by: the scheme, the host and the port."""

    scheme: str
    host: str
    port: int


Dial: TypeAlias = Callable[[HostPort], Awaitable[Connection]]
_PORTS = {"http": 80, "https": 443}


def origin_of(url: httpx.URL) -> HostPort:
    """Return what a URL's connections are shared by."""
    scheme = url.scheme
    if scheme not in _PORTS:
        message = "only http and https are spoken here"
        raise httpx.UnsupportedProtocol(message)
    return HostPort(scheme, url.raw_host.decode("ascii"), url.port or _PORTS[scheme])


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Return the one TLS context of the process; making one takes about 50 ms.

    The system's roots and certifi's: a container may lack the first, a company needs them.
    """
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def dialer(connect_seconds: float | None, context: ssl.SSLContext | None = None) -> Dial:
    """Return a function that opens a connection to an origin within that many seconds."""

    async def dial(origin: HostPort) -> Connection:
        secure = (context or tls_context()) if origin.scheme == "https" else None
        try:
            async with asyncio.timeout(connect_seconds):
                connected = await connected_socket(origin.host, origin.port)
                return await _wire_on(connected, origin.host, secure)
        except (OSError, UnicodeError) as error:
            raise connect_error(error) from error

    return dial


async def _wire_on(
    connected: socket.socket, host: str, secure: ssl.SSLContext | None
) -> Connection:
    loop = asyncio.get_running_loop()
    try:
        _, wire = await loop.create_connection(
            Connection, sock=connected, ssl=secure, server_hostname=host if secure else None
        )
    except BaseException:
        connected.close()
        raise
    return wire


def connect_error(error: Exception) -> httpx.TransportError:
    """Map what asyncio raises while connecting to httpx's tree, by type and number only."""
    # TimeoutError is an OSError, and an SSLError may hide below it: look at it first.
    if isinstance(error, TimeoutError):
        return httpx.ConnectTimeout("no connection in time")
    if isinstance(error, ssl.SSLCertVerificationError):
        return SecureConnectionFailed(error.verify_message.rstrip("."))
    if isinstance(error, ssl.SSLError):
        return SecureConnectionFailed("the handshake failed")
    if isinstance(error, UnicodeError):
        return NameNotFound("the host name cannot be encoded")
    if isinstance(error, socket.gaierror):
        again = error.errno == socket.EAI_AGAIN
        return NameServerFailed("no answer") if again else NameNotFound("no such host")
    return httpx.ConnectError("could not connect")
