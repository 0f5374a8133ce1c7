"""A bounded parser of one HTTP/1.1 response, without I/O.

Bytes are fed in; a head and body chunks come out, or one httpx exception.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

import httptools
import httpx

from .error_mapping import MAX_HEAD_BYTES, HeadTooLarge

MAX_HEADERS = 500
MAX_INTERIM_RESPONSES = 10
# Chunked bodies may spend up to this many framing bytes per body byte, beyond one head's worth.
_MAX_FRAMING_BYTES_PER_BODY_BYTE = 16
_MAX_BUFFERED_BYTES = 256 * 1024
_HEAD_TOO_LARGE_MESSAGE = "the head or the framing of the answer is too large"


class ResponseHead(NamedTuple):
    """Status and headers of the final (not 1xx) response."""

    status: int
    headers: list[tuple[bytes, bytes]]


class Exchange:
    """The response to one request. A connection feeds it; the transport reads head and chunks."""

    __slots__ = (
        "_body_bytes", "_buffered_bytes", "_chunks", "_error", "_headers", "_interim_count",
        "_is_unframed", "_loop", "_parser", "_resume", "_waiter", "complete", "head", "keep_alive",
        "received",
    )  # fmt: skip

    def __init__(self, loop: asyncio.AbstractEventLoop, resume: Callable[[], None]) -> None:
        """Start with nothing received; ``resume`` makes the connection read again after a pause."""
        self.head: asyncio.Future[ResponseHead] = loop.create_future()
        self.complete = self.keep_alive = self._is_unframed = False
        self.received = self._interim_count = self._body_bytes = self._buffered_bytes = 0
        self._loop, self._resume = loop, resume
        self._parser = httptools.HttpResponseParser(self)
        self._headers: list[tuple[bytes, bytes]] = []
        self._chunks: deque[bytes] = deque()
        self._error: httpx.TransportError | None = None
        self._waiter: asyncio.Future[None] | None = None

    # -- called by the connection

    def feed(self, data: bytes | memoryview) -> None:
        """Parse bytes. An error ends the exchange and is not raised here."""
        self.received += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self.fail(httpx.RemoteProtocolError("the server switched protocols"))
        except httptools.HttpParserCallbackError as error:
            self.fail(_parser_callback_error(error))
        except httptools.HttpParserError:
            self.fail(httpx.RemoteProtocolError("not valid HTTP"))
        else:
            overhead = self.received - self._body_bytes
            if overhead > MAX_HEAD_BYTES * 2 + self._body_bytes * _MAX_FRAMING_BYTES_PER_BODY_BYTE:
                self.fail(HeadTooLarge(_HEAD_TOO_LARGE_MESSAGE))

    def drop_parser(self) -> None:
        """Drop the parser of a response that is over: both refer to each other."""
        del self._parser

    def feed_eof(self) -> None:
        """Handle the end of the connection: it ends an unframed body, else it is an error."""
        if self._is_unframed:
            self.complete = True
            self._wake_reader()
        self.fail(httpx.ReadError("the connection was closed before the answer was whole"))

    def fail(self, error: httpx.TransportError) -> None:
        """End a running exchange with ``error``; the connection cannot be reused."""
        self.keep_alive = False
        if self.is_over():
            return
        self._error = error
        if not self.head.done():
            self.head.set_exception(error)
            # Mark the error as retrieved: the awaiting task may be gone, and asyncio would warn.
            self.head.exception()
        self._wake_reader()

    def is_over(self) -> bool:
        """Tell whether the exchange is complete or failed."""
        return self.complete or self._error is not None

    @property
    def wants_pause(self) -> bool:
        """Whether so much is buffered that the connection should stop reading."""
        return self._buffered_bytes > _MAX_BUFFERED_BYTES

    # -- read by the transport

    def take_rest(self) -> bytes | None:
        """Return the rest of a complete body; None if it is incomplete or failed."""
        if not self.complete or self._error is not None:
            return None
        rest = b"".join(self._chunks)
        self._chunks.clear()
        self._buffered_bytes = 0
        self._resume()
        return rest

    async def next_chunk(self) -> bytes | None:
        """Return the next piece of the body, None at its end; raise the exchange's error."""
        while not self._chunks:
            if self._error is not None:
                raise self._error
            if self.complete:
                return None
            self._waiter = self._loop.create_future()
            await self._waiter
        chunk = self._chunks.popleft()
        self._buffered_bytes -= len(chunk)
        if not self.wants_pause:
            self._resume()
        return chunk

    # -- called by the parser

    def on_message_begin(self) -> None:
        """Refuse a second response: the next request could take it for its own (RFC 9112, 9.3)."""
        if self.complete:
            message = "more than one answer"
            raise httpx.RemoteProtocolError(message)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header; trailers are counted and dropped."""
        self._headers.append((name.lower(), value))
        if len(self._headers) > MAX_HEADERS:
            raise HeadTooLarge(_HEAD_TOO_LARGE_MESSAGE)

    def on_headers_complete(self) -> None:
        """Publish the head, unless it belongs to an interim response (RFC 9110, 15.2)."""
        status = self._parser.get_status_code()
        if status < httpx.codes.OK:
            self._interim_count += 1
            if self._interim_count > MAX_INTERIM_RESPONSES:
                message = "too many interim responses"
                raise httpx.RemoteProtocolError(message)
            self._headers = []
            return
        self._is_unframed = not _is_framed_response(self._headers)
        if not self.head.done():
            self.head.set_result(ResponseHead(status, self._headers))
        self._headers = []

    def on_body(self, body: bytes) -> None:
        """Queue a piece of the body."""
        self._body_bytes += len(body)
        self._buffered_bytes += len(body)
        self._chunks.append(body)
        self._wake_reader()

    def on_message_complete(self) -> None:
        """Finish the exchange at the end of the final response, not of an interim one."""
        if self.head.done() and not self.complete:
            self.keep_alive, self.complete = self._parser.should_keep_alive(), True
            self._wake_reader()

    def _wake_reader(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _is_framed_response(headers: list[tuple[bytes, bytes]]) -> bool:
    """Tell whether a head declares where its body ends; refuse a large or ambiguous head.

    Without a length or a coding the body ends with the connection (RFC 9112, 6.3, item 8).
    """
    if sum(map(len, chain.from_iterable(headers))) > MAX_HEAD_BYTES:
        raise HeadTooLarge(_HEAD_TOO_LARGE_MESSAGE)
    fields = dict(headers)
    if b"transfer-encoding" not in fields:
        return b"content-length" in fields
    # RFC 9112, 6.1: we sent no TE header, so a server may only use "chunked". With another coding
    # the end of the body would be a guess.
    codings = {value.strip().lower() for name, value in headers if name == b"transfer-encoding"}
    if codings != {b"chunked"}:
        message = "unknown transfer coding"
        raise httpx.RemoteProtocolError(message)
    return True


def _parser_callback_error(error: BaseException) -> httpx.TransportError:
    """Return the exception that one of our callbacks raised inside the parser."""
    cause = error.__context__
    if isinstance(cause, httpx.TransportError):
        return cause
    return httpx.RemoteProtocolError("not valid HTTP")
