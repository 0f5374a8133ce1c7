import pytest

from webseam.kernel.planner.latency import EMPTY_HISTOGRAM, add_latencies, latency_quantile
from webseam.kernel.planner.money import (
    RequestPrice,
    dollars_to_micros,
    max_request_tokens,
    requests_price_micros,
)
from webseam.kernel.planner.pacing import book_rate_slots
from webseam.kernel.planner.retry import retry_delay
from webseam.kernel.planner.routes import RouteStep, route_error, route_text
from webseam.ports.errors import ConnectionLost
from webseam.ports.models import ChatRequest
from webseam.ports.web import WebSearchQuery


def test_an_example_of_latency_quantile() -> None:
    quantile = latency_quantile(add_latencies(EMPTY_HISTOGRAM, [1.0])[0], 0.5)
    assert quantile is not None
    assert round(quantile, 1) == 1.1


def test_an_example_of_to_planner_micros() -> None:
    assert (dollars_to_micros(0.005), dollars_to_micros(0.0000001)) == (5000, 1)


def test_an_example_of_requests_price_micros() -> None:
    query = WebSearchQuery(query="q", max_results=50)
    assert requests_price_micros(RequestPrice(call=0.005, page=20), query, 3) == 15000


def test_an_example_of_max_planner_tokens() -> None:
    assert (
        max_request_tokens(ChatRequest(model="m", messages=({"role": "user"},))).output_tokens
        == 8192
    )


def test_an_example_of_book_rate_slots() -> None:
    assert (
        book_rate_slots(due=10.0, rate=2.0, at=9.0),
        book_rate_slots(due=0.0, rate=2.0, at=9.0),
    ) == (10.5, 9.5)


def test_an_example_of_planner_retry_delay() -> None:
    delays = [retry_delay(ConnectionLost(), attempt, 0.5) for attempt in (1, 2, 3)]
    assert delays == [pytest.approx(0.3), pytest.approx(1.5), None]


def test_an_example_of_route_error() -> None:
    assert route_error("names a twice", "route", None).message == "route: names a twice."


def test_an_example_of_route_text() -> None:
    assert route_text((RouteStep(fuse=("a",)), RouteStep(fuse=("b", "c")))) == "a, b+c"
