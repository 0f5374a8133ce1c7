"""Routes compared on the same questions, with intervals and exact tests; nothing is drawn."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType

from ...ports.bench import (
    BenchQuestion,
    BenchReply,
    Estimate,
    Pairing,
    Recording,
    RouteScore,
)
from .measures import answer_found, hit, ndcg

Measure = Callable[[BenchQuestion, BenchReply, int], float | None]
MEASURES: Mapping[str, Measure] = MappingProxyType(
    {"hit": hit, "ndcg": ndcg, "answer": answer_found}
)
_Z = 1.959964


def score(recording: Recording, route: str, most: int) -> RouteScore:
    """Return how good a route was at the first ``most`` rows; a failure counts as no rows."""
    replies = [reply for reply in recording.replies if reply.route == route]
    seconds = sorted(reply.seconds for reply in replies)
    costs = [reply.cost for reply in replies if reply.cost is not None]
    values = {name: _values(recording, route, name, most) for name in MEASURES}
    return RouteScore(
        route=route,
        asked=len(replies),
        failures=dict(Counter(reply.failure for reply in replies if reply.failure)),
        hit=share(list(values["hit"].values())),
        ndcg=mean(list(values["ndcg"].values())),
        answer=share(list(values["answer"].values())),
        median_seconds=percentile(seconds, 0.5),
        slow_seconds=percentile(seconds, 0.95),
        cost=math.fsum(costs) if costs else None,
    )


def pairings(recording: Recording, most: int) -> tuple[Pairing, ...]:
    """Return every two routes on every measure that the questions have."""
    return tuple(
        paired
        for one, two in combinations(recording.routes, 2)
        for name in MEASURES
        if (paired := _paired(recording, (one, two), name, most)) is not None
    )


def _paired(recording: Recording, routes: tuple[str, str], name: str, most: int) -> Pairing | None:
    first, second = (_values(recording, route, name, most) for route in routes)
    both = [(first[at], second[at]) for at in first if at in second]
    if not both:
        return None
    wins = sum(one > two for one, two in both)
    losses = sum(one < two for one, two in both)
    return Pairing(
        one=routes[0],
        two=routes[1],
        measure=name,
        wins=wins,
        losses=losses,
        ties=len(both) - wins - losses,
        p=sign_test(wins, losses),
    )


def _values(recording: Recording, route: str, name: str, most: int) -> dict[int, float]:
    values = {
        reply.question: MEASURES[name](recording.questions[reply.question], reply, most)
        for reply in recording.replies
        if reply.route == route
    }
    return {at: value for at, value in values.items() if value is not None}


def share(values: Sequence[float]) -> Estimate | None:
    """Return a share of yes among yes and no, with Wilson's interval (Wilson 1927).

    >>> estimate = share([1.0, 1.0, 0.0, 1.0])
    >>> round(estimate.mean, 2), round(estimate.low, 2), round(estimate.high, 2)
    (0.75, 0.3, 0.95)
    """
    if not values:
        return None
    count = len(values)
    part = math.fsum(values) / count
    middle = (part + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    spread = math.sqrt(part * (1 - part) / count + _Z**2 / (4 * count**2))
    half = _Z * spread / (1 + _Z**2 / count)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Estimate(mean=part, low=low, high=high, count=count)


def mean(values: Sequence[float]) -> Estimate | None:
    """Return a mean with its interval by the normal approximation, within 0 and 1."""
    if not values:
        return None
    count = len(values)
    middle = math.fsum(values) / count
    squares = math.fsum((value - middle) ** 2 for value in values)
    half = _Z * math.sqrt(squares / max(1, count - 1) / count)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Estimate(mean=middle, low=low, high=high, count=count)


def sign_test(wins: int, losses: int) -> float:
    """Return how likely a difference at least so large is by chance: the exact sign test.

    For yes and no it is McNemar's test (McNemar 1947).

    >>> sign_test(9, 1), sign_test(3, 3)
    (0.021484375, 1.0)
    """
    count, fewer = wins + losses, min(wins, losses)
    tail = sum(math.comb(count, at) for at in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << count))


def percentile(ordered: Sequence[float], part: float) -> float:
    """Return the value that ``part`` of all are not above; 0 of none.

    >>> percentile([1.0, 2.0, 3.0], 0.5)
    2.0
    """
    return ordered[math.ceil(part * len(ordered)) - 1] if ordered else 0.0
