"""One request and its answer: look up, check, connect, ask, judge the head, read the body."""

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple, TypeAlias

import httpx
from returns.result import Failure, Result, Success

from ....ports.errors import (
    BadRedirect,
    BlockedByRemote,
    EmptyContent,
    UnsupportedContent,
    WebError,
)
from ....ports.targets import Target
from ...http.body import ACCEPT_ENCODING, read_body, read_start
from ...http.connection import Connection
from ...http.error_mapping import network_error
from .connect import FetchDeps, FetchLimits, find_addresses, open_stream, open_via_proxy
from .content import (
    CHALLENGE_BYTES,
    MAYBE_CHALLENGE,
    NOT_MODIFIED,
    REDIRECTS,
    disguised_type,
    media_type_essence,
    shows_challenge,
    status_refusal,
    type_refusal,
)
from .large_bodies import LargeBodies

_ACCEPT = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,text/markdown;q=0.9,text/plain;q=0.8,"
    "application/pdf;q=0.7,*/*;q=0.1"
)
Headers: TypeAlias = tuple[tuple[str, str], ...]


def request_bytes(
    target: Target, user_agent: str, *, whole_url: bool = False, headers: Headers = ()
) -> bytes:
    """Write the GET request for a target, on a connection of its own.

    A target is plain ASCII without a blank; the user agent and the values of ``headers`` are made
    so. A proxy that passes the request on wants the whole URL in it.
    """
    agent = _printable(user_agent)
    lines = (
        f"GET {target.url if whole_url else target.path} HTTP/1.1",
        f"Host: {target.authority}",
        f"User-Agent: {agent}",
        f"Accept: {_ACCEPT}",
        f"Accept-Encoding: {ACCEPT_ENCODING}",
        *(f"{name}: {_printable(value)}" for name, value in headers),
        "Connection: close",
        "",
        "",
    )
    return "\r\n".join(lines).encode("ascii")


def _printable(text: str) -> str:
    return "".join(char for char in text if " " <= char <= "~")


class Redirected(NamedTuple):
    """A redirect, and the one place it names."""

    status: int
    location: str


class PageArrived(NamedTuple):
    """A page: its status, its head, its whole body; none where it is as it was (304)."""

    status: int
    headers: httpx.Headers
    body: bytes


Visited: TypeAlias = Result[Redirected | PageArrived, WebError]


async def visit_target(
    target: Target, deps: FetchDeps, large: LargeBodies, headers: Headers = ()
) -> Visited:
    """Make one request to ``target``. Whatever happens, its connection is closed afterwards.

    Who asks in ``headers`` whether a page has changed may be told that it has not.
    """
    try:
        opened = await _open(target, deps)
        if isinstance(opened, Failure):
            return opened
        wire = opened.unwrap()
        try:
            passed_on = deps.proxy is not None and target.scheme == "http"
            request = request_bytes(target, deps.user_agent, whole_url=passed_on, headers=headers)
            return await _ask(wire, request, deps, large, conditional=bool(headers))
        finally:
            wire.close()
    except httpx.HTTPError as error:
        return Failure(network_error(error, target.host))


async def _open(target: Target, around: FetchDeps) -> Result[Connection, WebError]:
    if around.proxy is not None:
        return await open_via_proxy(around.proxy, target, around)
    addresses = await checked_addresses(target, around)
    if isinstance(addresses, Failure):
        return addresses
    return await open_stream(target, addresses.unwrap(), around)


async def checked_addresses(target: Target, deps: FetchDeps) -> Result[Sequence[str], WebError]:
    """Return addresses that may be dialled: the literal one, or all that the name has now."""
    if target.literal:
        return deps.guard.judge_addresses(target, (target.host,))
    addresses = await find_addresses(deps.resolve, target.host, target.port, deps.limits.dns)
    if isinstance(addresses, Failure):
        return addresses
    return deps.guard.judge_addresses(target, addresses.unwrap())


async def _ask(
    wire: Connection, request: bytes, around: FetchDeps, large: LargeBodies, *, conditional: bool
) -> Visited:
    head = await wire.send(request, around.limits.head)
    wire.watch_body(around.limits.idle)
    response = httpx.Response(head.status, headers=head.headers, stream=_Body(wire))
    if head.status in REDIRECTS:
        return _moved(response)
    if conditional and head.status == NOT_MODIFIED:
        return Success(PageArrived(head.status, response.headers, b""))
    refusal = status_refusal(head.status, response.headers, around.now())
    if refusal is not None:
        return Failure(await _unless_challenge(refusal, response, around.limits))
    if around.limits.start_bytes is not None:
        return await _start(response, around.limits, around.limits.start_bytes)
    return await _page(response, around.limits, large)


def _moved(response: httpx.Response) -> Visited:
    places = set(response.headers.get_list("location"))
    if len(places) != 1:
        reason = "it names several places" if places else "it does not say where to"
        return Failure(BadRedirect(status=response.status_code, reason=reason))
    return Success(Redirected(response.status_code, places.pop()))


async def _unless_challenge(
    refusal: WebError, response: httpx.Response, limits: FetchLimits
) -> WebError:
    """Look whether an error page is a bot check; whatever goes wrong with it does not matter."""
    if response.status_code not in MAYBE_CHALLENGE:
        return refusal
    try:
        start = await read_start(response, CHALLENGE_BYTES, wire=limits.wire_bytes)
    except httpx.HTTPError:
        return refusal
    return BlockedByRemote(status=response.status_code) if shows_challenge(start) else refusal


async def _start(response: httpx.Response, limits: FetchLimits, most: int) -> Visited:
    start = await read_start(response, most, wire=limits.wire_bytes)
    if not start:
        return Failure(EmptyContent(reason="no_body"))
    return Success(PageArrived(response.status_code, response.headers, start))


async def _page(response: httpx.Response, limits: FetchLimits, large: LargeBodies) -> Visited:
    refusal = type_refusal(response.headers, limits.more_types)
    if refusal is not None:
        return Failure(refusal)
    async with large.pace() as pace:
        body = await read_body(response, limits.decoded_bytes, wire=limits.wire_bytes, pace=pace)
    if not body:
        return Failure(EmptyContent(reason="no_body"))
    content_type = response.headers.get("content-type", "")
    lie = disguised_type(body, content_type)
    # A picture of another kind than its type says is still a picture.
    if lie is not None and not {lie, media_type_essence(content_type)} <= limits.more_types:
        return Failure(UnsupportedContent(content_type=lie))
    return Success(PageArrived(response.status_code, response.headers, body))


class _Body(httpx.AsyncByteStream):
    """The body as it comes off the wire."""

    def __init__(self, wire: Connection) -> None:
        self._exchange = wire.exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        exchange = self._exchange
        while exchange is not None and (chunk := await exchange.next_chunk()) is not None:
            yield chunk
