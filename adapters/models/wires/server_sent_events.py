"""Server-sent events by the HTML standard: bytes in, events out.

https://html.spec.whatwg.org/multipage/server-sent-events.html: lines end with LF, CRLF or CR. A
byte order mark at the start, comments and ids are ignored.
"""

import re
from collections.abc import Iterator

from returns.result import Failure, Success

from ....ports.errors import ResponseTooLarge
from ..declaration.wire import EventsResult, StreamEvent

MAX_EVENT_BYTES = 8 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_LINE_END_PATTERN = re.compile(rb"\r\n|\n|\r")


class ServerSentEvents:
    """One stream. Any split of its bytes gives the same events."""

    def __init__(self) -> None:
        self._buffer = b""
        self._has_started = False
        self._event_name = ""
        self._data: list[str] = []
        self._data_chars = 0

    def feed(self, piece: bytes, /) -> EventsResult:
        """Take the next bytes and return the events they complete."""
        self._buffer += piece
        if not self._has_started and not self._skip_sse_byte_order_mark():
            return Success(())
        events = [
            event
            for line in self._take_sse_lines()
            if (event := self._read_sse_line(line)) is not None
        ]
        if len(self._buffer) + self._data_chars > MAX_EVENT_BYTES:
            return Failure(ResponseTooLarge(what="body", limit=MAX_EVENT_BYTES))
        return Success(events)

    def finish(self) -> EventsResult:
        """Take the end of the stream; servers may omit the blank line after the last event."""
        rest, self._buffer = self._buffer, b""
        for line in _LINE_END_PATTERN.split(rest):
            if line:
                self._read_sse_line(line)
        event = self._complete_sse_event()
        return Success(() if event is None else (event,))

    def _skip_sse_byte_order_mark(self) -> bool:
        """Drop the byte order mark; return False while fewer than three bytes leave it open."""
        if _BOM.startswith(self._buffer) and len(self._buffer) < len(_BOM):
            return False
        self._buffer = self._buffer.removeprefix(_BOM)
        self._has_started = True
        return True

    def _take_sse_lines(self) -> Iterator[bytes]:
        start = 0
        for match in _LINE_END_PATTERN.finditer(self._buffer):
            # A CR at the end may be half of a CRLF.
            if match.end() == len(self._buffer) and match.group() == b"\r":
                break
            yield self._buffer[start : match.start()]
            start = match.end()
        self._buffer = self._buffer[start:]

    def _read_sse_line(self, line: bytes) -> StreamEvent | None:
        if not line:
            return self._complete_sse_event()
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._data.append(text)
            self._data_chars += len(text)
        elif field == b"event":
            self._event_name = text
        elif field == b"error" and text:
            # Not in the standard: vLLM and gateways end a started stream like this on an error.
            self._event_name, self._data = "error", [text]
        return None

    def _complete_sse_event(self) -> StreamEvent | None:
        data, name = self._data, self._event_name
        self._data, self._event_name, self._data_chars = [], "", 0
        return StreamEvent(name=name, data="\n".join(data)) if data else None
