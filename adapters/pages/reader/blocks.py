"""Cut a parsed page into runs of text, and the boxes that hold the runs.

A run is the text between two block borders; a box is a block element. A table row of short cells
is one run, because its cells only make sense together.
"""

from typing import Final

import msgspec
from turbohtml import Element, Text

from .features.vocabulary import name_mask

# What a page may cost: past these the page is taken whole, see ``whole`` in the package.
MOST_NODES: Final = 120_000
MOST_RUNS: Final = 8_000

_BLOCK_TAGS: Final = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html label legend "
    "li main menu nav ol optgroup option p pre section summary table tbody td tfoot th thead tr "
    "ul"
)
BLOCKS: Final = frozenset(_BLOCK_TAGS.split())
_CONTEXT_TAGS: Final = (
    "article main section header footer nav aside form ul ol table figure details blockquote dl "
    "button label a"
)
CONTEXTS: Final = tuple(_CONTEXT_TAGS.split())
_CONTEXT: Final = {tag: 1 << place for place, tag in enumerate(CONTEXTS)}
_LINKED: Final = _CONTEXT["a"]
_MARKS: Final = frozenset({"br", "img", "time"})
# Code, indices and formulas are written without blanks.
_EXACT: Final = frozenset({"code", "kbd", "pre", "samp", "sub", "sup", "var"})
_SHORT_CELL: Final = 150
_DEEP_TABLES: Final = 4
_INLINE, _BOX, _CELL, _LINK, _VERBATIM = range(5)


class Run(msgspec.Struct, gc=False):
    """One run of text: what it says, how much of it is link, its box, its range of text nodes."""

    text: str
    words: int
    linked: int
    box: int
    tag: str
    first: int
    last: int


class Box(msgspec.Struct, gc=False):
    """One block element and the half-open range of runs inside it."""

    parent: int
    first: int
    last: int
    node: Element
    tag: str
    names: str
    own: int
    above: int
    near: int
    context: int
    depth: int


class Cut(msgspec.Struct, frozen=True):
    """A page as runs, boxes and text nodes, in document order; box 0 is the body.

    ``images`` and ``times`` are the runs that pictures and dates marked as such stand before.
    """

    runs: list[Run]
    boxes: list[Box]
    texts: list[Text]
    images: list[int]
    times: list[int]


class TooManyBlocksError(Exception):
    """Raised inside this package when a page is too large to look at block by block."""


def cut(body: Element) -> Cut:
    """Cut ``body`` into runs and boxes, or raise ``TooManyBlocksError``."""
    cutter = _Cutter(body)
    opened, parts, texts = cutter.opened, cutter.parts, cutter.texts
    for node in body.descendants:
        parent = node.parent
        while opened[-1] is not parent:
            cutter.close()
        if isinstance(node, Text):
            text = node.data
            if parts and text and _run_together(parts[-1], text) and cutter.is_loose():
                text = node.data = f" {text}"
            parts.append(text)
            texts.append(node)
        elif isinstance(node, Element):
            cutter.enter(node)
    cutter.finish()
    return Cut(cutter.runs, cutter.boxes, texts, cutter.images, cutter.times)


def _run_together(before: str, after: str) -> bool:
    """Tell whether two texts with a tag between them are words apart, as style sheets show them.

    >>> _run_together("The North", "Star"), _run_together("T", "HE"), _run_together("un", "til")
    (True, False, False)
    """
    last, first = before[-1:], after[0]
    apart = last.isalnum() if first.isupper() else first.isdigit() and last.islower()
    # One letter may be the first of a word, set large.
    return apart and len(before) > 1


