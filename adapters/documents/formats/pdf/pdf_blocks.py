"""The blocks of a page: headings, paragraphs, lists, tables, code. Pure.

What is larger than the running text, or bold and by itself, is a heading; what begins with a dot or
a number is an item; rows whose parts stand under each other are a table; lines in letters of one
width are code.
"""

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final

import msgspec

from ..markdown_writing import code_block, markdown_table
from .pdf_lines import BULLET, PdfLine
from .pdf_tables import read_grid

_NUMBER: Final = re.compile(
    r"\(?(?:(?:[a-zA-Z]|[ivx]{2,4})[.)]\s+|\d{1,3}(?:\)|\.(?!\d))\s*)(?=[^\s.)])"
)
_END: Final = re.compile(r"[.!?:。”\"…]\)?$")
_LEADER: Final = re.compile(r"\.{4,}|(?:\. ){4,}")
_SAME_LINK: Final = re.compile(r"\]\((\S+)\) \[(?=(?:[^\]\\]|\\.)*\]\(\1\))")
# What PDFium writes where a word is broken at the end of a line.
_HYPHENS: Final = ("\ufffe", "\x02")
_SAME_SIZE: Final = 1.06
_LARGER: Final = 1.15
_TITLE_WORDS: Final = 25
_BOLD_WORDS: Final = 14
_FIRST_HEADING_LEVEL: Final = 3
_LAST_LEVEL: Final = 6
_WIDER: Final = 1.35
_HEADING_STEP: Final = 1.7
_INDENT: Final = 0.8
_LETTER: Final = 0.5
_COLUMN: Final = 20
_HEADING_LINES: Final = 6
_MAX_BLOCK_LINES: Final = 5_000


class PageTypography(msgspec.Struct, frozen=True):
    """How the running text of a document looks, and which sizes are larger, the largest first.

    ``step`` is from line to line, in letters.
    """

    size: float
    bold: bool
    mono: bool
    step: float
    headings: tuple[float, ...]


class _Piece(msgspec.Struct, frozen=True):
    """A block as markdown; of an item also its mark, and how far from the left it stands."""

    text: str
    mark: str = ""
    left: float = 0.0


def find_blocks(lines: list[PdfLine], typography: PageTypography) -> Iterator[str]:
    """Yield the blocks of a page; items that follow each other are one list."""
    for is_item, group in groupby(_pieces(lines, typography), key=lambda piece: bool(piece.mark)):
        if is_item:
            yield _list(list(group))
        else:
            yield from (piece.text for piece in group)


def _pieces(lines: list[PdfLine], look: PageTypography) -> Iterator[_Piece]:
    margins = _margins(lines)
    # No table begins before this line: each is looked for once.
    place = plain = 0
    while place < len(lines):
        rows, after = _rows(lines, place) if place >= plain else ([], plain)
        plain = after
        if rows:
            yield _Piece(markdown_table(rows))
        elif lines[place].mono and not look.mono:
            after = _end(lines, place, lambda _, below: below.mono)
            yield _Piece(_code(lines[place:after]))
        elif level := _level(lines, place, look):
            after = _end(lines, place, _is_same_heading, most=_HEADING_LINES)
            yield _Piece(f"{'#' * level} {_joined(lines[place:after])}")
        else:
            after, piece = _text(lines, place, margins[_column(lines[place])], look)
            yield piece
        place = after


def _rows(lines: list[PdfLine], place: int) -> tuple[list[list[str]], int]:
    """Return the table that begins at a line, if one does."""
    if not lines[place].cells or _mark(lines[place]):
        return [], place
    return read_grid(lines, place)


def _text(
    lines: list[PdfLine], place: int, margin: float, look: PageTypography
) -> tuple[int, _Piece]:
    """Return where the item or the paragraph ends that begins at a line, and itself."""
    line = lines[place]
    if mark := _mark(line):
        end = _end(lines, place, lambda above, below: _goes_on(above, below, margin, look))
        text = _joined(lines[place:end]).removeprefix(mark)
        return end, _Piece(text, mark.strip(), line.left)
    end = _end(lines, place, lambda above, below: not _breaks(above, below, margin, look))
    return end, _Piece(_joined(lines[place:end]))


def _end(
    lines: list[PdfLine],
    place: int,
    holds: Callable[[PdfLine, PdfLine], bool],
    *,
    most: int = _MAX_BLOCK_LINES,
) -> int:
    """Return the end of the lines from ``place`` on that each go on from the one above."""
    end = place + 1
    while end < min(len(lines), place + most) and holds(lines[end - 1], lines[end]):
        end += 1
    return end


def is_same_size(size: float, other_size: float) -> bool:
    """Tell whether two sizes are one to the eye."""
    return max(size, other_size) <= _SAME_SIZE * min(size, other_size)


def _mark(line: PdfLine) -> str:
    """Return the dot or the number that a line begins with, with the blank after it."""
    found = BULLET.match(line.text) or _NUMBER.match(line.text)
    return found[0] if found else ""


# Headings.


