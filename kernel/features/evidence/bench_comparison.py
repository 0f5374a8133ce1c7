"""Compare routes on the same questions."""

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

from webseam.ports import bench

from ...planner.fusion import fusion_key

_MAX_RESAMPLES, _MIN_RESAMPLES, _MAX_DRAWN_NUMBERS = 2_000, 200, 2_000_000
_MASK_64_BITS = (1 << 64) - 1


def random_numbers(seed: int) -> Iterator[int]:
    """Yield numbers of 64 bits: SplitMix64 (Steele, Lea and Flood 2014)."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK_64_BITS
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK_64_BITS
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK_64_BITS
        yield mixed ^ (mixed >> 31)


def resample_count(count: int) -> int:
    """Return how many resamples of ``count`` values to draw: fewer for more values."""
    return max(_MIN_RESAMPLES, min(_MAX_RESAMPLES, _MAX_DRAWN_NUMBERS // max(1, count)))


@lru_cache(maxsize=4)
def draw_resamples(count: int) -> tuple[tuple[int, ...], ...]:
    """Return sets of indexes below ``count``, drawn with repetition."""
    source = random_numbers(count)
    return tuple(
        tuple(next(source) * count >> 64 for _ in range(count))
        for _ in range(resample_count(count))
    )


@lru_cache(maxsize=4)
def random_signs(count: int) -> tuple[tuple[int, ...], ...]:
    """Return sets of ``count`` signs, each 1 or -1."""
    source = random_numbers(~count & _MASK_64_BITS)
    return tuple(
        tuple(1 if next(source) >> 63 else -1 for _ in range(count))
        for _ in range(resample_count(count))
    )


_NON_WORDS_PATTERN = re.compile(r"\W+")


class MeasureDepth(msgspec.Struct, frozen=True, kw_only=True):
    """How much to measure: the first ``most`` rows, and the pages of the first ``page_rows``.

    ``pages`` are the normalised words of the pages that were read, by URL.
    """

    most: int
    page_rows: int = 0
    pages: Mapping[str, str] = {}


Measure: TypeAlias = Callable[[bench.BenchQuestion, bench.BenchReply, MeasureDepth], float | None]


def hit_rate(
    question: bench.BenchQuestion, reply: bench.BenchReply, depth: MeasureDepth
) -> float | None:
    """Return 1 if a right page is among the first rows, else 0; None without right pages."""
    if not (question.urls or question.domains or question.judgments):
        return None
    return float(any(_row_grade(question, row) for row in reply.rows[: depth.most]))


def ndcg(
    question: bench.BenchQuestion, reply: bench.BenchReply, depth: MeasureDepth
) -> float | None:
    """Return the discounted gain of the first rows, as a share of the best possible one.

    The gain of a row is its grade, as in trec_eval (ndcg_cut); a repeated page counts once, at its
    first position. None when neither addresses nor judgments are given.
    """
    graded = {fusion_key(url) for url in question.judgments}
    ungraded = [1 for url in question.urls if fusion_key(url) not in graded]
    grades = sorted([*question.judgments.values(), *ungraded], reverse=True)
    best = _discounted_gain(grades[: depth.most])
    if not best:
        return None
    firsts = {fusion_key(row.url): row for row in reversed(reply.rows)}
    rows = [row for row in reply.rows if firsts.get(fusion_key(row.url)) is row]
    return _discounted_gain([_row_judgment(question, row) for row in rows[: depth.most]]) / best


def answer_found(
    question: bench.BenchQuestion, reply: bench.BenchReply, depth: MeasureDepth
) -> float | None:
    """Return 1 if an answer is in a title or snippet of the first rows, else 0; None if unknown."""
    if not question.answers:
        return None
    rows = reply.rows[: depth.most]
    return float(
        _has_answer(question, [normalise_words(f"{row.title} {row.snippet}") for row in rows])
    )


def answer_in_pages(
    question: bench.BenchQuestion, reply: bench.BenchReply, depth: MeasureDepth
) -> float | None:
    """Return 1 if an answer is in a page of the first rows, else 0; None if no pages were read."""
    if not question.answers or not depth.page_rows:
        return None
    rows = reply.rows[: min(depth.page_rows, depth.most)]
    return float(_has_answer(question, [depth.pages.get(row.url, "") for row in rows]))


def _has_answer(question: bench.BenchQuestion, texts: Sequence[str]) -> bool:
    answers = [normalise_words(answer) for answer in question.answers]
    return any(f" {answer} " in f" {text} " for answer in answers for text in texts)


MEASURES: Mapping[bench.MeasureName, Measure] = MappingProxyType(
    {
        "hit": hit_rate,
        "ndcg": ndcg,
        "answer": answer_found,
        "pages": answer_in_pages,
    }
)


def _row_judgment(question: bench.BenchQuestion, row: bench.BenchRow) -> int:
    key = fusion_key(row.url)
    grades = {fusion_key(url): 1 for url in question.urls}
    grades |= {fusion_key(url): grade for url, grade in question.judgments.items()}
    return grades.get(key, 0)


def _row_grade(question: bench.BenchQuestion, row: bench.BenchRow) -> int:
    host = urlsplit(row.url).hostname or ""
    domains = [domain.lower() for domain in question.domains]
    is_on_domain = any(host == domain or host.endswith(f".{domain}") for domain in domains)
    return max(_row_judgment(question, row), int(is_on_domain))


def _discounted_gain(grades: Sequence[int]) -> float:
    return math.fsum(grade / math.log2(position + 1) for position, grade in enumerate(grades, 1))


def normalise_words(text: str) -> str:
    """Return the words of a text in lower case, with one blank between them."""
    return _NON_WORDS_PATTERN.sub(" ", text.casefold()).strip()


_Z_95 = 1.959964
_TAIL_SHARE = 0.025
# With at most so many differences, all sign combinations are tried.
_MAX_EXACT_DIFFERENCES = 11


def wilson_share(values: Sequence[float]) -> bench.Estimate | None:
    """Return the share of ones among ones and zeros, with Wilson's interval (Wilson 1927)."""
    if not values:
        return None
    count = len(values)
    share = math.fsum(values) / count
    centre = (share + _Z_95**2 / (2 * count)) / (1 + _Z_95**2 / count)
    spread = math.sqrt(share * (1 - share) / count + _Z_95**2 / (4 * count**2))
    half_width = _Z_95 * spread / (1 + _Z_95**2 / count)
    low, high = max(0.0, centre - half_width), min(1.0, centre + half_width)
    return bench.Estimate(mean=share, low=low, high=high, count=count)


