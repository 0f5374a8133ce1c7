"""What tells the cards of a shop or a list from what stands around them."""

from collections.abc import Sequence
from itertools import accumulate
from math import log1p
from typing import Final

import msgspec

from ..page_segments import TextRun
from .cues import BUYING, BYLINES
from .signs import SectionSigns

NAMES: Final = ("prices_before", "bylines_before", "dates_before", "from_buying")
_MAX_COUNT: Final = 20.0
_BUYING_WORDS: Final = 6
_BYLINE: Final = 12


# What these begin with: most runs begin otherwise.
_BUYING_STARTS: Final = frozenset(phrase[:2] for phrase in BUYING)
_BYLINE_STARTS: Final = frozenset(phrase[:2] for phrase in BYLINES)


class Cards(msgspec.Struct, frozen=True, gc=False):
    """How many prices, bylines and dates stand before each run; the first button to buy."""

    prices: list[int]
    bylines: list[int]
    dates: list[int]
    buying: int | None

    def columns(self, places: Sequence[int]) -> tuple[list[float], ...]:
        """Return a column of these runs for each of ``NAMES``."""
        buying = self.buying
        return (
            [log1p(self.prices[place]) for place in places],
            [min(float(self.bylines[place]), _MAX_COUNT) for place in places],
            [min(float(self.dates[place]), _MAX_COUNT) for place in places],
            [-1.0] * len(places)
            if buying is None
            else [log1p(max(place - buying, 0)) for place in places],
        )


def find_cards(runs: list[TextRun], signs: SectionSigns, title: int) -> Cards:
    """Look for what cards have; ``title`` is the run of the title."""
    bylines = [_is_byline(run.text[:_BYLINE].lower()) for run in runs]
    return Cards(
        prices=[0, *accumulate(signs.prices)],
        bylines=_since(bylines, title),
        dates=_since(signs.dates, title),
        buying=_first_button(runs, signs.starts),
    )


def _is_byline(start: str) -> bool:
    return start[:2] in _BYLINE_STARTS and start.startswith(BYLINES)


def _since(marks: list[int] | list[bool], start: int) -> list[int]:
    """Count the marks after ``start`` and before each run."""
    return [0] * (start + 1) + list(accumulate(marks[start:]))


def _first_button(runs: list[TextRun], starts: list[str]) -> int | None:
    for place, start in enumerate(starts):
        if (
            start[:2] in _BUYING_STARTS
            and start.startswith(BUYING)
            and runs[place].words <= _BUYING_WORDS
        ):
            return place
    return None
