"""Sending one call of a service within its limits, and judging the reply."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import httpx
import msgspec

from ...ports.errors import BadPayload, ConnectFailed, DeadlineExceeded, WebError
from ...ports.secrets import KeyRedactor
from ..http.body import HeaderLines, http_header_lines, read_http_body
from ..http.error_mapping import http_network_error, status_error
from ..http.request_writing import WrittenRequest
from ..values.field_values import said
from .calls import Access, Format, Reply, ServiceCall
from .declaration import find_no_service_cost
from .operations import never_empty_reply
from .request_writer import RequestWriter

_JSON_DECODER = msgspec.json.Decoder()


class ServiceLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a call: bytes after decompression, seconds for the whole call."""

    bytes: int = 10 * 1024 * 1024
    seconds: float = 30.0


class ServiceDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Collaborators of every service backend.

    ``retry`` gets an error and the number of the attempt, and returns the seconds to wait, or None
    to give up. ``canonical`` returns the canonical spelling of a URL, ``key_masker`` a function
    that takes keys out. ``on_reply`` gets the header lines of every reply and its cost in dollars.
    """

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]
    retry: Callable[[WebError, int], float | None] = lambda _error, _attempt: None
    canonical: Callable[[str], str] = lambda url: url
    key_masker: Callable[[Sequence[str]], KeyRedactor] = lambda _secrets: lambda value: value
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
        accepted: Callable[[Reply], bool] = never_empty_reply,
    ) -> Reply | WebError:
        """Return the reply, or an error. Only cancellation is raised.

        An ``accepted`` reply is returned whatever its status is.
        """
        request = self._writer.write(call, access)
        if not isinstance(request, WrittenRequest):
            return request
        try:
            response = await self._deps.transport.handle_async_request(request)
            stream: httpx.AsyncByteStream = response.stream  # type: ignore[assignment]
            try:
                lines = http_header_lines(response)
                if form == "json" and not _has_json_reply_type(lines) and response.is_success:
                    return _reply_type_error(response)
                body = await read_http_body(response, self._limits.bytes)
            finally:
                # The same as response.aclose, without httpx's overhead.
                await stream.aclose()
        except (httpx.HTTPError, OSError) as error:
            return self._exchange_error(error, request)
        payload, problem = parse_service_json(body)
        reply = Reply(
            status=response.status_code,
            payload=payload,
            text="" if problem is None and form == "json" else body.decode("utf-8", "replace"),
            origin=request.site,
            headers=_reply_headers(lines),
        )
        self._deps.on_reply(lines, self._cost(reply))
        return reply if accepted(reply) else self._judge_reply(reply, problem, form)

    def _exchange_error(self, error: Exception, request: WrittenRequest) -> WebError:
        if isinstance(error, httpx.HTTPError):
            return http_network_error(error, request.url.host)
        is_late = isinstance(error, TimeoutError)
        return DeadlineExceeded(deadline=self._limits.seconds) if is_late else ConnectFailed()

    def _judge_reply(self, reply: Reply, problem: str | None, form: Format) -> Reply | WebError:
        """Check for the service's own errors first, then the status, then valid JSON."""
        error = self._classify(reply) or self._reply_status_error(reply)
        if error is None and problem is not None and form == "json":
            return BadPayload(problem="not_json", status=reply.status, detail=problem)
        return error or reply

    def _reply_status_error(self, reply: Reply) -> WebError | None:
        if reply.status // 100 == 2:  # noqa: PLR2004  a success, without httpx's overhead
            return None
        return status_error(reply.status, reply.headers, said(reply.payload), self._deps.now())


def parse_service_json(body: bytes) -> tuple[object, str | None]:
    """Return the parsed JSON body, and the reason why it is not JSON, or None."""
    try:
        return _JSON_DECODER.decode(body), None
    # Not only DecodeError: bad UTF-8 is a UnicodeDecodeError and deep nesting a RecursionError.
    # A service can send both.
    except (ValueError, RecursionError) as error:
        return None, "nested too deeply" if isinstance(error, RecursionError) else str(error)


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
    return kind in (b"application/json", b"text/json") or kind.endswith(b"+json")
