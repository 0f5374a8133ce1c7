"""A page cut into runs of text, and the boxes that hold the runs.

A run is the text between two block borders; a box is a block element. A table row of short cells
is one run, because its cells only make sense together.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Final

import msgspec
from turbohtml import Element, Text

from .rendering.images import CAPTION_ATTRIBUTE, image_caption

# A page beyond these limits is rendered whole.
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


def ancestor_boxes(boxes: list[BlockBox], number: int) -> Iterator[BlockBox]:
    """Yield the boxes around a box, the innermost first."""
    while (number := boxes[number].parent) >= 0:
        yield boxes[number]


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
