"""Routes compared on the same questions, each value measured once."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import msgspec

from ...ports.bench import (
    BenchReply,
    Comparison,
    Estimate,
    MeasureName,
    Pairing,
    Recording,
    RouteScore,
)
from .measures import MEASURES, MeasureDepth, normalise_words
from .statistics import bootstrap_mean, holm_correction, paired_test, percentile, wilson_share

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
