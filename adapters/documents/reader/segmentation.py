"""Cut a parsed page into runs and boxes: one walk, and what each tag does to what is gathered."""

from collections.abc import Callable
from typing import Final, TypeAlias

from turbohtml import Element, Text

from .features.vocabulary import name_mask
from .page_segments import (
    BLOCKS,
    CONTEXTS,
    MAX_NODES,
    MAX_RUNS,
    BlockBox,
    PageSegments,
    TextRun,
    TooManyBlocksError,
)

_CONTEXT: Final = {tag: 1 << place for place, tag in enumerate(CONTEXTS)}
_LINKED: Final = _CONTEXT["a"]


class SegmentBuilder:
    """The open boxes and the run being gathered."""

    def __init__(self, body: Element) -> None:
        self.runs: list[TextRun] = []
        self.boxes = [BlockBox(-1, 0, 0, body, "body", "", 0, 0, 0, 0)]
        self.path = [0]
        self.parts: list[str] = []
        self.texts: list[Text] = []
        self.images: list[int] = []
        self.times: list[int] = []
        self.link_starts: list[int] = []
        self.cells = 0
        self.tables = 0
        # How many open elements are written without blanks.
        self.exact = 0
        self._first = 0
        self._linked = 0
        # Boxes are compared by their names: the same string is found to be the same at once.
        self._names: dict[str, str] = {}
        # Few are; to ask each box takes longer.
        self._named = frozenset(body.select("[id],[role]"))

    def count_link(self) -> None:
        """Count what was gathered since the link began as linked."""
        self._linked += sum(map(len, self.parts[self.link_starts[-1] :]))

    def add_box(self, node: Element) -> None:
        """Begin a box inside the one that is open."""
        self.end_run()
        above = self.path[-1]
        parent = self.boxes[above]
        tag = node.tag
        classes = node.attr("class") or ""
        names = f"{tag} {classes}"
        # One by one: classes come again and again, and are remembered; ids do not.
        own = name_mask(classes) if classes else 0
        if node in self._named:
            own |= name_mask(node.attr("id") or "") | name_mask(node.attr("role") or "")
        context = parent.context | _CONTEXT.get(tag, 0) | (_LINKED if self.link_starts else 0)
        start = len(self.runs)
        self.path.append(len(self.boxes))
        self.boxes.append(
            BlockBox(
                above, start, start, node, tag, self._names.setdefault(names, names), own,
                parent.above | own, context, parent.depth + 1,
            )
        )  # fmt: skip

    def end_run(self) -> None:
        """Make a run of what was gathered, if there is any text in it."""
        parts = self.parts
        if parts:
            if self.link_starts:
                self.count_link()
                self.link_starts[:] = [0] * len(self.link_starts)
            if words := "".join(parts).split():
                self._add_run(words)
            parts.clear()
            self._linked = 0
        self._first = len(self.texts)

    def _add_run(self, words: list[str]) -> None:
        if len(self.runs) >= MAX_RUNS:
            raise TooManyBlocksError
        text = " ".join(words)
        box = self.path[-1]
        linked = min(self._linked, len(text))
        count = _count(words, text)
        tag = self.boxes[box].tag
        self.runs.append(TextRun(text, count, linked, box, tag, self._first, len(self.texts)))


def _count(words: list[str], text: str) -> int:
    """Count words by blanks, or by characters where a script writes none.

    >>> _count(["two", "words"], "two words"), _count(["一二三四五六" * 3], "一二三四五六" * 3)
    (2, 6)
    """
    return len(text) // 3 if len(words) * 14 < len(text) and not text.isascii() else len(words)


# Cut a parsed page into runs and boxes: one walk, and what each tag does to what is gathered.

# Code, indices and formulas are written without blanks.
_EXACT: Final = frozenset({"code", "kbd", "pre", "samp", "sub", "sup", "var"})
# So is a name with a number, of which part is set in italics.
_SLANTED: Final = frozenset({"em", "i"})
_MAX_SHORT_CELL_CHARS: Final = 150
_CURRENCIES: Final = "$£€"
_MAX_NESTED_TABLES: Final = 4
# What is to be done at the end of an element; and at its beginning, which returns the former.
_Closing: TypeAlias = Callable[[SegmentBuilder], None]
_Opening: TypeAlias = Callable[[SegmentBuilder, Element], _Closing | None]


