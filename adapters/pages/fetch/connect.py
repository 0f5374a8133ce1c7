"""Connections to addresses that were checked, and to no others.

The socket is opened to the literal address; both its ends are judged before a byte is sent; only
then comes TLS, on the name. Nothing here ever looks up a name.
"""

import asyncio
import contextlib
import functools
import os
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import (
    BadRedirect,
    DnsNotFound,
    DnsUnavailable,
    InvalidUrl,
    UrlDenied,
    WebError,
)
from ....ports.targets import Target
from ...http.connection import Connection
from ...http.dial import (
    ConnectedSocket,
    connect_error,
    connect_first,
    literal_address,
    open_tunnel,
    tls_context,
)
from ...threads import DaemonThreads

# Raises socket.gaierror, as the standard library does; any other OSError counts as no answer.
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
THREADS = 16
# What says that the name has no address; all else says that nobody could be asked.
_NO_SUCH_NAME = frozenset(
    number
    for name in ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY")
    if (number := getattr(socket, name, None)) is not None
)


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system's resolver, in a thread of our own."""
    future = _threads(os.getpid()).submit(functools.partial(_look_up, host, port))
    return await asyncio.wrap_future(future)


async def find_addresses(
    resolve: Resolve, host: str, port: int, timeout_seconds: float
) -> Result[Sequence[str], DnsNotFound | DnsUnavailable]:
    """Ask ``resolve`` once, and say in typed words when there is no answer."""
    try:
        async with asyncio.timeout(timeout_seconds):
            addresses = await resolve(host, port)
    except socket.gaierror as error:
        missing = error.errno in _NO_SUCH_NAME
        return Failure(DnsNotFound(host=host) if missing else DnsUnavailable(host=host))
    except UnicodeError:
        return Failure(DnsNotFound(host=host))
    except OSError:  # a TimeoutError is one
        return Failure(DnsUnavailable(host=host))
    return Success(addresses) if addresses else Failure(DnsNotFound(host=host))


def _look_up(host: str, port: int) -> Sequence[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in answers))


@functools.lru_cache(maxsize=1)
def _threads(_process_id: int) -> DaemonThreads:
    """Return the threads of this process: a fork has none of its parent's."""
    return DaemonThreads(THREADS, "webseam-dns")


# What a fetch is given: the policy as functions, the name server, the clock, the limits.

MEBIBYTE = 1024 * 1024


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long each step may take, in seconds, and how much may come.

    ``deadline`` is over everything: names, redirects, the body. ``wire_bytes`` is before and
    ``decoded_bytes`` after decompression. ``more_types`` are let through beside what holds text.
    With ``start_bytes`` whatever comes is taken, and only so much of it is read.
    """

    dns: float = 5.0
    connect: float = 10.0
    head: float = 15.0
    idle: float = 10.0
    deadline: float = 30.0
    redirects: int = 5
    addresses: int = 8
    wire_bytes: int = 10 * MEBIBYTE
    decoded_bytes: int = 20 * MEBIBYTE
    more_types: frozenset[str] = frozenset()
    start_bytes: int | None = None


class Guard(msgspec.Struct, frozen=True, kw_only=True):
    """The policy. Each function is pure, and each is asked on every hop."""

    judge_url: Callable[[object], Result[Target, InvalidUrl | UrlDenied]]
    judge_addresses: Callable[[Target, Sequence[str]], Result[tuple[str, ...], UrlDenied]]
    judge_connection: Callable[[Target, str, tuple[str, str]], UrlDenied | None]
    judge_redirect: Callable[[Target, int, str], Result[Target, BadRedirect | UrlDenied]]
    redact_url: Callable[[str], str]


def never_retry(error: WebError, attempt: int) -> float | None:  # noqa: ARG001  it is always no
    """Never try again."""
    return None


class FetchDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Everything around a fetch. ``context`` is the TLS one; None is the process's own.

    With a ``proxy``, no name but the proxy's own is looked up here, and nothing else is dialled.
    """

    guard: Guard
    resolve: Resolve
    now: Callable[[], float]
    retry: Callable[[WebError, int], float | None] = never_retry
    limits: FetchLimits = FetchLimits()
    context: ssl.SSLContext | None = None
    user_agent: str = "webseam"
    proxy: Target | None = None


# Connections to addresses that were checked, and to no others.


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


def _judge(opened: ConnectedSocket, target: Target, around: FetchDeps) -> UrlDenied | None:
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
