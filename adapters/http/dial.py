"""Opening connections: names, addresses, TLS, and what can go wrong with each."""

import asyncio
import contextlib
import functools
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import certifi
import httpx
from returns.result import Failure, Result, Success

from ...ports.errors import ConnectFailed, NotConfigured, WebError
from ...ports.proxies import Proxy
from .connection import Connection, ForwardProxy
from .error_mapping import (
    DialRefused,
    NameNotFound,
    NameServerFailed,
    ProxyRefused,
    SecureConnectionFailed,
)
from .exchange import Exchange
from .request_writing import HostPort

_READ_BYTES = 4096
_SUCCESS_STATUSES = range(200, 300)


async def open_tunnel(
    connected: socket.socket, host: str, port: int, credentials: str = ""
) -> None:
    """Have the proxy connect us to a server, and close the socket unless it does."""
    with contextlib.ExitStack() as unless_fine:
        unless_fine.callback(connected.close)
        request = connect_request(host, port, credentials)
        await asyncio.get_running_loop().sock_sendall(connected, request)
        status = await _read_connect_status(connected)
        # RFC 9110, 9.3.6: any 2xx means that the tunnel is there.
        if status not in _SUCCESS_STATUSES:
            message = f"the proxy refused with status {status}"
            raise ProxyRefused(message, status)
        unless_fine.pop_all()


def connect_request(host: str, port: int, credentials: str = "") -> bytes:
    """Write the request: its target is host and port alone (RFC 9112, 3.2.3)."""
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    proof = f"Proxy-Authorization: {credentials}\r\n" if credentials else ""
    return f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{proof}\r\n".encode("ascii")


async def _read_connect_status(opened: socket.socket) -> int:
    """Read the head of the proxy's answer; in TLS the server waits, so what follows is dropped."""
    loop = asyncio.get_running_loop()
    exchange = Exchange(loop, lambda: None)
    while not exchange.head.done():
        data = await loop.sock_recv(opened, _READ_BYTES)
        if not data:
            message = "the proxy hung up"
            raise ProxyRefused(message)
        exchange.feed(data)
    return (await exchange.head).status


# Opening connections: names, addresses, TLS, and what can go wrong with each.

# As RFC 8305 has it: the next address is tried after this long, beside the ones before it.
HEAD_START_SECONDS = 0.25
# As getaddrinfo gives it: family, type, protocol, canonical name, and where to.
Address: TypeAlias = tuple[Any, ...]


class ConnectedSocket(NamedTuple):
    """A connected socket, and the literal address that was dialled for it."""

    address: str
    socket: socket.socket


async def connect_host(
    host: str, port: int, judge: Callable[[Sequence[str]], None] = lambda _addresses: None
) -> socket.socket:
    """Return a socket connected to the first address of ``host`` that answers.

    The name is looked up once; ``judge`` sees all addresses it has, and raises unless they may be
    dialled. No other address is.
    """
    addresses = await _resolve_addresses(host, port)
    judge([str(where[0]) for *_, where in addresses])
    return (await connect_first(addresses)).socket


async def connect_first(addresses: Sequence[Address]) -> ConnectedSocket:
    """Connect to the first of ``addresses`` that answers; raise OSError if none does."""
    return await (
        _connect_address(addresses[0]) if len(addresses) == 1 else _race_addresses(addresses)
    )


def literal_address(text: str, port: int) -> Address:
    """Return a literal IP address as getaddrinfo would give it, without asking anybody."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    return (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (text, port))


async def _resolve_addresses(host: str, port: int) -> list[Address]:
    if not is_ip_literal(host):
        loop = asyncio.get_running_loop()
        return list(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    # A literal address needs no look-up, and no thread to wait for one.
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


async def _connect_address(address: Address) -> ConnectedSocket:
    family, kind, protocol, _, where = address
    connecting = socket.socket(family, kind, protocol)
    try:
        connecting.setblocking(False)  # noqa: FBT003  the standard library's own signature
        await asyncio.get_running_loop().sock_connect(connecting, where)
    except BaseException:
        connecting.close()
        raise
    return ConnectedSocket(where[0], connecting)


async def _race_addresses(addresses: Sequence[Address]) -> ConnectedSocket:
    waiting = list(addresses)
    running: set[asyncio.Task[ConnectedSocket]] = set()
    failed: BaseException = OSError("the name has no address")
    try:
        while waiting or running:
            if waiting:
                running.add(asyncio.ensure_future(_connect_address(waiting.pop(0))))
            patience = HEAD_START_SECONDS if waiting else None
            done, _ = await asyncio.wait(running, timeout=patience, return_when=_FIRST_COMPLETED)
            for attempt in done:
                running.discard(attempt)
                failed = attempt.exception() or failed
                if attempt.exception() is None:
                    return attempt.result()
        raise failed
    finally:
        for attempt in running:
            attempt.cancel()
            attempt.add_done_callback(_close_late_socket)


def _close_late_socket(attempt: "asyncio.Task[ConnectedSocket]") -> None:
    """Close a socket that came too late."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().socket.close()


