"""Cut a parsed page into runs and boxes in one walk over the tree."""

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

_CONTEXT_BITS: Final = {tag: 1 << bit for bit, tag in enumerate(CONTEXTS)}
_LINK_BIT: Final = _CONTEXT_BITS["a"]


class SegmentBuilder:
    """The open boxes and the texts of the current run."""

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
        # The number of open elements whose text must not get extra blanks.
        self.exact = 0
        self._first = 0
        self._linked = 0
        # Boxes are compared by names; interned strings compare by identity.
        self._names: dict[str, str] = {}
        # Few boxes have an id or a role; one select is faster than a lookup per box.
        self._named = frozenset(body.select("[id],[role]"))

    def count_linked_text(self) -> None:
        """Count the text since the start of the current link as linked."""
        self._linked += sum(map(len, self.parts[self.link_starts[-1] :]))

    def add_box(self, node: Element) -> None:
        """Begin a box inside the one that is open."""
        self.end_run()
        above = self.path[-1]
        parent = self.boxes[above]
        tag = node.tag
        classes = node.attr("class") or ""
        names = f"{tag} {classes}"
        # Separate calls: classes repeat and hit the cache of name_mask, ids do not.
        own_mask = name_mask(classes) if classes else 0
        if node in self._named:
            own_mask |= name_mask(node.attr("id") or "") | name_mask(node.attr("role") or "")
        context = (
            parent.context | _CONTEXT_BITS.get(tag, 0) | (_LINK_BIT if self.link_starts else 0)
        )
        start = len(self.runs)
        self.path.append(len(self.boxes))
        self.boxes.append(
            BlockBox(
                above, start, start, node, tag, self._names.setdefault(names, names), own_mask,
                parent.above | own_mask, context, parent.depth + 1,
            )
        )  # fmt: skip

    def end_run(self) -> None:
        """Add the gathered text as a run, unless it is blank."""
        parts = self.parts
        if parts:
            if self.link_starts:
                self.count_linked_text()
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
        count = _count_run_words(words, text)
        tag = self.boxes[box].tag
        self.runs.append(TextRun(text, count, linked, box, tag, self._first, len(self.texts)))


def _count_run_words(words: list[str], text: str) -> int:
    """Count words by blanks, or by characters in a script without blanks.

    >>> _count_run_words(["two", "words"], "two words")
    2
    >>> _count_run_words(["一二三四五六" * 3], "一二三四五六" * 3)
    6
    """
    return len(text) // 3 if len(words) * 14 < len(text) and not text.isascii() else len(words)


# Code, indices and formulas get no extra blanks.
_EXACT_TAGS: Final = frozenset({"code", "kbd", "pre", "samp", "sub", "sup", "var"})
# Nor does a name with a number after an italic part.
_ITALIC_TAGS: Final = frozenset({"em", "i"})
_MAX_SHORT_CELL_CHARS: Final = 150
_CURRENCIES: Final = "$£€"
_MAX_NESTED_TABLES: Final = 4
# An opening runs at the start of an element and returns the closing to run at its end.
_Closing: TypeAlias = Callable[[SegmentBuilder], None]
_Opening: TypeAlias = Callable[[SegmentBuilder, Element], _Closing | None]


def segment_html_page(body: Element) -> PageSegments:  # noqa: C901  a call per node would cost more than its work
    """Cut ``body`` into runs and boxes, or raise ``TooManyBlocksError``."""
    builder = SegmentBuilder(body)
    parts, texts, links = builder.parts, builder.texts, builder.link_starts
    open_elements = [body]
    closings: list[_Closing | None] = [_close_box]
    remaining_nodes = MAX_NODES
    for node in body.descendants:
        parent = node.parent
        while open_elements[-1] is not parent:
            open_elements.pop()
            if (closing := closings.pop()) is not None:
                closing(builder)
        if isinstance(node, Text):
            text = node.data
            # Only texts with letters, digits or prices need a blank; most texts are just blanks.
            if (
                text >= "$"
                and parts
                and _is_word_gap(parts[-1], text)
                and _may_add_run_blank(builder, text)
            ):
                text = node.data = f" {text}"
            # Leading blanks of a run matter only inside a link, whose length is counted.
            if parts or links or not text.isspace():
                parts.append(text)
                texts.append(node)
        elif isinstance(node, Element):
            remaining_nodes -= 1
            if remaining_nodes < 0:
                raise TooManyBlocksError
            open_elements.append(node)
            opening = _TAG_OPENINGS.get(node.tag)
            closings.append(None if opening is None else opening(builder, node))
    while closings:
        if (closing := closings.pop()) is not None:
            closing(builder)
    runs, boxes = builder.runs, builder.boxes
    return PageSegments(
        runs, boxes, texts, builder.images, builder.times, _runs_by_make(runs, boxes)
    )


