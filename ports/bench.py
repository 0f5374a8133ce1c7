"""Questions with known answers, what each route made of them, and how good that was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from .web import MAX_QUERY_CHARS

MeasureName: TypeAlias = Literal["hit", "ndcg", "answer", "pages"]


class BenchQuestion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question, and what a good answer has.

    Any of: ``urls`` of the right pages, ``domains`` they are on, ``answers`` as they may stand in a
    title, snippet or page, ``judgments`` of pages by their address, 0 for useless, more for better.
    """

    question: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS, pattern=r"\S")]
    urls: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    judgments: Mapping[str, Annotated[int, Meta(ge=0, le=10)]] = {}


class BenchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row as a route gave it."""

    url: str
    title: str
    snippet: str


class BenchReply(msgspec.Struct, frozen=True, kw_only=True):
    """What a route made of a question: rows, or the kind of its failure."""

    route: str
    question: int
    seconds: float
    rows: tuple[BenchRow, ...] = ()
    failure: str = ""
    cost: float | None = None


class BenchPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page that some route found, as it was read, or the kind of the failure."""

    url: str
    text: str = ""
    failure: str = ""


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a comparison was made of, so that anyone can make it again.

    ``pages`` are those of the first ``page_rows`` rows of each reply.
    """

    webseam_bench: Annotated[int, Meta(ge=1, le=1)] = 1
    questions: tuple[BenchQuestion, ...]
    routes: tuple[str, ...]
    replies: tuple[BenchReply, ...]
    page_rows: Annotated[int, Meta(ge=0, le=10)] = 0
    pages: tuple[BenchPage, ...] = ()


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over ``count`` questions, and the interval that holds it with 95 % confidence."""

    mean: float
    low: float
    high: float
    count: int


class RouteScore(msgspec.Struct, frozen=True, kw_only=True):
    """How good a route was. What no question tells is None."""

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
    """Two routes on the same questions: who did better how often, by how much, and by what chance.

    ``p`` is how likely a difference at least so large is if the two are alike; ``adjusted`` is that
    among all ``tests`` of the comparison.
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
        """Whether the difference may well be chance."""
        return self.adjusted >= _SIGNIFICANT


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """How good each route was at the first ``most`` rows, and every two of them together."""

    most: int
    routes: tuple[RouteScore, ...]
    pairs: tuple[Pairing, ...]


_SIGNIFICANT = 0.05
