"""Receipts say how old an answer is, by the clock that they are given."""

import asyncio
import math

import msgspec
import pytest
from returns.result import Result, Success

from webseam.composition.tools.web_tools import search_tool
from webseam.kernel import WebDeps, web_extract, web_search
from webseam.kernel.cache_rules import Lifetimes, cacheable_page
from webseam.kernel.middleware.arguments import check_max_age
from webseam.ports import Served
from webseam.ports.errors import InvalidQuery, PaymentRequired
from webseam.ports.errors.error_fields import PAGES_READER
from webseam.ports.web import WebSearchQuery

URL = "https://a.example/"
PAGE = {"url": URL, "title": "T", "content": "words"}
ROW = {"url": URL, "title": "T", "snippet": "s"}
NOW = 1_795_000_000.0


class Answering:
    """A backend whose answers say an age."""

    def __init__(self, age: object, *, cached: bool = True) -> None:
        self._age, self._cached = age, cached

    async def search(self, _query: WebSearchQuery, /) -> Result[Served, object]:
        return Success(self._served([ROW]))

    async def extract(self, _url: str, /) -> Result[Served, object]:
        return Success(self._served(PAGE))

    def _served(self, answer: object) -> Served:
        return Served(answer=answer, cached=self._cached, age=self._age)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("age", "cached", "told"),
    [
        (100.0, True, (100.0, "2026-11-18T11:05:00Z")),
        (None, False, (0.0, "2026-11-18T11:06:40Z")),
        *[
            (age, True, (0.0, "2026-11-18T11:06:40Z"))
            for age in (-5.0, math.nan, math.inf, 1e300, "old", None)
        ],
    ],
)
def test_a_receipt_says_the_time_of_its_answer(
    age: object, *, cached: bool, told: tuple[float, str]
) -> None:
    deps = WebDeps(backend=Answering(age, cached=cached), now=lambda: NOW)  # type: ignore[arg-type]
    found = asyncio.run(web_search("tides", deps)).unwrap().receipt
    for receipt in (found, asyncio.run(web_extract(URL, deps)).unwrap().receipt):
        assert (receipt.age, receipt.fetched_at) == told
        assert receipt.cached is cached


def test_without_a_clock_a_receipt_says_no_time() -> None:
    deps = WebDeps(backend=Answering(None, cached=False))  # type: ignore[arg-type]
    assert asyncio.run(web_search("tides", deps)).unwrap().receipt.fetched_at is None
    assert asyncio.run(web_extract(URL, deps)).unwrap().receipt.fetched_at is None


@pytest.mark.parametrize(("metadata", "seconds"), [({}, 0.0), ({"etag": '"v1"'}, 86_400.0)])
def test_a_page_with_a_validator_is_stored_for_longer(
    metadata: dict[str, str], seconds: float
) -> None:
    entry = cacheable_page(URL, {**PAGE, "metadata": metadata}, Lifetimes())
    assert entry is not None
    assert (entry.seconds, entry.stored_seconds) == (1200.0, seconds)
    kept_never = msgspec.structs.replace(Lifetimes(), page=0.0)
    unkept = cacheable_page(URL, {**PAGE, "metadata": metadata}, kept_never)
    assert unkept is not None
    assert unkept.stored_seconds == 0.0


def test_an_age_is_a_number_of_seconds_from_0() -> None:
    assert [check_max_age(age).unwrap() for age in (None, 0, 2.5)] == [None, 0, 2.5]
    tool = search_tool(Success(WebDeps(backend=Answering(None))))  # type: ignore[arg-type]
    for value in (-1, math.inf, math.nan, True, "10"):
        assert isinstance(check_max_age(value).failure(), InvalidQuery)
        refusal = tool.judge({"query": "tides", "max_age": value})
        assert isinstance(refusal, InvalidQuery)
        assert refusal.field == "max_age"
    assert tool.judge({"query": "tides", "max_age": 3}) is None


def test_only_a_service_that_asks_for_money_rests() -> None:
    for backend, reason in (("exa", "quota"), (PAGES_READER, ""), (None, "")):
        assert PaymentRequired(backend=backend).facts.verdict.cools == reason
