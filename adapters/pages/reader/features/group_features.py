"""What the members of a repeated group have: pictures, dates, like sizes."""

from itertools import accumulate
from typing import Final, TypeAlias

import msgspec

from ..page_segments import BlockBox, PageSegments
from .repeats import Repeats, Tallies
from .signs import SectionSigns

# Share of the members with a picture, and with a date; spread of sizes.
KinFacts: TypeAlias = tuple[float, float, float]
_NONE: Final[KinFacts] = (-1.0, -1.0, -1.0)


class RunSums(msgspec.Struct, frozen=True, gc=False):
    """How many of each there are before a run: ``dates[j] - dates[i]`` is what is in between."""

    images: list[int]
    times: list[int]
    dates: list[int]


def sum_runs(segments: PageSegments, signs: SectionSigns) -> RunSums:
    """Sum up what was seen on the runs of a page."""
    count = len(segments.runs)
    return RunSums(
        images=_places_before(segments.images, count),
        times=_places_before(segments.times, count),
        dates=[0, *accumulate(signs.dates)],
    )


def _places_before(places: list[int], count: int) -> list[int]:
    """Count the places before each run.

    >>> _places_before([0, 2, 2], 3)
    [0, 1, 1, 3]
    """
    marks = [0] * (count + 2)
    for place in places:
        marks[place + 1] += 1
    return list(accumulate(marks[:-1]))


def group_facts(repeats: Repeats, tallies: Tallies, sums: RunSums) -> list[KinFacts]:
    """Return the facts of every repeated group."""
    return [_NONE, *[_facts(members, tallies, sums) for members in repeats.members[1:]]]


def _facts(members: list[BlockBox], tallies: Tallies, sums: RunSums) -> KinFacts:
    images = times = words = squares = 0
    for box in members:
        first, last = box.first, box.last
        images += sums.images[last] > sums.images[first]
        times += sums.dates[last] > sums.dates[first] or sums.times[last] > sums.times[first]
        size = tallies.words[last] - tallies.words[first]
        words += size
        squares += size * size
    count = len(members)
    mean = words / count
    spread = max(squares / count - mean * mean, 0.0) ** 0.5 / (mean + 1)
    return images / count, times / count, spread
