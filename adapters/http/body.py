"""Reading a body within a limit, on the wire and after decompression."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias, cast

import httpx

from .error_mapping import BodyTooLarge

if TYPE_CHECKING:
    from .exchange import Exchange

ACCEPT_ENCODING = "gzip, deflate"
MAX_CODINGS = 2
MAX_STEP_BYTES = 64 * 1024
_GZIP_WINDOW_BITS, _ZLIB_WINDOW_BITS, _RAW_WINDOW_BITS = 31, 15, -15
# What httpx sets when it makes a response, besides the status and the body.
_LATE_ATTRIBUTES = frozenset({
    "headers", "_request", "next_request", "extensions", "history", "is_closed",
    "is_stream_consumed", "default_encoding", "_num_bytes_downloaded",
})  # fmt: skip


def parse_codings(values: Iterable[str]) -> list[str]:
    """Return the codings of all header lines, in the order in which to decode them."""
    names = [coding.strip().lower() for value in values for coding in value.split(",")]
    # RFC 9110, 8.4.1: "x-gzip" is another name of "gzip"; old servers use "x-deflate" likewise.
    codings = [coding.removeprefix("x-") for coding in names if coding not in ("", "identity")]
    if len(codings) > MAX_CODINGS:
        message = f"more than {MAX_CODINGS} content codings"
        raise httpx.DecodingError(message)
    return codings[::-1]


def decode_chunks(chunks: AsyncIterator[bytes], codings: Iterable[str]) -> AsyncIterator[bytes]:
    """Yield the chunks with ``codings`` decoded one after another."""
    for coding in codings:
        if coding not in ("gzip", "deflate"):
            message = "a content coding that was not offered"
            raise httpx.DecodingError(message)
        window = _GZIP_WINDOW_BITS if coding == "gzip" else _ZLIB_WINDOW_BITS
        chunks = _inflate_chunks(chunks, window)
    return chunks


async def _inflate_chunks(chunks: AsyncIterator[bytes], window: int) -> AsyncIterator[bytes]:
    inflater = _Inflater(window)
    async for chunk in chunks:
        for piece in inflater.feed(chunk):
            yield piece
    inflater.finish()


class _Inflater:
    """One gzip or deflate stream; accepts several gzip members and raw deflate."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._stream = zlib.decompressobj(window)
        self._has_output = False
        self._first_byte = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        data = self._buffer_first_byte(data)
        has_more = bool(data)
        while has_more:
            if self._stream.eof:
                data = self._next_gzip_member(data)
                if not data:
                    return
            piece = self._inflate_step(data)
            data = self._stream.unconsumed_tail or self._stream.unused_data
            # After a full piece zlib may hold more output although all input is consumed.
            has_more = bool(data) or len(piece) == MAX_STEP_BYTES
            if piece:
                yield piece

    def finish(self) -> None:
        if self._first_byte or (self._has_output and not self._stream.eof):
            message = "the compressed body was cut short"
            raise httpx.DecodingError(message)

    def _buffer_first_byte(self, data: bytes) -> bytes:
        """Buffer a single first byte: a zlib header has two bytes."""
        data = self._first_byte + data
        is_alone = len(data) == 1 and self._window == _ZLIB_WINDOW_BITS and not self._has_output
        self._first_byte = data if is_alone else b""
        return b"" if is_alone else data

    def _next_gzip_member(self, data: bytes) -> bytes:
        """Start the next gzip member (RFC 1952, 2.2); zero bytes after the last are padding."""
        data = data.lstrip(b"\0") if self._window == _GZIP_WINDOW_BITS else b""
        if data:
            self._stream = zlib.decompressobj(self._window)
        return data

    def _inflate_step(self, data: bytes) -> bytes:
        try:
            piece = self._stream.decompress(data, MAX_STEP_BYTES)
        except zlib.error as error:
            if self._has_output or self._window != _ZLIB_WINDOW_BITS:
                message = "the compressed body is corrupt"
                raise httpx.DecodingError(message) from error
            # "deflate" is a zlib stream; some servers send the bare one (RFC 9110, 8.4.1.2, note).
            self._window = _RAW_WINDOW_BITS
            self._stream = zlib.decompressobj(_RAW_WINDOW_BITS)
            return self._inflate_step(data)
        self._has_output = True
        return piece


# The header lines of a response, names in lower case.
HeaderLines: TypeAlias = list[tuple[bytes, bytes]]


class WireBody(httpx.AsyncByteStream):
    """The body of one response; closing it returns the connection to the pool or closes it."""

    def __init__(self, exchange: Exchange, give_back: Callable[[], None]) -> None:
        """Read from ``exchange``; call ``give_back`` once, when the body is closed."""
        self._exchange, self._give_back, self._open = exchange, give_back, True

    # Not an async generator: asyncio tracks each one in a set, which costs time per response.
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        chunk = await self._exchange.next_chunk() if self._open else None
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    def take_rest(self) -> bytes | None:
        """Return the rest of the body if all of it has arrived; else None."""
        return self._exchange.take_rest() if self._open else None

    async def aclose(self) -> None:
        """Return the connection, once."""
        if self._open:
            self._open = False
            self._give_back()


