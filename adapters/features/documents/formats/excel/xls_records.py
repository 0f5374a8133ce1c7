"""The records of an Excel workbook before 2007, and the texts in them.

[MS-XLS] 2.4 and 2.5.293 (read 2026-11-16). A shared text or the text of a formula may continue in
the next record, which begins with a flag for letters of one byte or two.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, takewhile
from typing import Final, NamedTuple

from ..office.package import BrokenFileError

CONTINUE: Final = 0x003C
_RECORD_HEAD_BYTES: Final = 4
_WIDE_FLAG, _EXTENDED_FLAG, _RICH_FLAG = 1, 4, 8
MAX_SHARED_TEXTS: Final = 200_000
# More than the longest text of a cell needs.
_MAX_CONTINUATIONS: Final = 16


class Record(NamedTuple):
    """A record: its type, its data, and the offset of the next one."""

    sort: int
    data: bytes
    end: int


def read_records(stream: bytes, start: int = 0) -> Iterator[Record]:
    """Yield the complete records from an offset on."""
    offset = start
    while offset + _RECORD_HEAD_BYTES <= len(stream):
        sort, length = struct.unpack_from("<HH", stream, offset)
        end = offset + _RECORD_HEAD_BYTES + length
        yield Record(sort, stream[offset + _RECORD_HEAD_BYTES : end], end)
        offset = end


def read_text(data: bytes, offset: int, *, wide_length: bool = True, codec: str = "") -> str:
    """Return a text in one record, after its length and the flag for wide letters.

    Before Excel 97 there is no flag: texts are in the workbook's ``codec``.
    """
    length, size = (
        (struct.unpack_from("<H", data, offset)[0], 2) if wide_length else (data[offset], 1)
    )
    begin = offset + size + 1
    if codec:
        return data[begin - 1 : begin - 1 + length].decode(codec, "replace")
    if data[begin - 1] & _WIDE_FLAG:
        return data[begin : begin + 2 * length].decode("utf-16-le", "replace")
    return data[begin : begin + length].decode("latin-1")


def formula_result(stream: bytes, data: bytes, end: int, codec: str) -> str:
    """Return the text result of a formula, from its record and those that continue it."""
    if codec:
        return read_text(data, 0, codec=codec)
    length, flags = struct.unpack_from("<HB", data)
    following = takewhile(lambda record: record.sort == CONTINUE, read_records(stream, end))
    reader = _ContinuedBytes(
        [data[3:], *(record.data for record in islice(following, _MAX_CONTINUATIONS))]
    )
    try:
        return reader.take_letters(length, wide=bool(flags & _WIDE_FLAG))
    except BrokenFileError:
        return read_text(data, 0)


def shared_texts(pieces: list[bytes]) -> list[str]:
    """Return the texts of the shared table, from its record and those that continue it."""
    reader = _ContinuedBytes(pieces)
    _, count = struct.unpack("<II", reader.take_bytes(8))
    texts: list[str] = []
    with suppress(BrokenFileError, struct.error):
        texts.extend(_read_shared_text(reader) for _ in range(min(count, MAX_SHARED_TEXTS)))
    return texts


def continued_text(pieces: list[bytes], count: int) -> str:
    """Return a text of ``count`` letters from records that each begin with the width flag."""
    return _ContinuedBytes([b"", *pieces]).take_letters(count, wide=False)


def _read_shared_text(reader: "_ContinuedBytes") -> str:
    length, flags = struct.unpack("<HB", reader.take_bytes(3))
    runs = struct.unpack("<H", reader.take_bytes(2))[0] if flags & _RICH_FLAG else 0
    extra = struct.unpack("<I", reader.take_bytes(4))[0] if flags & _EXTENDED_FLAG else 0
    text = reader.take_letters(length, wide=bool(flags & _WIDE_FLAG))
    reader.take_bytes(4 * runs + extra)
    return text


class _ContinuedBytes:
    """The bytes of a record and those that continue it."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = iter(pieces)
        self._piece = next(self._pieces, b"")
        self._offset = 0

    def take_bytes(self, count: int) -> bytes:
        """Return ``count`` bytes; raise ``BrokenFileError`` when there are fewer."""
        content = self._piece[self._offset : self._offset + count]
        self._offset += len(content)
        while len(content) < count:
            self._next_continuation()
            more = self._piece[: count - len(content)]
            self._offset = len(more)
            content += more
        return content

    def take_letters(self, count: int, *, wide: bool) -> str:
        """Return ``count`` letters."""
        text = ""
        while count:
            if self._offset >= len(self._piece):
                self._next_continuation()
                wide, self._offset = bool(self._piece[:1] and self._piece[0] & _WIDE_FLAG), 1
            width = 2 if wide else 1
            raw = self._piece[self._offset : self._offset + count * width]
            self._offset += len(raw)
            count -= max(len(raw) // width, 1)
            text += raw.decode("utf-16-le" if wide else "latin-1", "replace")
        return text

    def _next_continuation(self) -> None:
        piece = next(self._pieces, None)
        if piece is None:
            raise BrokenFileError
        self._piece, self._offset = piece, 0
