"""Server-sent events by the HTML standard: bytes in, events out.

https://html.spec.whatwg.org/multipage/server-sent-events.html: lines end with LF, CRLF or CR. A
byte order mark at the start, comments and ids are ignored.
"""

import re
from collections.abc import Iterator

from returns.result import Failure, Success

from webseam.ports.errors import ResponseTooLarge

from ..declaration.wire import EventsResult, StreamEvent

MAX_EVENT_BYTES = 8 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_LINE_END_PATTERN = re.compile(rb"\r\n|\n|\r")


class ServerSentEvents:
    """One stream. Any split of its bytes gives the same events."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._has_started = False
        self._ends_with_cr = False
        self._event_name = ""
        self._data: list[str] = []
        self._data_chars = 0

    def feed(self, piece: bytes, /) -> EventsResult:
        """Take the next bytes and return the events they complete."""
        if not self._has_started:
            self._line += piece
            if _BOM.startswith(self._line) and len(self._line) < len(_BOM):
                return Success(())
            piece = bytes(self._line).removeprefix(_BOM)
            self._line.clear()
            self._has_started = True
        events = [
            event
            for line in self._take_lines(piece)
            if (event := self._read_line(line)) is not None
        ]
        if len(self._line) + self._data_chars > MAX_EVENT_BYTES:
            return Failure(ResponseTooLarge(what="body", limit=MAX_EVENT_BYTES))
        return Success(events)

    def finish(self) -> EventsResult:
        """Take the end of the stream; servers may omit the blank line after the last event."""
        if self._line:
            self._read_line(bytes(self._line))
            self._line.clear()
        event = self._complete_event()
        return Success(() if event is None else (event,))

    def _take_lines(self, piece: bytes) -> Iterator[bytes]:
        """Yield the lines that a piece completes; search only the piece, so that work is linear."""
        if self._ends_with_cr and piece:
            # The second half of a CRLF.
            piece = piece.removeprefix(b"\n")
            self._ends_with_cr = False
        start = 0
        for match in _LINE_END_PATTERN.finditer(piece):
            self._line += piece[start : match.start()]
            yield bytes(self._line)
            self._line.clear()
            start = match.end()
        self._line += piece[start:]
        self._ends_with_cr |= piece.endswith(b"\r")

    def _read_line(self, line: bytes) -> StreamEvent | None:
        if not line:
            return self._complete_event()
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

    def _complete_event(self) -> StreamEvent | None:
        data, name = self._data, self._event_name
        self._data, self._event_name, self._data_chars = [], "", 0
        return StreamEvent(name=name, data="\n".join(data)) if data else None
