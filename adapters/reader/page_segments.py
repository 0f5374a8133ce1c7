"""A page cut into runs of text, and the boxes that hold the runs.

A run is the text between two block borders; a box is a block element. A table row of short cells
is one run, because its cells only make sense together.
"""

from collections.abc import Sequence
from itertools import accumulate, islice, takewhile
from typing import Final

import msgspec
from turbohtml import Element, Node, Text

from .block_text import BLOCKS, is_word_gap
from .measures.vocabulary import name_mask
from .rendering.images import CAPTION_ATTRIBUTE, image_caption

HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# A page beyond these limits is rendered whole.
MAX_NODES: Final = 120_000
MAX_RUNS: Final = 8_000
_CONTEXT_TAG_LIST: Final = (
    "article main section header footer nav aside form ul ol table figure details blockquote dl "
    "button label a"
)
CONTEXTS: Final = tuple(_CONTEXT_TAG_LIST.split())


class TextRun(msgspec.Struct, gc=False):
    """One run: its text, its count of linked characters, its box, its range of text nodes."""

    text: str
    words: int
    linked: int
    box: int
    tag: str
    first: int
    last: int


class BlockBox(msgspec.Struct, gc=False):
    """One block element and the half-open range of runs inside it."""

    parent: int
    first: int
    last: int
    node: Element
    tag: str
    names: str
    own: int
    above: int
    context: int
    depth: int


class PageSegments(msgspec.Struct, frozen=True):
    """A page as runs, boxes and text nodes, in document order; box 0 is the body.

    ``images`` and ``times`` hold the index of the run after each picture and each ``<time>``;
    ``makes`` groups the runs whose boxes and parent boxes have the same names and depth.
    """

    runs: list[TextRun]
    boxes: list[BlockBox]
    texts: list[Text]
    images: list[int]
    times: list[int]
    makes: list[list[int]]


class TooManyBlocksError(Exception):
    """Raised inside this package when a page is too large to be segmented."""


# Cells are cleared, not removed: a removed cell would move its neighbours into another column.
_CELL_TAGS: Final = frozenset({"td", "th"})


def prune_to_runs(segments: PageSegments, kept: Sequence[bool]) -> Element:
    """Prune the tree in place to the kept runs; return the smallest box with all of them."""
    kept_before = [0, *accumulate(kept)]
    dropped = _drop_boxes_without_runs(segments.boxes, kept_before)
    for run, keep in zip(segments.runs, kept, strict=True):
        if not keep and run.box not in dropped:
            for node in segments.texts[run.first : run.last]:
                node.extract()
    return _smallest_box_of_runs(segments.boxes, kept_before)


def _drop_boxes_without_runs(boxes: list[BlockBox], kept_before: list[int]) -> set[int]:
    """Remove the boxes without kept runs; return their indexes and those of inner boxes."""
    dropped: set[int] = set()
    for number, box in enumerate(boxes):
        if box.parent in dropped:
            dropped.add(number)
        elif number and box.first < box.last and kept_before[box.first] == kept_before[box.last]:
            dropped.add(number)
            if box.tag in _CELL_TAGS:
                box.node.clear()
            elif box.tag == "figure":
                _reduce_figure_to_pictures(box.node)
            else:
                box.node.decompose()
    return dropped


def _reduce_figure_to_pictures(figure: Element) -> None:
    """Reduce a figure to its pictures, each with the caption stored in an attribute."""
    pictures = figure.select("img,amp-img")
    for picture in pictures:
        picture.attrs[CAPTION_ATTRIBUTE] = image_caption(picture)
        picture.extract()
    figure.clear()
    figure.extend(pictures)


def _smallest_box_of_runs(boxes: list[BlockBox], kept_before: list[int]) -> Element:
    """Return the innermost box with every kept run; a bare list or row would lose its markup."""
    best = boxes[0]
    # A box that begins after the first kept run does not hold every kept run.
    for box in takewhile(lambda box: kept_before[box.first] == 0, boxes):
        if kept_before[box.last] == kept_before[-1] and box.tag in _ROOT_TAGS:
            best = box
    return best.node


_ROOT_TAGS: Final = frozenset({"article", "body", "div", "main", "section"})


