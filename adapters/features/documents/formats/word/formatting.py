"""The formatting of paragraphs and letters: short commands (sprms) in pages of 512 bytes.

[MS-DOC] 2.6 and 2.9.33 (read 2026-11-16). A page lists runs of the stream in order, and the offset
in the page of each run's commands.
"""

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise, zip_longest
from typing import Final, NamedTuple

from webseam.adapters.pages.safe_text import MIN_RAISED_HALF_POINTS
from webseam.adapters.values.superscripts import superscript

from ..symbols import font_symbol
from .pieces import DocTable, WordText

_PAGE_BYTES: Final = 512
_MAX_RUNS: Final = 200_000
# The operand sizes by the last three bits of a command; for 6 the first byte has the size.
_OPERAND_BYTES: Final = (1, 1, 2, 4, 2, 2, 0, 3)
_VARIABLE_SIZE: Final = 6
_TABLE_SHAPE_SPRM, _TABS_SPRM, _MANY_TABS = 0xD608, 0xC615, 0xFF
_MAX_SPRM_BYTES: Final = 1100
_SYMBOL_OPERAND_LAYOUT: Final = struct.Struct("<HH")
_MAX_FONTS: Final = 2000
_FONT_NAME_OFFSET: Final = 40
_DATA_SPRMS: Final = (0x6645, 0x6646)
_IN_TABLE_SPRM, _ROW_END_SPRM, _LIST_SPRM, _LEVEL_SPRM, _OUTLINE_SPRM = (
    0x2416,
    0x2417,
    0x460B,
    0x260A,
    0x2640,
)
_HIDDEN_SPRM, _DELETED_SPRM, _SYMBOL_SPRM = 0x083C, 0x0800, 0x6A09
_ON_OPERANDS: Final = (b"\x01", b"\x81")
_EMPHASIS_SPRMS: Final = {0x0835: "**", 0x0836: "*", 0x0837: "~~", 0x2A53: "~~"}
_MARK_ORDER: Final = ("~~", "**", "*")
_CONTROL_CODES: Final = frozenset(b"\r\x07\x0c\x13\x14\x15")


class Paragraph(NamedTuple):
    """The properties of a paragraph or of a style; None where a property is not set."""

    style: int = 0
    in_table: bool = False
    ends_row: bool = False
    used_list: int | None = None
    level: int | None = None
    outline: int | None = None


class SprmRun(NamedTuple):
    """A range of bytes of the stream, and its commands."""

    begin: int
    end: int
    sprms: bytes


