"""Repeated structure: posts, cards and rows are boxes that look alike.

Two boxes are twins when they have the same tag and classes; siblings when they also share a
parent. Forums, listings and collections are made of twins, articles are not.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from itertools import accumulate
from math import log1p
from typing import Final, TypeAlias, TypeVar

import msgspec

from ..page_segments import BlockBox, TextRun

MIN_LONG_RUN_WORDS: Final = 15
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


def tally_runs(runs: list[TextRun]) -> Tallies:
    """Sum up the runs of a page."""
    words = [0, *accumulate([run.words for run in runs])]
    chars = [0, *accumulate([len(run.text) for run in runs])]
    linked = [0, *accumulate([run.linked for run in runs])]
    shares = [run.linked / len(run.text) for run in runs]
    is_long = [
        run.words >= MIN_LONG_RUN_WORDS and share < _LOOSE
        for run, share in zip(runs, shares, strict=True)
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


def window_sums(sums: list[int], window_runs: int, run_indexes: Sequence[int]) -> list[int]:
    """Return how much a running sum grows over the runs within reach of each place.

    >>> window_sums([0, 1, 3, 6], 1, [0, 1, 2])
    [3, 6, 5]
    """
    padded = [*[0] * window_runs, *sums, *[sums[-1]] * window_runs]
    width = 2 * window_runs + 1
    return [padded[place + width] - padded[place] for place in run_indexes]


def best_parent_share(runs: list[TextRun], boxes: list[BlockBox], tallies: Tallies) -> float:
    """Return the share of the page's words that are long runs under one single parent box."""
    held: dict[int, int] = {}
    for run, is_long in zip(runs, tallies.is_long, strict=True):
        if is_long:
            parent = boxes[run.box].parent
            held[parent] = held.get(parent, 0) + run.words
    return max(held.values(), default=0) / tallies.total_words


# How many (log), words per member (log), share of the page's words, link share, share of longs.
GroupFacts: TypeAlias = tuple[float, float, float, float, float]
_ALONE: Final[GroupFacts] = (0.0, 0.0, 0.0, 0.0, 0.0)
MIN_GROUP_SIZE: Final = 3
_Key = TypeVar("_Key", bound=Hashable)


class Repeats(msgspec.Struct, frozen=True, gc=False):
    """What is repeated around each box, by box number.

    ``nearest`` is the number of a group of siblings among ``groups`` and ``members``; the first of
    these is what a box has that stands in none.
    """

    siblings: list[float]
    twins: list[float]
    nearest: list[int]
    steps: list[float]
    largest: list[GroupFacts]
    widest: list[GroupFacts]
    groups: list[GroupFacts]
    members: list[list[BlockBox]]


def find_repeats(boxes: list[BlockBox], tallies: Tallies) -> Repeats:
    """Find the groups of siblings and twins, and which group each box stands in."""
    keys = [(box.parent, box.names) for box in boxes]
    names = [box.names for box in boxes]
    siblings, twins = _sizes(keys), _sizes(names)
    members = _members(keys, siblings, boxes)
    groups = [_ALONE, *[_measure(some, tallies) for some in members.values()]]
    numbers = {key: number for number, key in enumerate(members, start=1)}
    kinds = {key: _measure(some, tallies) for key, some in _members(names, twins, boxes).items()}
    nearest, steps, largest = _inherit(keys, siblings, numbers, groups)
    return Repeats(
        siblings=siblings,
        twins=twins,
        nearest=nearest,
        steps=steps,
        largest=largest,
        widest=_widest(boxes, kinds),
        groups=groups,
        members=[[], *members.values()],
    )


def _sizes(keys: Sequence[_Key]) -> list[float]:
    """Return how many there are of each, as the model takes it."""
    counts = Counter(keys)
    return list(map(float, map(counts.__getitem__, keys)))


def _members(
    keys: Sequence[_Key], sizes: list[float], boxes: list[BlockBox]
) -> dict[_Key, list[BlockBox]]:
    """Return the groups that are large enough to be one."""
    members: dict[_Key, list[BlockBox]] = defaultdict(list)
    for key, size, box in zip(keys, sizes, boxes, strict=True):
        if size >= MIN_GROUP_SIZE:
            members[key].append(box)
    return members


def _measure(members: list[BlockBox], tallies: Tallies) -> GroupFacts:
    all_words, all_chars, all_linked = tallies.words, tallies.chars, tallies.linked
    words = chars = linked = longs = 0
    for box in members:
        first, last = box.first, box.last
        if first < last:
            words += all_words[last] - all_words[first]
            chars += all_chars[last] - all_chars[first]
            linked += all_linked[last] - all_linked[first]
            longs += tallies.longs[last] - tallies.longs[first]
    return (
        log1p(len(members)),
        log1p(words / len(members)),
        words / tallies.total_words,
        linked / (chars or 1),
        longs / tallies.total_longs,
    )


def _inherit(
    keys: list[tuple[int, str]],
    sizes: list[float],
    numbers: dict[tuple[int, str], int],
    groups: list[GroupFacts],
) -> tuple[list[int], list[float], list[GroupFacts]]:
    """Give each box its nearest group, the steps up to it, and the largest group above it."""
    # The first box is the body, which has nothing beside it.
    nearest: list[int] = [0]
    steps: list[float] = [0.0]
    largest: list[GroupFacts] = [_ALONE]
    for key, size in zip(keys[1:], sizes[1:], strict=True):
        above = key[0]
        over = largest[above]
        if size < MIN_GROUP_SIZE:
            nearest.append(nearest[above])
            steps.append(steps[above] + 1)
        else:
            number = numbers[key]
            nearest.append(number)
            steps.append(0.0)
            if groups[number][2] > over[2]:
                over = groups[number]
        largest.append(over)
    return nearest, steps, largest


def _widest(boxes: list[BlockBox], kinds: dict[str, GroupFacts]) -> list[GroupFacts]:
    widest: list[GroupFacts] = [_ALONE]
    for box in boxes[1:]:
        over = widest[box.parent]
        facts = kinds.get(box.names, _ALONE)
        widest.append(facts if facts[2] > over[2] else over)
    return widest
