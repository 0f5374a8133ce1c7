"""Take out of the tree what was not chosen, and return the part that holds the rest."""

from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import Final

from turbohtml import Element

from .page_segments import BlockBox, PageSegments
from .rendering.images import CAPTION, image_caption

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
