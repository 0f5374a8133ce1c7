"""The blocks of a page: headings, paragraphs, lists, tables, code. Pure.

A heading is larger than the running text, or bold and separate; an item begins with a bullet or a
number; rows with aligned parts are a table; monospaced lines are code.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from typing import Final

import msgspec

from ..markdown_writing import code_block, markdown_table
from .pdf_lines import BULLET_PATTERN, PdfLine
from .pdf_tables import read_table

_ITEM_NUMBER_PATTERN: Final = re.compile(
    r"\(?(?:(?:[a-zA-Z]|[ivx]{2,4})[.)]\s+|\d{1,3}(?:\)|\.(?!\d))\s*)(?=[^\s.)])"
)
_SENTENCE_END_PATTERN: Final = re.compile(r"[.!?:。”\"…]\)?$")
_LEADER_PATTERN: Final = re.compile(r"\.{4,}|(?:\. ){4,}")
_SAME_LINK_PATTERN: Final = re.compile(r"\]\((\S+)\) \[(?=(?:[^\]\\]|\\.)*\]\(\1\))")
# PDFium returns these for a hyphen at the end of a line.
_HYPHENS: Final = ("\ufffe", "\x02")
_MAX_SIZE_RATIO: Final = 1.06
_MIN_HEADING_SIZE_RATIO: Final = 1.15
_MAX_TITLE_WORDS: Final = 25
_MAX_BOLD_WORDS: Final = 14
_FIRST_HEADING_LEVEL: Final = 3
_MAX_HEADING_LEVEL: Final = 6
_MAX_STEP_RATIO: Final = 1.35
_MAX_HEADING_STEP: Final = 1.7
_MIN_INDENT: Final = 0.8
_LETTER_WIDTH: Final = 0.5
_COLUMN_POINTS: Final = 20
_MAX_HEADING_LINES: Final = 6
_MAX_BLOCK_LINES: Final = 5_000


class PageTypography(msgspec.Struct, frozen=True):
    """The running text of a document, and the sizes of headings, largest first.

    ``step`` is the distance between lines, as a share of the size.
    """

    size: float
    bold: bool
    mono: bool
    step: float
    headings: tuple[float, ...]


class _PageBlock(msgspec.Struct, frozen=True):
    """A block as markdown; an item also has its mark and its left edge."""

    text: str
    mark: str = ""
    left: float = 0.0


def find_blocks(lines: list[PdfLine], typography: PageTypography) -> Iterator[str]:
    """Yield the blocks of a page; adjacent items are one list."""
    blocks = _page_blocks(lines, typography)
    for is_item, group in groupby(blocks, key=lambda block: bool(block.mark)):
        if is_item:
            yield _list(list(group))
        else:
            yield from (piece.text for piece in group)


def _page_blocks(lines: list[PdfLine], typography: PageTypography) -> Iterator[_PageBlock]:
    margins = _column_margins(lines)
    # No table begins before this line, so do not search for one again.
    index = no_table_before = 0
    while index < len(lines):
        rows, after = (
            _table_rows(lines, index) if index >= no_table_before else ([], no_table_before)
        )
        no_table_before = after
        if rows:
            yield _PageBlock(markdown_table(rows))
        elif lines[index].mono and not typography.mono:
            after = _block_end(lines, index, lambda _, below: below.mono)
            yield _PageBlock(_code(lines[index:after]))
        elif level := _heading_level(lines, index, typography):
            after = _heading_end(lines, index)
            yield _PageBlock(f"{'#' * level} {_join_lines(lines[index:after])}")
        else:
            margin = margins[_column_number(lines[index])]
            after, block = _text_block(lines, index, margin, typography)
            yield block
        index = after


def _table_rows(lines: list[PdfLine], index: int) -> tuple[list[list[str]], int]:
    """Return the table that begins at a line and its end; no rows where none begins."""
    if not lines[index].cells or _item_mark(lines[index]):
        return [], index
    return read_table(lines, index)


def _text_block(
    lines: list[PdfLine], index: int, margin: float, typography: PageTypography
) -> tuple[int, _PageBlock]:
    """Return the end of the item or paragraph that begins at a line, and the block."""
    line = lines[index]
    if mark := _item_mark(line):
        continues = partial(_is_item_continuation, margin=margin, typography=typography)
        end = _block_end(lines, index, continues)
        text = _join_lines(lines[index:end]).removeprefix(mark)
        return end, _PageBlock(text, mark.strip(), line.left)
    ends = partial(_is_paragraph_break, margin=margin, typography=typography)
    end = _block_end(lines, index, lambda above, below: not ends(above, below))
    return end, _PageBlock(_join_lines(lines[index:end]))


def _block_end(lines: list[PdfLine], index: int, holds: Callable[[PdfLine, PdfLine], bool]) -> int:
    """Return the end of the lines from an index on that each continue the one above."""
    end = index + 1
    while end < min(len(lines), index + _MAX_BLOCK_LINES) and holds(lines[end - 1], lines[end]):
        end += 1
    return end


def is_same_font_size(size: float, other_size: float) -> bool:
    """Tell whether two sizes look the same."""
    return max(size, other_size) <= _MAX_SIZE_RATIO * min(size, other_size)


def _item_mark(line: PdfLine) -> str:
    """Return the bullet or the number at the start of a line, with the blank after it."""
    mark = BULLET_PATTERN.match(line.text) or _ITEM_NUMBER_PATTERN.match(line.text)
    return mark[0] if mark else ""


def _heading_level(lines: list[PdfLine], index: int, typography: PageTypography) -> int:
    """Return the level of a heading that begins at a line; 0 where none does."""
    line, heading_lines = lines[index], lines[index : _heading_end(lines, index)]
    words = sum(len(heading_line.text.split()) for heading_line in heading_lines)
    if not any(sign.isalpha() for sign in line.text) or _LEADER_PATTERN.search(line.text):
        return 0
    if line.size >= _MIN_HEADING_SIZE_RATIO * typography.size:
        # The sizes were rounded, so take the nearest.
        distances = [abs(size - line.size) for size in typography.headings]
        rank = distances.index(min(distances)) if distances else 0
        level = min(_FIRST_HEADING_LEVEL + rank, _MAX_HEADING_LEVEL)
        return level if words <= _MAX_TITLE_WORDS else 0
    is_bold = line.bold and not typography.bold and line.size * _MAX_SIZE_RATIO >= typography.size
    ends_like_text = heading_lines[-1].text.endswith((".", ",", ";", ":"))
    if words > _MAX_BOLD_WORDS or line.cells or not is_bold or ends_like_text:
        return 0
    return min(_FIRST_HEADING_LEVEL + len(typography.headings), _MAX_HEADING_LEVEL)


def _heading_end(lines: list[PdfLine], index: int) -> int:
    return _block_end(lines[: index + _MAX_HEADING_LINES], index, _is_heading_continuation)


def _is_heading_continuation(above: PdfLine, below: PdfLine) -> bool:
    is_near = 0 < above.base - below.base <= _MAX_HEADING_STEP * above.size
    return is_near and is_same_font_size(above.size, below.size) and above.bold == below.bold


def _column_margins(lines: list[PdfLine]) -> dict[int, float]:
    """Return the right margin of each column: the 90th percentile of its lines."""
    rights: dict[int, list[float]] = {}
    for line in lines:
        number = _column_number(line)
        for column in (number - 1, number, number + 1):
            rights.setdefault(column, []).append(line.right)
    return {column: sorted(values)[-1 - len(values) // 10] for column, values in rights.items()}


def _column_number(line: PdfLine) -> int:
    return int(line.left // _COLUMN_POINTS)


def _is_short_line(above: PdfLine, below: PdfLine, margin: float) -> bool:
    """Tell whether a line has room for the first word of the next."""
    room = (len(below.text.partition(" ")[0]) + 1) * _LETTER_WIDTH * above.size
    return above.right + room < margin


def _is_paragraph_break(
    above: PdfLine, below: PdfLine, margin: float, typography: PageTypography
) -> bool:
    if _are_lines_apart(above, below, typography) or (below.cells and not above.cells):
        return True
    ended = _SENTENCE_END_PATTERN.search(above.text) is not None
    if below.base >= above.base:
        # A sentence may continue in the next column.
        return ended or not below.text[:1].islower()
    if BULLET_PATTERN.match(below.text) or _LEADER_PATTERN.search(above.text):
        return True
    return _is_block_start(above, below, ended=ended, short=_is_short_line(above, below, margin))


def _is_block_start(above: PdfLine, below: PdfLine, *, ended: bool, short: bool) -> bool:
    """Tell whether a line begins an item after a short line, or an indented sentence."""
    if _ITEM_NUMBER_PATTERN.match(below.text) and (ended or short):
        return True
    indented = below.left > above.left + _MIN_INDENT * above.size
    return ended and (short or indented or (below.bold and not above.bold))


def _is_item_continuation(
    above: PdfLine, below: PdfLine, margin: float, typography: PageTypography
) -> bool:
    """Tell whether an item continues: its line was full, or the next has a hanging indent."""
    if _are_lines_apart(above, below, typography) or below.cells or below.base >= above.base:
        return False
    if BULLET_PATTERN.match(below.text):
        return False
    short = _is_short_line(above, below, margin)
    if _ITEM_NUMBER_PATTERN.match(below.text) and (
        short or _SENTENCE_END_PATTERN.search(above.text)
    ):
        return False
    hangs = below.left > above.left + _MIN_INDENT / 2 * above.size
    return hangs or not short


def _are_lines_apart(above: PdfLine, below: PdfLine, typography: PageTypography) -> bool:
    """Tell whether the fonts of two lines, or the gap between them, separate them."""
    if not is_same_font_size(above.size, below.size) or (below.mono and not typography.mono):
        return True
    turns_bold = below.bold and not above.bold and not typography.bold
    if turns_bold and len(below.text.split()) <= _MAX_BOLD_WORDS:
        return True
    return above.base - below.base > _MAX_STEP_RATIO * typography.step * above.size


def _join_lines(lines: list[PdfLine]) -> str:
    """Join lines, and rejoin words that were hyphenated at the end of a line."""
    text = ""
    for line in lines:
        if text.endswith(_HYPHENS):
            text = text[:-1] + line.text
        else:
            text = f"{text} {line.text}" if text else line.text
    return _SAME_LINK_PATTERN.sub(" ", text.translate(dict.fromkeys(map(ord, _HYPHENS))))


def _code(lines: list[PdfLine]) -> str:
    """Return code, indented by the left edges of its lines."""
    margin = min(line.left for line in lines)
    # Monospaced letters are three fifths as wide as they are high.
    indents = (round((line.left - margin) / (0.6 * (line.size or 1.0))) for line in lines)
    pairs = zip(indents, lines, strict=True)
    return code_block("\n".join(" " * indent + line.text for indent, line in pairs))


def _list(items: list[_PageBlock]) -> str:
    """Return items as a list; an item further to the right is nested in the one above."""
    lefts: list[float] = []
    lines: list[str] = []
    for item in items:
        while lefts and item.left < lefts[-1] - 2:
            lefts.pop()
        if not lefts or item.left > lefts[-1] + 2:
            lefts.append(item.left)
        mark = f"{item.mark.strip('().')}." if item.mark.strip("().").isdecimal() else "-"
        label = "" if mark != "-" or BULLET_PATTERN.match(f"{item.mark} x") else f"{item.mark} "
        lines.append(f"{'   ' * (len(lefts) - 1)}{mark} {label}{item.text}")
    return "\n".join(lines)
