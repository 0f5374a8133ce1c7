"""The text of a Word document before 2007, and what its head points to.

[MS-DOC] 2.4.1 and 2.5 (read 2026-11-16): the text lies in pieces all over the stream, in the order
of a table; a place in the text is counted in units of UTF-16. Word 6 and 95 had the same table,
letters of one byte, and another head.
"""

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate, islice, pairwise
from typing import Final, NamedTuple

import msgspec
from turbohtml.detect import detect

from ..detection.charset import code_page_codec
from ..numbering import NUMBER_FORMS, Level, Numbering
from ..office.package import BrokenFileError, EncryptedError

STYLES, NOTE_PLACES, NOTE_TEXTS, MARGINS = 1, 2, 3, 11
COMMENT_PLACES, COMMENT_TEXTS, COMMENT_AUTHORS = 4, 5, 36
COMMENT_NUMBERS, COMMENT_BEGINS, COMMENT_ENDS = 37, 42, 43
LETTER_RUNS, PARAGRAPH_RUNS, FONTS = 12, 13, 15
END_NOTE_PLACES, END_NOTE_TEXTS, LISTS, LIST_USES = 46, 47, 73, 74
_PIECES: Final = 33
_MARK: Final = 0xA5EC
# Of Word 6 and 95; those for Japanese, Korean and Chinese have letters of their code pages.
_OLD_MARKS: Final = (0xA5DC, 0xA697, 0xA698, 0xA699)
_EAST_ASIAN: Final = {0xA697: 932, 0xA698: 949}
_TRADITIONAL, _SIMPLIFIED = 950, 936
_MACINTOSH, _MACINTOSH_PAGE = 1, 10000
_SAMPLE_BYTES: Final = 65_536
_LATIN: Final = bytes((*range(0x41, 0x5B), *range(0x61, 0x7B)))
_HIGH: Final = bytes(range(0xC0, 0x100))
_LOCKED, _SECOND_TABLE, _OLD_WIDE = 0x0100, 0x0200, 0x1000
_POINTERS: Final = 154
_LENGTHS, _OLD_LENGTHS, _OLD_PIECES = 76, 52, 0x160
_NARROW: Final = 1 << 30
MAX_LETTERS: Final = 4_000_000
# The parts of a text, as they lie one after the other.
BODY, NOTES, HEADERS, MACROS, COMMENTS, END_NOTES, BOXES = range(7)
# Before 1997 a text has the code page of its language, by the language's first ten bits.
_PAGES: Final = {
    **dict.fromkeys((0x02, 0x19, 0x22, 0x23), 1251),
    **dict.fromkeys((0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x24), 1250),
    **dict.fromkeys((0x25, 0x26, 0x27), 1257),
    0x08: 1253, 0x1F: 1254, 0x0D: 1255, 0x01: 1256, 0x04: 936, 0x11: 932, 0x12: 949,
}  # fmt: skip


class TextPiece(NamedTuple):
    """Where a piece begins and ends in the text, where in the stream, and bytes a letter."""

    start: int
    end: int
    place: int
    width: int


