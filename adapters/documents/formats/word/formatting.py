"""What Word says of paragraphs and of letters: short commands, kept in pages of 512 bytes.

[MS-DOC] 2.6 and 2.9.33 (read 2026-11-16). A page has runs of bytes of the stream in order, and for
each where in the page its commands are.
"""

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from ....pages.safe_text import MIN_RAISED_HALF_POINTS, superscript
from ..symbols import font_symbol
from .pieces import FONTS, LETTER_RUNS, PARAGRAPH_RUNS, WordText

_PAGE: Final = 512
_MAX_RUNS: Final = 200_000
# How many bytes follow a command, by its last three bits; 6 says it in its first byte.
_SIZES: Final = (1, 1, 2, 4, 2, 2, 0, 3)
_BY_LENGTH: Final = 6
_TABLE_SHAPE, _TABS, _MANY = 0xD608, 0xC615, 0xFF
_MAX_SPRM_BYTES: Final = 1100
_SIGN: Final = struct.Struct("<HH")
_MAX_FONTS: Final = 2000
_BEFORE_NAME: Final = 40
_ELSEWHERE: Final = (0x6645, 0x6646)
_IN_TABLE, _ROW_END, _LIST, _LEVEL, _OUTLINE = 0x2416, 0x2417, 0x460B, 0x260A, 0x2640
_HIDDEN, _DELETED, _SYMBOL = 0x083C, 0x0800, 0x6A09


class Paragraph(NamedTuple):
    """What is said of a paragraph, or of all that have a style; None where nothing is."""

    style: int = 0
    in_table: bool = False
    ends_row: bool = False
    used_list: int | None = None
    level: int | None = None
    outline: int | None = None


class Run(NamedTuple):
    """Bytes of the stream, and what is said of them."""

    begin: int
    end: int
    said: bytes


