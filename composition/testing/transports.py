"""Transports in place of the network: a script, traffic that is recorded, traffic replayed."""

import base64
import hashlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias, cast

import httpx
import msgspec

from ...adapters.observers.json_lines import JsonLines
from ...kernel.text.redaction import redact

ScriptLine: TypeAlias = httpx.Response | BaseException
Script: TypeAlias = Iterable[ScriptLine] | Callable[[httpx.Request], ScriptLine]


class ScriptRanOut(BaseException):
    """More was asked than the script answers: the test is wrong, so nothing may catch this."""


class ScriptedTransport(httpx.AsyncBaseTransport):
    """Answers each request with the next line of the script: a response, or an exception to raise.

    A script may also be a function of the request. ``requests`` holds what was asked, in order.

    >>> transport = ScriptedTransport([httpx.Response(200, json={"results": []})])
    >>> transport.requests
    []
    """

    def __init__(self, script: Script = ()) -> None:
        """Begin at the first line."""
        self.requests: list[httpx.Request] = []
        self.closed = False
        self._answer = script if callable(script) else _script_reader(iter(tuple(script)))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Give or raise the next line, with the request's body read."""
        await request.aread()
        self.requests.append(request)
        line = self._answer(request)
        if not isinstance(line, httpx.Response):
            raise line
        line.request = request
        return line

    async def aclose(self) -> None:
        """Remember that it was closed."""
        self.closed = True


def _script_reader(lines: Iterator[ScriptLine]) -> Callable[[httpx.Request], ScriptLine]:
    def read(request: httpx.Request) -> ScriptLine:
        line = next(lines, None)
        if line is None:
            message = f"no answer is left for {request.method} {request.url}"
            raise ScriptRanOut(message)
        return line

    return read


# Real traffic, recorded once at the HTTP seam and replayed offline for as long as tests live.

MAX_TAPE_BYTES = 64 * 1024 * 1024
# What the connection was like, or what may not be kept.
_DROPPED_HEADERS = ("connection", "content-length", "keep-alive", "set-cookie", "transfer-encoding")


class NotRecorded(BaseException):
    """Something is asked that the tape does not have: the test is wrong, nothing may catch this."""


class RecordedExchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One exchange. Of the request only what tells it apart is kept, and no header at all."""

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
        """What makes two requests the same."""
        return self.method, self.url, self.body

    def play(self) -> httpx.Response:
        """Return the response again, or raise what was raised."""
        if self.raised is not None:
            kind = getattr(httpx, self.raised)
            message = "as recorded"
            raise kind(message)
        content = (self.text or "").encode() if self.data is None else base64.b64decode(self.data)
        return httpx.Response(self.status, headers=self.headers, stream=httpx.ByteStream(content))


class RecordingTransport(httpx.AsyncBaseTransport):
    """Sends through another transport and writes each exchange down. No key gets into the file.

    ``secrets`` are masked wherever they stand; what looks like a key is masked anyway.
    """

    def __init__(
        self, inner: httpx.AsyncBaseTransport, file: Path, secrets: Iterable[str] = ()
    ) -> None:
        """Record what goes through ``inner`` into ``file``."""
        self._inner = inner
        self._lines = JsonLines(file)
        self._secrets = tuple(secrets)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send, write down, and give the response on."""
        question = await _recorded_request(request, self._secrets)
        try:
            response = await self._inner.handle_async_request(request)
        except httpx.TransportError as error:
            self._lines.append(
                _exchange_fields(msgspec.structs.replace(question, raised=_httpx_error_name(error)))
            )
            raise
        content = await _read_raw_response(response)
        headers = tuple(
            (name, redact(value, self._secrets))
            for name, value in response.headers.multi_items()
            if name.lower() not in _DROPPED_HEADERS
        )
        text = _body_text(content, response.headers)
        take = msgspec.structs.replace(
            question,
            status=response.status_code,
            headers=headers,
            text=None if text is None else redact(text, self._secrets),
            data=base64.b64encode(content).decode() if text is None else None,
        )
        self._lines.append(_exchange_fields(take))
        return httpx.Response(
            response.status_code, headers=response.headers, stream=httpx.ByteStream(content)
        )

    async def aclose(self) -> None:
        """Close the transport behind."""
        await self._inner.aclose()


class ReplayTransport(httpx.AsyncBaseTransport):
    """Answers from a tape, and from nothing else.

    A request that was recorded more than once is answered in that order; the last answer stays.
    """

    def __init__(self, file: Path, secrets: Iterable[str] = ()) -> None:
        """Read the tape; ``secrets`` are those that it was recorded with."""
        self._secrets = tuple(secrets)
        self._takes: defaultdict[tuple[str, str, str], deque[RecordedExchange]] = defaultdict(deque)
        for line in file.read_bytes().splitlines():
            take = msgspec.json.decode(line, type=RecordedExchange)
            self._takes[take.key].append(take)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Give or raise what was recorded for this request."""
        question = await _recorded_request(request, self._secrets)
        takes = self._takes.get(question.key)
        if not takes:
            message = f"not on the tape: {question.method} {question.url}"
            raise NotRecorded(message)
        take = takes.popleft() if len(takes) > 1 else takes[0]
        return take.play()


async def _recorded_request(request: httpx.Request, secrets: tuple[str, ...]) -> RecordedExchange:
    body = await request.aread()
    text = redact(body.decode("utf-8", "surrogateescape"), secrets)
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest() if body else ""
    return RecordedExchange(
        method=request.method, url=redact(str(request.url), secrets), body=digest
    )


async def _read_raw_response(response: httpx.Response) -> bytes:
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


def _body_text(content: bytes, headers: httpx.Headers) -> str | None:
    """Return a body as text when it is any; what is compressed stays as it is."""
    if headers.get("content-encoding", "identity") != "identity":
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _httpx_error_name(error: httpx.TransportError) -> str:
    """Return the name of the error in httpx; a transport may have kinds of its own."""
    return next(kind.__name__ for kind in type(error).__mro__ if hasattr(httpx, kind.__name__))


def _exchange_fields(take: RecordedExchange) -> dict[str, object]:
    fields: dict[str, object] = msgspec.to_builtins(take)
    return fields
