"""Opening connections: name lookup, addresses, TLS, proxies, and their errors."""

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

from webseam.ports.errors import ConnectFailed, NotConfigured, WebError
from webseam.ports.targets import Proxy

from .connection import Connection, ForwardProxy
from .error_mapping import (
    DialRefused,
    NameNotFound,
    NameServerFailed,
    ProxyRefused,
    SecureConnectionFailed,
)
from .exchange import Exchange
from .request_writing import DEFAULT_PORTS, HttpOrigin

_READ_BYTES = 4096
_SUCCESS_STATUSES = range(200, 300)
# RFC 8305: the next address is tried in parallel after this delay.
CONNECTION_ATTEMPT_DELAY_SECONDS = 0.25


async def open_tunnel(
    connected: socket.socket, host: str, port: int, credentials: str = ""
) -> None:
    """Open a tunnel through a proxy; close the socket if the proxy refuses."""
    with contextlib.ExitStack() as cleanup:
        cleanup.callback(connected.close)
        request = connect_request(host, port, credentials)
        await asyncio.get_running_loop().sock_sendall(connected, request)
        status = await _read_connect_status(connected)
        # RFC 9110, 9.3.6: any 2xx means that the tunnel is open.
        if status not in _SUCCESS_STATUSES:
            message = f"the proxy refused with status {status}"
            raise ProxyRefused(message, status)
        cleanup.pop_all()


def connect_request(host: str, port: int, credentials: str = "") -> bytes:
    """Return a CONNECT request: its target is only host and port (RFC 9112, 3.2.3)."""
    authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    proof = f"Proxy-Authorization: {credentials}\r\n" if credentials else ""
    return f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{proof}\r\n".encode("ascii")


async def _read_connect_status(connection: socket.socket) -> int:
    """Return the status of the proxy's answer. Nothing follows it: a TLS server waits for us."""
    loop = asyncio.get_running_loop()
    exchange = Exchange(loop, lambda: None)
    while not exchange.head.done():
        data = await loop.sock_recv(connection, _READ_BYTES)
        if not data:
            message = "the proxy hung up"
            raise ProxyRefused(message)
        exchange.feed(data)
    return (await exchange.head).status


# As getaddrinfo returns it: family, type, protocol, canonical name, socket address.
Address: TypeAlias = tuple[Any, ...]


class ConnectedSocket(NamedTuple):
    """A connected socket and its literal address."""

    address: str
    socket: socket.socket


async def connect_host(
    host: str, port: int, judge: Callable[[Sequence[str]], None] = lambda _addresses: None
) -> socket.socket:
    """Return a socket connected to the first address of ``host`` that answers.

    The name is looked up once; ``judge`` gets all its addresses, and raises if they may not be
    dialled. No other address is dialled.
    """
    addresses = await _resolve_addresses(host, port)
    judge([str(socket_address[0]) for *_, socket_address in addresses])
    return (await connect_first(addresses)).socket


async def connect_first(addresses: Sequence[Address]) -> ConnectedSocket:
    """Connect to the first of ``addresses`` that answers; raise OSError if none does."""
    is_single = len(addresses) == 1
    return await (_connect_address(addresses[0]) if is_single else _race_addresses(addresses))


def literal_address(text: str, port: int) -> Address:
    """Return a literal IP address as getaddrinfo would, without a lookup."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    return (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (text, port))


async def _resolve_addresses(host: str, port: int) -> list[Address]:
    if not is_ip_literal(host):
        loop = asyncio.get_running_loop()
        return list(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    # A literal address needs no lookup and so no thread.
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


async def _connect_address(address: Address) -> ConnectedSocket:
    family, kind, protocol, _, socket_address = address
    connecting = socket.socket(family, kind, protocol)
    try:
        connecting.setblocking(False)  # noqa: FBT003  the standard library's own signature
        await asyncio.get_running_loop().sock_connect(connecting, socket_address)
    except BaseException:
        connecting.close()
        raise
    return ConnectedSocket(socket_address[0], connecting)


async def _race_addresses(addresses: Sequence[Address]) -> ConnectedSocket:
    pending = list(addresses)
    running: set[asyncio.Task[ConnectedSocket]] = set()
    last_error: BaseException = OSError("the name has no address")
    try:
        while pending or running:
            if pending:
                running.add(asyncio.ensure_future(_connect_address(pending.pop(0))))
            delay = CONNECTION_ATTEMPT_DELAY_SECONDS if pending else None
            first = asyncio.FIRST_COMPLETED
            done, _ = await asyncio.wait(running, timeout=delay, return_when=first)
            for attempt in done:
                running.discard(attempt)
                last_error = attempt.exception() or last_error
                if attempt.exception() is None:
                    return attempt.result()
        raise last_error
    finally:
        for attempt in running:
            attempt.cancel()
            attempt.add_done_callback(_close_late_socket)


def _close_late_socket(attempt: "asyncio.Task[ConnectedSocket]") -> None:
    """Close the socket of an attempt that lost the race."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().socket.close()