def read_sprms(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the complete commands with their operands."""
    offset = 0
    while offset + 3 <= len(raw):
        (name,) = struct.unpack_from("<H", raw, offset)
        offset += 2
        size = _sprm_operand_bytes(name, raw[offset : offset + _MAX_SPRM_BYTES])
        yield name, raw[offset : offset + size]
        offset += size


def _sprm_operand_bytes(name: int, raw: bytes) -> int:
    """Return the length of an operand; a variable one declares its own."""
    if name >> 13 != _VARIABLE_SIZE:
        return _OPERAND_BYTES[name >> 13]
    if name == _TABLE_SHAPE_SPRM:
        return 1 + int.from_bytes(raw[:2], "little")
    if name == _TABS_SPRM and raw[0] == _MANY_TABS:
        # Removed tabs, of four bytes each, then added tabs, of three.
        removed = 4 * int.from_bytes(raw[1:2], "little")
        return 3 + removed + 3 * int.from_bytes(raw[2 + removed : 3 + removed], "little")
    return 1 + raw[0]


def paragraph_properties(commands_data: bytes, style: int, data: bytes = b"") -> Paragraph:
    """Return the properties that commands set; ``data`` is the stream of long commands."""
    values: dict[int, int] = {}
    for name, operand in read_sprms(commands_data):
        if name in _DATA_SPRMS:
            offset = int.from_bytes(operand, "little")
            length = int.from_bytes(data[offset : offset + 2], "little")
            for inner, value in read_sprms(data[offset + 2 : offset + 2 + length]):
                values[inner] = int.from_bytes(value[:4], "little")
        values[name] = int.from_bytes(operand[:4], "little")
    return Paragraph(
        style=style,
        in_table=bool(values.get(_IN_TABLE_SPRM)),
        ends_row=bool(values.get(_ROW_END_SPRM)),
        used_list=values.get(_LIST_SPRM),
        level=values.get(_LEVEL_SPRM),
        outline=values.get(_OUTLINE_SPRM),
    )


class Paragraphs:
    """The properties of paragraphs, by any offset in the stream."""

    def __init__(self, text: WordText, stream: bytes, data: bytes) -> None:
        """Read the table of pages; pages are read on request."""
        self._begins, self._pages = _sprm_page_table(text.table(DocTable.PARAGRAPH_RUNS))
        self._page_runs = cache(lambda page: tuple(_sprm_page_runs(stream, page, 13)))
        self._properties = cache(
            lambda sprms: paragraph_properties(sprms[2:], int.from_bytes(sprms[:2], "little"), data)
        )

    def properties_at(self, offset: int) -> Paragraph | None:
        """Return the properties of the paragraph at an offset in the stream, None for none."""
        number = bisect_right(self._begins, offset) - 1
        if not 0 <= number < len(self._pages):
            return None
        runs = self._page_runs(self._pages[number])
        index = bisect_right(runs, offset, key=lambda run: run.begin) - 1
        if index < 0 or runs[index].end <= offset:
            return None
        return self._properties(runs[index].sprms)


class LetterStyle(NamedTuple):
    """The symbol that replaces letters (empty for hidden ones), and the marks of emphasis."""

    sign: str | None = None
    marks: str = ""
    raised: bool = False


class StyledLetters(NamedTuple):
    """A range of a text, and the style of its letters."""

    begin: int
    end: int
    look: LetterStyle


def find_styled_letters(text: WordText, stream: bytes) -> list[StyledLetters]:
    """Return the letters with a style, in the order of the text."""
    fonts = _font_names(text.table(DocTable.FONTS))
    letter_style = cache(lambda sprms: _letter_style(sprms, fonts))
    runs = ((run, letter_style(run.sprms)) for run in _letter_runs(text, stream))
    styled_runs = [(run, look) for run, look in runs if look != _PLAIN_LETTERS]
    begins = [run.begin for run, _ in styled_runs]
    styled: list[StyledLetters] = []
    for piece in text.pieces:
        last = piece.offset + (piece.end - piece.start) * piece.width
        first = max(bisect_right(begins, piece.offset) - 1, 0)
        for run, look in styled_runs[first : bisect_right(begins, last)]:
            begin = piece.start + max(0, run.begin - piece.offset) // piece.width
            end = min(piece.end, piece.start + (run.end - piece.offset) // piece.width)
            if begin < end:
                styled.append(StyledLetters(begin, end, look))
    return styled


def show_letters(letters: str, styled: list[StyledLetters]) -> str:
    """Return the letters with zeros for hidden and deleted ones, and with symbols."""
    pieces, done = list[str](), 0
    for begin, end, look in styled:
        if (look.raised or look.sign is not None) and done <= begin:
            pieces += (letters[done:begin], _style_letters(letters[begin:end], look))
            done = end
    return "".join((*pieces, letters[done:]))


def hidden_letters(letters: str, styled: list[StyledLetters]) -> str:
    """Return the letters that are hidden or deleted, a line for each stretch."""
    ranges = [(begin, end) for begin, end, look in styled if look.sign == ""]
    pieces: list[str] = []
    for (begin, end), after in zip_longest(ranges, ranges[1:]):
        pieces.append(letters[begin:end])
        if after is None or after[0] != end:
            pieces.append("\n")
    # Control codes mark fields and the ends of paragraphs and cells.
    return "".join(letter if letter.isprintable() else " " for letter in "".join(pieces))


def _style_letters(letters: str, look: LetterStyle) -> str:
    """Return letters in their style; the length stays the same, so that offsets hold."""
    if look.sign is None:
        raised = superscript(letters)
        return raised if len(raised) == len(letters) else letters
    return look.sign * len(letters) or letters.translate(_BLANKS_TABLE)


class _Blanks(dict[int, int]):
    """Maps every letter to zero, except the control codes of paragraphs, cells and fields."""

    def __missing__(self, letter: int) -> int:
        return letter if letter in _CONTROL_CODES else 0


_PLAIN_LETTERS: Final = LetterStyle()
# Superscript as such (sprmCIss), or by half points (sprmCHpsPos).
_RAISING_SPRMS: Final[dict[int, Callable[[bytes], bool]]] = {
    0x2A48: lambda operand: operand == b"\x01",
    0x4845: lambda operand: (
        int.from_bytes(operand, "little", signed=True) >= MIN_RAISED_HALF_POINTS
    ),
}
_HIDING_SPRMS: Final = frozenset(
    (name, on) for name in (_HIDDEN_SPRM, _DELETED_SPRM) for on in _ON_OPERANDS
)
_BLANKS_TABLE: Final = _Blanks()


def _letter_style(sprms: bytes, fonts: list[str]) -> LetterStyle:
    sign: str | None = None
    marks: dict[str, bool] = {}
    is_raised = False
    for name, operand in read_sprms(sprms):
        is_raised = _RAISING_SPRMS[name](operand) if name in _RAISING_SPRMS else is_raised
        # An operand may also negate the style's value; hardly any style hides its text.
        if (name, operand) in _HIDING_SPRMS:
            return LetterStyle("")
        if name in _EMPHASIS_SPRMS:
            marks[_EMPHASIS_SPRMS[name]] = operand in _ON_OPERANDS
        # A letter of a symbol font; the text itself has a bracket in its place.
        if name == _SYMBOL_SPRM and len(operand) == _SYMBOL_OPERAND_LAYOUT.size:
            font, code = _SYMBOL_OPERAND_LAYOUT.unpack(operand)
            sign = font_symbol(fonts[font] if font < len(fonts) else "", code)
    return LetterStyle(sign, "".join(mark for mark in _MARK_ORDER if marks.get(mark)), is_raised)


def _font_names(raw: bytes) -> list[str]:
    """Return the names of the fonts; each follows its length and other properties."""
    fonts, offset = list[str](), 4
    for _ in range(min(int.from_bytes(raw[:2], "little"), _MAX_FONTS)):
        length = int.from_bytes(raw[offset : offset + 1], "little")
        name = raw[offset + _FONT_NAME_OFFSET : offset + 1 + length].decode("utf-16-le", "replace")
        fonts.append(name.partition("\0")[0])
        offset += 1 + length
    return fonts


def _letter_runs(text: WordText, stream: bytes) -> Iterator[SprmRun]:
    """Yield the runs of letters in the order of the stream, without overlaps."""
    end, count = 0, 0
    for page in _sprm_page_table(text.table(DocTable.LETTER_RUNS))[1]:
        for run in _sprm_page_runs(stream, page, 1):
            count += 1
            if run.begin >= end:
                end = run.end
                yield run
        if count > _MAX_RUNS:
            return


def _sprm_page_table(raw: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    count = max(0, (len(raw) - 4) // 8)
    numbers = struct.unpack_from(f"<{2 * count + 1}I", raw) if count else ()
    return numbers[:count], numbers[count + 1 :]


def _sprm_page_runs(stream: bytes, number: int, width: int) -> Iterator[SprmRun]:
    """Yield the runs of a page; ``width`` is the size of a pointer to commands."""
    page = stream[number * _PAGE_BYTES : (number + 1) * _PAGE_BYTES]
    count = page[-1] if len(page) == _PAGE_BYTES else 0
    if not count or 4 * (count + 1) + width * count > _PAGE_BYTES:
        return
    bounds = struct.unpack_from(f"<{count + 1}I", page)
    for index, (begin, end) in enumerate(pairwise(bounds)):
        offset = 2 * page[4 * (count + 1) + width * index]
        letters = page[offset + 1 : offset + 1 + page[offset]]
        sprms = letters if width == 1 else _paragraph_sprms(page, offset)
        if begin < end:
            yield SprmRun(begin, end, sprms if offset else b"")


def _paragraph_sprms(page: bytes, offset: int) -> bytes:
    """Return a style's number and commands; their length counts words, in one of two forms."""
    if page[offset]:
        return page[offset + 1 : offset + 2 * page[offset]]
    return page[offset + 2 : offset + 2 + 2 * page[offset + 1]]