class WireResponse(httpx.Response):
    """An ``httpx.Response`` whose headers and other attributes are made on first access."""

    def __init__(
        self, status: int, lines: HeaderLines, stream: WireBody, request: httpx.Request
    ) -> None:
        """Answer ``request`` with the header ``lines``, whose names are in lower case."""
        self.status_code = status
        self.lines = lines
        self.stream = stream
        self._answered = request

    def __getattr__(self, name: str) -> object:
        if name not in _LATE_ATTRIBUTES:
            raise AttributeError(name)
        attributes = dict(vars(self))
        super().__init__(
            self.status_code, headers=self.lines, stream=self.stream, request=self._answered
        )
        vars(self).update(attributes)
        return vars(self)[name]


def header_lines(response: httpx.Response) -> HeaderLines:
    """Return the header lines of a response, with the names in lower case."""
    if isinstance(response, WireResponse) and "headers" not in vars(response):
        return response.lines
    return [(name.lower(), value) for name, value in response.headers.raw]


async def read_body(
    response: httpx.Response,
    limit: int,
    *,
    wire: int | None = None,
    pace: Callable[[int], Awaitable[None]] | None = None,
) -> bytes:
    """Return the decompressed body; more than ``limit`` bytes is ``BodyTooLarge``.

    ``wire`` is the limit before decompression, by default the same. ``pace`` is awaited with the
    size so far after each piece.
    """
    wire_limit = limit if wire is None else wire
    codings = _response_codings(response, wire_limit)
    # Without a coding the body is the wire bytes, so one count serves both limits.
    limit = limit if codings else min(limit, wire_limit)
    if pace is None and not codings and isinstance(response.stream, WireBody):
        body = response.stream.take_rest()
        if body is not None:
            return _check_body_size(body, limit)
    limited = _limited_wire_chunks(response, wire_limit)
    chunks = decode_chunks(limited, codings) if codings else _wire_chunks(response)
    pieces, size = list[bytes](), 0
    async for piece in chunks:
        size += len(piece)
        if size > limit:
            raise BodyTooLarge(limit, "decoded" if codings else "body")
        pieces.append(piece)
        if pace is not None:
            await pace(size)
    return b"".join(pieces)


async def read_body_pieces(response: httpx.Response, limit: int) -> AsyncIterator[bytes]:
    """Yield the decompressed body as it arrives; more than ``limit`` bytes is ``BodyTooLarge``."""
    codings = parse_codings(response.headers.get_list("content-encoding"))
    size = 0
    async for piece in decode_chunks(_limited_wire_chunks(response, limit), codings):
        size += len(piece)
        if size > limit:
            raise BodyTooLarge(limit, "decoded")
        yield piece


async def read_body_start(response: httpx.Response, max_bytes: int, *, wire: int) -> bytes:
    """Return the first ``max_bytes`` bytes of the decompressed body, or all of it if it is shorter.

    ``wire`` is the limit before decompression: a long body may decompress to very few bytes.
    """
    codings = parse_codings(response.headers.get_list("content-encoding"))
    start = bytearray()
    async for piece in decode_chunks(_limited_wire_chunks(response, wire), codings):
        start += piece
        if len(start) >= max_bytes:
            break
    return bytes(start[:max_bytes])


def _response_codings(response: httpx.Response, wire_limit: int) -> list[str]:
    """Return the codings to decode; refuse a body whose Content-Length is too large."""
    lines = header_lines(response)
    fields = dict(lines)
    length = fields.get(b"content-length", b"")
    if length.isdigit() and int(length[:20]) > wire_limit:
        raise BodyTooLarge(wire_limit)
    if b"content-encoding" not in fields:
        return []
    codings = (value for name, value in lines if name == b"content-encoding")
    return parse_codings(value.decode("latin-1") for value in codings)


def _check_body_size(body: bytes, limit: int) -> bytes:
    if len(body) > limit:
        raise BodyTooLarge(limit)
    return body


async def _limited_wire_chunks(response: httpx.Response, limit: int) -> AsyncIterator[bytes]:
    """Yield the wire bytes; more than ``limit`` is ``BodyTooLarge``."""
    wire_bytes = 0
    async for chunk in _wire_chunks(response):
        wire_bytes += len(chunk)
        if wire_bytes > limit:
            raise BodyTooLarge(limit)
        yield chunk


def _wire_chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    # Not aiter_raw: it refuses a response whose body is already in memory, as
    # httpx.MockTransport gives it.
    return aiter(cast("httpx.AsyncByteStream", response.stream))