def _level(lines: list[PdfLine], place: int, look: PageTypography) -> int:
    """Return the level of a heading that begins at a line; 0 where none does."""
    line = lines[place]
    own = lines[place : _end(lines, place, _is_same_heading, most=_HEADING_LINES)]
    words = sum(len(each.text.split()) for each in own)
    if not any(sign.isalpha() for sign in line.text) or _LEADER.search(line.text):
        return 0
    if line.size >= _LARGER * look.size:
        # The sizes were rounded; the nearest is its own.
        rank = min(
            range(len(look.headings)), key=lambda at: abs(look.headings[at] - line.size), default=0
        )
        return min(_FIRST_HEADING_LEVEL + rank, _LAST_LEVEL) if words <= _TITLE_WORDS else 0
    if words > _BOLD_WORDS or line.cells or not _stands_out(line, look) or _ends_low(own[-1]):
        return 0
    return min(_FIRST_HEADING_LEVEL + len(look.headings), _LAST_LEVEL)


def _stands_out(line: PdfLine, look: PageTypography) -> bool:
    return line.bold and not look.bold and line.size * _SAME_SIZE >= look.size


def _ends_low(line: PdfLine) -> bool:
    return line.text.endswith((".", ",", ";", ":"))


def _is_same_heading(above: PdfLine, below: PdfLine) -> bool:
    near = 0 < above.base - below.base <= _HEADING_STEP * above.size
    return near and is_same_size(above.size, below.size) and above.bold == below.bold


# Paragraphs and items.


def _margins(lines: list[PdfLine]) -> dict[int, float]:
    """Return how far to the right the lines of each column reach, but for odd ones."""
    rights: dict[int, list[float]] = {}
    for line in lines:
        for column in (_column(line) - 1, _column(line), _column(line) + 1):
            rights.setdefault(column, []).append(line.right)
    return {column: sorted(some)[-1 - len(some) // 10] for column, some in rights.items()}


def _column(line: PdfLine) -> int:
    return int(line.left // _COLUMN)


def _is_short(above: PdfLine, below: PdfLine, margin: float) -> bool:
    """Tell whether a line had room for the first word of the next."""
    room = (len(below.text.partition(" ")[0]) + 1) * _LETTER * above.size
    return above.right + room < margin


def _breaks(above: PdfLine, below: PdfLine, margin: float, look: PageTypography) -> bool:
    """Tell whether a paragraph ends between two lines."""
    if _parts(above, below, look) or (below.cells and not above.cells):
        return True
    ended = _END.search(above.text) is not None
    if below.base >= above.base:
        # The next column: a sentence may go on there.
        return ended or not below.text[:1].islower()
    if BULLET.match(below.text) or _LEADER.search(above.text):
        return True
    return _is_new(above, below, ended=ended, short=_is_short(above, below, margin))


def _is_new(above: PdfLine, below: PdfLine, *, ended: bool, short: bool) -> bool:
    """Tell whether a line begins something: an item after a short line, an indented sentence."""
    if _NUMBER.match(below.text) and (ended or short):
        return True
    indented = below.left > above.left + _INDENT * above.size
    return ended and (short or indented or (below.bold and not above.bold))


def _goes_on(above: PdfLine, below: PdfLine, margin: float, look: PageTypography) -> bool:
    """Tell whether an item goes on: its line was full, or the next hangs below its words."""
    if _parts(above, below, look) or below.cells or below.base >= above.base:
        return False
    if BULLET.match(below.text):
        return False
    short = _is_short(above, below, margin)
    if _NUMBER.match(below.text) and (short or _END.search(above.text)):
        return False
    hangs = below.left > above.left + _INDENT / 2 * above.size
    return hangs or not short


def _parts(above: PdfLine, below: PdfLine, look: PageTypography) -> bool:
    """Tell whether the look of two lines, or the gap between them, sets them apart."""
    if not is_same_size(above.size, below.size) or (below.mono and not look.mono):
        return True
    if below.bold and not above.bold and not look.bold and len(below.text.split()) <= _BOLD_WORDS:
        return True
    return above.base - below.base > _WIDER * look.step * above.size


def _joined(lines: list[PdfLine]) -> str:
    """Return lines as one, with words that were broken at the end of a line made whole."""
    text = ""
    for line in lines:
        if text.endswith(_HYPHENS):
            text = text[:-1] + line.text
        else:
            text = f"{text} {line.text}" if text else line.text
    return _SAME_LINK.sub(" ", text.translate(dict.fromkeys(map(ord, _HYPHENS))))


def _code(lines: list[PdfLine]) -> str:
    """Return code with the indentation that its places give."""
    margin = min(line.left for line in lines)
    # Letters of one width are three fifths as wide as they are high.
    return code_block(
        "\n".join(
            " " * round((line.left - margin) / (0.6 * (line.size or 1.0))) + line.text
            for line in lines
        )
    )


def _list(items: list[_Piece]) -> str:
    """Return items as a list; one that stands further to the right belongs to the one above."""
    lefts: list[float] = []
    lines: list[str] = []
    for item in items:
        while lefts and item.left < lefts[-1] - 2:
            lefts.pop()
        if not lefts or item.left > lefts[-1] + 2:
            lefts.append(item.left)
        mark = f"{item.mark.strip('().')}." if item.mark.strip("().").isdecimal() else "-"
        kept = "" if mark != "-" or BULLET.match(f"{item.mark} x") else f"{item.mark} "
        lines.append(f"{'   ' * (len(lefts) - 1)}{mark} {kept}{item.text}")
    return "\n".join(lines)
