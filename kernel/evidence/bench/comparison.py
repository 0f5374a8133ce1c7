"""Routes compared on the same questions, each value measured once."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from operator import mul
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec

from ....ports.bench import (
    BenchQuestion,
    BenchReply,
    BenchRow,
    Comparison,
    Estimate,
    MeasureName,
    Pairing,
    Recording,
    RouteScore,
)
from ...planner.fusion import page_key

_MOST, _LEAST, _NUMBERS = 2_000, 200, 2_000_000
_MASK = (1 << 64) - 1


def random_numbers(seed: int) -> Iterator[int]:
    """Yield numbers of 64 bits: SplitMix64 (Steele, Lea and Flood 2014).

    >>> first = random_numbers(0)
    >>> hex(next(first)), hex(next(first))
    ('0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4')
    """
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        yield mixed ^ (mixed >> 31)


def draw_count(count: int) -> int:
    """Return how often to draw ``count`` things: fewer times the more there are."""
    return max(_LEAST, min(_MOST, _NUMBERS // max(1, count)))


@lru_cache(maxsize=4)
def resamples(count: int) -> tuple[tuple[int, ...], ...]:
    """Return places among ``count``, drawn with repetition, as many sets as are worth it."""
    source = random_numbers(count)
    return tuple(
        tuple(next(source) * count >> 64 for _ in range(count)) for _ in range(draw_count(count))
    )


@lru_cache(maxsize=4)
def random_signs(count: int) -> tuple[tuple[int, ...], ...]:
    """Return sets of ``count`` signs, each 1 or -1."""
    source = random_numbers(~count & _MASK)
    return tuple(
        tuple(1 if next(source) >> 63 else -1 for _ in range(count))
        for _ in range(draw_count(count))
    )


# How good the rows of one reply are.

_BLANKS = re.compile(r"\W+")


class MeasureDepth(msgspec.Struct, frozen=True, kw_only=True):
    """How far is looked: at the first ``most`` rows, and into the pages of the first ``page_rows``.

    ``pages`` are the words of those that were read, by their addresses.
    """

    most: int
    page_rows: int = 0
    pages: Mapping[str, str] = {}


Measure: TypeAlias = Callable[[BenchQuestion, BenchReply, MeasureDepth], float | None]


def hit_rate(question: BenchQuestion, reply: BenchReply, sight: MeasureDepth) -> float | None:
    """Return 1 when a right page is among the first rows, 0 when not, None when none is known."""
    if not (question.urls or question.domains or question.judgments):
        return None
    return float(any(_grade(question, row) for row in reply.rows[: sight.most]))


def ndcg(question: BenchQuestion, reply: BenchReply, sight: MeasureDepth) -> float | None:
    """Return the discounted gain of the first rows, as a share of the best there could be.

    The gain of a row is its grade, as trec_eval has it (ndcg_cut); a page counts where it stands
    first. None when neither addresses nor judgments say what is best.
    """
    grades = sorted([*question.judgments.values(), *(1 for _ in _ungraded(question))], reverse=True)
    best = _gain(grades[: sight.most])
    if not best:
        return None
    firsts = {page_key(row.url): row for row in reversed(reply.rows)}
    rows = [row for row in reply.rows if firsts.get(page_key(row.url)) is row]
    return _gain([_known_grade(question, row) for row in rows[: sight.most]]) / best


def answer_found(question: BenchQuestion, reply: BenchReply, sight: MeasureDepth) -> float | None:
    """Return 1 when an answer stands in a title or snippet of the first rows."""
    if not question.answers:
        return None
    rows = reply.rows[: sight.most]
    return float(_holds(question, [normalise_words(f"{row.title} {row.snippet}") for row in rows]))


def answer_in_pages(
    question: BenchQuestion, reply: BenchReply, sight: MeasureDepth
) -> float | None:
    """Return 1 when an answer stands in a page of the first rows; None when no pages were read."""
    if not question.answers or not sight.page_rows:
        return None
    rows = reply.rows[: min(sight.page_rows, sight.most)]
    return float(_holds(question, [sight.pages.get(row.url, "") for row in rows]))


def _holds(question: BenchQuestion, texts: Sequence[str]) -> bool:
    wanted = [normalise_words(answer) for answer in question.answers]
    return any(f" {each} " in f" {text} " for each in wanted for text in texts)


MEASURES: Mapping[MeasureName, Measure] = MappingProxyType(
    {"hit": hit_rate, "ndcg": ndcg, "answer": answer_found, "pages": answer_in_pages}
)


def _ungraded(question: BenchQuestion) -> list[str]:
    graded = {page_key(url) for url in question.judgments}
    return [url for url in question.urls if page_key(url) not in graded]


def _known_grade(question: BenchQuestion, row: BenchRow) -> int:
    key = page_key(row.url)
    grades = {page_key(url): 1 for url in question.urls}
    grades |= {page_key(url): grade for url, grade in question.judgments.items()}
    return grades.get(key, 0)


def _grade(question: BenchQuestion, row: BenchRow) -> int:
    host = urlsplit(row.url).hostname or ""
    wanted = [domain.lower() for domain in question.domains]
    there = any(host == domain or host.endswith(f".{domain}") for domain in wanted)
    return max(_known_grade(question, row), int(there))


def _gain(grades: Sequence[int]) -> float:
    return math.fsum(grade / math.log2(place + 1) for place, grade in enumerate(grades, 1))


def normalise_words(text: str) -> str:
    """Return the words of a text, small, with one blank between them."""
    return _BLANKS.sub(" ", text.casefold()).strip()


# Means with intervals, and tests of whether a difference is more than chance.

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


# Routes compared on the same questions, each value measured once.

# What a route got for each question that tells, by the question's number.
Values: TypeAlias = Mapping[int, float]


def compare_routes(recording: Recording, max_rows: int) -> Comparison:
    """Score each route, and each pair of routes together, on the first ``max_rows`` rows.

    A failure counts as no rows.
    """
    sight = _sight(recording, max_rows)
    values = {
        (route, name): _values(recording, route, name, sight)
        for route in recording.routes
        for name in MEASURES
    }
    pairs = [
        paired
        for one, two in combinations(recording.routes, 2)
        for name in MEASURES
        if (paired := _paired((one, two), name, values)) is not None
    ]
    adjusted = holm_correction([pair.p for pair in pairs])
    return Comparison(
        most=max_rows,
        routes=tuple(_score(recording, route, values) for route in recording.routes),
        pairs=tuple(
            msgspec.structs.replace(pair, adjusted=chance, tests=len(pairs))
            for pair, chance in zip(pairs, adjusted, strict=True)
        ),
    )


def _sight(recording: Recording, most: int) -> MeasureDepth:
    pages = {page.url: normalise_words(page.text) for page in recording.pages}
    return MeasureDepth(most=most, pages=pages, page_rows=recording.page_rows)


def _score(
    recording: Recording, route: str, values: Mapping[tuple[str, MeasureName], Values]
) -> RouteScore:
    replies = [reply for reply in recording.replies if reply.route == route]
    seconds = sorted(reply.seconds for reply in replies)
    costs = [reply.cost for reply in replies if reply.cost is not None]
    return RouteScore(
        route=route,
        asked=len(replies),
        failures=dict(Counter(reply.failure for reply in replies if reply.failure)),
        hit=_estimate("hit", values[route, "hit"]),
        ndcg=_estimate("ndcg", values[route, "ndcg"]),
        answer=_estimate("answer", values[route, "answer"]),
        pages=_estimate("pages", values[route, "pages"]),
        median_seconds=percentile(seconds, 0.5),
        slow_seconds=percentile(seconds, 0.95),
        cost=math.fsum(costs) if costs else None,
    )


def _estimate(name: MeasureName, values: Values) -> Estimate | None:
    every = list(values.values())
    return bootstrap_mean(every) if name == "ndcg" else wilson_share(every)


def _paired(
    routes: tuple[str, str],
    name: MeasureName,
    values: Mapping[tuple[str, MeasureName], Values],
) -> Pairing | None:
    first, second = (values[route, name] for route in routes)
    differences = [first[at] - second[at] for at in first if at in second]
    difference = bootstrap_mean(differences)
    if difference is None:
        return None
    wins, losses = _count(differences)
    return Pairing(
        one=routes[0],
        two=routes[1],
        measure=name,
        wins=wins,
        losses=losses,
        ties=len(differences) - wins - losses,
        difference=difference,
        p=paired_test(differences),
    )


def _count(differences: Sequence[float]) -> tuple[int, int]:
    wins = sum(difference > 0 for difference in differences)
    return wins, sum(difference < 0 for difference in differences)


def _values(recording: Recording, route: str, name: MeasureName, sight: MeasureDepth) -> Values:
    def value(reply: BenchReply) -> float | None:
        return MEASURES[name](recording.questions[reply.question], reply, sight)

    values = {reply.question: value(reply) for reply in recording.replies if reply.route == route}
    return {at: value for at, value in values.items() if value is not None}
