"""The last heading before a run, and what headings there were up to it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from ..page_segments import TextRun
from .repeats import Tallies
from .signs import HEADINGS

NAMES: Final = ("last_words", "last_runs", "last_level", "high_headings", "linked_headings")
_MAX_DISTANCE_RUNS: Final = 30.0
_MAX_COUNT: Final = 20.0
_LINKED: Final = 0.5
# The words and the level of a heading; how many up to it were high, how many linked.
_Heading: TypeAlias = tuple[float, float, float, float]
_NONE: Final[_Heading] = (-1.0, 0.0, 0.0, 0.0)


class Headings(msgspec.Struct, frozen=True, gc=False):
    """Where the headings of a page stand; ``facts`` begins with what there is before the first."""

    places: list[int]
    facts: list[_Heading]

    def columns(self, places: Sequence[int]) -> Iterator[list[float]]:
        """Yield a column of these runs for each of ``NAMES``."""
        counts = [bisect_left(self.places, place) for place in places]
        facts = [self.facts[count] for count in counts]
        yield [words for words, _, _, _ in facts]
        yield [
            min(float(place - self.places[count - 1]), _MAX_DISTANCE_RUNS)
            if count
            else _MAX_DISTANCE_RUNS
            for place, count in zip(places, counts, strict=True)
        ]
        for part in (1, 2, 3):
            yield [each[part] for each in facts]


def find_headings(runs: list[TextRun], tallies: Tallies) -> Headings:
    """Find the headings of a page."""
    places = [place for place, run in enumerate(runs) if run.tag in HEADINGS]
    facts = [_NONE]
    high = linked = 0.0
    for place in places:
        run = runs[place]
        high = min(high + (run.tag == "h1"), _MAX_COUNT)
        linked = min(linked + (tallies.shares[place] > _LINKED), _MAX_COUNT)
        facts.append((float(run.words), float(run.tag[1]), high, linked))
    return Headings(places, facts)