def read_sprms(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the commands and what follows each, as far as they are whole."""
    at = 0
    while at + 3 <= len(raw):
        (name,) = struct.unpack_from("<H", raw, at)
        at += 2
        kind = name >> 13
        size = (
            _told_size(name, raw[at : at + _MAX_SPRM_BYTES]) if kind == _BY_LENGTH else _SIZES[kind]
        )
        yield name, raw[at : at + size]
        at += size


def _told_size(name: int, raw: bytes) -> int:
    """Return how long what follows a command says it is."""
    if name == _TABLE_SHAPE:
        return 1 + int.from_bytes(raw[:2], "little")
    if name == _TABS and raw[0] == _MANY:
        # Tabs that are taken away, at four bytes each, then those that are set, at three.
        gone = 4 * int.from_bytes(raw[1:2], "little")
        return 3 + gone + 3 * int.from_bytes(raw[2 + gone : 3 + gone], "little")
    return 1 + raw[0]


def paragraph_properties(commands_data: bytes, style: int, data: bytes = b"") -> Paragraph:
    """Return what commands say of a paragraph; ``data`` is where long ones are kept."""
    found: dict[int, int] = {}
    for name, operand in read_sprms(commands_data):
        if name in _ELSEWHERE:
            place = int.from_bytes(operand, "little")
            length = int.from_bytes(data[place : place + 2], "little")
            for inner, value in read_sprms(data[place + 2 : place + 2 + length]):
                found[inner] = int.from_bytes(value[:4], "little")
        found[name] = int.from_bytes(operand[:4], "little")
    return Paragraph(
        style=style,
        in_table=bool(found.get(_IN_TABLE)),
        ends_row=bool(found.get(_ROW_END)),
        used_list=found.get(_LIST),
        level=found.get(_LEVEL),
        outline=found.get(_OUTLINE),
    )


class Paragraphs:
    """The paragraphs' formatting, by any place in the stream."""

    def __init__(self, text: WordText, stream: bytes, data: bytes) -> None:
        """Read the table of pages; the pages are read when they are asked for."""
        self._stream, self._data = stream, data
        self._begins, self._pages = _page_table(text.table(PARAGRAPH_RUNS))
        self._read: dict[int, tuple[Run, ...]] = {}
        self._known: dict[bytes, Paragraph] = {}

    def at(self, place: int) -> Paragraph | None:
        """Return what is said of the paragraph at a place in the stream, None for nothing."""
        number = bisect_right(self._begins, place) - 1
        if not 0 <= number < len(self._pages):
            return None
        page = self._pages[number]
        if page not in self._read:
            self._read[page] = tuple(_runs(self._stream, page, 13))
        runs = self._read[page]
        at = bisect_right(runs, place, key=lambda run: run.begin) - 1
        if at < 0 or runs[at].end <= place:
            return None
        said = runs[at].said
        if said not in self._known:
            style = int.from_bytes(said[:2], "little")
            self._known[said] = paragraph_properties(said[2:], style, self._data)
        return self._known[said]


class LetterStyle(NamedTuple):
    """The sign that letters are, nothing for those not to be seen, and marks of emphasis.

    ``superscript`` are those above the line.
    """

    sign: str | None = None
    marks: str = ""
    raised: bool = False


class StyledLetters(NamedTuple):
    """Places of a text, and how their letters look."""

    begin: int
    end: int
    look: LetterStyle


def letter_styles(text: WordText, stream: bytes) -> list[StyledLetters]:
    """Return the letters that look otherwise than most, in the order of the text."""
    fonts, known = _fonts(text.table(FONTS)), dict[bytes, LetterStyle]()
    found: list[tuple[Run, LetterStyle]] = []
    for run in _letter_runs(text, stream):
        look = known.get(run.said) or known.setdefault(run.said, _look(run.said, fonts))
        if look != _ORDINARY:
            found.append((run, look))
    begins = [run.begin for run, _ in found]
    places: list[StyledLetters] = []
    for piece in text.pieces:
        last = piece.place + (piece.end - piece.start) * piece.width
        first = max(bisect_right(begins, piece.place) - 1, 0)
        for run, look in found[first : bisect_right(begins, last)]:
            begin = piece.start + max(0, run.begin - piece.place) // piece.width
            end = min(piece.end, piece.start + (run.end - piece.place) // piece.width)
            if begin < end:
                places.append(StyledLetters(begin, end, look))
    return places


def shown_letters(letters: str, styled: list[StyledLetters]) -> str:
    """Return the letters at their places: zeros for those hidden or deleted, signs as such."""
    pieces, done = list[str](), 0
    for begin, end, look in styled:
        if (look.raised or look.sign is not None) and done <= begin:
            pieces += (letters[done:begin], _seen(letters[begin:end], look))
            done = end
    return "".join((*pieces, letters[done:]))


def _seen(letters: str, look: LetterStyle) -> str:
    """Return letters as they look; there are as many, so that all keep their places."""
    if look.sign is None:
        above = superscript(letters)
        return above if len(above) == len(letters) else letters
    return look.sign * len(letters) or letters.translate(_BLANKS)


class _Blanks(dict[int, int]):
    """Every letter is a zero, but for the ends of paragraphs, cells and fields."""

    def __missing__(self, letter: int) -> int:
        return letter if letter in _KEPT else 0


_ORDINARY: Final = LetterStyle()
_YES: Final = (b"\x01", b"\x81")
# Above the line: as such (sprmCIss), or by half points (sprmCHpsPos).
_RAISING: Final[dict[int, Callable[[bytes], bool]]] = {
    0x2A48: lambda operand: operand == b"\x01",
    0x4845: lambda operand: (
        int.from_bytes(operand, "little", signed=True) >= MIN_RAISED_HALF_POINTS
    ),
}
_MARKS: Final = {0x0835: "**", 0x0836: "*", 0x0837: "~~", 0x2A53: "~~"}
_IN_ORDER: Final = ("~~", "**", "*")
_HIDING: Final = frozenset((name, yes) for name in (_HIDDEN, _DELETED) for yes in _YES)
_KEPT: Final = frozenset(b"\r\x07\x0c\x13\x14\x15")
_BLANKS: Final = _Blanks()


def _look(said: bytes, fonts: list[str]) -> LetterStyle:
    sign: str | None = None
    marks: dict[str, bool] = {}
    is_raised = False
    for name, operand in read_sprms(said):
        is_raised = _RAISING[name](operand) if name in _RAISING else is_raised
        # Either may be said as the opposite of the style's: hardly a style hides its text.
        if (name, operand) in _HIDING:
            return LetterStyle("")
        if name in _MARKS:
            marks[_MARKS[name]] = operand in _YES
        # A letter of a font of signs: what stands in the text in its place is a bracket.
        if name == _SYMBOL and len(operand) == _SIGN.size:
            font, code = _SIGN.unpack(operand)
            sign = font_symbol(fonts[font] if font < len(fonts) else "", code)
    return LetterStyle(sign, "".join(mark for mark in _IN_ORDER if marks.get(mark)), is_raised)


def _fonts(raw: bytes) -> list[str]:
    """Return the names of the fonts, each after its length and what else is said of it."""
    fonts, at = list[str](), 4
    for _ in range(min(int.from_bytes(raw[:2], "little"), _MAX_FONTS)):
        length = int.from_bytes(raw[at : at + 1], "little")
        name = raw[at + _BEFORE_NAME : at + 1 + length].decode("utf-16-le", "replace")
        fonts.append(name.partition("\0")[0])
        at += 1 + length
    return fonts


def _letter_runs(text: WordText, stream: bytes) -> Iterator[Run]:
    """Yield what is said of letters, in the order of the stream, no byte twice."""
    end, count = 0, 0
    for page in _page_table(text.table(LETTER_RUNS))[1]:
        for run in _runs(stream, page, 1):
            count += 1
            if run.begin >= end:
                end = run.end
                yield run
        if count > _MAX_RUNS:
            return


def _page_table(raw: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    count = max(0, (len(raw) - 4) // 8)
    numbers = struct.unpack_from(f"<{2 * count + 1}I", raw) if count else ()
    return numbers[:count], numbers[count + 1 :]


def _runs(stream: bytes, number: int, width: int) -> Iterator[Run]:
    """Yield the runs of a page; ``width`` is how long what points to their commands is."""
    page = stream[number * _PAGE : (number + 1) * _PAGE]
    count = page[-1] if len(page) == _PAGE else 0
    if not count or 4 * (count + 1) + width * count > _PAGE:
        return
    bounds = struct.unpack_from(f"<{count + 1}I", page)
    for at, (begin, end) in enumerate(pairwise(bounds)):
        place = 2 * page[4 * (count + 1) + width * at]
        said = (_of_letters if width == 1 else _of_paragraph)(page, place) if place else b""
        if begin < end:
            yield Run(begin, end, said)


def _of_letters(page: bytes, place: int) -> bytes:
    return page[place + 1 : place + 1 + page[place]]


def _of_paragraph(page: bytes, place: int) -> bytes:
    """Return a style's number and commands; their length counts words, in one of two ways."""
    if page[place]:
        return page[place + 1 : place + 2 * page[place]]
    return page[place + 2 : place + 2 + 2 * page[place + 1]]
