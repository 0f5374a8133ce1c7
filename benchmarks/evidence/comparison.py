"""Compare orders of documents on the same topics: hits, nDCG, and whether a difference is chance.

Judgments and rankings are what TREC calls qrels and runs. The figures are those of trec_eval
(success, ndcg_cut) and of scipy: ``collections.py`` and ``statistics.py`` hold them against both.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from operator import mul
from typing import NamedTuple

# The grades of documents by topic; a document without a grade, or with one below 0, is useless.
Judgments = Mapping[str, Mapping[str, int]]
# The documents that one order has for each topic, the best first.
Ranking = Mapping[str, Sequence[str]]

_MAX_RESAMPLES, _MIN_RESAMPLES, _MAX_DRAWN_NUMBERS = 2_000, 200, 2_000_000
_MASK_64_BITS = (1 << 64) - 1
_Z_95 = 1.959964
_TAIL_SHARE = 0.025
# With at most so many differences, all sign combinations are tried.
_MAX_EXACT_DIFFERENCES = 11
_SIGNIFICANT_P = 0.05


class Estimate(NamedTuple):
    """A mean over so many ``topics``, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    topics: int


class Score(NamedTuple):
    """The measures of one order; None where no topic has the grades for it."""

    name: str
    hit: Estimate | None
    ndcg: Estimate | None


class Pairing(NamedTuple):
    """Two orders on the same topics. ``p`` is corrected for all pairs of the comparison."""

    one: str
    two: str
    measure: str
    wins: int
    losses: int
    difference: Estimate
    p: float

    @property
    def is_noise(self) -> bool:
        """Whether the difference may be chance."""
        return self.p >= _SIGNIFICANT_P


class Comparison(NamedTuple):
    """The scores of orders on the first ``most`` documents, and each pair compared."""

    most: int
    scores: tuple[Score, ...]
    pairs: tuple[Pairing, ...]


def hit_rate(grades: Mapping[str, int], documents: Sequence[str]) -> float | None:
    """Return 1 if one of the documents is of use, else 0; None without grades."""
    if not grades:
        return None
    return float(any(grades.get(document, 0) > 0 for document in documents))


def ndcg(grades: Mapping[str, int], documents: Sequence[str], most: int) -> float | None:
    """Return the discounted gain of the documents, as a share of the best possible one.

    The gain is the grade, as in trec_eval's ndcg_cut. None if no document is of use.
    """
    gains = sorted((max(0, grade) for grade in grades.values()), reverse=True)
    best = _discounted_gain(gains[:most])
    if not best:
        return None
    return _discounted_gain([max(0, grades.get(document, 0)) for document in documents]) / best


def _discounted_gain(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(position + 1) for position, gain in enumerate(gains, 1))


_MEASURES: Mapping[str, Callable[[Mapping[str, int], Sequence[str], int], float | None]] = {
    "hit": lambda grades, documents, _most: hit_rate(grades, documents),
    "nDCG": ndcg,
}


def compare(judgments: Judgments, rankings: Mapping[str, Ranking], most: int) -> Comparison:
    """Score each order and each pair on the first ``most`` documents of every topic."""
    values = {
        (name, measure): _topic_values(judgments, ranking, measure, most)
        for name, ranking in rankings.items()
        for measure in _MEASURES
    }
    pairs: list[Pairing] = []
    for one, two in combinations(rankings, 2):
        for measure in _MEASURES:
            pair = _pair((one, two), measure, values[one, measure], values[two, measure])
            if pair is not None:
                pairs.append(pair)
    corrected = holm_correction([pair.p for pair in pairs])
    return Comparison(
        most=most,
        scores=tuple(
            Score(
                name,
                hit=wilson_share([*values[name, "hit"].values()]),
                ndcg=bootstrap_mean([*values[name, "nDCG"].values()]),
            )
            for name in rankings
        ),
        pairs=tuple(pair._replace(p=p) for pair, p in zip(pairs, corrected, strict=True)),
    )


def _topic_values(
    judgments: Judgments, ranking: Ranking, measure: str, most: int
) -> dict[str, float]:
    values: dict[str, float] = {}
    for topic, documents in ranking.items():
        value = _MEASURES[measure](judgments[topic], documents[:most], most)
        if value is not None:
            values[topic] = value
    return values


def _pair(
    names: tuple[str, str], measure: str, one: Mapping[str, float], two: Mapping[str, float]
) -> Pairing | None:
    differences = [one[topic] - two[topic] for topic in one if topic in two]
    mean = bootstrap_mean(differences)
    if mean is None:
        return None
    wins = sum(difference > 0 for difference in differences)
    losses = sum(difference < 0 for difference in differences)
    return Pairing(*names, measure, wins, losses, mean, paired_test(differences))


def report_text(comparison: Comparison) -> str:
    """Return the comparison for a terminal."""
    lines: list[str] = []
    for score in comparison.scores:
        lines.append(f"{score.name}:")
        for measure, estimate in (("hit", score.hit), ("nDCG", score.ndcg)):
            if estimate is not None:
                interval = f"[{estimate.low:.3f}, {estimate.high:.3f}] of {estimate.topics}"
                lines.append(f"  {measure}@{comparison.most} {estimate.mean:.3f} {interval}")
    lines += map(pairing_sentence, comparison.pairs)
    if (tests := len(comparison.pairs)) > 1:
        lines.append(f"p is for {tests} tests at once (Holm): one in twenty is luck alone.")
    return "\n".join(lines)