class _Cutter:
    """The open elements and the run being gathered."""

    def __init__(self, body: Element) -> None:
        self.runs: list[Run] = []
        self.boxes = [Box(-1, 0, 0, body, "body", "", 0, 0, 0, 0, 0)]
        self.opened: list[Element] = [body]
        self._acts: list[int] = [_BOX]
        self._path = [0]
        self.parts: list[str] = []
        self.texts: list[Text] = []
        self.images: list[int] = []
        self.times: list[int] = []
        self._first = 0
        self._linked = 0
        self._link_starts: list[int] = []
        self._cells = 0
        self._tables = 0
        # How many open elements are written without blanks.
        self._exact = 0
        self._left = MOST_NODES

    def enter(self, node: Element) -> None:
        """Open an element: a box, a short cell, a link, or something inline."""
        tag = node.tag
        self.opened.append(node)
        self._left -= 1
        if self._left < 0:
            raise TooManyBlocksError
        if tag in BLOCKS:
            self._acts.append(self._enter_block(node, tag))
        elif tag == "a":
            self._link_starts.append(len(self.parts))
            self._acts.append(_LINK)
        else:
            if tag in _MARKS:
                self._mark(tag)
            exact = tag in _EXACT
            self._exact += exact
            self._acts.append(_VERBATIM if exact else _INLINE)

    def is_loose(self) -> bool:
        """Tell whether neither the last text nor the open element is written without blanks."""
        above = self.texts[-1].parent if self.texts else None
        exact = isinstance(above, Element) and above.tag in _EXACT
        return not exact and not self._exact

    def _mark(self, tag: str) -> None:
        if tag == "br":
            self.parts.append("\n")
        else:
            (self.images if tag == "img" else self.times).append(len(self.runs))

    def close(self) -> None:
        """Close the innermost open element."""
        self.opened.pop()
        act = self._acts.pop()
        if act == _BOX:
            self._flush()
            box = self.boxes[self._path.pop()]
            box.last = len(self.runs)
            self._tables -= box.tag == "table"
            self._exact -= box.tag == "pre"
        elif act == _VERBATIM:
            self._exact -= 1
        elif act == _LINK:
            self._count_link()
            self._link_starts.pop()
        elif act == _CELL:
            self.parts.append(" ")
            self._cells -= 1

    def _count_link(self) -> None:
        """Count what was gathered since the link began as linked."""
        starts = self._link_starts
        self._linked += sum(map(len, self.parts[starts[-1] :]))
        starts[-1] = len(self.parts)

    def finish(self) -> None:
        """Close everything that is still open."""
        while self.opened:
            self.close()

    def _enter_block(self, node: Element, tag: str) -> int:
        if self._cells or (tag in {"td", "th"} and self._is_short(node)):
            self.parts.append(" ")
            self._cells += 1
            return _CELL
        self._flush()
        self._tables += tag == "table"
        self._exact += tag == "pre"
        self._path.append(self._add_box(node, tag))
        return _BOX

    def _is_short(self, cell: Element) -> bool:
        return self._tables < _DEEP_TABLES and len(cell.text) <= _SHORT_CELL

    def _add_box(self, node: Element, tag: str) -> int:
        boxes = self.boxes
        above = self._path[-1]
        parent = boxes[above]
        names = node.attr("class") or ""
        # One by one: classes come again and again, and are remembered; ids do not.
        own = name_mask(names) if names else 0
        if (identity := node.attr("id")) is not None:
            own |= name_mask(identity)
        if (role := node.attr("role")) is not None:
            own |= name_mask(role)
        grand = boxes[parent.parent] if parent.parent >= 0 else parent
        great = boxes[grand.parent] if grand.parent >= 0 else grand
        context = parent.context | _CONTEXT.get(tag, 0) | (_LINKED if self._link_starts else 0)
        start = len(self.runs)
        near = own | parent.own | grand.own | great.own
        boxes.append(
            Box(
                above, start, start, node, tag, f"{tag} {names}", own,
                parent.above | own, near, context, parent.depth + 1,
            )
        )  # fmt: skip
        return len(boxes) - 1

    def _flush(self) -> None:
        parts = self.parts
        if not parts:
            return
        if self._link_starts:
            self._count_link()
            self._link_starts[:] = [0] * len(self._link_starts)
        text = " ".join("".join(parts).split())
        if text:
            self._add_run(text)
        parts.clear()
        self._first = len(self.texts)
        self._linked = 0

    def _add_run(self, text: str) -> None:
        if len(self.runs) >= MOST_RUNS:
            raise TooManyBlocksError
        box = self._path[-1]
        linked = min(self._linked, len(text))
        words = count_words(text)
        tag = self.boxes[box].tag
        self.runs.append(Run(text, words, linked, box, tag, self._first, len(self.texts)))


def count_words(text: str) -> int:
    """Count words by blanks, or by characters where a script writes none.

    >>> count_words("two words"), count_words("一二三四五六七八九十一二三四五六七八")
    (2, 6)
    """
    words = text.count(" ") + 1
    length = len(text)
    return length // 3 if words * 14 < length and not text.isascii() else words
