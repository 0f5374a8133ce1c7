"""The text of a Word document before 2007, and the tables that its head points to.

[MS-DOC] 2.4.1 and 2.5 (read 2026-11-16): a table has the pieces of the text in order; they lie
anywhere in the stream. Offsets in the text count units of UTF-16. Word 6 and 95 have the same
table, letters of one byte, and another head.
"""

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from enum import IntEnum
from itertools import accumulate, islice, pairwise
from typing import Final, NamedTuple

import msgspec
from turbohtml.detect import detect

from ..charset import code_page_codec
from ..numbering import NUMBER_FORMS, Level, Numbering
from ..office.package import BrokenFileError, EncryptedError


class DocTable(IntEnum):
    """The tables that the head of a document points to, by their numbers."""

    STYLES, NOTE_OFFSETS, NOTE_TEXTS, MARGINS = 1, 2, 3, 11
    COMMENT_OFFSETS, COMMENT_TEXTS, COMMENT_AUTHORS = 4, 5, 36
    COMMENT_NUMBERS, COMMENT_BEGINS, COMMENT_ENDS = 37, 42, 43
    LETTER_RUNS, PARAGRAPH_RUNS, FONTS, PIECES = 12, 13, 15, 33
    END_NOTE_OFFSETS, END_NOTE_TEXTS, LISTS, LIST_USES = 46, 47, 73, 74


class DocPart(IntEnum):
    """The parts of a text in order."""

    BODY, NOTES, HEADERS, MACROS, COMMENTS, END_NOTES, BOXES = range(7)


_WORD_MARK: Final = 0xA5EC
# Word 6 and 95; the Japanese, Korean and Chinese versions use their code pages.
_OLD_WORD_MARKS: Final = (0xA5DC, 0xA697, 0xA698, 0xA699)
_EAST_ASIAN_PAGES: Final = {0xA697: 932, 0xA698: 949}
_TRADITIONAL_CHINESE_PAGE, _SIMPLIFIED_CHINESE_PAGE = 950, 936
_MACINTOSH, _MACINTOSH_PAGE = 1, 10000
_SAMPLE_BYTES: Final = 65_536
_LATIN_LETTERS: Final = bytes((*range(0x41, 0x5B), *range(0x61, 0x7B)))
_HIGH_LETTERS: Final = bytes(range(0xC0, 0x100))
_ENCRYPTED_FLAG, _SECOND_TABLE_FLAG, _OLD_WIDE_FLAG = 0x0100, 0x0200, 0x1000
_POINTERS_OFFSET: Final = 154
_LENGTHS_OFFSET, _OLD_LENGTHS_OFFSET, _OLD_PIECES_OFFSET = 76, 52, 0x160
_NARROW_FLAG: Final = 1 << 30
MAX_LETTERS: Final = 4_000_000
# Before 1997 the language of a text, by its first ten bits, tells the code page.
_LANGUAGE_CODE_PAGES: Final = {
    **dict.fromkeys((0x02, 0x19, 0x22, 0x23), 1251),
    **dict.fromkeys((0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x24), 1250),
    **dict.fromkeys((0x25, 0x26, 0x27), 1257),
    0x08: 1253, 0x1F: 1254, 0x0D: 1255, 0x01: 1256, 0x04: 936, 0x11: 932, 0x12: 949,
}  # fmt: skip


class TextPiece(NamedTuple):
    """A piece: its start and end in the text, its offset in the stream, and bytes a letter."""

    start: int
    end: int
    offset: int
    width: int


