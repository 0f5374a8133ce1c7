"""One request of a service: built, sent within its limits, and its reply judged."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import cast
from urllib.parse import urlencode

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import (
    BadPayload,
    ConnectFailed,
    DeadlineExceeded,
    InvalidQuery,
    NotConfigured,
    WebError,
)
from .body import read_body
from .decoding import ACCEPT_ENCODING
from .failures import network_error, said, status_error
from .service import Access, Call, Format, Reply, never

_HEADERS = (
    ("accept", "application/json"),
    ("accept-encoding", ACCEPT_ENCODING),
    ("user-agent", "webseam"),
)
_JSON_TYPES = ("application/json", "text/json")


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much and how long: bytes after decompression, seconds for the whole call."""

    bytes: int = 10 * 1024 * 1024
    seconds: float = 30.0


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What composition hands to every service: the wire, the clock, and our decisions.

    ``retry`` is told what failed and how often, and returns how long to wait, or None to give up.
    ``canonical`` gives the one spelling under which two names of a page are equal.
    """

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]
    retry: Callable[[WebError, int], float | None] = lambda _error, _attempt: None
    canonical: Callable[[str], str] = lambda url: url


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """Sends the calls of one service, and reads its own errors first."""

    classify: Callable[[Reply], WebError | None]
    around: Surroundings
    limits: Limits

    async def send(
        self,
        call: Call,
        access: Access,
        form: Format,
        accepted: Callable[[Reply], bool] = never,
    ) -> Result[Reply, WebError]:
        """Return the reply, or why it is none. Nothing but cancellation is raised.

        What is ``accepted`` is a reply whatever its status says.
        """
        built = _checked(call, access)
        if isinstance(built, Failure):
            return built
        request = built.unwrap()
        try:
            response = await self.around.transport.handle_async_request(request)
            try:
                if form == "json" and response.is_success and not _is_json(response.headers):
                    return Failure(_not_json(response))
                body = await read_body(response, self.limits.bytes)
            finally:
                # As response.aclose does, without what httpx puts around it.
                await cast("httpx.AsyncByteStream", response.stream).aclose()
        except httpx.HTTPError as error:
            return Failure(network_error(error, request.url.host))
        except TimeoutError:
            return Failure(DeadlineExceeded(deadline=self.limits.seconds))
        except OSError:
            return Failure(ConnectFailed())
        origin = f"{request.url.scheme}://{request.headers['host']}"
        return self._judge(response, body, form, accepted, origin)

    def _judge(
        self,
        response: httpx.Response,
        body: bytes,
        form: Format,
        accepted: Callable[[Reply], bool],
        origin: str,
    ) -> Result[Reply, WebError]:
        """Read the service's own errors first, then the status, then whether it is JSON at all."""
        payload = parse_json(body)
        readable = isinstance(payload, Success)
        status = response.status_code
        reply = Reply(
            status=status,
            payload=payload.value_or(None),
            text=body.decode("utf-8", "replace") if form == "text" or not readable else "",
            origin=origin,
            headers=response.headers,
        )
        if accepted(reply):
            return Success(reply)
        refused = self.classify(reply) or self._refused(response, reply)
        if refused is not None:
            return Failure(refused)
        if form == "json" and isinstance(payload, Failure):
            detail = payload.failure()
            return Failure(BadPayload(problem="not_json", status=status, detail=detail))
        return Success(reply)

    def _refused(self, response: httpx.Response, reply: Reply) -> WebError | None:
        if response.is_success:
            return None
        detail = said(reply.payload)
        return status_error(reply.status, response.headers, detail, self.around.now())


def build(call: Call, access: Access) -> httpx.Request:
    """Write a call as an httpx request. The JSON body is written once, by msgspec.

    Every header is ours, so that httpx has none to work out; that is half of its cost.
    """
    origin = access.base_url if access.overridden or not call.base else call.base
    base, host = _address(origin, call.path)
    url = base.copy_merge_params(call.parameters) if call.parameters else base
    content, kind = _content(call)
    own = {name for name, _ in call.headers}
    headers = [("host", host), *[line for line in _HEADERS if line[0] not in own], *call.headers]
    if kind:
        headers.append(("content-type", kind))
    if content or call.method != "GET":
        headers.append(("content-length", str(len(content))))
    return httpx.Request(call.method, url, headers=headers, stream=httpx.ByteStream(content))


def _content(call: Call) -> tuple[bytes, str]:
    if call.body is not None:
        return msgspec.json.encode(call.body), "application/json"
    if call.form is not None:
        return urlencode(call.form).encode(), "application/x-www-form-urlencoded"
    return b"", ""


@functools.lru_cache(maxsize=64)
def _address(origin: str, path: str) -> tuple[httpx.URL, str]:
    """Parse an endpoint, which is the same for every call, and name its host."""
    parsed = httpx.URL(joined(origin, path))
    return parsed, parsed.netloc.decode("ascii")


def joined(base: str, path: str) -> str:
    """Put a path behind an address that may end with the path's beginning already.

    People name an address with its version, without it, or with the whole endpoint.

    >>> [joined(f"https://a.example{given}", "/v1/search") for given in ("", "/v1", "/v1/search")]
    ['https://a.example/v1/search', 'https://a.example/v1/search', 'https://a.example/v1/search']
    """
    steps = path.split("/")
    given = "/" + base.partition("://")[2].partition("/")[2]
    for count in range(len(steps), 1, -1):
        if given.endswith("/".join(steps[:count])):
            return "/".join([base, *steps[count:]])
    return base + path


def _checked(call: Call, access: Access) -> Result[httpx.Request, WebError]:
    """Build the request, or say what in it cannot be sent."""
    if not all(value.isascii() and value.isprintable() for _, value in call.headers):
        reason = "The key has characters that no header can carry"
        return Failure(NotConfigured(reason=reason, setting="key"))
    try:
        return Success(build(call, access))
    except (UnicodeError, httpx.InvalidURL):
        return Failure(InvalidQuery(field="query", reason="cannot be written as a request"))


def parse_json(body: bytes) -> Result[object, str]:
    """Parse a body as JSON, or say why it is none."""
    try:
        return Success(msgspec.json.decode(body))
    # Not only DecodeError: bad UTF-8 is a UnicodeDecodeError and deep nesting a RecursionError.
    # Both are in the service's power to send.
    except (ValueError, RecursionError) as error:
        return Failure("nested too deeply" if isinstance(error, RecursionError) else str(error))


def _not_json(response: httpx.Response) -> BadPayload:
    given = response.headers.get("content-type", "none")
    detail = f"content type {given}"
    return BadPayload(problem="content_type", status=response.status_code, detail=detail)


def _is_json(headers: Mapping[str, str]) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in _JSON_TYPES or kind.endswith("+json")
