"""What tells the cards of a shop or a list from each other, and from what stands around them."""

from itertools import accumulate
from math import log1p
from typing import Final, TypeAlias

from ..blocks import Box, Cut, Run
from ..metadata import Head
from .cues import BUYING, BYLINES
from .repeats import Repeats
from .signs import Signs

NAMES: Final = (
    "price", "prices_near", "prices_before", "named", "slot", "slots", "member_place",
    "group_rank", "group_prices", "bylines_before", "dates_before", "from_buying",
)  # fmt: skip
_REACH: Final = 4
_MOST: Final = 20.0
_NAME_LENGTH: Final = 200
_BUYING_WORDS: Final = 6
_BYLINE: Final = 12

# Where a run's nearest group stands: first run and runs of its member, place of that, rank, prices.
_Card: TypeAlias = tuple[int, int, float, float, float]
_NO_CARD: Final[_Card] = (-1, 0, -1.0, -1.0, -1.0)


def card_columns(
    cut: Cut, head: Head, signs: Signs, repeats: Repeats, title: int
) -> tuple[list[float], ...]:
    """Return a column of all runs for each of ``NAMES``; ``title`` is the run of the title."""
    runs = cut.runs
    count = len(runs)
    prices = [0, *accumulate(signs.prices)]
    cards = _cards(cut.boxes, repeats, prices)
    own = [cards[run.box] for run in runs]
    near = [(max(place - _REACH, 0), min(place + _REACH + 1, count)) for place in range(count)]
    return (
        list(map(float, signs.prices)),
        [(prices[end] - prices[start]) / (end - start) for start, end in near],
        [log1p(before) for before in prices[:-1]],
        _named(runs, _names(head)),
        [min(float(place - card[0]), _MOST) if card[1] else -1.0 for place, card in enumerate(own)],
        [min(float(card[1]), _MOST) for card in own],
        [card[2] for card in own],
        [card[3] for card in own],
        [card[4] for card in own],
        _since([run.text[:_BYLINE].lower().startswith(BYLINES) for run in runs], title),
        _since(signs.dates, title),
        _from_buying(runs),
    )


def _names(head: Head) -> frozenset[str]:
    """Return the names of the things that the page's linked data tells of."""
    names = [thing.get("name") for thing in head.things]
    return frozenset(name.lower()[:_NAME_LENGTH] for name in names if isinstance(name, str))


def _named(runs: list[Run], names: frozenset[str]) -> list[float]:
    if not names:
        return [0.0] * len(runs)
    return [float(run.text[:_NAME_LENGTH].lower() in names) for run in runs]


def _cards(boxes: list[Box], repeats: Repeats, prices: list[int]) -> list[_Card]:
    """Return the card that each box is in: a member of the nearest group around it."""
    ranked = sorted(repeats.groups, key=lambda key: -repeats.groups[key][2])
    ranks = {key: min(float(rank), _MOST) for rank, key in enumerate(ranked)}
    shares = {
        key: sum(prices[box.last] > prices[box.first] for box in members) / len(members)
        for key, members in repeats.members.items()
    }
    seen: dict[tuple[int, str], int] = {}
    cards: list[_Card] = []
    for box in boxes:
        key = (box.parent, box.names)
        rank = ranks.get(key)
        if rank is None:
            cards.append(cards[box.parent] if box.parent >= 0 else _NO_CARD)
            continue
        place = seen[key] = seen.get(key, -1) + 1
        share = place / len(repeats.members[key])
        cards.append((box.first, box.last - box.first, share, rank, shares[key]))
    return cards


def _since(marks: list[int] | list[bool], start: int) -> list[float]:
    """Count the marks after ``start`` and before each run."""
    counted = [0] * (start + 1) + list(accumulate(marks[start:]))
    return [min(float(count), _MOST) for count in counted[: len(marks)]]


def _from_buying(runs: list[Run]) -> list[float]:
    """Return how far behind the first button to buy each run stands; 0 before it, -1 for none."""
    first = next(
        (
            place
            for place, run in enumerate(runs)
            if run.words <= _BUYING_WORDS and run.text.lower().startswith(BUYING)
        ),
        None,
    )
    if first is None:
        return [-1.0] * len(runs)
    return [log1p(max(place - first, 0)) for place in range(len(runs))]
