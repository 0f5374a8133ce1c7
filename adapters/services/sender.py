"""Writing and sending one call of a service within its limits, and judging the reply."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import urlencode

import httpx
import msgspec

from webseam.ports import errors
from webseam.ports.secrets import KeyRedactor

from ..http.body import ACCEPT_ENCODING, HeaderLines, header_lines, read_body
from ..http.error_mapping import network_error, status_error
from ..http.request_writing import RequestHead, WrittenRequest, write_request_head
from ..user_agent import USER_AGENT
from ..values.field_values import said
from ..values.urls import join_path
from .calls import Access, Format, Reply, ServiceCall
from .declaration import find_no_cost
from .operations import never_empty

_Pairs: TypeAlias = tuple[tuple[str, str], ...]
_DEFAULT_HEADERS = (
    ("accept", "application/json"),
    ("accept-encoding", ACCEPT_ENCODING),
    ("user-agent", USER_AGENT),
)
_MAX_CACHED_HEADS = 64
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
    ``begin`` is called before a request: what it returns is awaited, and an error of it forbids the
    request. ``on_send`` is called as a request is sent, for a transport that does not tell itself,
    and ``on_refusal`` for one that costs nothing, because the service refused it. ``seconds_left``
    returns in how many seconds the call has to end, or None.
    """

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]
    retry: Callable[[errors.WebError, int], float | None] = lambda _error, _attempt: None
    canonical: Callable[[str], str] = lambda url: url
    key_masker: Callable[[Sequence[str]], KeyRedactor] = lambda _secrets: lambda value: value
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    on_reply: Callable[[HeaderLines, float | None], None] = lambda _lines, _cost: None
    begin: Callable[[], Awaitable[errors.WebError | None] | None] = lambda: None
    on_send: Callable[[], None] | None = None
    on_refusal: Callable[[], None] = lambda: None
    seconds_left: Callable[[], float | None] = lambda: None


class RequestWriter:
    """Writes the requests of one service, and caches the heads that it uses often."""

    def __init__(self) -> None:
        self._cached_head = functools.lru_cache(_MAX_CACHED_HEADS)(_call_head)

    def write(self, call: ServiceCall, access: Access) -> WrittenRequest | errors.WebError:
        """Return the request, or an error if a part of it cannot be sent."""
        try:
            content, kind = _call_content(call)
            origin = access.base_url if access.overridden or not call.base else call.base
            # Parameters make a different URL each time, so caching would not help.
            write_head = _call_head if call.parameters else self._cached_head
            headers = (*call.headers, ("content-type", kind)) if kind else call.headers
            head = write_head(call.method, origin, call.path, call.parameters, headers)
        except httpx.HTTPError as error:
            return network_error(error, "")
        except (UnicodeError, httpx.InvalidURL):
            return errors.InvalidQuery(field="query", reason="cannot be written as a request")
        if head is None:
            return errors.NotConfigured(reason="The key has characters that no header can carry")
        return WrittenRequest(head, content)


def _call_content(call: ServiceCall) -> tuple[bytes, str]:
    if call.body is not None:
        return msgspec.json.encode(call.body), "application/json"
    if call.form is not None:
        return urlencode(call.form).encode(), "application/x-www-form-urlencoded"
    return b"", ""


def _call_head(
    method: str, origin: str, path: str, parameters: _Pairs, headers: _Pairs
) -> RequestHead | None:
    """Return the request head for a call; None when a header cannot be sent."""
    if not all(value.isascii() and value.isprintable() for _, value in headers):
        return None
    url = httpx.URL(join_path(origin, path))
    if parameters:
        url = url.copy_merge_params(parameters)
    # Every header except the length, so that httpx has none to add.
    call_names = {name for name, _ in headers}
    defaults = [header for header in _DEFAULT_HEADERS if header[0] not in call_names]
    host = ("host", url.netloc.decode("ascii"))
    return write_request_head(method, url, [host, *defaults, *headers])


