"""A page cut into runs of text, and the boxes that hold the runs.

A run is the text between two block borders; a box is a block element. A table row of short cells
is one run, because its cells only make sense together.
"""

from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import Final

import msgspec
from turbohtml import Element, Text

from .rendering.images import CAPTION, image_caption

# What a page may cost: past these the page is taken whole, see ``whole`` in the package.
MAX_NODES: Final = 120_000
MAX_RUNS: Final = 8_000
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


class TextRun(msgspec.Struct, gc=False):
    """One run of text: what it says, how much of it is link, its box, its range of text nodes."""

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

    ``images`` and ``times`` are the runs that pictures and dates marked as such stand before;
    ``makes`` are the runs by their make: those whose boxes, and the boxes around, are named alike.
    """

    runs: list[TextRun]
    boxes: list[BlockBox]
    texts: list[Text]
    images: list[int]
    times: list[int]
    makes: list[list[int]]


class TooManyBlocksError(Exception):
    """Raised inside this package when a page is too large to look at block by block."""


# Take out of the tree what was not chosen, and return the part that holds the rest.

# A cell that is taken out would move its neighbours into another column.
_CELLS: Final = frozenset({"td", "th"})


def prune_to_runs(segments: PageSegments, kept: Sequence[bool]) -> Element:
    """Prune the tree in place to the kept runs; return the smallest box with all of them."""
    before = [0, *accumulate(kept)]
    dropped = _drop_boxes(segments.boxes, before)
    for run, keep in zip(segments.runs, kept, strict=True):
        if not keep and run.box not in dropped:
            for node in segments.texts[run.first : run.last]:
                node.extract()
    return _smallest(segments.boxes, before)


def _drop_boxes(boxes: list[BlockBox], before: list[int]) -> set[int]:
    """Take out the boxes that hold nothing that is kept; return them and those inside."""
    dropped: set[int] = set()
    for number, box in enumerate(boxes):
        if box.parent in dropped:
            dropped.add(number)
        elif number and box.first < box.last and before[box.first] == before[box.last]:
            dropped.add(number)
            if box.tag in _CELLS:
                box.node.clear()
            elif box.tag == "figure":
                _leave_pictures(box.node)
            else:
                box.node.decompose()
    return dropped


def _leave_pictures(figure: Element) -> None:
    """Take out the words of a figure; its pictures are told of beside the text, with them."""
    pictures = figure.select("img,amp-img")
    for picture in pictures:
        picture.attrs[CAPTION] = image_caption(picture)
        picture.extract()
    figure.clear()
    figure.extend(pictures)


def _smallest(boxes: list[BlockBox], before: list[int]) -> Element:
    """Return the innermost box with every kept run; a list or a row alone would lose its marks."""
    best = boxes[0]
    # Those that begin after the first kept run are none.
    for box in takewhile(lambda box: before[box.first] == 0, boxes):
        if before[box.last] == before[-1] and box.tag in _ROOTS:
            best = box
    return best.node


_ROOTS: Final = frozenset({"article", "body", "div", "main", "section"})
