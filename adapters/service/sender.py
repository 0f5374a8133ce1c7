"""Sending one call of a service within its limits, and judging the reply."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload, ConnectFailed, DeadlineExceeded, WebError
from ..http.body import HeaderLines, http_header_lines, read_http_body
from ..http.error_mapping import network_error, status_error
from ..values.field_values import said
from .calls import Access, Format, Reply, ServiceCall
from .declaration import find_no_service_cost
from .operations import never_empty
from .request_writer import RequestWriter

_JSON_TYPES = (b"application/json", b"text/json")


class ServiceLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a call: bytes after decompression, seconds for the whole call."""

    bytes: int = 10 * 1024 * 1024
    seconds: float = 30.0


class ServiceDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Collaborators of every service backend.

    ``retry`` gets an error and the number of the attempt, and returns the seconds to wait, or None
    to give up. ``canonical`` returns the canonical spelling of a URL, ``key_masker`` a function
    that masks keys. ``on_reply`` gets the header lines of every reply and its cost in dollars.
    """

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]
    retry: Callable[[WebError, int], float | None] = lambda _error, _attempt: None
    canonical: Callable[[str], str] = lambda url: url
    key_masker: Callable[[Sequence[str]], Callable[[str], str]] = lambda _secrets: str
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    on_reply: Callable[[HeaderLines, float | None], None] = lambda _lines, _cost: None


class Sender:
    """Sends the calls of one service."""

    def __init__(
        self,
        classify: Callable[[Reply], WebError | None],
        deps: ServiceDeps,
        limits: ServiceLimits,
        cost: Callable[[Reply], float | None] = find_no_service_cost,
    ) -> None:
        self._classify = classify
        self._cost = cost
        self._deps = deps
        self._limits = limits
        self._writer = RequestWriter()

    async def send(
        self,
        call: ServiceCall,
        access: Access,
        form: Format,
        accepted: Callable[[Reply], bool] = never_empty,
    ) -> Result[Reply, WebError]:
        """Return the reply, or an error. Only cancellation is raised.

        An ``accepted`` reply is returned whatever its status is.
        """
        outcome = self._writer.write(call, access)
        if not isinstance(outcome, Success):
            return Failure(outcome.failure())
        request = outcome.unwrap()
        try:
            response = await self._deps.transport.handle_async_request(request)
            try:
                lines = http_header_lines(response)
                if form == "json" and not _has_json_reply_type(lines) and response.is_success:
                    return Failure(_reply_type_error(response))
                body = await read_http_body(response, self._limits.bytes)
            finally:
                # The same as response.aclose, without httpx's overhead.
                await cast("httpx.AsyncByteStream", response.stream).aclose()
        except httpx.HTTPError as error:
            return Failure(network_error(error, request.url.host))
        except TimeoutError:
            return Failure(DeadlineExceeded(deadline=self._limits.seconds))
        except OSError:
            return Failure(ConnectFailed())
        parsed = parse_json(body)
        is_json = isinstance(parsed, Success)
        reply = Reply(
            status=response.status_code,
            payload=parsed.unwrap() if is_json else None,
            text="" if is_json and form == "json" else body.decode("utf-8", "replace"),
            origin=request.site,
            headers=_reply_headers(lines),
        )
        self._deps.on_reply(lines, self._cost(reply))
        return Success(reply) if accepted(reply) else self._judge_reply(reply, parsed, form)

    def _judge_reply(
        self, reply: Reply, parsed: Result[object, str], form: Format
    ) -> Result[Reply, WebError]:
        """Check for the service's own errors first, then the status, then valid JSON."""
        error = self._classify(reply) or self._reply_status_error(reply)
        if error is not None:
            return Failure(error)
        if form == "json" and not isinstance(parsed, Success):
            detail = parsed.failure()
            return Failure(BadPayload(problem="not_json", status=reply.status, detail=detail))
        return Success(reply)

    def _reply_status_error(self, reply: Reply) -> WebError | None:
        if reply.status // 100 == 2:  # noqa: PLR2004  a success, without httpx's overhead
            return None
        return status_error(reply.status, reply.headers, said(reply.payload), self._deps.now())


def parse_json(body: bytes) -> Result[object, str]:
    """Return the parsed JSON body, or the reason why it is not JSON."""
    try:
        return Success(msgspec.json.decode(body))
    # Not only DecodeError: bad UTF-8 is a UnicodeDecodeError and deep nesting a RecursionError.
    # A service can send both.
    except (ValueError, RecursionError) as error:
        return Failure("nested too deeply" if isinstance(error, RecursionError) else str(error))


def _reply_type_error(response: httpx.Response) -> BadPayload:
    content_type = response.headers.get("content-type", "none")
    detail = f"content type {content_type}"
    return BadPayload(problem="content_type", status=response.status_code, detail=detail)


def _reply_headers(lines: HeaderLines) -> dict[str, str]:
    """Return headers by name in lower case; the values of a repeated one are joined."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in lines:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _has_json_reply_type(lines: HeaderLines) -> bool:
    content_types = [value for name, value in lines if name == b"content-type"]
    if content_types == [b"application/json"]:
        return True
    # RFC 9110, 8.3 allows one Content-Type; which of several counts would be a guess.
    kind = content_types[0].partition(b";")[0].strip().lower() if len(content_types) == 1 else b""
    return kind in _JSON_TYPES or kind.endswith(b"+json")