_CONTEXT_BITS: Final = {tag: 1 << bit for bit, tag in enumerate(CONTEXTS)}
_LINK_BIT: Final = _CONTEXT_BITS["a"]
# Code, indices and formulas get no extra blanks.
_EXACT_TAGS: Final = frozenset({"code", "kbd", "pre", "samp", "sub", "sup", "var"})
# Nor does a name with a number after an italic part.
_ITALIC_TAGS: Final = frozenset({"em", "i"})
_MAX_SHORT_CELL_CHARS: Final = 150
_MAX_NESTED_TABLES: Final = 4
# What the walk does at an element; others only hold text.
_BOX, _TABLE, _CODE, _CELL, _INLINE_CELL, _LINK, _EXACT, _BREAK, _IMAGE, _TIME = range(1, 11)
_ENDING_ROLES: Final = frozenset({_LINK, _EXACT})
_TAG_ROLES: Final = {
    **dict.fromkeys(BLOCKS, _BOX),
    **dict.fromkeys(_EXACT_TAGS, _EXACT),
    **dict.fromkeys(("td", "th"), _CELL),
    "table": _TABLE, "pre": _CODE, "a": _LINK, "br": _BREAK, "img": _IMAGE, "time": _TIME,
}  # fmt: skip


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
        # The item that was judged last, and whether only style sets its parts apart.
        self.last_item: Element | None = None
        self.is_last_item_set = False
        self._first = 0
        self._linked = 0
        # The names of boxes with this tag and these classes, their mask and the bit of the tag.
        self._makes: dict[tuple[str, str], tuple[str, int, int]] = {}
        # Few boxes have an id or a role; one select is faster than a lookup per box.
        self._named = frozenset(body.select("[id],[role]"))

    def start_element(self, node: Element, role: int) -> int:
        """Begin an element that is no box; return the role in which it ends, or none."""
        if role == _LINK:
            self.link_starts.append(len(self.parts))
        elif role == _EXACT:
            self.exact += 1
        elif role == _BREAK:
            self.parts.append("\n")
        elif role == _CELL:
            is_box = self.tables >= _MAX_NESTED_TABLES or len(node.text) > _MAX_SHORT_CELL_CHARS
            return self.add_box(node, _BOX) if is_box and not self.cells else self._add_cell()
        else:
            (self.images if role == _IMAGE else self.times).append(len(self.runs))
        return role if role in _ENDING_ROLES else 0

    def _add_cell(self) -> int:
        self.parts.append(" ")
        self.cells += 1
        return _INLINE_CELL

    def end_element(self, role: int) -> None:
        """End an element that was begun in this role."""
        if role <= _CODE:
            if self.parts:
                self.end_run()
            self.boxes[self.path.pop()].last = len(self.runs)
            if role != _BOX:
                self.tables -= role == _TABLE
                self.exact -= role == _CODE
        elif role == _LINK:
            self.count_linked_text()
            self.link_starts.pop()
        elif role == _EXACT:
            self.exact -= 1
        else:
            self.parts.append(" ")
            self.cells -= 1

    def count_linked_text(self) -> None:
        """Count the text since the start of the current link as linked."""
        self._linked += sum(map(len, self.parts[self.link_starts[-1] :]))

    def add_box(self, node: Element, role: int) -> int:
        """Begin a box inside the one that is open; inside a short cell there are no boxes."""
        if self.cells:
            return self._add_cell()
        if self.parts:
            self.end_run()
        above = self.path[-1]
        parent = self.boxes[above]
        tag, classes = node.tag, node.attr("class") or ""
        make = self._makes.get((tag, classes))
        if make is None:
            make = f"{tag} {classes}", name_mask(classes), _CONTEXT_BITS.get(tag, 0)
            self._makes[tag, classes] = make
        names, own_mask, context_bit = make
        if node in self._named:
            own_mask |= name_mask(node.attr("id") or "") | name_mask(node.attr("role") or "")
        context = parent.context | context_bit | (_LINK_BIT if self.link_starts else 0)
        start = len(self.runs)
        self.path.append(len(self.boxes))
        self.boxes.append(
            BlockBox(
                above,
                start,
                start,
                node,
                tag,
                names,
                own_mask,
                parent.above | own_mask,
                context,
                parent.depth + 1,
            )
        )
        if role != _BOX:
            self.tables += role == _TABLE
            self.exact += role == _CODE
        return role

    def end_run(self) -> None:
        """Add the gathered text as a run, unless it is blank."""
        if self.link_starts:
            self.count_linked_text()
            self.link_starts[:] = [0] * len(self.link_starts)
        if words := "".join(self.parts).split():
            self._add_run(words)
        self.parts.clear()
        self._linked = 0
        self._first = len(self.texts)

    def _add_run(self, words: list[str]) -> None:
        if len(self.runs) >= MAX_RUNS:
            raise TooManyBlocksError
        text = " ".join(words)
        box = self.path[-1]
        linked = min(self._linked, len(text))
        count = estimate_words(words, text)
        tag = self.boxes[box].tag
        self.runs.append(TextRun(text, count, linked, box, tag, self._first, len(self.texts)))


