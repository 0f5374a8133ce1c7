"""What belongs to the body of an article and does not look like its text: code and quotations."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from .blocks import Cut

# More than so many runs between kept ones are another part of the page.
_GAP: Final = 6
_LEAST: Final = 0.1
_QUOTED: Final = frozenset({"blockquote", "pre"})
# A quotation that is a link leads to another page.
_MOSTLY: Final = 0.5


def keep_quoted(cut: Cut, likely: Sequence[float], kept: list[bool]) -> None:
    """Keep code and quotations between kept parts of an article, unless they are most unlikely."""
    places = [place for place, keep in enumerate(kept) if keep]
    for before, after in pairwise(places):
        if 1 < after - before <= _GAP + 1:
            for place in range(before + 1, after):
                kept[place] = likely[place] >= _LEAST and _is_quoted(cut, place)


def _is_quoted(cut: Cut, place: int) -> bool:
    run = cut.runs[place]
    box = run.box if run.linked <= _MOSTLY * len(run.text) else -1
    while box >= 0 and cut.boxes[box].tag not in _QUOTED:
        box = cut.boxes[box].parent
    return box >= 0
