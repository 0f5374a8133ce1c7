"""Two places that the rest of a page is seen from: the likeliest body, and the title's heading."""

from collections.abc import Sequence
from math import log1p
from typing import Final

import msgspec

from ..page_segments import BlockBox, TextRun
from .repeats import Tallies
from .signs import HEADINGS
from .word_splitting import split_words

_MAX_COUNTED_WORDS: Final = 150
_UPWARDS: Final = 0.5
_LIKE_TITLE: Final = 0.4


class Anchor(msgspec.Struct, frozen=True, gc=False):
    """A range of runs, its box, and the way up: where another box parts from it, and how far."""

    first: int
    last: int
    box: int
    path: dict[int, float]

    def distances(self, places: Sequence[int]) -> list[float]:
        """Return how far before (negative) or after the range each run stands, as logarithms."""
        first, last = self.first, self.last
        return [
            -log1p(first - place) if place < first
            else log1p(place - last + 1) if place >= last
            else 0.0
            for place in places
        ]  # fmt: skip


def likeliest_body(runs: list[TextRun], boxes: list[BlockBox], tallies: Tallies) -> Anchor:
    """Return the box with the most running text right inside it; the page where there is none.

    Each long loose run counts for its parent, and half for the box above that.
    """
    weights: dict[int, float] = {}
    for run, is_long, share in zip(runs, tallies.is_long, tallies.shares, strict=True):
        if is_long:
            weight = min(run.words, _MAX_COUNTED_WORDS) * (1 - share)
            parent = max(boxes[run.box].parent, 0)
            weights[parent] = weights.get(parent, 0.0) + weight
            above = boxes[parent].parent
            if above >= 0:
                weights[above] = weights.get(above, 0.0) + _UPWARDS * weight
    best = max(weights, key=weights.__getitem__, default=0)
    return Anchor(boxes[best].first, boxes[best].last, best, _path(boxes, best))


def title_heading(runs: list[TextRun], boxes: list[BlockBox], titles: frozenset[str]) -> Anchor:
    """Return the heading most like the page's title, the first ``h1``, or else the page's start."""
    best, place = 0.0, -1
    for number, run in enumerate(runs):
        if run.tag in HEADINGS:
            words = frozenset(split_words(run.text))
            likeness = len(words & titles) / len(words)
            # Among equals the longer one: "News" is also a word of the title.
            likeness *= min(len(words), 5) / 5
            if likeness > best:
                best, place = likeness, number
    if best < _LIKE_TITLE:
        place = next((number for number, run in enumerate(runs) if run.tag == "h1"), -1)
    box = runs[place].box if place >= 0 else 0
    return Anchor(max(place, 0), place + 1, box, _path(boxes, box))


def _path(boxes: list[BlockBox], number: int) -> dict[int, float]:
    """Return the box and every one above it, each with the steps up to it."""
    path: dict[int, float] = {}
    steps = 0.0
    while number >= 0:
        path[number] = steps
        steps += 1.0
        number = boxes[number].parent
    return path
