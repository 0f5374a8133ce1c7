"""Opening connections: names, addresses, TLS, and what can go wrong with each."""

import asyncio
import functools
import socket
import ssl
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

import certifi
import httpx

from .sockets import connected_socket
from .wire import Wire


class Origin(NamedTuple):
    """What connections are shared by: the scheme, the host and the port."""

    scheme: str
    host: str
    port: int


Dial: TypeAlias = Callable[[Origin], Awaitable[Wire]]

_PORTS = {"http": 80, "https": 443}


class NameNotFound(httpx.ConnectError):
    """The name has no address."""


class NameServerFailed(httpx.ConnectError):
    """The name server did not answer."""


class SecureConnectionFailed(httpx.ConnectError):
    """The certificate or the handshake was not acceptable."""


class ProxyRefused(httpx.ProxyError):
    """The proxy does not connect us."""


def origin_of(url: httpx.URL) -> Origin:
    """Return what a URL's connections are shared by."""
    scheme = url.scheme
    if scheme not in _PORTS:
        message = "only http and https are spoken here"
        raise httpx.UnsupportedProtocol(message)
    return Origin(scheme, url.raw_host.decode("ascii"), url.port or _PORTS[scheme])


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

    async def dial(origin: Origin) -> Wire:
        secure = (context or tls_context()) if origin.scheme == "https" else None
        try:
            async with asyncio.timeout(connect_seconds):
                connected = await connected_socket(origin.host, origin.port)
                return await _wire_on(connected, origin.host, secure)
        except (OSError, UnicodeError) as error:
            raise connect_error(error) from error

    return dial


async def _wire_on(connected: socket.socket, host: str, secure: ssl.SSLContext | None) -> Wire:
    loop = asyncio.get_running_loop()
    try:
        _, wire = await loop.create_connection(
            Wire, sock=connected, ssl=secure, server_hostname=host if secure else None
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