Dial: TypeAlias = Callable[[HttpOrigin], Awaitable[Connection]]


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Return the process's TLS context; making one takes about 50 ms.

    It trusts the system's roots, which companies need, and certifi's, as containers may lack any.
    """
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class DialRules(NamedTuple):
    """Decisions about a connection before it is made.

    ``judge`` gets the addresses of an origin and returns why they may not be dialled, or None;
    ``proxy`` returns the proxy for an origin, None for none, or an error.
    """

    judge: Callable[[HttpOrigin, Sequence[str]], WebError | None] = lambda _origin, _addresses: None
    proxy: Callable[[HttpOrigin], Result[Proxy | None, WebError]] = lambda _origin: Success(None)


def make_dialer(
    connect_seconds: float | None,
    context: ssl.SSLContext | None = None,
    rules: DialRules = DialRules(),  # noqa: B008  immutable
) -> Dial:
    """Return a function that opens a connection to an origin within ``connect_seconds``."""

    async def dial(origin: HttpOrigin) -> Connection:
        proxy_choice = rules.proxy(origin)
        if isinstance(proxy_choice, Failure):
            raise DialRefused(proxy_choice.failure())
        proxy = proxy_choice.unwrap()
        try:
            async with asyncio.timeout(connect_seconds):
                if proxy is not None:
                    return await _connect_through_proxy(proxy, origin, context, rules)
                judge = functools.partial(_check_addresses, origin, rules)
                connected = await connect_host(origin.host, origin.port, judge)
                return await _open_connection(connected, origin, context)
        except (OSError, UnicodeError) as error:
            raise connect_error(error) from error

    return dial


def _check_addresses(origin: HttpOrigin, rules: DialRules, addresses: Sequence[str]) -> None:
    denial = rules.judge(origin, addresses)
    if denial is not None:
        raise DialRefused(denial)


async def _connect_through_proxy(
    proxy: Proxy, origin: HttpOrigin, context: ssl.SSLContext | None, rules: DialRules
) -> Connection:
    """Connect through a proxy: by a tunnel for https, by forwarding for http.

    The proxy resolves names, so only a literal address can be judged here.
    """
    if is_ip_literal(origin.host):
        _check_addresses(origin, rules, [origin.host])
    try:
        connected = await connect_host(proxy.host, proxy.port)
    except OSError as error:
        reason = f"the proxy that {proxy.setting} names does not answer"
        raise DialRefused(ConnectFailed(reason=reason)) from error
    credentials = proxy.credentials.reveal()
    if origin.scheme == "http":
        connection = await _open_connection(connected, origin, context)
        proxy_origin = absolute_form_prefix(origin)
        connection.forward = ForwardProxy(proxy.setting, proxy_origin, credentials.encode())
        return connection
    try:
        await open_tunnel(connected, origin.host, origin.port, credentials)
    except ProxyRefused as error:
        raise DialRefused(proxy_error(proxy.setting, error.status, str(error))) from error
    return await _open_connection(connected, origin, context)


def proxy_error(setting: str, status: int | None, reason: str) -> WebError:
    """Return the error for a proxy's refusal, with the setting that configures the proxy."""
    if status == httpx.codes.PROXY_AUTHENTICATION_REQUIRED:
        text = "The proxy asks for a user name and a password, or for others: http://user:pass@host"
        return NotConfigured(settings=(setting,), reason=text)
    return ConnectFailed(reason=f"{reason}; {setting} names it")


def absolute_form_prefix(origin: HttpOrigin) -> bytes:
    """Return the part before the path in a request to a forwarding proxy (RFC 9112, 3.2.2).

    >>> absolute_form_prefix(HttpOrigin("http", "a.example", 8080))
    b'http://a.example:8080'
    """
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    port = "" if origin.port == DEFAULT_PORTS[origin.scheme] else f":{origin.port}"
    return f"{origin.scheme}://{host}{port}".encode("ascii")


def is_ip_literal(host: str) -> bool:
    """Tell whether a host is a literal IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def _open_connection(
    connected: socket.socket, origin: HttpOrigin, context: ssl.SSLContext | None
) -> Connection:
    loop = asyncio.get_running_loop()
    secure = (context or tls_context()) if origin.scheme == "https" else None
    name = origin.host if secure else None
    try:
        opened = loop.create_connection(
            Connection, sock=connected, ssl=secure, server_hostname=name
        )
        return (await opened)[1]
    except BaseException:
        connected.close()
        raise


def connect_error(error: Exception) -> httpx.TransportError:
    """Map asyncio's errors while connecting to httpx exceptions, by type and number only."""
    # Check TimeoutError first: it is an OSError, as SSLError is.
    if isinstance(error, TimeoutError):
        return httpx.ConnectTimeout("no connection in time")
    if isinstance(error, ssl.SSLCertVerificationError):
        return SecureConnectionFailed(error.verify_message.rstrip("."))
    if isinstance(error, ssl.SSLError):
        return SecureConnectionFailed("the handshake failed")
    if isinstance(error, UnicodeError):
        return NameNotFound("the host name cannot be encoded")
    if isinstance(error, socket.gaierror):
        is_temporary = error.errno == socket.EAI_AGAIN
        return NameServerFailed("no answer") if is_temporary else NameNotFound("no such host")
    return httpx.ConnectError("could not connect")
