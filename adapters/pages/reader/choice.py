"""Take out of the tree what was not chosen, and return the part that holds the rest."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from turbohtml import Element

from .blocks import Box, Cut, Run

# A page of a few words has little that could be in the way.
_TINY_PAGE: Final = 60
_SMALL_PAGE: Final = 150
_SMALL_LEAST: Final = 0.15
_LONG_ENOUGH_TO_REPEAT: Final = 8
_WHOLE: Final = frozenset({"dl", "ol", "table", "ul"})
_ITEM_WORDS: Final = 30
_MOST_OF_IT: Final = 0.6
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HEADING_LEAST: Final = 0.12


def choose(cut: Cut, likely: Sequence[float]) -> list[bool]:
    """Return, for each run, whether it is content."""
    words = [run.words for run in cut.runs]
    least = threshold(words, likely)
    if sum(words) <= _SMALL_PAGE:
        least = min(least, _SMALL_LEAST)
    if sum(words) <= _TINY_PAGE:
        least = 0.0
    chosen = [chance >= least for chance in likely]
    _complete(cut.boxes, cut.runs, chosen)
    _add_headings(cut.runs, likely, chosen)
    _drop_copies(cut, chosen)
    return chosen


def threshold(words: Sequence[int], likely: Sequence[float]) -> float:
    """Return the least likelihood to keep, the one with the best F1 to be expected.

    Taking runs from the likeliest down, F1 is expected to be twice the content taken over all that
    is taken plus all content there is.

    >>> threshold([10, 10, 10], [0.9, 0.8, 0.1])
    0.8
    """
    ranked = sorted(zip(likely, words, strict=True), reverse=True)
    content = sum(chance * count for chance, count in ranked)
    best, least, total, good = -1.0, 1.0, 0.0, 0.0
    for chance, count in ranked:
        total += count
        good += chance * count
        if (score := good / (total + content)) > best:
            best, least = score, chance
    return least


def _complete(boxes: list[Box], runs: list[Run], chosen: list[bool]) -> None:
    """Keep the rest of a list or a table when most of it is kept: half of one misleads.

    Only where its items are short and it holds no table; a forum's posts are a list too, and old
    pages are laid out in tables.
    """
    holders = _table_holders(boxes)
    for number, box in enumerate(boxes):
        if box.tag in _WHOLE and box.last - box.first > 1 and number not in holders:
            span = range(box.first, box.last)
            words = sum(runs[place].words for place in span)
            good = sum(runs[place].words for place in span if chosen[place])
            if good >= _MOST_OF_IT * words and words <= _ITEM_WORDS * len(span):
                chosen[box.first : box.last] = [True] * len(span)


def _table_holders(boxes: list[Box]) -> set[int]:
    """Return the boxes with a table somewhere inside."""
    holders: set[int] = set()
    for number in range(len(boxes) - 1, 0, -1):
        if number in holders or boxes[number].tag == "table":
            holders.add(boxes[number].parent)
    return holders


def _add_headings(runs: list[Run], likely: Sequence[float], chosen: list[bool]) -> None:
    """Keep a heading that stands right over something kept, unless it is most unlikely."""
    for place in range(len(runs) - 2, -1, -1):
        if (
            not chosen[place]
            and chosen[place + 1]
            and runs[place].tag in _HEADINGS
            and likely[place] >= _HEADING_LEAST
        ):
            chosen[place] = True


def _drop_copies(cut: Cut, chosen: list[bool]) -> None:
    """Drop what is said a second time: a long run, or the heading over the whole text.

    A line that comes again after others of the same box is no copy: a refrain, a row of a table.
    """
    kept = -1
    headline = ""
    seen: dict[str, int] = {}
    for place, run in enumerate(cut.runs):
        if not chosen[place]:
            continue
        if run.words >= _LONG_ENOUGH_TO_REPEAT and run.text in seen:
            first = seen[run.text]
            chosen[place] = first != kept and _stand_together(cut, first, place)
        elif run.tag in _HEADINGS and headline:
            chosen[place] = run.text.casefold() != headline
        if chosen[place]:
            kept = place
            seen[run.text] = place
            headline = headline or (run.text.casefold() if run.tag == "h1" else "")


def _stand_together(cut: Cut, first: int, second: int) -> bool:
    one, other = cut.boxes[cut.runs[first].box], cut.boxes[cut.runs[second].box]
    return one.parent == other.parent and one.names == other.names


# A cell that is taken out would move its neighbours into another column.
_CELLS: Final = frozenset({"td", "th"})


def keep_only(cut: Cut, chosen: Sequence[bool]) -> Element:
    """Prune the tree in place to the kept runs; return the smallest box with all of them."""
    before = [0, *accumulate(chosen)]
    _drop_boxes(cut.boxes, before)
    for run, keep in zip(cut.runs, chosen, strict=True):
        if not keep:
            for node in cut.texts[run.first : run.last]:
                node.extract()
    return _smallest(cut.boxes, before)


def _drop_boxes(boxes: list[Box], before: list[int]) -> None:
    dropped: set[int] = set()
    for number, box in enumerate(boxes):
        if box.parent in dropped:
            dropped.add(number)
        elif number and box.first < box.last and before[box.first] == before[box.last]:
            dropped.add(number)
            if box.tag in _CELLS:
                box.node.clear()
            else:
                box.node.decompose()


def _smallest(boxes: list[Box], before: list[int]) -> Element:
    """Return the innermost box with every kept run; a list or a row alone would lose its marks."""
    best = boxes[0]
    for box in boxes:
        if before[box.first] == 0 and before[box.last] == before[-1] and box.tag in _ROOTS:
            best = box
    return best.node


_ROOTS: Final = frozenset({"article", "body", "div", "main", "section"})
