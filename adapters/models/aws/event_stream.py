"""The binary event stream of AWS: checked frames from bytes, however these were split.

A frame is the length of the whole, the length of the headers and a checksum of both, then the
headers, the payload and a checksum of everything before it. Big-endian, CRC-32.
https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html (event stream encoding)
"""

import struct
import zlib
from collections.abc import Iterator, Sequence

from returns.result import Failure, Result, Success

from ....ports.errors import BadEncoding, ConnectionLost, ResponseTooLarge, WebError
from ..declaration.wire import StreamEvent

# As AWS's own readers have them.
MAX_FRAME_BYTES = 24 * 1024 * 1024
_MAX_HEADER_BYTES = 128 * 1024
_PRELUDE = struct.Struct("!III")
_CHECKSUM = struct.Struct("!I")
_LEAST = _PRELUDE.size + _CHECKSUM.size

_NAMES = (":exception-type", ":error-code", ":event-type")
_TEXT = 7
# What follows a header's type: a size in bytes, or a 16-bit length before the value itself.
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_MEASURED = frozenset({6, _TEXT})


class EventStreamFrames:
    """The ``Frames`` of a binary event stream. After a failure there is nothing more to read."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._failure: WebError | None = None

    def feed(self, piece: bytes, /) -> Result[Sequence[StreamEvent], WebError]:
        """Return the events that are whole by now. What comes before a corrupt frame counts."""
        self._held += piece
        events: list[StreamEvent] = []
        while self._failure is None:
            event = self._next()
            if event is None:
                return Success(events)
            if isinstance(event, Failure):
                self._failure = event.failure()
            else:
                events.append(event.unwrap())
        self._held.clear()
        # The failure is kept for the next call, so that every split gives the same events.
        return Success(events) if events else Failure(self._failure)

    def finish(self) -> Result[Sequence[StreamEvent], WebError]:
        """Take the end of the stream: in the middle of a frame it is a loss."""
        if self._failure is not None:
            return Failure(self._failure)
        return Failure(ConnectionLost()) if self._held else Success(())

    def _next(self) -> Result[StreamEvent, WebError] | None:
        """Take the next frame off what is held; None when it is not all there yet."""
        length = _length(self._held)
        if isinstance(length, Failure):
            return length
        size = length.unwrap()
        if size > len(self._held):
            return None
        frame = bytes(self._held[:size])
        del self._held[:size]
        return _read(frame)


def _length(held: bytearray) -> Result[int, WebError]:
    """Return how long the next frame is, from its prelude; as little as that if it is not there."""
    if len(held) < _PRELUDE.size:
        return Success(_LEAST)
    total, headers, checksum = _PRELUDE.unpack_from(held)
    if zlib.crc32(held[: _PRELUDE.size - _CHECKSUM.size]) != checksum:
        return _corrupt("the checksum of a frame's prelude does not match")
    if headers > _MAX_HEADER_BYTES or total > MAX_FRAME_BYTES:
        return Failure(ResponseTooLarge(what="body", limit=MAX_FRAME_BYTES))
    if total < headers + _LEAST:
        return _corrupt("the lengths in a frame do not fit")
    return Success(total)


def _read(frame: bytes) -> Result[StreamEvent, WebError]:
    """Check a whole frame and take it apart."""
    body, (checksum,) = frame[: -_CHECKSUM.size], _CHECKSUM.unpack_from(frame, len(frame) - 4)
    if zlib.crc32(body) != checksum:
        return _corrupt("the checksum of a frame does not match")
    end = _PRELUDE.size + _PRELUDE.unpack_from(frame)[1]
    try:
        headers = dict(_headers(body[_PRELUDE.size : end]))
        data = body[end:].decode()
    except (IndexError, KeyError, UnicodeDecodeError):
        return _corrupt("a frame holds what cannot be read")
    name = next((headers[key] for key in _NAMES if key in headers), "")
    failed = headers.get(":message-type", "event") != "event"
    return Success(StreamEvent(name=name, data=data, failed=failed))


def _headers(data: bytes) -> Iterator[tuple[str, str]]:
    """Give the headers that are text; what is no list of headers raises."""
    at = 0
    while at < len(data):
        name, at = _slice(data, at + 1, data[at])
        kind, at = data[at], at + 1
        size = _SIZES[kind] if kind not in _MEASURED else data[at] << 8 | data[at + 1]
        value, at = _slice(data, at + 2 * (kind in _MEASURED), size)
        if kind == _TEXT:
            yield name.decode(), value.decode()


def _slice(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    if at + size > len(data):
        raise IndexError(at)
    return data[at : at + size], at + size


def _corrupt(reason: str) -> Failure[WebError]:
    return Failure(BadEncoding(reason=reason))
