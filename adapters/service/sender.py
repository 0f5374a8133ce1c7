"""One request of a service: sent within its limits, and its reply judged."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload, ConnectFailed, DeadlineExceeded, WebError
from ..http.body import HeaderLines, header_lines, read_body
from ..http.error_mapping import network_error, status_error
from ..values.field_values import said
from .declaration import RequestWriter, find_no_cost
from .operations import Access, Format, Reply, ServiceCall, never_empty

_JSON_TYPES = (b"application/json", b"text/json")


class ServiceLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much and how long: bytes after decompression, seconds for the whole call."""

    bytes: int = 10 * 1024 * 1024
    seconds: float = 30.0


class ServiceDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What composition hands to every service: the wire, the clock, and our decisions.

    ``retry`` is told what failed and how often, and returns how long to wait, or None to give up.
    ``canonical`` gives the one spelling under which two names of a page are equal, ``echoes``
    what masks keys that a service sends back. ``heard`` is told the header lines of every
    reply, and the dollars that it says it cost.
    """

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]
    retry: Callable[[WebError, int], float | None] = lambda _error, _attempt: None
    canonical: Callable[[str], str] = lambda url: url
    echoes: Callable[[Sequence[str]], Callable[[str], str]] = lambda _secrets: str
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    heard: Callable[[HeaderLines, float | None], None] = lambda _lines, _cost: None


class Sender:
    """Sends the calls of one service, and reads its own errors first."""

    def __init__(
        self,
        classify: Callable[[Reply], WebError | None],
        deps: ServiceDeps,
        limits: ServiceLimits,
        cost: Callable[[Reply], float | None] = find_no_cost,
    ) -> None:
        """Send through what is around, within the limits."""
        self._classify = classify
        self._cost = cost
        self._around = deps
        self._limits = limits
        self._desk = RequestWriter()

    async def send(
        self,
        call: ServiceCall,
        access: Access,
        form: Format,
        accepted: Callable[[Reply], bool] = never_empty,
    ) -> Result[Reply, WebError]:
        """Return the reply, or why it is none. Nothing but cancellation is raised.

        What is ``accepted`` is a reply whatever its status says.
        """
        written = self._desk.write(call, access)
        if isinstance(written, Failure):
            return written
        request = written.unwrap()
        try:
            response = await self._around.transport.handle_async_request(request)
            try:
                lines = header_lines(response)
                if form == "json" and response.is_success and not _has_json_type(lines):
                    return Failure(_content_type_error(response))
                body = await read_body(response, self._limits.bytes)
            finally:
                # As response.aclose does, without what httpx puts around it.
                await cast("httpx.AsyncByteStream", response.stream).aclose()
        except httpx.HTTPError as error:
            return Failure(network_error(error, request.url.host))
        except TimeoutError:
            return Failure(DeadlineExceeded(deadline=self._limits.seconds))
        except OSError:
            return Failure(ConnectFailed())
        parsed = parse_json(body)
        readable = isinstance(parsed, Success)
        reply = Reply(
            status=response.status_code,
            payload=parsed.unwrap() if readable else None,
            text="" if readable and form == "json" else body.decode("utf-8", "replace"),
            origin=request.site,
            headers=response.headers,
        )
        self._around.heard(lines, self._cost(reply))
        return Success(reply) if accepted(reply) else self._judge(reply, parsed, form)

    def _judge(
        self, reply: Reply, parsed: Result[object, str], form: Format
    ) -> Result[Reply, WebError]:
        """Read the service's own errors first, then the status, then whether it is JSON at all."""
        refused = self._classify(reply) or self._refused(reply)
        if refused is not None:
            return Failure(refused)
        if form == "json" and not isinstance(parsed, Success):
            detail = parsed.failure()
            return Failure(BadPayload(problem="not_json", status=reply.status, detail=detail))
        return Success(reply)

    def _refused(self, reply: Reply) -> WebError | None:
        if httpx.codes.is_success(reply.status):
            return None
        return status_error(reply.status, reply.headers, said(reply.payload), self._around.now())


def parse_json(body: bytes) -> Result[object, str]:
    """Parse a body as JSON, or say why it is none."""
    try:
        return Success(msgspec.json.decode(body))
    # Not only DecodeError: bad UTF-8 is a UnicodeDecodeError and deep nesting a RecursionError.
    # Both are in the service's power to send.
    except (ValueError, RecursionError) as error:
        return Failure("nested too deeply" if isinstance(error, RecursionError) else str(error))


def _content_type_error(response: httpx.Response) -> BadPayload:
    content_type = response.headers.get("content-type", "none")
    detail = f"content type {content_type}"
    return BadPayload(problem="content_type", status=response.status_code, detail=detail)


def _has_json_type(lines: HeaderLines) -> bool:
    content_types = [value for name, value in lines if name == b"content-type"]
    # A repeated Content-Type is ignored: RFC 9110, 8.3 allows one, and which counts is a guess.
    kind = content_types[0].partition(b";")[0].strip().lower() if len(content_types) == 1 else b""
    return kind in _JSON_TYPES or kind.endswith(b"+json")
