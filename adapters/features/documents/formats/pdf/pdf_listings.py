"""Listings: blocks of monospaced lines, without the numbers of their lines. Pure."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import msgspec

from ..markdown_writing import code_block
from .pdf_lines import LINE_NUMBER_PATTERN, LineCell, PdfLine

# Fewer lines that begin with a number in the font of the code may be data.
_MIN_NUMBERED_LINES: Final = 3
_MAX_LINE_NUMBER_DIGITS: Final = 5
# The lines that a long one may be broken into.
_MAX_REST_LINES: Final = 20
_MIN_BLANK_LINE_STEP: Final = 1.6
# Monospaced letters are three fifths as wide as they are high.
_LETTER_WIDTH: Final = 0.6


def drop_line_numbers(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines of a page; those of numbered listings without their numbers.

    A number of a listing is one more than that of the numbered line above; a line without a
    number between them is the rest of a long one.
    """
    shown = list(lines)
    index = 0
    while index < len(lines):
        run = list(_numbered_run(lines, index))
        if _is_listing(lines, run):
            for place in run:
                shown[place] = _code_line(lines[place])
        index = run[-1] + 1 if run else index + 1
    return shown


def _numbered_run(lines: list[PdfLine], index: int) -> Iterator[int]:
    """Yield the indices of lines with consecutive numbers, from a line of code on."""
    number = _line_number(lines[index])
    if number is None or lines[index].text.isdecimal():
        return
    yield index
    waiting: list[int] = []
    place, end = index + 1, index + 1 + _MAX_REST_LINES
    while place < min(end, len(lines)) and lines[place].base < lines[place - 1].base:
        if _line_number(lines[place]) == number + 1:
            number += 1
            end = place + 1 + _MAX_REST_LINES
            waiting.append(place)
            # A number alone is a blank line of the listing, where the listing goes on after it.
            if not lines[place].text.isdecimal():
                yield from waiting
                waiting = []
        elif not lines[place].mono:
            return
        place += 1


def _line_number(line: PdfLine) -> int | None:
    """Return the number that a line of code begins with, or that is all of a line."""
    if line.text.isdecimal() and len(line.text) <= _MAX_LINE_NUMBER_DIGITS:
        return int(line.text)
    number = LINE_NUMBER_PATTERN.match(line.text)
    if number is None or not (line.mono or line.code_left is not None):
        return None
    return int(number[1])


def _is_listing(lines: list[PdfLine], run: list[int]) -> bool:
    """Tell whether numbers are a listing's: many, or in another font than the code."""
    if len(run) >= _MIN_NUMBERED_LINES:
        return True
    numbered = [lines[place] for place in run if lines[place].code_left is not None]
    return len(numbered) > 1 or any(_line_number(line) == 1 for line in numbered)


def _code_line(line: PdfLine) -> PdfLine:
    number = LINE_NUMBER_PATTERN.match(line.text)
    if number is None:
        return msgspec.structs.replace(line, text="", mono=True, cells=())
    text = line.text[number.end() :]
    left = line.code_left
    if left is None and len(line.cells) > 1 and line.cells[0].text.isdecimal():
        left = line.cells[1].left
    if left is None:
        left = line.right - len(text) * (line.right - line.left) / len(line.text)
    cells = _cells_after_number(line.cells)
    return msgspec.structs.replace(line, text=text, left=left, mono=True, cells=cells)


def _cells_after_number(cells: tuple[LineCell, ...]) -> tuple[LineCell, ...]:
    if len(cells) <= 2:  # noqa: PLR2004  the number and the code, or no parts
        return ()
    return cells[1:] if cells[0].text.isdecimal() else cells


def is_listing_continuation(above: PdfLine, below: PdfLine) -> bool:
    """Tell whether a line continues a listing; none goes on at the top of the next column."""
    return below.mono and below.base < above.base


def write_listing(lines: list[PdfLine]) -> str:
    """Return code in a fence, indented by the left edges of its lines.

    There is a blank line where two lines are much further apart than the closest.
    """
    margin = min((line.left for line in lines if line.text), default=0.0)
    gaps = [above.base - below.base for above, below in pairwise(lines)]
    rows = [_code_row(lines[0], margin)]
    for line, gap in zip(lines[1:], gaps, strict=True):
        rows += [""] if gap > _MIN_BLANK_LINE_STEP * min(gaps) else []
        rows.append(_code_row(line, margin))
    return code_block("\n".join(rows))


def _code_row(line: PdfLine, margin: float) -> str:
    if not line.text:
        return ""
    width = _LETTER_WIDTH * (line.size or 1.0)
    return " " * round((line.left - margin) / width) + line.text
