"""Find repeated structure: posts, cards and rows are boxes that look alike.

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
_MAX_LINK_SHARE: Final = 0.35
_HEAD_RUNS: Final = 3
_MIN_LEADING_CHARS: Final = 10
_MIN_LEADING_SHARE: Final = 0.2
MIN_GROUP_SIZE: Final = 3


class Tallies(msgspec.Struct, frozen=True, gc=False):
    """Running sums before each run: ``words[j] - words[i]`` is the sum of runs ``i`` to ``j``."""

    words: list[int]
    chars: list[int]
    linked: list[int]
    longs: list[int]
    long_words: list[int]
    total_words: int
    total_longs: int
    link_share: float
    logs: list[float]
    shares: list[float]
    is_long: list[bool]


def tally_runs(runs: list[TextRun]) -> Tallies:
    """Sum up the runs of a page."""
    words = [0, *accumulate([run.words for run in runs])]
    chars = [0, *accumulate([len(run.text) for run in runs])]
    linked = [0, *accumulate([run.linked for run in runs])]
    shares = [run.linked / len(run.text) for run in runs]
    is_long = [
        run.words >= MIN_LONG_RUN_WORDS and share < _MAX_LINK_SHARE
        for run, share in zip(runs, shares, strict=True)
    ]
    longs = [0, *accumulate(is_long)]
    long_words = [run.words if long else 0 for run, long in zip(runs, is_long, strict=True)]
    return Tallies(
        words=words,
        chars=chars,
        linked=linked,
        longs=longs,
        long_words=[0, *accumulate(long_words)],
        total_words=words[-1] or 1,
        total_longs=longs[-1] or 1,
        link_share=linked[-1] / (chars[-1] or 1),
        logs=[log1p(run.words) for run in runs],
        shares=shares,
        is_long=is_long,
    )


def run_windows(window_runs: int, run_indexes: Sequence[int], count: int) -> list[tuple[int, int]]:
    """Return the half-open range of the runs around each run.

    >>> run_windows(1, [0, 1, 2], 3)
    [(0, 2), (0, 3), (1, 3)]
    """
    starts = [0] * window_runs + list(range(count))
    ends = [*range(1, count), *[count] * (window_runs + 1)]
    return [(starts[index], ends[index + window_runs]) for index in run_indexes]


def best_parent_share(runs: list[TextRun], boxes: list[BlockBox], tallies: Tallies) -> float:
    """Return the share of the page's words that are long runs under one single parent box."""
    words_by_parent: dict[int, int] = {}
    for run, is_long in zip(runs, tallies.is_long, strict=True):
        if is_long:
            parent = boxes[run.box].parent
            words_by_parent[parent] = words_by_parent.get(parent, 0) + run.words
    return max(words_by_parent.values(), default=0) / tallies.total_words


def count_marks_before_runs(run_indexes: list[int], count: int) -> list[int]:
    """Count the marks before each run.

    >>> count_marks_before_runs([0, 2, 2], 3)
    [0, 1, 1, 3]
    """
    counts = [0] * (count + 2)
    for index in run_indexes:
        counts[index + 1] += 1
    return list(accumulate(counts[:-1]))


# Shares of a group's members: with a picture, with a date, begun by a link; the spread of sizes.
KinFacts: TypeAlias = tuple[float, float, float, float]
_NO_KIN_FACTS: Final[KinFacts] = (-1.0, -1.0, -1.0, -1.0)


def measure_kin(
    groups: list[list[BlockBox]],
    runs: list[TextRun],
    tallies: Tallies,
    images: list[int],
    dates: list[int],
) -> list[KinFacts]:
    """Return the facts of each group of siblings; the first is for boxes in no group."""
    leads = [
        run.linked >= _MIN_LEADING_CHARS and share >= _MIN_LEADING_SHARE
        for run, share in zip(runs, tallies.shares, strict=True)
    ]
    begun = [0, *accumulate(leads)]
    words = tallies.words

    def measure(members: list[BlockBox]) -> KinFacts:
        pictured = dated = headed = squares = total = 0
        for box in members:
            first, last = box.first, box.last
            pictured += images[last] > images[first]
            dated += dates[last] > dates[first]
            headed += begun[min(first + _HEAD_RUNS, last)] > begun[first]
            size = words[last] - words[first]
            total += size
            squares += size * size
        count = len(members)
        mean = total / count
        spread = max(squares / count - mean * mean, 0.0) ** 0.5 / (mean + 1)
        return pictured / count, dated / count, spread, headed / count

    return [_NO_KIN_FACTS, *map(measure, groups[1:])]