class Sender:
    """Sends the calls of one service."""

    def __init__(
        self,
        classify: Callable[[Reply], errors.WebError | None],
        deps: ServiceDeps,
        limits: ServiceLimits,
        cost: Callable[[Reply], float | None] = find_no_cost,
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
    ) -> Reply | errors.WebError:
        """Return the reply, or an error. Only cancellation is raised.

        An ``accepted`` reply is returned whatever its status is.
        """
        request = self._writer.write(call, access)
        if not isinstance(request, WrittenRequest):
            return request
        deps = self._deps
        if (permission := deps.begin()) is not None:
            refusal = await permission
            if refusal is not None:
                return refusal
        if deps.on_send is not None:
            deps.on_send()
        try:
            response = await deps.transport.handle_async_request(request)
            stream: httpx.AsyncByteStream = response.stream  # type: ignore[assignment]
            try:
                lines = header_lines(response)
                if form == "json" and not _has_json_reply_type(lines) and response.is_success:
                    return _reply_type_error(response)
                body = await read_body(response, self._limits.bytes)
            finally:
                # The same as response.aclose, without httpx's overhead.
                await stream.aclose()
        except (httpx.HTTPError, OSError) as error:
            return self._exchange_error(error, request)
        payload, problem = parse_json(body)
        reply = Reply(
            status=response.status_code,
            payload=payload,
            text="" if problem is None and form == "json" else body.decode("utf-8", "replace"),
            origin=request.site,
            headers=ReplyHeaders(lines),
        )
        deps.on_reply(lines, self._cost(reply))
        if accepted(reply):
            return reply
        judged = self._judge_reply(reply, problem, form)
        if not isinstance(judged, Reply) and not judged.facts.verdict.billed:
            deps.on_refusal()
        return judged

    def _exchange_error(self, error: Exception, request: WrittenRequest) -> errors.WebError:
        if isinstance(error, httpx.HTTPError):
            return network_error(error, request.url.host)
        is_late = isinstance(error, TimeoutError)
        return (
            errors.DeadlineExceeded(deadline=self._limits.seconds)
            if is_late
            else errors.ConnectFailed()
        )

    def _judge_reply(
        self, reply: Reply, problem: str | None, form: Format
    ) -> Reply | errors.WebError:
        """Check for the service's own errors first, then the status, then valid JSON."""
        error = self._classify(reply) or self._reply_status_error(reply)
        if error is None and problem is not None and form == "json":
            return errors.BadPayload(problem="not_json", status=reply.status, detail=problem)
        return error or reply

    def _reply_status_error(self, reply: Reply) -> errors.WebError | None:
        if reply.status // 100 == 2:  # noqa: PLR2004  a success, without httpx's overhead
            return None
        return status_error(reply.status, reply.headers, said(reply.payload), self._deps.now())


def parse_json(body: bytes) -> tuple[object, str | None]:
    """Return the parsed JSON body, and the reason why it is not JSON, or None."""
    try:
        return _JSON_DECODER.decode(body), None
    # Not only DecodeError: bad UTF-8 is a UnicodeDecodeError and deep nesting a RecursionError.
    # A service can send both.
    except (ValueError, RecursionError) as error:
        return None, "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _reply_type_error(response: httpx.Response) -> errors.BadPayload:
    content_type = response.headers.get("content-type", "none")
    detail = f"content type {content_type}"
    return errors.BadPayload(problem="content_type", status=response.status_code, detail=detail)


class ReplyHeaders(Mapping[str, str]):
    """Headers by name in lower case, read on first use; the values of a repeated one are joined."""

    def __init__(self, lines: HeaderLines) -> None:
        """Hold the ``lines``: most replies are used without them."""
        self._lines = lines

    @functools.cached_property
    def _values(self) -> dict[str, str]:
        values: dict[str, str] = {}
        for raw_name, raw_value in self._lines:
            name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
            values[name] = f"{values[name]}, {value}" if name in values else value
        return values

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _has_json_reply_type(lines: HeaderLines) -> bool:
    fields = dict(lines)
    if fields.get(b"content-type") == b"application/json" and len(fields) == len(lines):
        return True
    content_types = [value for name, value in lines if name == b"content-type"]
    # RFC 9110, 8.3 allows one Content-Type; which of several counts would be a guess.
    kind = content_types[0].partition(b";")[0].strip().lower() if len(content_types) == 1 else b""
    return kind in (b"application/json", b"text/json") or kind.endswith(b"+json")
