"""What a search costs at most, and what it came to."""

import pytest

from webseam.kernel.planner.money import RequestPrice, replies_price_micros, search_price_micros
from webseam.ports.web import WebSearchQuery

EXA = RequestPrice(call=0.007, included=10, more=0.001, most=100)
SEO = RequestPrice(call=0.002, included=10, more=0.0015, block=10, dearer={"include_domains": 5.0})


def query(rows: int | None, *domains: str) -> WebSearchQuery:
    return WebSearchQuery(query="q", max_results=rows, include_domains=domains)


@pytest.mark.parametrize(
    ("tariff", "asked", "amount"),
    [
        (RequestPrice(call=0.005), query(None), 5000),
        (RequestPrice(call=0.005), query(100), 5000),
        (RequestPrice(call=0.005, page=20), query(None), 5000),
        (RequestPrice(call=0.005, page=20), query(20), 5000),
        (RequestPrice(call=0.005, page=20), query(21), 10_000),
        (RequestPrice(call=0.005, page=20, most=40), query(100), 10_000),
        (EXA, query(10), 7000),
        (EXA, query(25), 22_000),
        (SEO, query(10), 2000),
        (SEO, query(11), 3500),
        (SEO, query(10, "a.example"), 10_000),
    ],
)
def test_what_a_search_may_cost(tariff: RequestPrice, asked: WebSearchQuery, amount: int) -> None:
    assert search_price_micros(tariff, asked) == amount


def test_fewer_requests_than_were_held_for_cost_less() -> None:
    paged = RequestPrice(call=0.005, page=20)

    assert (search_price_micros(paged, query(100)), replies_price_micros(paged, query(100), 2)) == (
        25_000,
        10_000,
    )
