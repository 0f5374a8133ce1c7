"""What stands at the edge of page after page: it is told once. Pure."""

import re
from collections import Counter
from typing import Final

from .pdf_lines import PdfLine

_NUMBER: Final = re.compile(r"\d+")
_MAX_PAGE_NUMBER_DIGITS: Final = 6
_REPEATED: Final = 3
_EDGE: Final = 2
# The lines of a running head stand further from a table than its rows from each other.
_ROW_STEP: Final = 2.5


def without_repeats(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Leave out what stands at the edge of many pages, but for the first time."""
    every = [_edges(lines) for lines in pages]
    counts = Counter(mark for edges in every for mark in {_mark(line) for line in edges})
    often = {
        mark
        for mark, count in counts.items()
        if count >= _REPEATED and count > len(pages) / _REPEATED
    }
    told = _Told()
    shown: list[list[PdfLine]] = []
    for number, (lines, edges) in enumerate(zip(pages, every, strict=True)):
        marked = [line for line in edges if _mark(line) in often]
        repeats = {id(line) for line in marked if told.has(line, number)}
        for line in marked:
            told.add(line, number)
        shown.append([line for line in lines if id(line) not in repeats])
    return shown


class _Told:
    """The lines that were there before, and the numbers in the last one of each make."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._numbers: dict[str, tuple[int, list[str]]] = {}

    def add(self, line: PdfLine, page: int) -> None:
        self._texts.add(line.text)
        self._numbers[_mark(line)] = page, _NUMBER.findall(line.text)

    def has(self, line: PdfLine, page: int) -> bool:
        """Tell whether a line was there, but for the number of its page; a sum is another one."""
        if line.text in self._texts or (mark := _mark(line)) not in self._numbers:
            return line.text in self._texts
        before, numbers = self._numbers[mark]
        pairs = zip(numbers, _NUMBER.findall(line.text), strict=True)
        return all(_counts_pages(old, new, page - before) for old, new in pairs)


def _counts_pages(old: str, new: str, pages: int) -> bool:
    """Tell whether a number is the same, or has gone on with the pages."""
    short = max(len(old), len(new)) <= _MAX_PAGE_NUMBER_DIGITS
    return old == new or (short and int(new) - int(old) == pages)


def _mark(line: PdfLine) -> str:
    return _NUMBER.sub("0", line.text)


def _edges(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the two highest and the two lowest lines of a page that has more than these."""
    if len(lines) <= 2 * _EDGE:
        return []
    by_height = sorted(lines, key=lambda line: line.base)
    return _outside(by_height[: _EDGE + 1]) + _outside(by_height[: -_EDGE - 2 : -1])


def _outside(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines at an edge, the outermost first, that are no rows of the table inside."""
    outside = lines[:-1]
    inner = lines[-1]
    while outside and _is_row(outside[-1], inner):
        inner = outside.pop()
    return outside


def _is_row(line: PdfLine, inner: PdfLine) -> bool:
    near = abs(line.base - inner.base) <= _ROW_STEP * line.size
    return near and bool(line.cells) and bool(inner.cells)
