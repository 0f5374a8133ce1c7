"""HTTP as our servers speak it: how long a caller may take over a head, and how long one may be."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SILENT_SECONDS = 75
_MAX_HEAD_SECONDS = 20.0
_MAX_HEAD_BYTES = 64 * 1024
_HEAD_TOO_LARGE_RESPONSE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"connection: close\r\ncontent-length: 0\r\n\r\n"
)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with an end to heads, in time and size; its own waits for ever.

    What comes behind a head and is no body, such as trailers, has the same end.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as uvicorn has it
        super().__init__(*arguments, **options)
        self._in_head = True
        self._non_body_bytes = 0
        self._made_progress = False
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  as uvicorn has it
        """Wait for the first byte, not for ever."""
        super().connection_made(transport)
        self._start_head_timer(SILENT_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_head_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what comes and is no body, until something is whole."""
        self._made_progress = False
        super().data_received(data)
        self._non_body_bytes = 0 if self._made_progress else self._non_body_bytes + len(data)
        if self._non_body_bytes <= _MAX_HEAD_BYTES or self.transport.is_closing():
            return
        if self._in_head:
            self.transport.write(_HEAD_TOO_LARGE_RESPONSE)
        self.transport.close()

    def on_message_begin(self) -> None:
        """Begin to wait for a whole head."""
        self._in_head = True
        self._start_head_timer(_MAX_HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Have the head."""
        self._in_head, self._made_progress = False, True
        self._stop_head_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Have a piece of the body."""
        self._made_progress = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Have all of the body."""
        self._stop_head_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Let the rest of a body come that nobody wants: its sender may not listen before."""
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