def segment_page(body: Element) -> PageSegments:  # noqa: C901  a call for every node takes longer than what it does
    """Cut ``body`` into runs and boxes, or raise ``TooManyBlocksError``."""
    gathered = SegmentBuilder(body)
    parts, texts, links = gathered.parts, gathered.texts, gathered.link_starts
    opened = [body]
    closings: list[_Closing | None] = [_close_box]
    left = MAX_NODES
    for node in body.descendants:
        parent = node.parent
        while opened[-1] is not parent:
            opened.pop()
            if (closing := closings.pop()) is not None:
                closing(gathered)
        if isinstance(node, Text):
            text = node.data
            # Only letters, digits and prices run together; most texts are blanks between two tags.
            if (
                text >= "$"
                and parts
                and _run_together(parts[-1], text)
                and _is_loose(gathered, text)
            ):
                text = node.data = f" {text}"
            # Nor do blanks that a run would begin with matter, but for the length of a link.
            if parts or links or not text.isspace():
                parts.append(text)
                texts.append(node)
        elif isinstance(node, Element):
            left -= 1
            if left < 0:
                raise TooManyBlocksError
            opened.append(node)
            opening = _OPENINGS.get(node.tag)
            closings.append(None if opening is None else opening(gathered, node))
    while closings:
        if (closing := closings.pop()) is not None:
            closing(gathered)
    runs, boxes = gathered.runs, gathered.boxes
    return PageSegments(runs, boxes, texts, gathered.images, gathered.times, _makes(runs, boxes))


def _makes(runs: list[TextRun], boxes: list[BlockBox]) -> list[list[int]]:
    makes: dict[tuple[str, str, int], list[int]] = {}
    for place, run in enumerate(runs):
        box = boxes[run.box]
        above = boxes[max(box.parent, 0)]
        makes.setdefault((box.names, above.names, box.depth), []).append(place)
    return list(makes.values())


def _is_loose(gathered: SegmentBuilder, text: str) -> bool:
    """Tell whether neither the last text nor the open element is written without blanks."""
    above = gathered.texts[-1].parent if gathered.texts else None
    tag = above.tag if isinstance(above, Element) else ""
    exact = tag in _EXACT or (tag in _SLANTED and text[0].isdigit())
    return not exact and not gathered.exact


def _run_together(before: str, after: str) -> bool:
    """Tell whether two texts with a tag between them are words apart, as style sheets show them.

    >>> _run_together("The North", "Star"), _run_together("T", "HE"), _run_together("un", "til")
    (True, False, False)
    >>> _run_together("Price", "$9"), _run_together("US", "$9"), _run_together("9.90", "$8.50")
    (True, False, True)
    """
    last, first = before[-1:], after[0]
    if first in _CURRENCIES:
        return last.islower() or (last.isdigit() and len(after) > 1)
    apart = last.isalnum() if first.isupper() else first.isdigit() and last.islower()
    # One letter may be the first of a word, set large.
    return apart and len(before) > 1


def _open_box(gathered: SegmentBuilder, node: Element) -> _Closing:
    if gathered.cells:
        return _open_cell(gathered, node)
    gathered.add_box(node)
    return _close_box


def _close_box(gathered: SegmentBuilder) -> None:
    gathered.end_run()
    gathered.boxes[gathered.path.pop()].last = len(gathered.runs)


def _open_cell(gathered: SegmentBuilder, _: Element) -> _Closing:
    gathered.parts.append(" ")
    gathered.cells += 1
    return _close_cell


def _close_cell(gathered: SegmentBuilder) -> None:
    gathered.parts.append(" ")
    gathered.cells -= 1


def _open_table_cell(gathered: SegmentBuilder, node: Element) -> _Closing:
    inside = gathered.cells or gathered.tables >= _MAX_NESTED_TABLES
    short = not inside and len(node.text) <= _MAX_SHORT_CELL_CHARS
    return (_open_cell if short else _open_box)(gathered, node)


def _open_table(gathered: SegmentBuilder, node: Element) -> _Closing:
    closing = _open_box(gathered, node)
    if closing is not _close_box:
        return closing
    gathered.tables += 1
    return _close_table


def _close_table(gathered: SegmentBuilder) -> None:
    _close_box(gathered)
    gathered.tables -= 1


def _open_code(gathered: SegmentBuilder, node: Element) -> _Closing:
    closing = _open_box(gathered, node)
    if closing is not _close_box:
        return closing
    gathered.exact += 1
    return _close_code


def _close_code(gathered: SegmentBuilder) -> None:
    _close_box(gathered)
    gathered.exact -= 1


def _open_exact(gathered: SegmentBuilder, _: Element) -> _Closing:
    gathered.exact += 1
    return _close_exact


def _close_exact(gathered: SegmentBuilder) -> None:
    gathered.exact -= 1


def _open_link(gathered: SegmentBuilder, _: Element) -> _Closing:
    gathered.link_starts.append(len(gathered.parts))
    return _close_link


def _close_link(gathered: SegmentBuilder) -> None:
    gathered.count_link()
    gathered.link_starts.pop()


def _break(gathered: SegmentBuilder, _: Element) -> None:
    gathered.parts.append("\n")


def _mark_image(gathered: SegmentBuilder, _: Element) -> None:
    gathered.images.append(len(gathered.runs))


def _mark_time(gathered: SegmentBuilder, _: Element) -> None:
    gathered.times.append(len(gathered.runs))


_OPENINGS: Final[dict[str, _Opening]] = {
    **dict.fromkeys(BLOCKS, _open_box),
    **dict.fromkeys(_EXACT, _open_exact),
    **dict.fromkeys(("td", "th"), _open_table_cell),
    "table": _open_table,
    "pre": _open_code,
    "a": _open_link,
    "br": _break,
    "img": _mark_image,
    "time": _mark_time,
}
