"""Define benchmark questions, the replies of routes to them, and their scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from .web import MAX_QUERY_CHARS

MeasureName: TypeAlias = Literal["hit", "ndcg", "answer", "pages"]


class BenchQuestion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question, and what identifies a good answer.

    Any of: ``urls`` of the right pages, their ``domains``, ``answers`` that may appear in a title,
    snippet or page, ``judgments`` of pages by URL, 0 for useless, more for better.
    """

    question: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS, pattern=r"\S")]
    urls: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    judgments: Mapping[str, Annotated[int, Meta(ge=0, le=10)]] = {}


class BenchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row as a route returned it."""

    url: str
    title: str
    snippet: str


class BenchReply(msgspec.Struct, frozen=True, kw_only=True):
    """The reply of a route to a question: rows, or the kind of its error."""

    route: str
    question: int
    seconds: float
    rows: tuple[BenchRow, ...] = ()
    failure: str = ""
    cost: float | None = None


class BenchPage(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page that some route found, or the kind of the error."""

    url: str
    text: str = ""
    failure: str = ""


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """All data of a comparison, so that it can be repeated.

    ``pages`` are those of the first ``page_rows`` rows of each reply.
    """

    webseam_bench: Annotated[int, Meta(ge=1, le=1)] = 1
    questions: tuple[BenchQuestion, ...]
    routes: tuple[str, ...]
    replies: tuple[BenchReply, ...]
    page_rows: Annotated[int, Meta(ge=0, le=10)] = 0
    pages: tuple[BenchPage, ...] = ()


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over ``count`` questions, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float
    count: int


class RouteScore(msgspec.Struct, frozen=True, kw_only=True):
    """The measures of a route; None if no question has the data for one."""

    route: str
    asked: int
    failures: Mapping[str, int]
    hit: Estimate | None
    ndcg: Estimate | None
    answer: Estimate | None
    pages: Estimate | None
    median_seconds: float
    slow_seconds: float
    cost: float | None


class Pairing(msgspec.Struct, frozen=True, kw_only=True):
    """Two routes on the same questions: counts, mean difference and significance.

    ``p`` is the probability of a difference at least so large by chance; ``adjusted`` corrects it
    for all ``tests`` of the comparison.
    """

    one: str
    two: str
    measure: MeasureName
    wins: int
    losses: int
    ties: int
    difference: Estimate
    p: float
    adjusted: float = 1.0
    tests: int = 1

    @property
    def is_noise(self) -> bool:
        """Whether the difference may be chance."""
        return self.adjusted >= _SIGNIFICANT_P


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of routes on the first ``most`` rows, and the comparison of each pair."""

    most: int
    routes: tuple[RouteScore, ...]
    pairs: tuple[Pairing, ...]


_SIGNIFICANT_P = 0.05
