"""The margins of pages: what repeats there is shown once, and page numbers not at all. Pure.

A line at the edge of a page is a repetition where it says the same as one before at the edges of
many pages, or stands apart from the text and at the same height; its numbers may grow with the
pages. The rows of a table that goes on over pages, and titles of slides, are no margin.
"""

import re
from collections import Counter
from itertools import chain
from typing import Final

from .pdf_lines import PdfLine

_NUMBER_PATTERN: Final = re.compile(r"\d+")
# A number alone, also between dashes or brackets.
_PAGE_NUMBER_PATTERN: Final = re.compile(r"[^\w.,]{0,3}(\d{1,4})[^\w.,]{0,3}")
_MAX_PAGE_NUMBER_DIGITS: Final = 6
_MIN_REPEATS: Final = 3
_EDGE_LINES: Final = 2
# A running header is further from a table than the table's rows from each other.
_MAX_ROW_STEP: Final = 2.5
_SAME_HEIGHT_POINTS: Final = 3.0
# What is much larger than the smallest type of its page is a title.
_MAX_SIZE_RATIO: Final = 1.15
# The number of a page stands in the last inch, further from the text than its lines.
_FOOT_POINTS: Final = 72.0
_MIN_FOOT_STEP: Final = 2.0


def drop_margins(pages: list[list[PdfLine]], size: float) -> tuple[list[list[PdfLine]], list[str]]:
    """Return the pages without numbers and repeated lines, and the texts of these.

    ``size`` is that of the running text.
    """
    edges_by_page = [_page_edge_lines(lines) for lines in pages]
    marks_by_page = ({*map(_line_pattern, edges)} for edges in edges_by_page)
    counts = Counter(chain.from_iterable(marks_by_page))
    min_count = max(_MIN_REPEATS - 1, len(pages) / _MIN_REPEATS)
    often = {mark for mark, count in counts.items() if count > min_count}
    dropped = _page_numbers(pages, edges_by_page)
    repeated = _RepeatedLines()
    for number, edges in enumerate(edges_by_page):
        apart = _lines_apart(pages[number], edges)
        for line in edges:
            is_often = _line_pattern(line) in often
            is_margin = id(line) in apart and line.size <= _MAX_SIZE_RATIO * size
            if not is_often and not is_margin:
                continue
            if repeated.is_repeated_line(line, number, is_often=is_often):
                dropped.add(id(line))
        for line in edges:
            repeated.add_line(line, number)
    shown = [[line for line in lines if id(line) not in dropped] for lines in pages]
    texts = [line.text for lines in pages for line in lines if id(line) in dropped]
    return shown, texts


class _RepeatedLines:
    """The lines of earlier pages, and the numbers in the last line of each pattern."""

    def __init__(self) -> None:
        self._heights: dict[str, set[int]] = {}
        self._numbers: dict[str, tuple[int, list[str], float]] = {}

    def add_line(self, line: PdfLine, page: int) -> None:
        self._heights.setdefault(line.text, set()).add(_height(line))
        numbers = _NUMBER_PATTERN.findall(line.text)
        self._numbers[_line_pattern(line)] = page, numbers, line.base

    def is_repeated_line(self, line: PdfLine, page: int, *, is_often: bool) -> bool:
        """Tell whether a line repeats an earlier one, except for its page number.

        One that is not at the edge of many pages must be at the same height.
        """
        heights = self._heights.get(line.text, set())
        if heights and (is_often or not heights.isdisjoint(_near_heights(line))):
            return True
        mark = _line_pattern(line)
        if heights or mark not in self._numbers:
            return False
        before, numbers, base = self._numbers[mark]
        if not is_often and abs(base - line.base) > _SAME_HEIGHT_POINTS:
            return False
        pairs = zip(numbers, _NUMBER_PATTERN.findall(line.text), strict=True)
        return all(_is_next_page_number(old, new, page - before) for old, new in pairs)


def _height(line: PdfLine) -> int:
    return round(line.base / _SAME_HEIGHT_POINTS)


def _near_heights(line: PdfLine) -> tuple[int, int, int]:
    height = _height(line)
    return height - 1, height, height + 1


def _is_next_page_number(old: str, new: str, pages: int) -> bool:
    """Tell whether a number is the same, or has grown by the number of pages."""
    short = max(len(old), len(new)) <= _MAX_PAGE_NUMBER_DIGITS
    return old == new or (short and int(new) - int(old) == pages)


def _line_pattern(line: PdfLine) -> str:
    return _NUMBER_PATTERN.sub("0", line.text)


def _page_numbers(pages: list[list[PdfLine]], edges_by_page: list[list[PdfLine]]) -> set[int]:
    """Return the ids of lines that are only the number of their page.

    They grow with the pages, at one height; that of a single page stands by itself at its foot.
    """
    numbers = [
        (page, line, int(match[1]) - page)
        for page, edges in enumerate(edges_by_page)
        for line in edges
        if (match := _PAGE_NUMBER_PATTERN.fullmatch(line.text))
    ]
    pages_by_place: dict[tuple[int, int], set[int]] = {}
    for page, line, offset in numbers:
        pages_by_place.setdefault((offset, _height(line)), set()).add(page)
    return {
        id(line)
        for page, line, offset in numbers
        if len(pages_by_place[offset, _height(line)]) > 1
        or (len(pages) == 1 and _is_foot(line, pages[page]))
    }


def _is_foot(line: PdfLine, lines: list[PdfLine]) -> bool:
    above = min((other.base for other in lines if other is not line), default=line.base)
    return 0 < line.base <= _FOOT_POINTS and above - line.base > _MIN_FOOT_STEP * line.size


def _page_edge_lines(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the two highest and the two lowest lines of a page with more than four."""
    if len(lines) <= 2 * _EDGE_LINES:
        return []
    by_height = sorted(lines, key=lambda line: line.base)
    lowest, highest = by_height[: _EDGE_LINES + 1], by_height[: -_EDGE_LINES - 2 : -1]
    return _edge_lines_outside_table(lowest) + _edge_lines_outside_table(highest)


def _lines_apart(lines: list[PdfLine], edges: list[PdfLine]) -> set[int]:
    """Return the ids of the lines at an edge that a gap separates from the text of the page."""
    inner = sorted(lines, key=lambda line: line.base)
    apart: set[int] = set()
    for ordered in (inner, inner[::-1]):
        for count in range(1, min(_EDGE_LINES, len(ordered) - 1) + 1):
            gap = abs(ordered[count].base - ordered[count - 1].base)
            if gap > _MIN_FOOT_STEP * ordered[count - 1].size:
                apart.update(id(line) for line in ordered[:count])
    return apart & {id(line) for line in edges}


def _edge_lines_outside_table(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines at an edge, outermost first, without rows of an adjacent table."""
    outside = lines[:-1]
    inner = lines[-1]
    while outside and _is_table_row(outside[-1], inner):
        inner = outside.pop()
    return outside


def _is_table_row(line: PdfLine, inner: PdfLine) -> bool:
    is_near = abs(line.base - inner.base) <= _MAX_ROW_STEP * line.size
    return is_near and bool(line.cells) and bool(inner.cells)