_FIRST_COMPLETED = asyncio.FIRST_COMPLETED


Dial: TypeAlias = Callable[[HostPort], Awaitable[Connection]]
_DEFAULT_PORTS = {"http": 80, "https": 443}


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Return the one TLS context of the process; making one takes about 50 ms.

    The system's roots and certifi's: a container may lack the first, a company needs them.
    """
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class DialRules(NamedTuple):
    """What is decided about a connection before it is made.

    ``judge`` is given the addresses of an origin and says why they may not be dialled; ``proxy``
    says what to go through, or why that cannot be.
    """

    judge: Callable[[HostPort, Sequence[str]], WebError | None] = lambda _origin, _addresses: None
    proxy: Callable[[HostPort], Result[Proxy | None, WebError]] = lambda _origin: Success(None)


def make_dialer(
    connect_seconds: float | None,
    context: ssl.SSLContext | None = None,
    rules: DialRules = DialRules(),  # noqa: B008  it holds nothing that changes
) -> Dial:
    """Return a function that opens a connection to an origin within that many seconds."""

    async def dial(origin: HostPort) -> Connection:
        chosen = rules.proxy(origin)
        if isinstance(chosen, Failure):
            raise DialRefused(chosen.failure())
        proxy = chosen.unwrap()
        try:
            async with asyncio.timeout(connect_seconds):
                if proxy is not None:
                    return await _connect_through_proxy(proxy, origin, context, rules)
                connected = await connect_host(
                    origin.host, origin.port, functools.partial(_check_addresses, origin, rules)
                )
                return await _open_connection(connected, origin, context)
        except (OSError, UnicodeError) as error:
            raise connect_error(error) from error

    return dial


def _check_addresses(origin: HostPort, way: DialRules, addresses: Sequence[str]) -> None:
    denial = way.judge(origin, addresses)
    if denial is not None:
        raise DialRefused(denial)


async def _connect_through_proxy(
    proxy: Proxy, origin: HostPort, context: ssl.SSLContext | None, way: DialRules
) -> Connection:
    """Connect to a proxy: with a tunnel for https, to pass requests on for http.

    The proxy looks names up in our stead; an address that is written out is judged here.
    """
    if is_ip_literal(origin.host):
        _check_addresses(origin, way, [origin.host])
    try:
        connected = await connect_host(proxy.host, proxy.port)
    except OSError as error:
        reason = f"the proxy that {proxy.setting} names does not answer"
        raise DialRefused(ConnectFailed(reason=reason)) from error
    credentials = proxy.credentials.reveal()
    if origin.scheme == "http":
        wire = await _open_connection(connected, origin, context)
        wire.forward = ForwardProxy(proxy.setting, absolute_form(origin), credentials.encode())
        return wire
    try:
        await open_tunnel(connected, origin.host, origin.port, credentials)
    except ProxyRefused as error:
        raise DialRefused(proxy_error(proxy.setting, error.status, str(error))) from error
    return await _open_connection(connected, origin, context)


def proxy_error(setting: str, status: int | None, reason: str) -> WebError:
    """Say what a proxy's refusal means, by the setting that names it."""
    if status == httpx.codes.PROXY_AUTHENTICATION_REQUIRED:
        text = "The proxy asks for a user name and a password, or for others: http://user:pass@host"
        return NotConfigured(settings=(setting,), reason=text)
    return ConnectFailed(reason=f"{reason}; {setting} names it")


def absolute_form(origin: HostPort) -> bytes:
    """Return what stands before the path where a proxy passes a request on (RFC 9112, 3.2.2).

    >>> absolute_form(HostPort("http", "a.example", 8080))
    b'http://a.example:8080'
    """
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    port = "" if origin.port == _DEFAULT_PORTS[origin.scheme] else f":{origin.port}"
    return f"{origin.scheme}://{host}{port}".encode("ascii")


def is_ip_literal(host: str) -> bool:
    """Tell an address from a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def _open_connection(
    connected: socket.socket, origin: HostPort, context: ssl.SSLContext | None
) -> Connection:
    loop = asyncio.get_running_loop()
    secure = (context or tls_context()) if origin.scheme == "https" else None
    host = origin.host
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
