"""Searches of which rows are left out: who is asked for more, and what is checked again."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from returns.result import Failure, Result, Success

from tests.planner.support import Scripted, route
from webseam.kernel import WebDeps, canonical_url, web_search
from webseam.kernel.deps import RowPolicy
from webseam.kernel.policy import Policy
from webseam.ports.backends import BackendAbout, RowsAnswer, Served
from webseam.ports.errors import InvalidRow, WebError
from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import SearchOutcome, WebSearchQuery, WebSearchResult
from webseam.testing import FakeBackend

POLICY = Policy(deny_domains=("b.example",))
GOOD = {"title": "t", "url": "https://a.example/", "snippet": ""}
DENIED = {**GOOD, "url": "https://b.example/"}
BAD = {**GOOD, "url": "no url"}


class Further:
    """Remembers how many of its rows counted."""

    def __init__(self, rows: list[Any]) -> None:
        self.about = BackendAbout(name="further")
        self.rows, self.counts = rows, list[int]()

    async def search(self, _query: WebSearchQuery, /) -> RowsAnswer:
        return Success(self.rows)

    async def search_until(
        self, query: WebSearchQuery, count_rows: Callable[[Sequence[object]], int], /
    ) -> RowsAnswer:
        self.counts.append(count_rows(self.rows))
        return await self.search(query)

    async def extract(self, _url: str, /) -> RowsAnswer:
        return Success(())


def search(
    backend: Any,  # noqa: ANN401  any kind of backend
    limit: int | None,
    rows: RowPolicy = "strict",
) -> Result[SearchOutcome, WebError]:
    deps = WebDeps(backend=backend, policy=POLICY, rows=rows)
    return asyncio.run(web_search({"query": "q", "max_results": limit}, deps))


@pytest.mark.parametrize(
    ("given", "handling", "counted"),
    [
        ([GOOD, DENIED], "strict", 1),
        ([GOOD, BAD], "quarantine", 1),
        # What fails the call needs no further rows.
        ([GOOD, BAD], "strict", 2),
        ([GOOD, 7, "x"], "strict", 3),
        ({"rows": [GOOD]}, "strict", 1),
    ],
)
def test_rows_count_that_are_lawful_and_allowed(
    given: list[Any],
    handling: RowPolicy,
    counted: int,
) -> None:
    backend = Further(given)

    search(backend, 5, handling)

    assert backend.counts == [counted]


def test_backend_is_not_asked_further_without_a_limit() -> None:
    backend = Further([GOOD])

    assert len(search(backend, None).unwrap().rows) == 1
    assert backend.counts == []


def test_rows_that_a_narrower_policy_blocks_are_counted_in_the_outcome_of_a_route() -> None:
    outcome = search(route([Scripted("x", ("b", "a"))]), 5).unwrap()

    assert [(row.url, row.position) for row in outcome.rows] == [("https://a.example/", 1)]
    assert (outcome.receipt.returned, outcome.receipt.blocked) == (2, 1)


def test_unlawful_row_in_an_outcome_that_is_handed_over_fails_the_call() -> None:
    receipt = SearchReceipt(
        backend="x",
        query="q",
        asked_max_results=None,
        max_results=None,
        clamped=False,
        filters=(),
        returned=1,
        rejected=0,
        trimmed=0,
    )
    row = WebSearchResult(title="t", url="no url", snippet="", position=1, source="x")
    outcome = SearchOutcome(rows=(row,), answer=None, rejected=(), receipt=receipt)
    backend = FakeBackend(search=Success(Served(answer=(), outcome=outcome)))

    failed = search(backend, 5)

    assert isinstance(failed, Failure)
    assert isinstance(failed.failure(), InvalidRow)


def test_address_in_brackets_that_is_none_keeps_its_spelling() -> None:
    assert canonical_url("https://[ZZ]/") == "https://[zz]/"