class WordText:
    """The text, its parts, and the offset in the stream of each letter."""

    def __init__(self, stream: bytes, tables: tuple[bytes, bytes]) -> None:
        """Read the head and the pieces; the head points into one of the streams ``tables``."""
        mark, _, _, language, _, flags = struct.unpack_from("<HHHHHH", stream)
        if mark not in (_WORD_MARK, *_OLD_WORD_MARKS):
            raise BrokenFileError
        if flags & _ENCRYPTED_FLAG:
            raise EncryptedError
        self.is_old = mark != _WORD_MARK
        self._stream = stream
        first_table, second_table = tables
        if self.is_old:
            self._tables = stream
        else:
            self._tables = second_table if flags & _SECOND_TABLE_FLAG else first_table
        lengths = struct.unpack_from(
            "<8I", stream, _OLD_LENGTHS_OFFSET if self.is_old else _LENGTHS_OFFSET
        )
        self._part_starts = [0, *accumulate(lengths)]
        old_width = 2 if flags & _OLD_WIDE_FLAG else 1
        self.pieces = (
            self._word_95_pieces(old_width)
            if self.is_old
            else _read_pieces(self.table(DocTable.PIECES))
        )
        if not self.pieces:
            raise BrokenFileError
        self._piece_starts = [piece.start for piece in self.pieces]
        is_east_asian = mark in _OLD_WORD_MARKS[1:] and old_width > 1
        self._letter_by_code = self._east_asian_letters(mark) if is_east_asian else {}
        codec = self._word_95_codec(language) if self.is_old else "cp1252"
        self.letters = "".join(self._text_piece_letters(piece, codec) for piece in self.pieces)
        self.is_cut = self._part_starts[-1] > MAX_LETTERS

    def table(self, number: int) -> bytes:
        """Return a table that the head points to; empty for Word 6 and 95."""
        if self.is_old:
            return b""
        offset, length = struct.unpack_from("<II", self._stream, _POINTERS_OFFSET + 8 * number)
        return self._tables[offset : offset + length]

    def table_tail(self, number: int) -> bytes:
        """Return the bytes from the start of a table to the end of the stream."""
        (offset,) = struct.unpack_from("<I", self._stream, _POINTERS_OFFSET + 8 * number)
        return self._tables[offset:] if self.table(number) else b""

    def part_range(self, number: int) -> range:
        """Return the range of a part of the text."""
        bounds = self._part_starts[number : number + 2]
        return range(*(min(bound, len(self.letters)) for bound in bounds))

    def text_ranges(self, number: int, bounds: bytes, max_count: int) -> list[range]:
        """Return the ranges of the texts in a part by their bounds, without overlaps."""
        part = self.part_range(number)
        done = part.start
        ranges = []
        offsets = struct.unpack_from(f"<{min(len(bounds) // 4, max_count + 1)}I", bounds)
        for begin, end in pairwise(offsets):
            start, stop = max(part.start + begin, done), min(part.start + end, part.stop)
            ranges.append(range(min(start, part.stop), max(stop, done)))
            done = max(done, stop)
        return ranges

    def stream_offset(self, offset: int) -> int:
        """Return the offset in the stream of an offset in the text."""
        piece = self.pieces[max(bisect_right(self._piece_starts, offset) - 1, 0)]
        return piece.offset + (offset - piece.start) * piece.width

    def _text_piece_letters(self, piece: TextPiece, codec: str) -> str:
        """Return the letters of a piece, one for each unit of UTF-16."""
        count = piece.end - piece.start
        raw = self._stream[piece.offset : piece.offset + count * piece.width]
        if piece.width == 1:
            return raw.decode(codec, "replace").ljust(count, "\0")
        if self._letter_by_code:
            codes = array("H", raw[: len(raw) & ~1])
            return "".join(map(self._letter_by_code.__getitem__, codes)).ljust(count, "\0")
        text = raw.decode("utf-16-le", "replace")
        if len(text) != count:
            # Split surrogate pairs, so that offsets hold; they are joined at the end.
            text = "".join(map(chr, array("H", raw[: len(raw) & ~1])))
        return text.ljust(count, "\0")

    def _east_asian_letters(self, mark: int) -> dict[int, str]:
        """Return the letters of the text by code; before 1997 codes are not Unicode."""
        raw = b"".join(
            self._stream[piece.offset : piece.offset + (piece.end - piece.start) * 2]
            for piece in self.pieces
            if piece.width > 1
        )
        units = array("H", raw[: len(raw) & ~1])
        codes = {code: code.to_bytes(1 + (code >> 8 > 0), "big") for code in units}
        page = _EAST_ASIAN_PAGES.get(mark)
        if page is None:
            sample = b"".join(codes[code] for code in units[: _SAMPLE_BYTES // 2])
            encoding = (detect(sample).encoding or "").lower()
            page = _TRADITIONAL_CHINESE_PAGE if encoding == "big5" else _SIMPLIFIED_CHINESE_PAGE
        codec = code_page_codec(page) or "cp1252"
        return {code: code_bytes.decode(codec, "replace")[:1] for code, code_bytes in codes.items()}

    def _word_95_codec(self, language: int) -> str:
        """Return the codec of the language; detect it where most letters are not Latin."""
        system = _MACINTOSH_PAGE if self._stream[18] == _MACINTOSH else 0
        codec = code_page_codec(_LANGUAGE_CODE_PAGES.get(language & 0x3FF, system))
        if codec:
            return codec
        spans = ((piece.offset, piece.end - piece.start) for piece in self.pieces)
        pieces = (self._stream[offset : offset + count] for offset, count in spans)
        sample = b"".join(pieces)[:_SAMPLE_BYTES]
        letters = len(sample) - len(sample.translate(None, _LATIN_LETTERS))
        high = len(sample) - len(sample.translate(None, _HIGH_LETTERS))
        return (detect(sample).codec if high > letters else None) or "cp1252"

    def _word_95_pieces(self, width: int) -> list[TextPiece]:
        begin, end = struct.unpack_from("<II", self._stream, 24)
        offset, length = struct.unpack_from("<II", self._stream, _OLD_PIECES_OFFSET)
        pieces = _read_pieces(self._stream[offset : offset + length], width)
        count = min((end - begin) // width, self._part_starts[-1], MAX_LETTERS)
        return pieces or ([TextPiece(0, count, begin, width)] if count > 0 else [])


def _read_pieces(table: bytes, width: int = 2) -> list[TextPiece]:
    """Return the pieces in the order of the text, up to the first gap."""
    offset = 0
    while table[offset : offset + 1] == b"\x01":
        offset += 3 + struct.unpack_from("<H", table, offset + 1)[0]
    if table[offset : offset + 1] != b"\x02":
        return []
    (length,) = struct.unpack_from("<I", table, offset + 1)
    raw = table[offset + 5 : offset + 5 + length]
    count = max(0, (len(raw) - 4) // 12)
    bounds = struct.unpack_from(f"<{count + 1}I", raw) if count else ()
    pieces: list[TextPiece] = []
    for number in range(count):
        start, end = bounds[number], min(bounds[number + 1], MAX_LETTERS)
        (flags,) = struct.unpack_from("<I", raw, 4 * (count + 1) + 8 * number + 2)
        if start != (pieces[-1].end if pieces else 0) or end <= start:
            break
        is_narrow = bool(flags & _NARROW_FLAG)
        stream_offset = (flags & (_NARROW_FLAG - 1)) >> is_narrow
        pieces.append(TextPiece(start, end, stream_offset, 1 if is_narrow else width))
    return pieces


MAX_LISTS: Final = 2048
_LIST_LEVELS: Final = 9
_MAX_NUMBER: Final = 32_767
# A list, a use of a list, the head of its overrides, an override, and the minimum of a level.
_LIST_BYTES, _USE_BYTES, _USE_HEAD_BYTES, _OVERRIDE_BYTES, _LEVEL_BYTES = 28, 16, 4, 8, 28
_LEGAL_FLAG, _LIMITED_FLAG, _SIMPLE_FLAG = 4, 8, 1
_STARTS_FLAG, _WRITES_FLAG = 16, 32
_MAX_LABEL_CHARS: Final = 60
# In a label, these characters stand for the numbers of the levels.
_LEVEL_NUMBERS: Final = {index: f"%{index + 1}" for index in range(_LIST_LEVELS)}


def read_lists(text: WordText) -> dict[int, Numbering]:
    """Return the lists by the numbers of their uses, from 1."""
    levels_by_list = dict(_list_levels(text))
    raw = text.table(DocTable.LIST_USES)
    count = min(int.from_bytes(raw[:4], "little"), MAX_LISTS, max(0, len(raw) - 4) // _USE_BYTES)
    offset = 4 + _USE_BYTES * count
    lists: dict[int, Numbering] = {}
    for number in range(count):
        head = raw[4 + _USE_BYTES * number : 4 + _USE_BYTES * (number + 1)]
        numbering = Numbering(head[:4].hex(), levels_by_list.get(head[:4], {}))
        lists[number + 1], offset = _override_levels(
            numbering, raw, offset + _USE_HEAD_BYTES, head[12]
        )
    return lists


def _list_levels(text: WordText) -> Iterator[tuple[bytes, Mapping[int, Level]]]:
    raw, table = text.table_tail(DocTable.LISTS), text.table(DocTable.LISTS)
    count = min(
        int.from_bytes(table[:2], "little"), MAX_LISTS, max(0, len(table) - 2) // _LIST_BYTES
    )
    offset = 2 + _LIST_BYTES * count
    for number in range(count):
        head = raw[2 + _LIST_BYTES * number : 2 + _LIST_BYTES * (number + 1)]
        levels: dict[int, Level] = {}
        for index in range(1 if head[26] & _SIMPLE_FLAG else _LIST_LEVELS):
            read = _read_level(raw, offset, index)
            if read is None:
                return
            levels[index], offset = read
        yield head[:4], levels


def _read_level(raw: bytes, offset: int, index: int) -> tuple[Level, int] | None:
    """Return a level and the offset of its end; None where it is incomplete."""
    shape = raw[offset : offset + _LEVEL_BYTES]
    if len(shape) < _LEVEL_BYTES:
        return None
    offset += _LEVEL_BYTES + shape[24] + shape[25]
    letters = int.from_bytes(raw[offset : offset + 2], "little")
    end = offset + 2 + 2 * letters
    label = raw[offset + 2 : min(end, offset + 2 + 2 * _MAX_LABEL_CHARS)]
    level = Level(
        form=NUMBER_FORMS.get(shape[4], "decimal"),
        text=label.decode("utf-16-le", "replace").translate(_LEVEL_NUMBERS),
        start=min(int.from_bytes(shape[:4], "little"), _MAX_NUMBER),
        after=min(shape[26], index) if shape[5] & _LIMITED_FLAG else index,
        in_digits=bool(shape[5] & _LEGAL_FLAG),
    )
    return level, end


def _override_levels(
    numbering: Numbering, raw: bytes, offset: int, count: int
) -> tuple[Numbering, int]:
    """Return a list with the levels that this use overrides, and the offset of their end."""
    levels, restarted = dict(numbering.levels), set()
    for _ in islice(range(count), _LIST_LEVELS):
        head = raw[offset : offset + _OVERRIDE_BYTES]
        if len(head) < _OVERRIDE_BYTES:
            break
        offset, index = offset + _OVERRIDE_BYTES, head[4] & 15
        read = _read_level(raw, offset, index) if head[4] & _WRITES_FLAG else None
        if read is not None:
            levels[index], offset = read
        if head[4] & _STARTS_FLAG and index in levels:
            start = min(int.from_bytes(head[:4], "little"), _MAX_NUMBER)
            restarted.add(index)
            levels[index] = msgspec.structs.replace(levels[index], start=start)
    return Numbering(numbering.key, levels, frozenset(restarted)), offset
