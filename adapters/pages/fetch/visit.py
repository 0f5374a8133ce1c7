"""Make one request: resolve, check, connect, send, judge the head, read the body."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import httpx
import msgspec
from returns.result import Failure, Result, Success

from webseam.ports import errors
from webseam.ports.errors import WebError
from webseam.ports.targets import Target

from ...http.body import ACCEPT_ENCODING, read_body, read_body_start
from ...http.connection import Connection
from ...http.error_mapping import network_error
from . import content
from .connect import FetchDeps, FetchLimits, find_addresses, open_stream, open_via_proxy
from .large_bodies import LargeBodies
from .user_headers import Headers

_OTHER_TYPES = "application/xml;q=0.8,text/plain;q=0.8,application/pdf;q=0.7,*/*;q=0.1"
# A server that honours weights sends the type with the highest one (RFC 9110, 12.5.1).
_ACCEPT_BY_PREFERENCE = {
    "html": f"text/html,application/xhtml+xml,text/markdown;q=0.9,{_OTHER_TYPES}",
    "markdown": f"text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,{_OTHER_TYPES}",
    "html only": "text/html,application/xhtml+xml",
}
# The response header with the validator that a condition sends back.
_VALIDATORS_BY_CONDITION = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}


def page_request_bytes(
    target: Target, deps: FetchDeps, *, whole_url: bool = False, headers: Headers = ()
) -> bytes:
    """Return the GET request for a target; the connection closes afterwards.

    A target is ASCII without blanks; the user agent and the values of ``headers`` are cleaned. A
    proxy that forwards the request needs the whole URL.
    """
    lines = (
        f"GET {target.url if whole_url else target.path} HTTP/1.1",
        f"Host: {target.authority}",
        f"User-Agent: {_printable_ascii(deps.user_agent)}",
        f"Accept: {_ACCEPT_BY_PREFERENCE[deps.prefer]}",
        f"Accept-Encoding: {ACCEPT_ENCODING}",
        *(f"{name}: {_printable_ascii(value)}" for name, value in headers),
        "Connection: close\r\n\r\n",
    )
    return "\r\n".join(lines).encode("ascii")


def _printable_ascii(text: str) -> str:
    return "".join(char for char in text if " " <= char <= "~")


class Redirect(NamedTuple):
    """A redirect and its only location."""

    status: int
    location: str


class PageResponse(NamedTuple):
    """A page: its status, headers and body; the body is empty for a 304."""

    status: int
    headers: httpx.Headers
    body: bytes


VisitOutcome: TypeAlias = Result[Redirect | PageResponse, WebError]


async def visit_target(
    target: Target,
    deps: FetchDeps,
    large: LargeBodies,
    headers: Headers = (),
    own_headers: Headers = (),
    terms: dict[str, str] | None = None,
) -> VisitOutcome:
    """Make one request to ``target``; its connection is always closed afterwards.

    Conditional ``headers`` may get a 304 as the answer; after one for another version, ask again
    without them. The user's ``own_headers`` never reach a proxy that forwards the request in clear
    text. ``terms`` takes the headers of a 402.
    """
    send = partial(_visit_once, target, deps, large, own_headers, terms)
    visited = await send(headers)
    response = visited.value_or(None)
    if isinstance(response, PageResponse) and _is_for_other_version(response, headers):
        visited = await send(())
    return visited.alt(lambda error: _add_payee(error, target))


def _add_payee(error: WebError, target: Target) -> WebError:
    """Name the site as the payee of a price that names none, as Cloudflare pays its customer."""
    is_unnamed = isinstance(error, errors.PaymentRequired) and not error.payee
    return msgspec.structs.replace(error, payee=target.host) if is_unnamed else error


def _is_for_other_version(response: PageResponse, conditions: Headers) -> bool:
    """Tell whether a 304 is about another version than the stored one (RFC 9111, 4.3.4)."""
    for condition, sent in conditions if response.status == content.NOT_MODIFIED else ():
        if named := str(response.headers.get(_VALIDATORS_BY_CONDITION[condition], "")):
            return named.removeprefix("W/") != sent.removeprefix("W/")
    return False


async def _visit_once(
    target: Target,
    deps: FetchDeps,
    large: LargeBodies,
    own_headers: Headers,
    terms: dict[str, str] | None,
    headers: Headers,
) -> VisitOutcome:
    try:
        opened = await _open_page_connection(target, deps)
        if isinstance(opened, Failure):
            return opened
        connection = opened.unwrap()
        try:
            forwarded = deps.proxy is not None and target.scheme == "http"
            sent = headers if forwarded else (*headers, *own_headers)
            if deps.signer is not None:
                # Sign each request anew: a signature holds for one authority and a short time.
                sent = (*sent, *deps.signer.sign_page_request(target, deps.now(), sent))
            request = page_request_bytes(target, deps, whole_url=forwarded, headers=sent)
            return await _send_page_request(
                connection, request, deps, large, terms, is_conditional=bool(headers)
            )
        finally:
            connection.close()
    except httpx.HTTPError as error:
        return Failure(network_error(error, target.host))


async def _open_page_connection(target: Target, deps: FetchDeps) -> Result[Connection, WebError]:
    if deps.proxy is not None:
        return await open_via_proxy(deps.proxy, target, deps)
    addresses = await resolve_target(target, deps)
    if isinstance(addresses, Failure):
        return addresses
    return await open_stream(target, addresses.unwrap(), deps)


async def resolve_target(target: Target, deps: FetchDeps) -> Result[Sequence[str], WebError]:
    """Return the allowed addresses of a target: the literal one, or those of its name."""
    if target.literal:
        return deps.guard.judge_addresses(target, (target.host,))
    addresses = await find_addresses(deps.resolve, target.host, target.port, deps.limits.dns)
    if isinstance(addresses, Failure):
        return addresses
    return deps.guard.judge_addresses(target, addresses.unwrap())


async def _send_page_request(
    connection: Connection,
    request: bytes,
    deps: FetchDeps,
    large: LargeBodies,
    terms: dict[str, str] | None,
    *,
    is_conditional: bool,
) -> VisitOutcome:
    head = await connection.send(request, deps.limits.head)
    connection.watch_body(deps.limits.idle)
    response = httpx.Response(head.status, headers=head.headers, stream=_ConnectionBody(connection))
    if head.status in content.REDIRECT_STATUSES:
        return _read_redirect(response)
    if is_conditional and head.status == content.NOT_MODIFIED:
        return Success(PageResponse(head.status, response.headers, b""))
    refusal = content.status_refusal(head.status, response.headers, deps.now())
    if terms is not None and isinstance(refusal, errors.PaymentRequired):
        terms.update(response.headers)
    if refusal is not None:
        return Failure(await _detect_challenge(refusal, response, deps.limits))
    if deps.limits.start_bytes is not None:
        return await _read_page_start(response, deps.limits, deps.limits.start_bytes)
    return await _read_page_body(response, deps.limits, large)


def _read_redirect(response: httpx.Response) -> VisitOutcome:
    locations = set(response.headers.get_list("location"))
    if len(locations) != 1:
        reason = "it names several locations" if locations else "it names no location"
        return Failure(errors.BadRedirect(status=response.status_code, reason=reason))
    return Success(Redirect(response.status_code, locations.pop()))


async def _detect_challenge(
    refusal: WebError, response: httpx.Response, limits: FetchLimits
) -> WebError:
    """Return a bot check error if the error page is one; keep the refusal if reading fails."""
    if response.status_code not in content.CHALLENGE_STATUSES:
        return refusal
    try:
        start = await read_body_start(response, content.MAX_CHALLENGE_BYTES, wire=limits.wire_bytes)
    except httpx.HTTPError:
        return refusal
    return (
        errors.BlockedByRemote(status=response.status_code)
        if content.is_challenge_body(start)
        else refusal
    )


async def _read_page_start(
    response: httpx.Response, limits: FetchLimits, max_bytes: int
) -> VisitOutcome:
    start = await read_body_start(response, max_bytes, wire=limits.wire_bytes)
    if not start:
        return Failure(errors.EmptyContent(reason="no_body"))
    return Success(PageResponse(response.status_code, response.headers, start))


async def _read_page_body(
    response: httpx.Response, limits: FetchLimits, large: LargeBodies
) -> VisitOutcome:
    refusal = content.type_refusal(response.headers, limits.more_types)
    if refusal is not None:
        return Failure(refusal)
    async with large.pace_large_body() as pace:
        wire, decoded = limits.wire_bytes, limits.decoded_bytes
        body = await read_body(response, decoded, wire=wire, pace=pace)
    if not body:
        return Failure(errors.EmptyContent(reason="no_body"))
    content_type = response.headers.get("content-type", "")
    proven = content.disguised_type(body, content_type)
    # A picture of another format than declared is still an accepted picture.
    if (
        proven is not None
        and not {proven, content.media_type_essence(content_type)} <= limits.more_types
    ):
        return Failure(errors.UnsupportedContent(content_type=proven))
    return Success(PageResponse(response.status_code, response.headers, body))


class _ConnectionBody(httpx.AsyncByteStream):
    """The raw body of a connection."""

    def __init__(self, wire: Connection) -> None:
        self._exchange = wire.exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        exchange = self._exchange
        while exchange is not None and (chunk := await exchange.next_chunk()) is not None:
            yield chunk