# Members (log), words per member (log), share of the page's words, link share, share of longs.
GroupFacts: TypeAlias = tuple[float, float, float, float, float]
_NO_GROUP: Final[GroupFacts] = (0.0, 0.0, 0.0, 0.0, 0.0)
_Key = TypeVar("_Key", bound=Hashable)


class Repeats(msgspec.Struct, frozen=True, gc=False):
    """Repeated structure around each box, by box number.

    ``nearest`` is the index of a group of siblings in ``groups`` and ``members``; index 0 is for
    boxes in no group.
    """

    siblings: list[float]
    twins: list[float]
    nearest: list[int]
    steps: list[float]
    largest: list[GroupFacts]
    widest: list[GroupFacts]
    groups: list[GroupFacts]
    members: list[list[BlockBox]]


def find_repeated_boxes(boxes: list[BlockBox], tallies: Tallies) -> Repeats:
    """Find the groups of siblings and twins, and the groups of each box."""
    keys = [(box.parent, box.names) for box in boxes]
    names = [box.names for box in boxes]
    siblings, twins = _box_group_sizes(keys), _box_group_sizes(names)
    members = _box_group_members(keys, siblings, boxes)
    groups = [_NO_GROUP, *[_measure_box_group(group, tallies) for group in members.values()]]
    numbers = {key: number for number, key in enumerate(members, start=1)}
    kinds = {
        key: _measure_box_group(group, tallies)
        for key, group in _box_group_members(names, twins, boxes).items()
    }
    nearest, steps, largest = _inherit_box_groups(keys, siblings, numbers, groups)
    return Repeats(
        siblings=siblings,
        twins=twins,
        nearest=nearest,
        steps=steps,
        largest=largest,
        widest=_widest_box_groups(boxes, kinds),
        groups=groups,
        members=[[], *members.values()],
    )


def _box_group_sizes(keys: Sequence[_Key]) -> list[float]:
    """Return the frequency of each key, as floats for the model."""
    counts = Counter(keys)
    return list(map(float, map(counts.__getitem__, keys)))


def _box_group_members(
    keys: Sequence[_Key], sizes: list[float], boxes: list[BlockBox]
) -> dict[_Key, list[BlockBox]]:
    """Return the groups with at least the minimum size."""
    members: dict[_Key, list[BlockBox]] = defaultdict(list)
    for key, size, box in zip(keys, sizes, boxes, strict=True):
        if size >= MIN_GROUP_SIZE:
            members[key].append(box)
    return members


def _measure_box_group(members: list[BlockBox], tallies: Tallies) -> GroupFacts:
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


def _inherit_box_groups(
    keys: list[tuple[int, str]],
    sizes: list[float],
    numbers: dict[tuple[int, str], int],
    groups: list[GroupFacts],
) -> tuple[list[int], list[float], list[GroupFacts]]:
    """Return for each box its nearest group, the steps up to it, and its largest group."""
    # The first box is the body, which has no siblings.
    nearest: list[int] = [0]
    steps: list[float] = [0.0]
    largest: list[GroupFacts] = [_NO_GROUP]
    for key, size in zip(keys[1:], sizes[1:], strict=True):
        parent = key[0]
        largest_above = largest[parent]
        if size < MIN_GROUP_SIZE:
            nearest.append(nearest[parent])
            steps.append(steps[parent] + 1)
        else:
            number = numbers[key]
            nearest.append(number)
            steps.append(0.0)
            if groups[number][2] > largest_above[2]:
                largest_above = groups[number]
        largest.append(largest_above)
    return nearest, steps, largest


def _widest_box_groups(boxes: list[BlockBox], kinds: dict[str, GroupFacts]) -> list[GroupFacts]:
    widest: list[GroupFacts] = [_NO_GROUP]
    for box in boxes[1:]:
        widest_above = widest[box.parent]
        facts = kinds.get(box.names, _NO_GROUP)
        widest.append(facts if facts[2] > widest_above[2] else widest_above)
    return widest
