"""Means with intervals, and tests of whether a difference is more than chance."""

import math
from collections.abc import Sequence
from itertools import product
from operator import mul

from ...ports.bench import Estimate
from .draws import random_signs, resamples

_Z = 1.959964
_TAIL = 0.025
# Up to here every way to flip the signs is tried.
_MAX_EXACT_DIFFERENCES = 11


def wilson_share(values: Sequence[float]) -> Estimate | None:
    """Return a share of yes among yes and no, with Wilson's interval (Wilson 1927).

    >>> estimate = wilson_share([1.0, 1.0, 0.0, 1.0])
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


def bootstrap_mean(values: Sequence[float]) -> Estimate | None:
    """Return a mean with its bootstrap interval: percentiles of the means of resamples.

    Efron and Tibshirani 1993, chapter 13.
    """
    if not values:
        return None
    count = len(values)
    means = sorted(
        math.fsum(map(values.__getitem__, places)) / count for places in resamples(count)
    )
    return Estimate(
        mean=math.fsum(values) / count,
        low=percentile(means, _TAIL),
        high=percentile(means, 1 - _TAIL),
        count=count,
    )


def paired_test(differences: Sequence[float]) -> float:
    """Return how likely a mean difference at least so large is by chance.

    The sign of each difference is as likely the other one, if both are alike (Fisher 1935); where
    all differences are of one size that is the exact sign test.
    """
    unlike = [difference for difference in differences if difference]
    if len({abs(difference) for difference in unlike}) <= 1:
        wins = sum(difference > 0 for difference in unlike)
        return sign_test(wins, len(unlike) - wins)
    seen = abs(math.fsum(unlike)) - 1e-12
    if len(unlike) <= _MAX_EXACT_DIFFERENCES:
        every = [*product((1, -1), repeat=len(unlike))]
        return sum(_flipped(signs, unlike) >= seen for signs in every) / len(every)
    drawn = random_signs(len(unlike))
    # What was seen is one of the ways (Phipson and Smyth 2010): p is never 0.
    return (1 + sum(_flipped(signs, unlike) >= seen for signs in drawn)) / (1 + len(drawn))


def _flipped(signs: Sequence[int], differences: Sequence[float]) -> float:
    return abs(math.fsum(map(mul, signs, differences)))


def sign_test(wins: int, losses: int) -> float:
    """Return how likely a difference at least so large is by chance: the exact sign test.

    For yes and no it is McNemar's test (McNemar 1947).

    >>> sign_test(9, 1), sign_test(3, 3)
    (0.021484375, 1.0)
    """
    count, fewer = wins + losses, min(wins, losses)
    tail = sum(math.comb(count, at) for at in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << count))


def holm_correction(chances: Sequence[float]) -> tuple[float, ...]:
    """Return each p as it counts among so many tests (Holm 1979).

    >>> holm_correction([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    order = sorted(range(len(chances)), key=chances.__getitem__)
    adjusted = [0.0] * len(chances)
    highest = 0.0
    for place, at in enumerate(order):
        highest = max(highest, min(1.0, chances[at] * (len(chances) - place)))
        adjusted[at] = highest
    return tuple(adjusted)


def percentile(ordered: Sequence[float], part: float) -> float:
    """Return the value that ``part`` of all are not above; 0 of none.

    >>> percentile([1.0, 2.0, 3.0], 0.5)
    2.0
    """
    return ordered[math.ceil(part * len(ordered)) - 1] if ordered else 0.0
