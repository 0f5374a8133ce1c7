"""The runner: a service declaration and a transport become a backend."""

import asyncio
import functools
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import (
    BadPayload,
    ConnectFailed,
    DeadlineExceeded,
    InvalidQuery,
    NotConfigured,
    UnsupportedCapability,
    WebError,
)
from ...ports.web import UntrustedRow, WebSearchQuery
from .body import read_body
from .decoding import ACCEPT_ENCODING
from .failures import network_error, said, status_error
from .service import Call, Credentials, Reply, Service

Decoded = TypeVar("Decoded")

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
    """What composition hands to every service: the wire, the clock, and how to mask secrets."""

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]


class ServiceBackend:
    """A ``WebBackend`` over one service. Nothing it returns holds the key."""

    def __init__(
        self,
        service: Service,
        credentials: Credentials,
        surroundings: Surroundings,
        limits: Limits | None = None,
    ) -> None:
        """Join what the service is, who calls it, and how it is reached."""
        self.name = service.name
        self._service = service
        self._credentials = credentials
        self._around = surroundings
        self._limits = limits or Limits()

    async def search(self, query: WebSearchQuery, /) -> Result[Sequence[UntrustedRow], WebError]:
        """Ask the service. No rows is ``Success(())``."""
        search = self._service.search
        if search is None:
            return Failure(self._cannot("search"))
        reply = await self._send(search.encode(query, self._credentials))
        return self._signed(reply.bind(search.decode))

    async def extract(self, url: str, /) -> Result[UntrustedRow, WebError]:
        """Have the service read one page."""
        extract = self._service.extract
        if extract is None:
            return Failure(self._cannot("extract"))
        reply = await self._send(extract.encode(url, self._credentials))
        return self._signed(reply.bind(lambda given: extract.decode(given, url)))

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._around.transport.aclose()

    async def _send(self, call: Call) -> Result[Reply, WebError]:
        built = _checked(call)
        if isinstance(built, Failure):
            return built
        request = built.unwrap()
        try:
            async with asyncio.timeout(self._limits.seconds):
                response = await self._around.transport.handle_async_request(request)
                try:
                    if response.is_success and not _is_json(response.headers):
                        return Failure(_not_json(response))
                    body = await read_body(response, self._limits.bytes)
                finally:
                    # As response.aclose does, without what httpx puts around it.
                    await cast("httpx.AsyncByteStream", response.stream).aclose()
        except TimeoutError:
            return Failure(DeadlineExceeded(deadline=self._limits.seconds))
        except httpx.HTTPError as error:
            return Failure(network_error(error, request.url.host))
        except OSError:
            return Failure(ConnectFailed())
        return self._judge(response, body)

    def _judge(self, response: httpx.Response, body: bytes) -> Result[Reply, WebError]:
        """Read the service's own errors first, then the status, then whether it is JSON at all."""
        payload = parse_json(body)
        reply = Reply(status=response.status_code, payload=payload.value_or(None))
        refused = self._service.classify(reply) or self._refused(response, reply)
        if refused is not None:
            return Failure(refused)
        if isinstance(payload, Failure):
            status, detail = response.status_code, payload.failure()
            return Failure(BadPayload(problem="not_json", status=status, detail=detail))
        return Success(reply)

    def _refused(self, response: httpx.Response, reply: Reply) -> WebError | None:
        if response.is_success:
            return None
        detail = said(reply.payload)
        return status_error(reply.status, response.headers, detail, self._around.now())

    def _signed(self, result: Result[Decoded, WebError]) -> Result[Decoded, WebError]:
        """Put our name on a failure, and take every secret out of what the service said."""
        return result.alt(self._sign)

    def _sign(self, error: WebError) -> WebError:
        secrets = self._credentials.secrets()
        masked = {
            name: self._around.redact(value, secrets)
            for name, value in msgspec.structs.asdict(error).items()
            if isinstance(value, str) and name in ("detail", "reason")
        }
        return msgspec.structs.replace(error, backend=self.name, **masked)

    def _cannot(self, capability: str) -> UnsupportedCapability:
        return UnsupportedCapability(capability=capability, backend=self.name)


def build(call: Call) -> httpx.Request:
    """Write a call as an httpx request. The JSON body is written once, by msgspec.

    Every header is ours, so that httpx has none to work out; that is half of its cost.
    """
    base, host = _address(call.url)
    url = base.copy_with(params=call.parameters) if call.parameters else base
    content = b"" if call.body is None else msgspec.json.encode(call.body)
    headers = [("host", host), *_HEADERS, *call.headers]
    if call.body is not None:
        headers.append(("content-type", "application/json"))
    if content or call.method != "GET":
        headers.append(("content-length", str(len(content))))
    return httpx.Request(call.method, url, headers=headers, stream=httpx.ByteStream(content))


@functools.lru_cache(maxsize=64)
def _address(url: str) -> tuple[httpx.URL, str]:
    """Parse an endpoint, which is the same for every call, and name its host."""
    parsed = httpx.URL(url)
    return parsed, parsed.netloc.decode("ascii")


def _checked(call: Call) -> Result[httpx.Request, WebError]:
    """Build the request, or say what in it cannot be sent."""
    if not all(value.isascii() and value.isprintable() for _, value in call.headers):
        reason = "The key has characters that no header can carry"
        return Failure(NotConfigured(reason=reason, setting="key"))
    try:
        return Success(build(call))
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


def _is_json(headers: httpx.Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in _JSON_TYPES or kind.endswith("+json")
