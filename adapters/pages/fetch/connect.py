"""Connect to checked addresses only.

The socket connects to the literal address; the policy judges both ends before a byte is sent; then
TLS starts with the name. The connection itself never resolves a name.
"""

import asyncio
import contextlib
import functools
import os
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports import errors
from webseam.ports.targets import Target

from ...http import dial
from ...http.connection import Connection
from ...threads import DaemonThreads
from ...user_agent import USER_AGENT
from ..settings import AcceptedTypes
from .user_headers import Headers, PageSigner

# Raises socket.gaierror, as the standard library does; any other OSError counts as no answer.
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
MAX_RESOLVER_THREADS = 16
# These codes mean that the name has no address; all others mean that no server answered.
_NO_SUCH_NAME_CODES = frozenset(
    number
    for name in ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY")
    if (number := getattr(socket, name, None)) is not None
)
MEBIBYTE = 1024 * 1024


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system's resolver in a daemon thread."""
    resolve = functools.partial(_resolve_host, host, port)
    return await asyncio.wrap_future(_resolver_threads(os.getpid()).submit(resolve))


async def find_addresses(
    resolve: Resolve, host: str, port: int, timeout_seconds: float
) -> Result[Sequence[str], errors.DnsNotFound | errors.DnsUnavailable]:
    """Ask ``resolve`` once; return a typed error when there is no answer."""
    try:
        async with asyncio.timeout(timeout_seconds):
            addresses = await resolve(host, port)
    except socket.gaierror as error:
        is_missing = error.errno in _NO_SUCH_NAME_CODES
        return Failure(
            errors.DnsNotFound(host=host) if is_missing else errors.DnsUnavailable(host=host)
        )
    except UnicodeError:
        return Failure(errors.DnsNotFound(host=host))
    except OSError:  # a TimeoutError is one
        return Failure(errors.DnsUnavailable(host=host))
    return Success(addresses) if addresses else Failure(errors.DnsNotFound(host=host))


def _resolve_host(host: str, port: int) -> Sequence[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in answers))


@functools.lru_cache(maxsize=1)
def _resolver_threads(_process_id: int) -> DaemonThreads:
    """Return the threads of this process: a fork does not inherit its parent's threads."""
    return DaemonThreads(MAX_RESOLVER_THREADS, "webseam-dns")


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Time limits of each step, in seconds, and size limits.

    ``deadline`` covers everything: names, redirects, the body. ``wire_bytes`` counts before and
    ``decoded_bytes`` after decompression. ``more_types`` are accepted besides text. With
    ``start_bytes`` every type is accepted, and only so many bytes are read.
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
    """The policy as pure functions, which run on every hop."""

    judge_url: Callable[[object], Result[Target, errors.InvalidUrl | errors.UrlDenied]]
    judge_addresses: Callable[[Target, Sequence[str]], Result[tuple[str, ...], errors.UrlDenied]]
    judge_connection: Callable[[Target, str, tuple[str, str]], errors.UrlDenied | None]
    judge_redirect: Callable[
        [Target, int, str], Result[Target, errors.BadRedirect | errors.UrlDenied]
    ]
    redact_url: Callable[[str], str]


def never_retry(error: errors.WebError, attempt: int) -> float | None:  # noqa: ARG001  always None
    """Never try again."""
    return None


# Returns the user's headers for a target, after the URLs that redirected to it.
SiteHeadersFor: TypeAlias = Callable[[Target, Sequence[str]], Headers]


class Payment(NamedTuple):
    """What was paid, in words and in dollars, and the header that proves it."""

    price: str
    dollars: float
    proof: tuple[str, str]


# Pays what a target asks for in the headers of its 402, or says why nothing was paid.
Pay: TypeAlias = Callable[
    [Target, Mapping[str, str]], Awaitable[Result[Payment, errors.WebError | str]]
]


class FetchDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Collaborators of a fetch. ``context`` is the TLS context; None means the process's own.

    With a ``proxy``, only the proxy's name is resolved here, and only the proxy is dialled.
    """

    guard: Guard
    resolve: Resolve
    now: Callable[[], float]
    retry: Callable[[errors.WebError, int], float | None] = never_retry
    limits: FetchLimits = FetchLimits()
    context: ssl.SSLContext | None = None
    user_agent: str = USER_AGENT
    prefer: AcceptedTypes = "html"
    proxy: Target | None = None
    site_headers: SiteHeadersFor = lambda _target, _passed: ()
    signer: PageSigner | None = None
    pay: Pay | None = None


async def open_stream(
    target: Target, addresses: Sequence[str], deps: FetchDeps
) -> Result[Connection, errors.UrlDenied]:
    """Connect to the first address that answers. Raises httpx's connection errors."""
    try:
        async with asyncio.timeout(deps.limits.connect):
            opened = await _open_checked_socket(target, addresses, deps)
            if isinstance(opened, Failure):
                return opened
            return Success(await wrap_socket(opened.unwrap(), target, deps))
    except (OSError, UnicodeError) as error:
        raise dial.connect_error(error) from error


async def open_socket(
    target: Target, addresses: Sequence[str], deps: FetchDeps
) -> Result[socket.socket, errors.UrlDenied]:
    """Connect like ``open_stream`` and return the bare socket. Raises the same errors."""
    try:
        async with asyncio.timeout(deps.limits.connect):
            return await _open_checked_socket(target, addresses, deps)
    except OSError as error:
        raise dial.connect_error(error) from error


async def _open_checked_socket(
    target: Target, addresses: Sequence[str], deps: FetchDeps
) -> Result[socket.socket, errors.UrlDenied]:
    candidates = addresses[: deps.limits.addresses]
    opened = await _connect_addresses(candidates, target.port)
    refusal = _judge_socket_ends(opened, target, deps)
    return Success(opened.socket) if refusal is None else Failure(refusal)


async def _connect_addresses(addresses: Sequence[str], port: int) -> dial.ConnectedSocket:
    return await dial.connect_first([dial.literal_address(text, port) for text in addresses])


def _judge_socket_ends(
    opened: dial.ConnectedSocket, target: Target, deps: FetchDeps
) -> errors.UrlDenied | None:
    """Judge both ends of the connection; close it if it is refused."""
    with contextlib.ExitStack() as cleanup:
        cleanup.callback(opened.socket.close)
        # getpeername raises OSError if the server has already reset the connection.
        ends = (opened.socket.getsockname()[0], opened.socket.getpeername()[0])
        refusal = deps.guard.judge_connection(target, opened.address, ends)
        if refusal is None:
            cleanup.pop_all()
        return refusal


async def wrap_socket(connected: socket.socket, target: Target, deps: FetchDeps) -> Connection:
    """Give the socket to asyncio, which closes it from here on, also after an error."""
    is_https = target.scheme == "https"
    _, connection = await asyncio.get_running_loop().create_connection(
        Connection,
        sock=connected,
        ssl=(deps.context or dial.tls_context()) if is_https else None,
        server_hostname=target.host if is_https else None,
    )
    return connection


async def open_via_proxy(
    proxy: Target, target: Target, deps: FetchDeps
) -> Result[Connection, errors.DnsNotFound | errors.DnsUnavailable]:
    """Connect to ``proxy``, and for https through it to ``target``. Raises httpx's errors.

    The proxy comes from the settings; it resolves and dials for us.
    """
    candidates: Sequence[str] = (proxy.host,)
    if not proxy.literal:
        lookup = await find_addresses(deps.resolve, proxy.host, proxy.port, deps.limits.dns)
        if isinstance(lookup, Failure):
            return lookup
        candidates = lookup.unwrap()[: deps.limits.addresses]
    try:
        async with asyncio.timeout(deps.limits.connect):
            opened = await _connect_addresses(candidates, proxy.port)
            if target.scheme == "https":
                await dial.open_tunnel(opened.socket, target.host, target.port)
            return Success(await wrap_socket(opened.socket, target, deps))
    except (OSError, UnicodeError) as error:
        raise dial.connect_error(error) from error