def bootstrap_mean(values: Sequence[float]) -> bench.Estimate | None:
    """Return a mean with its percentile bootstrap interval (Efron and Tibshirani 1993, ch. 13)."""
    if not values:
        return None
    count = len(values)
    means = sorted(
        math.fsum(map(values.__getitem__, indexes)) / count for indexes in draw_resamples(count)
    )
    return bench.Estimate(
        mean=math.fsum(values) / count,
        low=percentile(means, _TAIL_SHARE),
        high=percentile(means, 1 - _TAIL_SHARE),
        count=count,
    )


def paired_test(differences: Sequence[float]) -> float:
    """Return the probability of a mean difference at least so large by chance.

    If both routes are alike, each difference has either sign with equal chance (Fisher 1935); when
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
    drawn = random_signs(len(nonzero))
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


def percentile(ordered: Sequence[float], part: float) -> float:
    """Return the smallest value that a share of ``part`` does not exceed; 0 for no values."""
    return ordered[math.ceil(part * len(ordered)) - 1] if ordered else 0.0


# A route's value for each question that has one, by the question's number.
Values: TypeAlias = Mapping[int, float]


def compare_routes(recording: bench.Recording, max_rows: int) -> bench.Comparison:
    """Score each route and pair on the first ``max_rows`` rows; a failed search has no rows."""
    pages = {page.url: normalise_words(page.text) for page in recording.pages}
    depth = MeasureDepth(most=max_rows, pages=pages, page_rows=recording.page_rows)
    values = {
        (route, name): _route_values(recording, route, name, depth)
        for route in recording.routes
        for name in MEASURES
    }
    pairs = [
        paired
        for first, second in combinations(recording.routes, 2)
        for name in MEASURES
        if (paired := _pair_routes((first, second), name, values)) is not None
    ]
    adjusted = holm_correction([pair.p for pair in pairs])
    return bench.Comparison(
        most=max_rows,
        routes=tuple(_score_route(recording, route, values) for route in recording.routes),
        pairs=tuple(
            msgspec.structs.replace(pair, adjusted=chance, tests=len(pairs))
            for pair, chance in zip(pairs, adjusted, strict=True)
        ),
    )


def _score_route(
    recording: bench.Recording, route: str, values: Mapping[tuple[str, bench.MeasureName], Values]
) -> bench.RouteScore:
    replies = [reply for reply in recording.replies if reply.route == route]
    seconds = sorted(reply.seconds for reply in replies)
    costs = [reply.cost for reply in replies if reply.cost is not None]
    return bench.RouteScore(
        route=route,
        asked=len(replies),
        failures=dict(Counter(reply.failure for reply in replies if reply.failure)),
        hit=_estimate_measure("hit", values[route, "hit"]),
        ndcg=_estimate_measure("ndcg", values[route, "ndcg"]),
        answer=_estimate_measure("answer", values[route, "answer"]),
        pages=_estimate_measure("pages", values[route, "pages"]),
        median_seconds=percentile(seconds, 0.5),
        slow_seconds=percentile(seconds, 0.95),
        cost=math.fsum(costs) if costs else None,
    )


def _estimate_measure(name: bench.MeasureName, values: Values) -> bench.Estimate | None:
    scores = list(values.values())
    return bootstrap_mean(scores) if name == "ndcg" else wilson_share(scores)


def _pair_routes(
    routes: tuple[str, str],
    name: bench.MeasureName,
    values: Mapping[tuple[str, bench.MeasureName], Values],
) -> bench.Pairing | None:
    first, second = (values[route, name] for route in routes)
    differences = [first[question] - second[question] for question in first if question in second]
    difference = bootstrap_mean(differences)
    if difference is None:
        return None
    wins = sum(difference > 0 for difference in differences)
    losses = sum(difference < 0 for difference in differences)
    return bench.Pairing(
        one=routes[0],
        two=routes[1],
        measure=name,
        wins=wins,
        losses=losses,
        ties=len(differences) - wins - losses,
        difference=difference,
        p=paired_test(differences),
    )


def _route_values(
    recording: bench.Recording, route: str, name: bench.MeasureName, depth: MeasureDepth
) -> Values:
    def value(reply: bench.BenchReply) -> float | None:
        return MEASURES[name](recording.questions[reply.question], reply, depth)

    values = {reply.question: value(reply) for reply in recording.replies if reply.route == route}
    return {question: value for question, value in values.items() if value is not None}