def estimate_words(words: list[str], text: str) -> int:
    """Estimate the length of a run: by blanks, or by characters in a script without blanks.

    The model was trained with it; what is left out is counted by ``ports.words``.

    >>> estimate_words(["two", "words"], "two words")
    2
    >>> estimate_words(["一二三四五六" * 3], "一二三四五六" * 3)
    6
    """
    return len(text) // 3 if len(words) * 14 < len(text) and not text.isascii() else len(words)


def segment_page(body: Element) -> PageSegments:
    """Cut ``body`` into runs and boxes, or raise ``TooManyBlocksError``."""
    builder = SegmentBuilder(body)
    parts, texts, links = builder.parts, builder.texts, builder.link_starts
    open_elements = [body]
    open_roles = [_BOX]
    remaining_nodes = MAX_NODES
    for node in body.descendants:
        parent = node.parent
        while open_elements[-1] is not parent:
            open_elements.pop()
            if role := open_roles.pop():
                builder.end_element(role)
        # Neither type has subtypes, and this test takes less time than ``isinstance``.
        if type(node) is Text:
            text = node.data
            # Only texts with letters, digits or prices need a blank; most texts are just blanks.
            if (
                text >= "$"
                and parts
                and (is_word_gap(parts[-1], text) or _is_item_gap(parts[-1], text, builder, node))
                and _may_add_run_blank(builder, text)
            ):
                text = node.data = f" {text}"
            # Leading blanks of a run matter only inside a link, whose length is counted.
            if parts or links or not text.isspace():
                parts.append(text)
                texts.append(node)
        elif type(node) is Element:
            remaining_nodes -= 1
            if remaining_nodes < 0:
                raise TooManyBlocksError
            open_elements.append(node)
            role = _TAG_ROLES.get(node.tag, 0)
            if role > _CODE:
                role = builder.start_element(node, role)
            elif role:
                role = builder.add_box(node, role)
            open_roles.append(role)
    for role in filter(None, reversed(open_roles)):
        builder.end_element(role)
    runs, boxes = builder.runs, builder.boxes
    makes: dict[tuple[str, str, int], list[int]] = {}
    for index, run in enumerate(runs):
        box = boxes[run.box]
        above = boxes[max(box.parent, 0)]
        makes.setdefault((box.names, above.names, box.depth), []).append(index)
    return PageSegments(runs, boxes, texts, builder.images, builder.times, list(makes.values()))


def _may_add_run_blank(builder: SegmentBuilder, text: str) -> bool:
    """Tell whether the last text and the open element allow an extra blank."""
    above = builder.texts[-1].parent if builder.texts else None
    tag = above.tag if isinstance(above, Element) else ""
    exact = tag in _EXACT_TAGS or (tag in _ITALIC_TAGS and text[0].isdigit())
    return not exact and not builder.exact


# Running text is set in paragraphs and headings; there, a tag may begin inside a word.
_RUNNING_TEXT_TAGS: Final = HEADINGS | {"body", "blockquote", "p", "pre"}
_MAX_ITEM_PARTS: Final = 12


def _is_item_gap(before: str, after: str, builder: SegmentBuilder, node: Text) -> bool:
    """Tell whether two texts are parts of an item that consists of elements without blanks.

    The page sets them apart by style: ``<li><span>2</span><span>spoons</span>``. In ``2<span>nd``
    a part is loose text; where a blank stands between other parts, the page sets its own.
    """
    last = before[-1:]
    # A single letter may be a drop cap, or one of a word whose letters are set apart.
    is_letter = len(before) == 1 and not last.isdigit()
    if not (last.isalnum() and after[0].isalnum()) or is_letter:
        return False
    item, part = _block_and_part(node)
    previous_item, previous_part = _block_and_part(builder.texts[-1])
    if item is None or item is not previous_item or part is previous_part:
        return False
    if item is not builder.last_item:
        # Judge an item once: the blanks that it gets are none of its own.
        builder.last_item = item
        is_set = item.tag not in _RUNNING_TEXT_TAGS and _has_only_joined_elements(item)
        builder.is_last_item_set = is_set
    return builder.is_last_item_set


def _block_and_part(node: Text) -> tuple[Element | None, Node]:
    """Return the block around a text, and its child that holds the text."""
    part: Node = node
    above = node.parent
    while isinstance(above, Element) and above.tag not in BLOCKS:
        part, above = above, above.parent
    return above if isinstance(above, Element) else None, part


def _has_only_joined_elements(item: Element) -> bool:
    children = list(islice(item.children, _MAX_ITEM_PARTS + 1))
    inner = [child for child in children if isinstance(child, Element) and child.text]
    texts = [child.text for child in inner]
    return (
        len(children) <= _MAX_ITEM_PARTS
        and len(inner) == len(children)
        and not any(text[0].isspace() or text[-1].isspace() for text in texts)
    )