def pairing_sentence(pair: Pairing) -> str:
    """Describe a pair of orders and whether the difference is noise."""
    by = pair.difference
    size = f"{pair.one} - {pair.two} is {by.mean:+.3f} [{by.low:+.3f}, {by.high:+.3f}]"
    counts = f"better on {pair.wins}, worse on {pair.losses} of {by.topics}"
    verdict = "noise" if pair.is_noise else "hardly chance"
    return f"{pair.measure}: {size}, {counts}: {verdict} (p = {pair.p:.3f})"


def wilson_share(values: Sequence[float]) -> Estimate | None:
    """Return the share of ones among ones and zeros, with Wilson's interval (Wilson 1927)."""
    if not values:
        return None
    count = len(values)
    share = math.fsum(values) / count
    centre = (share + _Z_95**2 / (2 * count)) / (1 + _Z_95**2 / count)
    spread = math.sqrt(share * (1 - share) / count + _Z_95**2 / (4 * count**2))
    half_width = _Z_95 * spread / (1 + _Z_95**2 / count)
    low, high = max(0.0, centre - half_width), min(1.0, centre + half_width)
    return Estimate(mean=share, low=low, high=high, topics=count)


def bootstrap_mean(values: Sequence[float]) -> Estimate | None:
    """Return a mean with its percentile bootstrap interval (Efron and Tibshirani 1993, ch. 13)."""
    if not values:
        return None
    count = len(values)
    means = sorted(
        math.fsum(map(values.__getitem__, indexes)) / count for indexes in _draw_resamples(count)
    )
    return Estimate(
        mean=math.fsum(values) / count,
        low=_percentile(means, _TAIL_SHARE),
        high=_percentile(means, 1 - _TAIL_SHARE),
        topics=count,
    )


def paired_test(differences: Sequence[float]) -> float:
    """Return the probability of a mean difference at least so large by chance.

    If both orders are alike, each difference has either sign with equal chance (Fisher 1935); when
    all differences have one size, this is the exact sign test.
    """
    nonzero = [difference for difference in differences if difference]
    if len({abs(difference) for difference in nonzero}) <= 1:
        wins = sum(difference > 0 for difference in nonzero)
        return sign_test(wins, len(nonzero) - wins)
    observed = abs(math.fsum(nonzero)) - 1e-12
    if len(nonzero) <= _MAX_EXACT_DIFFERENCES:
        sign_sets = [*product((1, -1), repeat=len(nonzero))]
        return sum(_flipped_sum(signs, nonzero) >= observed for signs in sign_sets) / len(sign_sets)
    drawn = _random_signs(len(nonzero))
    # Count the observed signs as one draw (Phipson and Smyth 2010), so that p is never 0.
    return (1 + sum(_flipped_sum(signs, nonzero) >= observed for signs in drawn)) / (1 + len(drawn))


def _flipped_sum(signs: Sequence[int], differences: Sequence[float]) -> float:
    return abs(math.fsum(map(mul, signs, differences)))


def sign_test(wins: int, losses: int) -> float:
    """Return the probability of a difference at least so large by chance: the exact sign test.

    For yes and no it is McNemar's test (McNemar 1947).
    """
    count, fewer = wins + losses, min(wins, losses)
    tail = sum(math.comb(count, successes) for successes in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << count))


def holm_correction(chances: Sequence[float]) -> tuple[float, ...]:
    """Return each p value adjusted for the number of tests (Holm 1979)."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    adjusted = [0.0] * len(chances)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, chances[index] * (len(chances) - rank)))
        adjusted[index] = highest
    return tuple(adjusted)


def _percentile(ordered: Sequence[float], part: float) -> float:
    """Return the smallest value that a share of ``part`` does not exceed."""
    return ordered[math.ceil(part * len(ordered)) - 1]


def _random_numbers(seed: int) -> Iterator[int]:
    """Yield numbers of 64 bits: SplitMix64 (Steele, Lea and Flood 2014)."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK_64_BITS
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK_64_BITS
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK_64_BITS
        yield mixed ^ (mixed >> 31)


def _resample_count(count: int) -> int:
    """Return how many resamples of ``count`` values to draw: fewer for more values."""
    return max(_MIN_RESAMPLES, min(_MAX_RESAMPLES, _MAX_DRAWN_NUMBERS // max(1, count)))


@lru_cache(maxsize=4)
def _draw_resamples(count: int) -> tuple[tuple[int, ...], ...]:
    """Return sets of indexes below ``count``, drawn with repetition."""
    source = _random_numbers(count)
    return tuple(
        tuple(next(source) * count >> 64 for _ in range(count))
        for _ in range(_resample_count(count))
    )


@lru_cache(maxsize=4)
def _random_signs(count: int) -> tuple[tuple[int, ...], ...]:
    """Return sets of ``count`` signs, each 1 or -1."""
    source = _random_numbers(~count & _MASK_64_BITS)
    return tuple(
        tuple(1 if next(source) >> 63 else -1 for _ in range(count))
        for _ in range(_resample_count(count))
    )
