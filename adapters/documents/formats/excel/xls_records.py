"""The records of an Excel workbook before 2007, and the texts in them.

[MS-XLS] 2.4 and 2.5.293 (read 2026-11-16). A text of the shared table may go on in the next record,
which then says anew whether its letters take one byte or two; so may the text of a formula.
"""

import struct
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final, NamedTuple

from ..office.package import BrokenFileError

CONTINUE: Final = 0x003C
_HEAD: Final = 4
_WIDE, _EXTENDED, _RICH = 1, 4, 8
MAX_SHARED_TEXTS: Final = 200_000
# As many as the longest text of a cell takes, and more.
_MAX_CONTINUATIONS: Final = 16


class XlsRecord(NamedTuple):
    """A record: what it is, what it holds, and where the next one begins."""

    sort: int
    data: bytes
    end: int


def read_xls_records(stream: bytes, start: int = 0) -> Iterator[XlsRecord]:
    """Yield the records from a place on, as far as they are whole."""
    place = start
    while place + _HEAD <= len(stream):
        sort, length = struct.unpack_from("<HH", stream, place)
        end = place + _HEAD + length
        yield XlsRecord(sort, stream[place + _HEAD : end], end)
        place = end


def read_xls_text(data: bytes, offset: int, *, wide_length: bool = True, codec: str = "") -> str:
    """Return a text that stands in one record, behind its length and how wide its letters are.

    Before Excel 97 a text says nothing of its letters: they are of the workbook's ``codec``.
    """
    length, size = (
        (struct.unpack_from("<H", data, offset)[0], 2) if wide_length else (data[offset], 1)
    )
    begin = offset + size + 1
    if codec:
        return data[begin - 1 : begin - 1 + length].decode(codec, "replace")
    if data[begin - 1] & _WIDE:
        return data[begin : begin + 2 * length].decode("utf-16-le", "replace")
    return data[begin : begin + length].decode("latin-1")


def formula_result(stream: bytes, data: bytes, end: int) -> str:
    """Return the text that a formula gave, from its record and those that continue it."""
    length, flags = struct.unpack_from("<HB", data)
    following = takewhile(lambda record: record.sort == CONTINUE, read_xls_records(stream, end))
    reader = _Pieces([data[3:], *(record.data for record in islice(following, _MAX_CONTINUATIONS))])
    try:
        return reader.letters(length, wide=bool(flags & _WIDE))
    except BrokenFileError:
        return read_xls_text(data, 0)


def shared_texts(pieces: list[bytes]) -> list[str]:
    """Return the texts of the shared table, from its record and those that continue it."""
    reader = _Pieces(pieces)
    _, count = struct.unpack("<II", reader.take(8))
    texts: list[str] = []
    try:
        texts.extend(_shared_text(reader) for _ in range(min(count, MAX_SHARED_TEXTS)))
    except (BrokenFileError, struct.error):
        return texts
    return texts


def continued_text(pieces: list[bytes], count: int) -> str:
    """Return a text of so many letters, from records that each say how wide theirs are."""
    return _Pieces([b"", *pieces]).letters(count, wide=False)


def _shared_text(reader: "_Pieces") -> str:
    length, flags = struct.unpack("<HB", reader.take(3))
    runs = struct.unpack("<H", reader.take(2))[0] if flags & _RICH else 0
    extra = struct.unpack("<I", reader.take(4))[0] if flags & _EXTENDED else 0
    text = reader.letters(length, wide=bool(flags & _WIDE))
    reader.take(4 * runs + extra)
    return text


class _Pieces:
    """Bytes in several pieces, read one after the other."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = iter(pieces)
        self._piece = next(self._pieces, b"")
        self._at = 0

    def take(self, count: int) -> bytes:
        """Return so many bytes; ``BrokenFileError`` when there are not as many."""
        taken = self._piece[self._at : self._at + count]
        self._at += len(taken)
        while len(taken) < count:
            self._turn()
            more = self._piece[: count - len(taken)]
            self._at = len(more)
            taken += more
        return taken

    def letters(self, count: int, *, wide: bool) -> str:
        """Return so many letters."""
        text = ""
        while count:
            if self._at >= len(self._piece):
                self._turn()
                wide, self._at = bool(self._piece[:1] and self._piece[0] & _WIDE), 1
            width = 2 if wide else 1
            raw = self._piece[self._at : self._at + count * width]
            self._at += len(raw)
            count -= max(len(raw) // width, 1)
            text += raw.decode("utf-16-le" if wide else "latin-1", "replace")
        return text

    def _turn(self) -> None:
        piece = next(self._pieces, None)
        if piece is None:
            raise BrokenFileError
        self._piece, self._at = piece, 0
