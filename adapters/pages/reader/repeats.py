"""Repeated structure: posts, cards and rows are boxes that look alike.

Two boxes are twins when they have the same tag and classes; siblings when they also share a
parent. Forums, listings and collections are made of twins, articles are not.
"""

from math import log1p
from typing import Final, TypeAlias

import msgspec

from .blocks import Box
from .tallies import Tallies

# How many (log), words per member (log), share of the page's words, link share, share of longs.
GroupFacts: TypeAlias = tuple[float, float, float, float, float]

_ALONE: Final[GroupFacts] = (0.0, 0.0, 0.0, 0.0, 0.0)
_ENOUGH: Final = 3


class Repeats(msgspec.Struct, frozen=True, gc=False):
    """What is repeated around each box, by box number."""

    siblings: list[float]
    twins: list[float]
    nearest: list[GroupFacts]
    steps: list[float]
    largest: list[GroupFacts]
    widest: list[GroupFacts]
    groups: dict[tuple[int, str], GroupFacts]


def find_repeats(boxes: list[Box], tallies: Tallies) -> Repeats:
    """Find the groups of siblings and twins, and which group each box stands in."""
    by_sibling: dict[tuple[int, str], list[Box]] = {}
    by_twin: dict[str, list[Box]] = {}
    for box in boxes:
        by_sibling.setdefault((box.parent, box.names), []).append(box)
        by_twin.setdefault(box.names, []).append(box)
    groups = {
        key: _measure(members, tallies)
        for key, members in by_sibling.items()
        if len(members) >= _ENOUGH
    }
    kinds = {
        key: _measure(members, tallies)
        for key, members in by_twin.items()
        if len(members) >= _ENOUGH
    }
    nearest, steps, largest = _inherit(boxes, groups)
    return Repeats(
        siblings=[float(len(by_sibling[box.parent, box.names])) for box in boxes],
        twins=[float(len(by_twin[box.names])) for box in boxes],
        nearest=nearest,
        steps=steps,
        largest=largest,
        widest=_widest(boxes, kinds),
        groups=groups,
    )


def _measure(members: list[Box], tallies: Tallies) -> GroupFacts:
    words = chars = linked = longs = 0
    for box in members:
        first, last = box.first, box.last
        words += tallies.words[last] - tallies.words[first]
        chars += tallies.chars[last] - tallies.chars[first]
        linked += tallies.linked[last] - tallies.linked[first]
        longs += tallies.longs[last] - tallies.longs[first]
    return (
        log1p(len(members)),
        log1p(words / len(members)),
        words / tallies.total_words,
        linked / (chars or 1),
        longs / tallies.total_longs,
    )


def _inherit(
    boxes: list[Box], groups: dict[tuple[int, str], GroupFacts]
) -> tuple[list[GroupFacts], list[float], list[GroupFacts]]:
    """Give each box its nearest group, the steps up to it, and the largest group above it."""
    nearest: list[GroupFacts] = []
    steps: list[float] = []
    largest: list[GroupFacts] = []
    for box in boxes:
        above = box.parent
        facts = groups.get((above, box.names))
        over = largest[above] if above >= 0 else _ALONE
        if facts is not None:
            nearest.append(facts)
            steps.append(0.0)
            largest.append(facts if facts[2] > over[2] else over)
        else:
            nearest.append(nearest[above] if above >= 0 else _ALONE)
            steps.append(steps[above] + 1 if above >= 0 else 0.0)
            largest.append(over)
    return nearest, steps, largest


def _widest(boxes: list[Box], kinds: dict[str, GroupFacts]) -> list[GroupFacts]:
    widest: list[GroupFacts] = []
    for box in boxes:
        over = widest[box.parent] if box.parent >= 0 else _ALONE
        facts = kinds.get(box.names, _ALONE)
        widest.append(facts if facts[2] > over[2] else over)
    return widest
