"""Server-sent events, as the HTML standard has them: bytes in, events out.

https://html.spec.whatwg.org/multipage/server-sent-events.html: lines end with LF, CRLF or CR; a
byte order mark at the start, comments and ids are left out.
"""

import re
from collections.abc import Iterator, Sequence

from returns.result import Failure, Result, Success

from ....ports.errors import ResponseTooLarge, WebError
from ..declaration.wire import StreamEvent

MAX_EVENT_BYTES = 8 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r")


class ServerSentEvents:
    """One stream. Any split of its bytes gives the same events."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._held = b""
        self._begun = False
        self._name = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, piece: bytes, /) -> Result[Sequence[StreamEvent], WebError]:
        """Take the next bytes and return the events they complete."""
        self._held += piece
        if not self._begun and not self._begin():
            return Success(())
        events = [event for line in self._lines() if (event := self._take(line)) is not None]
        if len(self._held) + self._size > MAX_EVENT_BYTES:
            return Failure(ResponseTooLarge(what="body", limit=MAX_EVENT_BYTES))
        return Success(events)

    def finish(self) -> Result[Sequence[StreamEvent], WebError]:
        """Take the end: a last event counts without its blank line, which servers leave out."""
        rest, self._held = self._held, b""
        for line in _LINE_END.split(rest):
            if line:
                self._take(line)
        event = self._complete()
        return Success(() if event is None else (event,))

    def _begin(self) -> bool:
        """Drop the byte order mark; it takes three bytes to know that there is none."""
        if _BOM.startswith(self._held) and len(self._held) < len(_BOM):
            return False
        self._held = self._held.removeprefix(_BOM)
        self._begun = True
        return True

    def _lines(self) -> Iterator[bytes]:
        start = 0
        for end in _LINE_END.finditer(self._held):
            # A CR at the very end may be half of a CRLF.
            if end.end() == len(self._held) and end.group() == b"\r":
                break
            yield self._held[start : end.start()]
            start = end.end()
        self._held = self._held[start:]

    def _take(self, line: bytes) -> StreamEvent | None:
        if not line:
            return self._complete()
        field, _, value = line.partition(b":")
        words = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._data.append(words)
            self._size += len(words)
        elif field == b"event":
            self._name = words
        elif field == b"error" and words:
            # Not of the standard: how vLLM and gateways break a stream off that has begun.
            self._name, self._data = "error", [words]
        return None

    def _complete(self) -> StreamEvent | None:
        data, name = self._data, self._name
        self._data, self._name, self._size = [], "", 0
        return StreamEvent(name=name, data="\n".join(data)) if data else None
