"""WARC records whose fields are named in another case than fastwarc knows them by.

Any case will do (ISO 28500, 4), and some writers take small letters for all. fastwarc finds no
length in such a record and gives up, or no type (1.1.0, seen 2026-11-17).
"""

import io
import re
import zlib
from typing import BinaryIO, Final

from .lengths import stated_end
from .truncated_records import record_end

_GZIP: Final = b"\x1f\x8b"
_ANY_GZIP: Final = 31
_PLAIN: Final = b"WARC/"
_MAX_HEAD_BYTES: Final = 256 * 1024
# Longer ones are refused for their length, which stands in their heads.
_MAX_RECORD_BYTES: Final = 21 * 1024 * 1024
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_NAMES: Final = {name.lower(): name for name in (b"WARC-Type", b"Content-Length")}
_FIELD: Final = re.compile(rb"^(?:%s)(?=:)" % b"|".join(_NAMES), re.IGNORECASE | re.MULTILINE)
_BLANKS: Final = 16


class RecordAt(io.BytesIO):
    """A record by itself, which is told to begin where it does in its file."""

    def __init__(self, content: bytes, place: int) -> None:
        """Hold the record that begins at ``place``."""
        super().__init__(content)
        self._place = place

    def tell(self) -> int:
        """Return the place in the file: fastwarc asks for it once, at the beginning."""
        return self._place


def read_renamed(stream: BinaryIO, offset: int) -> RecordAt | None:
    """Return the record that begins at a place, under the names that are known.

    None where it has them already, or where none begins.
    """
    start = _content(stream, offset, _MAX_HEAD_BYTES)
    end = _HEAD_END.search(start)
    if end is None or not start.startswith(_PLAIN):
        return None
    head = start[: end.end()]
    known = _FIELD.sub(lambda found: _NAMES[found[0].lower()], head)
    if known == head:
        return None
    size = min(stated_end(head) or 0, _MAX_RECORD_BYTES)
    return RecordAt(known + _content(stream, offset, size)[len(head) :], offset)


def next_offset(stream: BinaryIO, offset: int) -> int | None:
    """Return where the record after the one at a place may begin, None where nothing follows."""
    end = record_end(stream, offset)
    if end is None:
        return None
    stream.seek(end)
    after = stream.read(_BLANKS)
    return end + len(after) - len(after.lstrip(b"\r\n")) if after.strip(b"\r\n") else None


def _content(stream: BinaryIO, place: int, size: int) -> bytes:
    """Return so much of what begins at a place, unpacked; less where there is no more."""
    stream.seek(place)
    # What cannot be packed is a little longer for it.
    start = stream.read(size + size // 512 + 1024)
    if not start.startswith(_GZIP):
        return start[:size]
    try:
        return zlib.decompressobj(_ANY_GZIP).decompress(start, size)
    except zlib.error:
        return b""
