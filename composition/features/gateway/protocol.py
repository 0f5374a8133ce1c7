"""The HTTP protocol of our servers, with limits on the time and size of request heads."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

KEEP_ALIVE_SECONDS = 75
_MAX_HEAD_SECONDS = 20.0
_LAST_REQUEST_SECONDS = 1.0
_MAX_HEAD_BYTES = 64 * 1024
_HEAD_TOO_LARGE_RESPONSE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"connection: close\r\ncontent-length: 0\r\n\r\n"
)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits of time and size on heads and trailers."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as uvicorn has it
        super().__init__(*arguments, **options)
        self._in_head = True
        self._non_body_bytes = 0
        self._made_progress = False
        self._is_last = False
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  as uvicorn has it
        """Start the timer for the first byte."""
        super().connection_made(transport)
        self._start_head_timer(KEEP_ALIVE_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_head_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count bytes outside of bodies, and close the connection above the limit."""
        self._made_progress = False
        super().data_received(data)
        self._non_body_bytes = 0 if self._made_progress else self._non_body_bytes + len(data)
        if self._non_body_bytes <= _MAX_HEAD_BYTES or self.transport.is_closing():
            return
        if self._in_head:
            self.transport.write(_HEAD_TOO_LARGE_RESPONSE)
        self.transport.close()

    def on_message_begin(self) -> None:
        """Start the timer for the head."""
        self._in_head = True
        self._start_head_timer(_MAX_HEAD_SECONDS)
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field of the head; drop a trailer, which came after the head was judged."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stop the timer after a complete head."""
        self._in_head, self._made_progress = False, True
        self._stop_head_timer()
        super().on_headers_complete()
        self._end_after_response()

    def shutdown(self) -> None:
        """Answer one more request, which may be on its way now, and close the connection then."""
        self._is_last = True
        if not self._end_after_response():
            self._start_head_timer(_LAST_REQUEST_SECONDS)

    def _end_after_response(self) -> bool:
        """Let a running response close the connection if it is the last; return whether it does."""
        # uvicorn has no cycle before the first request.
        cycle: RequestResponseCycle | None = self.cycle
        if not self._is_last or cycle is None or cycle.response_complete:
            return False
        cycle.keep_alive = False
        return True

    def on_body(self, body: bytes) -> None:
        """Note that a piece of the body arrived."""
        self._made_progress = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the timer after a complete body."""
        self._stop_head_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Give an unread body time to arrive: its sender may not read the response before."""
        super().on_response_complete()
        if self.cycle.more_body:
            self._start_head_timer(_MAX_HEAD_SECONDS)

    def _start_head_timer(self, seconds: float) -> None:
        self._stop_head_timer()
        self._head_timer = self.loop.call_later(seconds, self._close_slow_connection)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _close_slow_connection(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