def _runs_by_make(runs: list[TextRun], boxes: list[BlockBox]) -> list[list[int]]:
    makes: dict[tuple[str, str, int], list[int]] = {}
    for index, run in enumerate(runs):
        box = boxes[run.box]
        above = boxes[max(box.parent, 0)]
        makes.setdefault((box.names, above.names, box.depth), []).append(index)
    return list(makes.values())


def _may_add_run_blank(builder: SegmentBuilder, text: str) -> bool:
    """Tell whether the last text and the open element allow an extra blank."""
    above = builder.texts[-1].parent if builder.texts else None
    tag = above.tag if isinstance(above, Element) else ""
    exact = tag in _EXACT_TAGS or (tag in _ITALIC_TAGS and text[0].isdigit())
    return not exact and not builder.exact


def _is_word_gap(before: str, after: str) -> bool:
    """Tell whether two texts with a tag between them are separate words.

    >>> _is_word_gap("The North", "Star"), _is_word_gap("T", "HE")
    (True, False)
    >>> _is_word_gap("Price", "$9"), _is_word_gap("US", "$9")
    (True, False)
    """
    last, first = before[-1:], after[0]
    if first in _CURRENCIES:
        return last.islower() or (last.isdigit() and len(after) > 1)
    is_separate = last.isalnum() if first.isupper() else first.isdigit() and last.islower()
    # A single letter may be a drop cap of the same word.
    return is_separate and len(before) > 1


def _open_box(builder: SegmentBuilder, node: Element) -> _Closing:
    if builder.cells:
        return _open_inline_cell(builder, node)
    builder.add_box(node)
    return _close_box


def _close_box(builder: SegmentBuilder) -> None:
    builder.end_run()
    builder.boxes[builder.path.pop()].last = len(builder.runs)


def _open_inline_cell(builder: SegmentBuilder, _: Element) -> _Closing:
    builder.parts.append(" ")
    builder.cells += 1
    return _close_inline_cell


def _close_inline_cell(builder: SegmentBuilder) -> None:
    builder.parts.append(" ")
    builder.cells -= 1


def _open_html_cell(builder: SegmentBuilder, node: Element) -> _Closing:
    is_inline = builder.cells or builder.tables >= _MAX_NESTED_TABLES
    is_short = not is_inline and len(node.text) <= _MAX_SHORT_CELL_CHARS
    return (_open_inline_cell if is_short else _open_box)(builder, node)


def _open_html_table(builder: SegmentBuilder, node: Element) -> _Closing:
    closing = _open_box(builder, node)
    if closing is not _close_box:
        return closing
    builder.tables += 1
    return _close_html_table


def _close_html_table(builder: SegmentBuilder) -> None:
    _close_box(builder)
    builder.tables -= 1


def _open_code_block(builder: SegmentBuilder, node: Element) -> _Closing:
    closing = _open_box(builder, node)
    if closing is not _close_box:
        return closing
    builder.exact += 1
    return _close_code_block


def _close_code_block(builder: SegmentBuilder) -> None:
    _close_box(builder)
    builder.exact -= 1


def _open_exact_text(builder: SegmentBuilder, _: Element) -> _Closing:
    builder.exact += 1
    return _close_exact_text


def _close_exact_text(builder: SegmentBuilder) -> None:
    builder.exact -= 1


def _open_page_link(builder: SegmentBuilder, _: Element) -> _Closing:
    builder.link_starts.append(len(builder.parts))
    return _close_page_link


def _close_page_link(builder: SegmentBuilder) -> None:
    builder.count_linked_text()
    builder.link_starts.pop()


def _add_line_break(builder: SegmentBuilder, _: Element) -> None:
    builder.parts.append("\n")


def _mark_image(builder: SegmentBuilder, _: Element) -> None:
    builder.images.append(len(builder.runs))


def _mark_html_time(builder: SegmentBuilder, _: Element) -> None:
    builder.times.append(len(builder.runs))


_TAG_OPENINGS: Final[dict[str, _Opening]] = {
    **dict.fromkeys(BLOCKS, _open_box),
    **dict.fromkeys(_EXACT_TAGS, _open_exact_text),
    **dict.fromkeys(("td", "th"), _open_html_cell),
    "table": _open_html_table,
    "pre": _open_code_block,
    "a": _open_page_link,
    "br": _add_line_break,
    "img": _mark_image,
    "time": _mark_html_time,
}
