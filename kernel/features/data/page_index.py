"""Look things up in a page: lines, boxes, quotes, figures. Each is worked out once."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Final

from webseam.ports.data import DataPage, DayReading, FieldKind, PageBox, Quote

from .number_forms import Reading, duration_readings, number_readings
from .text_forms import FoldedText

_READERS: Final[Mapping[FieldKind, Callable[[str], Iterator[Reading]]]] = {
    "number": number_readings,
    "money": number_readings,
    "duration": duration_readings,
}
_HEADING_TAGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LIST_TAGS: Final = frozenset({"li", "tr", "dd"})
_MAX_BLANK_LINES: Final = 8


_NO_QUOTE: Final = Quote("", 0, 0)
# A visible text has a word in any stretch of this length.
_MAX_EDGE_CHARS: Final = 200
_MAX_REST_CHARS: Final = 500
_MAX_EDGE_MARKS: Final = 3
_OPENING_MARKS: Final = "([«“\"'¡¿"
_CLOSING_MARKS: Final = ").]!?»”\"'"


class PageIndex:
    """The visible text of a page, and the elements in it."""

    def __init__(self, page: DataPage) -> None:
        self.page = page
        self.text = page.text
        self._readings: dict[FieldKind, list[Reading]] = {}

    @cached_property
    def _folded(self) -> FoldedText:
        return FoldedText(self.text)

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, size = [0], 0
        for line in self.text.split("\n"):
            size += len(line) + 1
            starts.append(size)
        return starts[:-1]

    @cached_property
    def _box_starts(self) -> list[int]:
        return [box.start for box in self.page.boxes]

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        children: dict[int, list[int]] = {}
        for index, box in enumerate(self.page.boxes):
            children.setdefault(box.parent, []).append(index)
        return children

    @cached_property
    def _boxes_by_make(self) -> dict[str, list[int]]:
        boxes: dict[str, list[int]] = {}
        for number, box in enumerate(self.page.boxes):
            boxes.setdefault(box.make, []).append(number)
        return boxes

    @cached_property
    def top_headings(self) -> list[Quote]:
        """The headings of the first rank that have words."""
        tops = (box for box in self.page.boxes if box.tag == "h1")
        return [self.quote(box.start, box.end) for box in tops if box.end > box.start]

    def readings(self, kind: FieldKind) -> list[Reading]:
        """Return every span of the text that reads as a figure of a kind."""
        if kind not in self._readings:
            self._readings[kind] = list(_READERS[kind](self.text))
        return self._readings[kind]

    def readings_in(self, kind: FieldKind, box: PageBox) -> list[Reading]:
        """Return the spans of a box that read as a figure of a kind."""
        readings = self.readings(kind)
        first = bisect_left(readings, box.start, key=attrgetter("start"))
        last = bisect_right(readings, box.end, first, key=attrgetter("end"))
        return readings[first:last]

    def days_in(self, box: PageBox) -> Sequence[DayReading]:
        """Return the dates of a box."""
        first = bisect_left(self.page.days, box.start, key=attrgetter("start"))
        last = bisect_right(self.page.days, box.end, first, key=attrgetter("end"))
        return self.page.days[first:last]

    def boxes_made(self, make: str) -> list[int]:
        """Return the indexes of the boxes with a tag and its classes."""
        return self._boxes_by_make.get(make, [])

    def quote(self, start: int, end: int) -> Quote:
        """Return the words of a span."""
        return Quote(self.text[start:end], start, end)

    def find(self, value: str, after: int = 0, *, is_loose: bool = False) -> Iterator[Quote]:
        """Yield the places that say a text; a loose quote keeps the marks at its ends."""
        for start, end in self._folded.find(value, after, is_loose=is_loose):
            yield self._quote_with_marks(start, end) if is_loose else self.quote(start, end)

    def _quote_with_marks(self, start: int, end: int) -> Quote:
        before = self.text[max(0, start - _MAX_EDGE_MARKS) : start]
        after = self.text[end : end + _MAX_EDGE_MARKS]
        start -= len(before) - len(before.rstrip(_OPENING_MARKS))
        end += len(after) - len(after.lstrip(_CLOSING_MARKS))
        return self.quote(start, end)

    def line(self, offset: int) -> tuple[int, int]:
        """Return the span of the line that an offset is in."""
        index = bisect_right(self._line_starts, offset) - 1
        is_last = index + 1 == len(self._line_starts)
        end = len(self.text) if is_last else self._line_starts[index + 1] - 1
        return self._line_starts[index], end

    def rest_of_lines(self, quote: Quote) -> tuple[str, str]:
        """Return the lines of a quote before it and after it; of long lines, what is near."""
        first = max(self.line(quote.start)[0], quote.start - _MAX_REST_CHARS)
        last = min(self.line(max(quote.start, quote.end - 1))[1], quote.end + _MAX_REST_CHARS)
        return self.text[first : quote.start], self.text[quote.end : last]

    def fills_lines(self, quote: Quote) -> bool:
        """Tell whether a quote has its lines for itself, but for marks."""
        before, after = self.rest_of_lines(quote)
        return not has_words(before) and not has_words(after)

    def line_before(self, offset: int) -> Quote:
        """Return the next line with words before that of an offset; blank if there is none."""
        start = self.line(offset)[0]
        for _ in range(_MAX_BLANK_LINES):
            if start == 0:
                break
            first, end = self.line(start - 1)
            quote = self._stripped(first, end)
            if has_words(quote.text):
                return quote
            start = first
        return _NO_QUOTE

    def line_after(self, offset: int) -> Quote:
        """Return the next line with words behind that of an offset; blank if there is none."""
        end = self.line(offset)[1]
        for _ in range(_MAX_BLANK_LINES):
            if end >= len(self.text):
                break
            first, end = self.line(end + 1)
            quote = self._stripped(first, end)
            if has_words(quote.text):
                return quote
        return _NO_QUOTE

    def _stripped(self, start: int, end: int) -> Quote:
        """Return the words of a line without the blanks around them; of a long one, the first."""
        line = self.text[start : min(end, start + _MAX_REST_CHARS)]
        first = start + len(line) - len(line.lstrip())
        return self.quote(first, max(first, start + len(line.rstrip())))

    def box_at(self, start: int, end: int) -> int:
        """Return the index of the smallest box around a span; -1 if there is none."""
        index = bisect_right(self._box_starts, start) - 1
        # Boxes that end before the span are left through their parents.
        while index >= 0 and self.page.boxes[index].end < end:
            index = self.page.boxes[index].parent
        return index

    def item_at(self, start: int, end: int) -> int:
        """Return the index of the largest box with nothing but a span and marks; -1 if none."""
        index = self.box_at(start, end)
        while index >= 0 and self.page.boxes[index].parent >= 0:
            parent = self.page.boxes[index].parent
            box = self.page.boxes[parent]
            before = self.text[max(box.start, start - _MAX_EDGE_CHARS) : start]
            after = self.text[end : min(box.end, end + _MAX_EDGE_CHARS)]
            if has_words(before) or has_words(after):
                return index
            index = parent
        return index

    def boxes_around(self, start: int, end: int) -> Iterator[PageBox]:
        """Yield the boxes around a span, the smallest first."""
        index = self.box_at(start, end)
        while index >= 0:
            yield self.page.boxes[index]
            index = self.page.boxes[index].parent

    def children(self, index: int) -> list[int]:
        """Return the indexes of the boxes right inside a box."""
        return self._children.get(index, [])

    def position_in_parent(self, index: int) -> int:
        """Return which of the children of its parent a box is, from 0."""
        return bisect_left(self.children(self.page.boxes[index].parent), index)

    def list_element_end(self, offset: int) -> int:
        """Return where the smallest list item or row around an offset ends; 0 without one."""
        boxes = self.boxes_around(offset, offset + 1)
        return next((box.end for box in boxes if box.tag in _LIST_TAGS), 0)

    def is_in_heading(self, quote: Quote) -> bool:
        """Tell whether a quote stands in a heading of any rank."""
        return any(box.tag in _HEADING_TAGS for box in self.boxes_around(quote.start, quote.end))

    def is_in_menu(self, quote: Quote) -> bool:
        """Tell whether a quote stands in navigation, in a footer or in a dialog."""
        return any(box.menu for box in self.boxes_around(quote.start, quote.end))


def has_words(text: str) -> bool:
    """Tell whether a text has a letter or a figure."""
    return any(char.isalnum() for char in text)