class WordText:
    """The text, its parts, and where in the stream each place of it is."""

    def __init__(self, stream: bytes, tables: tuple[bytes, bytes]) -> None:
        """Read the head and the pieces; ``tables`` are the two streams that it may point into."""
        mark, _, _, language, _, flags = struct.unpack_from("<HHHHHH", stream)
        if mark not in (_MARK, *_OLD_MARKS):
            raise BrokenFileError
        if flags & _LOCKED:
            raise EncryptedError
        self.is_old = mark != _MARK
        self._stream = stream
        self._tables = stream if self.is_old else tables[bool(flags & _SECOND_TABLE)]
        lengths = struct.unpack_from("<8I", stream, _OLD_LENGTHS if self.is_old else _LENGTHS)
        self._starts = [0, *accumulate(lengths)]
        old_width = 2 if flags & _OLD_WIDE else 1
        self.pieces = self._old_pieces(old_width) if self.is_old else _pieces(self.table(_PIECES))
        if not self.pieces:
            raise BrokenFileError
        self._places = [piece.start for piece in self.pieces]
        is_east_asian = mark in _OLD_MARKS[1:] and old_width > 1
        self._wide = self._east_asian_letters(mark) if is_east_asian else {}
        codec = self._old_codec(language) if self.is_old else "cp1252"
        self.letters = "".join(self._letters(piece, codec) for piece in self.pieces)
        self.is_cut = self._starts[-1] > MAX_LETTERS

    def table(self, number: int) -> bytes:
        """Return a table that the head points to; Word 6 and 95 have others, which are not read."""
        if self.is_old:
            return b""
        place, length = struct.unpack_from("<II", self._stream, _POINTERS + 8 * number)
        return self._tables[place : place + length]

    def after(self, number: int) -> bytes:
        """Return what begins where a table does, to the end of all."""
        (place,) = struct.unpack_from("<I", self._stream, _POINTERS + 8 * number)
        return self._tables[place:] if self.table(number) else b""

    def part(self, number: int) -> range:
        """Return where a part of the text begins and ends."""
        most = len(self.letters)
        return range(min(self._starts[number], most), min(self._starts[number + 1], most))

    def stretches(self, number: int, bounds: bytes, most: int) -> list[range]:
        """Return where the texts in a part are, by the places between them; none overlap."""
        whole = self.part(number)
        done = whole.start
        found = []
        for begin, end in pairwise(
            struct.unpack_from(f"<{min(len(bounds) // 4, most + 1)}I", bounds)
        ):
            start, stop = max(whole.start + begin, done), min(whole.start + end, whole.stop)
            found.append(range(min(start, whole.stop), max(stop, done)))
            done = max(done, stop)
        return found

    def place(self, at: int) -> int:
        """Return where in the stream a place of the text is."""
        piece = self.pieces[max(bisect_right(self._places, at) - 1, 0)]
        return piece.place + (at - piece.start) * piece.width

    def _letters(self, piece: TextPiece, codec: str) -> str:
        """Return the letters of a piece, one for each unit of its text."""
        count = piece.end - piece.start
        raw = self._stream[piece.place : piece.place + count * piece.width]
        if piece.width == 1:
            return raw.decode(codec, "replace").ljust(count, "\0")
        if self._wide:
            return "".join(map(self._wide.__getitem__, array("H", raw[: len(raw) & ~1]))).ljust(
                count, "\0"
            )
        text = raw.decode("utf-16-le", "replace")
        if len(text) != count:
            # Letters of two units; they are put together again when all places are known.
            text = "".join(map(chr, array("H", raw[: len(raw) & ~1])))
        return text.ljust(count, "\0")

    def _east_asian_letters(self, mark: int) -> dict[int, str]:
        """Return the letters of the text by their codes, which are no Unicode before 1997."""
        raw = b"".join(
            self._stream[piece.place : piece.place + (piece.end - piece.start) * 2]
            for piece in self.pieces
            if piece.width > 1
        )
        codes = {code: _code_bytes(code) for code in array("H", raw[: len(raw) & ~1])}
        page = _EAST_ASIAN.get(mark)
        if page is None:
            sample = b"".join(codes[code] for code in array("H", raw[:_SAMPLE_BYTES]))
            found = (detect(sample).encoding or "").lower()
            page = _TRADITIONAL if found == "big5" else _SIMPLIFIED
        codec = code_page_codec(page) or "cp1252"
        return {code: own.decode(codec, "replace")[:1] for code, own in codes.items()}

    def _old_codec(self, language: int) -> str:
        """Return the code page of the language; letters that are mostly not Latin are looked at."""
        system = _MACINTOSH_PAGE if self._stream[18] == _MACINTOSH else 0
        told = code_page_codec(_PAGES.get(language & 0x3FF, system))
        if told:
            return told
        places = ((piece.place, piece.end - piece.start) for piece in self.pieces)
        sample = b"".join(self._stream[at : at + count] for at, count in places)[:_SAMPLE_BYTES]
        letters = len(sample) - len(sample.translate(None, _LATIN))
        others = len(sample) - len(sample.translate(None, _HIGH))
        return (detect(sample).codec if others > letters else None) or "cp1252"

    def _old_pieces(self, width: int) -> list[TextPiece]:
        begin, end = struct.unpack_from("<II", self._stream, 24)
        place, length = struct.unpack_from("<II", self._stream, _OLD_PIECES)
        pieces = _pieces(self._stream[place : place + length], width)
        count = min((end - begin) // width, self._starts[-1], MAX_LETTERS)
        return pieces or ([TextPiece(0, count, begin, width)] if count > 0 else [])


def _code_bytes(code: int) -> bytes:
    return code.to_bytes(2, "big") if code > 0xFF else bytes([code])  # noqa: PLR2004


def _pieces(table: bytes, width: int = 2) -> list[TextPiece]:
    """Return the pieces in the order of the text, as far as they follow one another."""
    at = 0
    while table[at : at + 1] == b"\x01":
        at += 3 + struct.unpack_from("<H", table, at + 1)[0]
    if table[at : at + 1] != b"\x02":
        return []
    (length,) = struct.unpack_from("<I", table, at + 1)
    raw = table[at + 5 : at + 5 + length]
    count = max(0, (len(raw) - 4) // 12)
    places = struct.unpack_from(f"<{count + 1}I", raw) if count else ()
    pieces: list[TextPiece] = []
    for number in range(count):
        start, end = places[number], min(places[number + 1], MAX_LETTERS)
        (where,) = struct.unpack_from("<I", raw, 4 * (count + 1) + 8 * number + 2)
        if start != (pieces[-1].end if pieces else 0) or end <= start:
            break
        is_narrow = bool(where & _NARROW)
        place = (where & (_NARROW - 1)) >> is_narrow
        pieces.append(TextPiece(start, end, place, 1 if is_narrow else width))
    return pieces


# The lists of a Word document before 2007: what their levels write, and where they begin anew.

MAX_LISTS: Final = 2048
_LEVELS: Final = 9
_MAX_NUMBER: Final = 32_767
# In bytes: a list, a use of one, what comes before its own levels, and the least of a level.
_LIST, _USE, _BEFORE, _OWN, _LEVEL = 28, 16, 4, 8, 28
_LEGAL, _LIMITED, _SIMPLE = 4, 8, 1
_STARTS, _WRITES = 16, 32
_MAX_LABEL_CHARS: Final = 60
# In what a level writes, these stand for the numbers of the levels.
_PLACES: Final = {place: f"%{place + 1}" for place in range(_LEVELS)}


class _Read(NamedTuple):
    level: Level
    end: int


def read_lists(text: WordText) -> dict[int, Numbering]:
    """Return the lists by the numbers of their uses, from 1."""
    known = dict(_lists(text))
    raw = text.table(LIST_USES)
    count = min(int.from_bytes(raw[:4], "little"), MAX_LISTS, max(0, len(raw) - 4) // _USE)
    at = 4 + _USE * count
    used: dict[int, Numbering] = {}
    for number in range(count):
        head = raw[4 + _USE * number : 4 + _USE * (number + 1)]
        numbering = Numbering(head[:4].hex(), known.get(head[:4], {}))
        used[number + 1], at = _own(numbering, raw, at + _BEFORE, head[12])
    return used


def _lists(text: WordText) -> Iterator[tuple[bytes, Mapping[int, Level]]]:
    """Yield the names of lists with their levels."""
    raw, table = text.after(LISTS), text.table(LISTS)
    count = min(int.from_bytes(table[:2], "little"), MAX_LISTS, max(0, len(table) - 2) // _LIST)
    at = 2 + _LIST * count
    for number in range(count):
        head = raw[2 + _LIST * number : 2 + _LIST * (number + 1)]
        levels: dict[int, Level] = {}
        for place in range(1 if head[26] & _SIMPLE else _LEVELS):
            read = _level(raw, at, place)
            if read is None:
                return
            levels[place], at = read
        yield head[:4], levels


def _level(raw: bytes, at: int, place: int) -> _Read | None:
    shape = raw[at : at + _LEVEL]
    if len(shape) < _LEVEL:
        return None
    at += _LEVEL + shape[24] + shape[25]
    letters = int.from_bytes(raw[at : at + 2], "little")
    end = at + 2 + 2 * letters
    written = raw[at + 2 : min(end, at + 2 + 2 * _MAX_LABEL_CHARS)].decode("utf-16-le", "replace")
    limit = min(shape[26], place) if shape[5] & _LIMITED else place
    level = Level(
        form=NUMBER_FORMS.get(shape[4], "decimal"),
        text=written.translate(_PLACES),
        start=min(int.from_bytes(shape[:4], "little"), _MAX_NUMBER),
        after=limit,
        in_digits=bool(shape[5] & _LEGAL),
    )
    return _Read(level, end)


def _own(numbering: Numbering, raw: bytes, at: int, count: int) -> tuple[Numbering, int]:
    """Return a list with the levels that this use of it has of its own, and where these end."""
    levels, anew = dict(numbering.levels), set()
    for _ in islice(range(count), _LEVELS):
        head = raw[at : at + _OWN]
        if len(head) < _OWN:
            break
        at, place = at + _OWN, head[4] & 15
        read = _level(raw, at, place) if head[4] & _WRITES else None
        if read is not None:
            levels[place], at = read
        if head[4] & _STARTS and place in levels:
            start = min(int.from_bytes(head[:4], "little"), _MAX_NUMBER)
            anew.add(place)
            levels[place] = msgspec.structs.replace(levels[place], start=start)
    return Numbering(numbering.key, levels, frozenset(anew)), at
