"""What tells the cards of a shop or a list from what stands around them."""

from itertools import accumulate
from math import log1p
from typing import Final

from ..blocks import Run
from .cues import BUYING, BYLINES
from .signs import Signs

NAMES: Final = ("prices_before", "bylines_before", "dates_before", "from_buying")
_MOST: Final = 20.0
_BUYING_WORDS: Final = 6
_BYLINE: Final = 12


def card_columns(runs: list[Run], signs: Signs, title: int) -> tuple[list[float], ...]:
    """Return a column of all runs for each of ``NAMES``; ``title`` is the run of the title."""
    prices = [0, *accumulate(signs.prices)]
    return (
        [log1p(before) for before in prices[:-1]],
        _since([run.text[:_BYLINE].lower().startswith(BYLINES) for run in runs], title),
        _since(signs.dates, title),
        _from_buying(runs, signs.starts),
    )


def _since(marks: list[int] | list[bool], start: int) -> list[float]:
    """Count the marks after ``start`` and before each run."""
    counted = [0] * (start + 1) + list(accumulate(marks[start:]))
    return [min(float(count), _MOST) for count in counted[: len(marks)]]


def _from_buying(runs: list[Run], starts: list[str]) -> list[float]:
    """Return how far behind the first button to buy each run stands; 0 before it, -1 for none."""
    first = next(
        (
            place
            for place, start in enumerate(starts)
            if start.startswith(BUYING) and runs[place].words <= _BUYING_WORDS
        ),
        None,
    )
    if first is None:
        return [-1.0] * len(runs)
    return [log1p(max(place - first, 0)) for place in range(len(runs))]
