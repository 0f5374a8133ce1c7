"""Transports that replace the network: scripted, recording and replaying ones."""

import base64
import hashlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias, cast

import httpx
import msgspec

from webseam.adapters.plugins.observers.json_lines import JsonLines
from webseam.kernel.text.redaction import redact, redact_secrets

ScriptLine: TypeAlias = httpx.Response | BaseException
Script: TypeAlias = Iterable[ScriptLine] | Callable[[httpx.Request], ScriptLine]
MAX_TAPE_BYTES = 64 * 1024 * 1024
# Headers of the connection itself, and cookies, which must not be stored.
_DROPPED_HEADERS = ("connection", "content-length", "keep-alive", "set-cookie", "transfer-encoding")


class ScriptRanOut(BaseException):
    """The script has no answer left: the test is wrong, so nothing may catch this."""


class ScriptedTransport(httpx.AsyncBaseTransport):
    """Answers each request with the next line of the script: a response, or an exception to raise.

    A script may also be a function of the request. ``requests`` holds the requests, in order.

    >>> transport = ScriptedTransport([httpx.Response(200, json={"results": []})])
    >>> transport.requests
    []
    """

    def __init__(self, script: Script = ()) -> None:
        self.requests: list[httpx.Request] = []
        self.closed = False
        self._answer = script if callable(script) else _transport_script_reader(iter(tuple(script)))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Read the request's body, then return or raise the next line."""
        await request.aread()
        self.requests.append(request)
        if not isinstance(line := self._answer(request), httpx.Response):
            raise line
        line.request = request
        return line

    async def aclose(self) -> None:
        """Record that it was closed."""
        self.closed = True


def _transport_script_reader(lines: Iterator[ScriptLine]) -> Callable[[httpx.Request], ScriptLine]:
    def read(request: httpx.Request) -> ScriptLine:
        if (line := next(lines, None)) is None:
            message = f"no answer is left for {request.method} {request.url}"
            raise ScriptRanOut(message)
        return line

    return read


class NotRecorded(BaseException):
    """The tape has no such request: the test is wrong, so nothing may catch this."""


class RecordedExchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One exchange. Of the request only the key is stored, and no header."""

    method: str
    url: str
    body: str = ""
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    text: str | None = None
    data: str | None = None
    raised: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """The parts that identify a request."""
        return self.method, self.url, self.body

    def replay(self) -> httpx.Response:
        """Return the recorded response, or raise the recorded exception."""
        if self.raised is not None:
            kind = getattr(httpx, self.raised)
            message = "as recorded"
            raise kind(message)
        content = (self.text or "").encode() if self.data is None else base64.b64decode(self.data)
        return httpx.Response(self.status, headers=self.headers, stream=httpx.ByteStream(content))


class RecordingTransport(httpx.AsyncBaseTransport):
    """Sends through another transport and records each exchange; ``secrets`` are masked."""

    def __init__(
        self, inner: httpx.AsyncBaseTransport, file: Path, secrets: Iterable[str] = ()
    ) -> None:
        self._inner = inner
        self._lines = JsonLines(file)
        self._secrets = tuple(secrets)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request, record the exchange, and return the response."""
        request_record = await _recorded_request(request, self._secrets)
        try:
            response = await self._inner.handle_async_request(request)
        except httpx.TransportError as error:
            failed = msgspec.structs.replace(request_record, raised=_httpx_error_name(error))
            self._lines.append(msgspec.to_builtins(failed))
            raise
        content = await _read_recorded_response(response)
        headers = tuple(
            (name, redact(value, self._secrets))
            for name, value in response.headers.multi_items()
            if name.lower() not in _DROPPED_HEADERS
        )
        text = _recorded_body_text(content, response.headers)
        exchange = msgspec.structs.replace(
            request_record,
            status=response.status_code,
            headers=headers,
            text=None if text is None else _redact_body(text, self._secrets),
            data=base64.b64encode(content).decode() if text is None else None,
        )
        self._lines.append(msgspec.to_builtins(exchange))
        return httpx.Response(
            response.status_code, headers=response.headers, stream=httpx.ByteStream(content)
        )

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


class ReplayTransport(httpx.AsyncBaseTransport):
    """Answers only from a tape, in its order; the last answer to a request repeats."""

    def __init__(self, file: Path, secrets: Iterable[str] = ()) -> None:
        """Read the tape; ``secrets`` are those of the recording."""
        self._secrets = tuple(secrets)
        self._exchanges: defaultdict[tuple[str, str, str], deque[RecordedExchange]] = defaultdict(
            deque
        )
        for line in file.read_bytes().splitlines():
            exchange = msgspec.json.decode(line, type=RecordedExchange)
            self._exchanges[exchange.key].append(exchange)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return or raise what was recorded for this request."""
        request_record = await _recorded_request(request, self._secrets)
        if not (exchanges := self._exchanges.get(request_record.key)):
            message = f"not on the tape: {request_record.method} {request_record.url}"
            raise NotRecorded(message)
        return (exchanges.popleft() if len(exchanges) > 1 else exchanges[0]).replay()


async def _recorded_request(request: httpx.Request, secrets: tuple[str, ...]) -> RecordedExchange:
    body = await request.aread()
    text = redact(body.decode("utf-8", "surrogateescape"), secrets)
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest() if body else ""
    return RecordedExchange(
        method=request.method, url=redact(str(request.url), secrets), body=digest
    )


async def _read_recorded_response(response: httpx.Response) -> bytes:
    stream = cast("httpx.AsyncByteStream", response.stream)
    content = bytearray()
    try:
        async for piece in stream:
            content += piece
            if len(content) > MAX_TAPE_BYTES:
                message = f"more than {MAX_TAPE_BYTES} bytes to record"
                raise httpx.ReadError(message)
    finally:
        await stream.aclose()
    return bytes(content)


def _recorded_body_text(content: bytes, headers: httpx.Headers) -> str | None:
    """Return a body as text; None if it is compressed or not UTF-8."""
    if headers.get("content-encoding", "identity") != "identity":
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _redact_body(text: str, secrets: tuple[str, ...]) -> str:
    """Mask the secrets in a body, in JSON text by text; a body without any stays as it is."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return redact_secrets(text, secrets)
    redacted = _redact_values(value, secrets)
    # A decoded number may be written in another way.
    return text if redacted == value else msgspec.json.encode(redacted).decode()


def _redact_values(value: object, secrets: tuple[str, ...]) -> object:
    if isinstance(value, str):
        return redact_secrets(value, secrets)
    if isinstance(value, dict):
        return {
            redact_secrets(name, secrets): _redact_values(part, secrets)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [_redact_values(part, secrets) for part in value]
    return value


def _httpx_error_name(error: httpx.TransportError) -> str:
    """Return the name of the nearest httpx exception; a transport may raise a subclass."""
    return next(kind.__name__ for kind in type(error).__mro__ if hasattr(httpx, kind.__name__))
