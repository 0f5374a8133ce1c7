"""What a search costs at most, and what it came to."""

import pytest

from webseam.kernel.planner.money import RequestPrice, requests_price_micros
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
        (RequestPrice(call=0.005, page=20), query(100), 5000),
        (RequestPrice(call=0.005, page=20, included=10, more=0.001), query(100), 15_000),
        (RequestPrice(call=0.005, most=40, included=10, more=0.001), query(100), 35_000),
        (EXA, query(10), 7000),
        (EXA, query(25), 22_000),
        (SEO, query(10), 2000),
        (SEO, query(11), 3500),
        (SEO, query(10, "a.example"), 10_000),
    ],
)
def test_a_request_costs_its_price_and_that_of_its_further_rows(
    tariff: RequestPrice, asked: WebSearchQuery, amount: int
) -> None:
    assert requests_price_micros(tariff, asked) == amount


def test_several_requests_cost_as_much_as_one_each() -> None:
    assert requests_price_micros(EXA, query(25), 3) == 3 * requests_price_micros(EXA, query(25))
