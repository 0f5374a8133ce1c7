"""Running sums over the runs of a page, so that any range of runs is measured in one step."""

from itertools import accumulate
from math import log1p
from typing import Final

import msgspec

from .blocks import Box, Run

LONG_WORDS: Final = 15
_LOOSE: Final = 0.35


class Tallies(msgspec.Struct, frozen=True, gc=False):
    """Sums before each run: ``words[j] - words[i]`` is what the runs ``i`` to ``j`` hold."""

    words: list[int]
    chars: list[int]
    linked: list[int]
    longs: list[int]
    total_words: int
    total_longs: int
    link_share: float
    logs: list[float]
    shares: list[float]
    is_long: list[bool]

    def span(self, first: int, last: int) -> tuple[int, float, float]:
        """Return words, share of linked text and share of the page's long runs in a range."""
        chars = self.chars[last] - self.chars[first]
        return (
            self.words[last] - self.words[first],
            (self.linked[last] - self.linked[first]) / (chars or 1),
            (self.longs[last] - self.longs[first]) / self.total_longs,
        )


def tally(runs: list[Run]) -> Tallies:
    """Sum up the runs of a page."""
    words = [0, *accumulate([run.words for run in runs])]
    chars = [0, *accumulate([len(run.text) for run in runs])]
    linked = [0, *accumulate([run.linked for run in runs])]
    shares = [run.linked / len(run.text) for run in runs]
    is_long = [
        run.words >= LONG_WORDS and share < _LOOSE for run, share in zip(runs, shares, strict=True)
    ]
    longs = [0, *accumulate(is_long)]
    return Tallies(
        words=words,
        chars=chars,
        linked=linked,
        longs=longs,
        total_words=words[-1] or 1,
        total_longs=longs[-1] or 1,
        link_share=linked[-1] / (chars[-1] or 1),
        logs=[log1p(run.words) for run in runs],
        shares=shares,
        is_long=is_long,
    )


def best_parent_share(runs: list[Run], boxes: list[Box], tallies: Tallies) -> float:
    """Return the share of the page's words that are long runs under one single parent box."""
    held: dict[int, int] = {}
    for run, is_long in zip(runs, tallies.is_long, strict=True):
        if is_long:
            parent = boxes[run.box].parent
            held[parent] = held.get(parent, 0) + run.words
    return max(held.values(), default=0) / tallies.total_words
