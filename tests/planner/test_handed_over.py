"""What a route hands over: trusted when the kernel made it, checked again when nobody knows."""

import asyncio
from datetime import date
from typing import Any

import msgspec
import pytest
from returns.result import Result, Success

from webseam.adapters.timer import asyncio_timer
from webseam.kernel import PolicySettings, make_policy
from webseam.kernel.cache_rules import (
    Lifetimes,
    cacheable_page,
    cacheable_search,
    decode_cached_page,
    decode_cached_rows,
)
from webseam.kernel.deps import WebDeps
from webseam.kernel.envelopes import search_envelope
from webseam.kernel.port_answers import (
    CheckedRoute,
    backend_about,
    served_answer,
    vouch_search_outcome,
)
from webseam.kernel.search import web_search
from webseam.ports.attempts import BackendAttempt, Sighting
from webseam.ports.backends import BackendAbout, Served, WebBackend
from webseam.ports.errors import DeadlineExceeded, Missing, WebError
from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import RejectedRow, SearchOutcome, WebSearchQuery, WebSearchResult

RECEIPT = SearchReceipt(
    backend="a",
    query="q",
    asked_max_results=10,
    max_results=10,
    clamped=False,
    filters=(),
    returned=1,
    rejected=0,
    trimmed=0,
    attempts=(BackendAttempt(backend="a", outcome="answered"),),
    warnings=("w",),
)
ROW = WebSearchResult(
    title="t",
    url="https://a.example/",
    snippet="",
    position=1,
    source="a",
    found_by=(Sighting(backend="a", position=1),),
)
OUTCOME = SearchOutcome(rows=(ROW,), answer=None, rejected=(), receipt=RECEIPT)
BAD = msgspec.structs.replace(OUTCOME, rows=(msgspec.structs.replace(ROW, url="no url"),))
TODAY = date(2026, 1, 31)


class Handing(WebBackend):
    """Hands one thing over."""

    def __init__(self, served: Served) -> None:
        self._served = served

    async def search(self, _query: WebSearchQuery, /) -> Result[Served, WebError]:
        return Success(self._served)


class Route(CheckedRoute, WebBackend):
    """Hands the kernel's own outcome over, and remembers what it was asked."""

    def __init__(self, outcome: SearchOutcome | WebError, *, late: bool = False) -> None:
        self._outcome, self._late = outcome, late
        self.limits: list[int | None] = []

    async def search_checked(self, query: WebSearchQuery, /) -> SearchOutcome | WebError:
        self.limits.append(query.max_results)
        if self._late:
            await asyncio.Event().wait()
        return self._outcome


def ask_route(
    route: Route, limit: int = 10, denied: str = "", deadline: float | None = None
) -> Result[SearchOutcome, WebError]:
    policy = make_policy(PolicySettings(deny_domains=(denied,) if denied else ())).unwrap()
    deps = WebDeps(backend=route, policy=policy, deadline=deadline, timer=asyncio_timer)
    return asyncio.run(web_search({"query": "q", "max_results": limit}, deps))


def test_the_outcome_of_a_route_is_not_checked_a_second_time() -> None:
    assert ask_route(Route(BAD)).unwrap() is BAD


def test_a_route_is_asked_within_the_limit_and_the_receipt_has_what_the_caller_asked() -> None:
    route = Route(OUTCOME)

    receipt = ask_route(route, 500).unwrap().receipt

    assert route.limits == [100]
    assert (receipt.asked_max_results, receipt.clamped) == (500, True)


def test_denied_domains_are_left_out_of_what_a_route_found() -> None:
    assert ask_route(Route(OUTCOME), denied="a.example").unwrap().rows == ()


def test_the_error_of_a_route_keeps_its_backend_or_gets_that_of_the_route() -> None:
    named, unnamed = Missing(backend="b"), Missing()

    assert ask_route(Route(named)).failure() == named
    assert ask_route(Route(unnamed)).failure() == Missing(backend="Route")
    late = ask_route(Route(OUTCOME, late=True), deadline=0.01).failure()
    assert late == DeadlineExceeded(deadline=0.01, backend="Route")


def ask(
    outcome: SearchOutcome, denied: str = "", *, cached: bool = False
) -> Result[SearchOutcome, WebError]:
    policy = make_policy(PolicySettings(deny_domains=(denied,) if denied else ())).unwrap()
    backend = Handing(Served(answer=(), outcome=outcome, cached=cached))
    return asyncio.run(
        web_search({"query": "q", "max_results": 500}, WebDeps(backend=backend, policy=policy))
    )


@pytest.mark.parametrize(
    "outcome", [OUTCOME, vouch_search_outcome(OUTCOME, OUTCOME.receipt)], ids=["unknown", "vouched"]
)
def test_an_outcome_is_handed_on_with_what_the_caller_asked_for(outcome: SearchOutcome) -> None:
    found = ask(outcome).unwrap()

    assert type(found) is SearchOutcome
    assert found.rows == OUTCOME.rows
    assert (found.receipt.asked_max_results, found.receipt.clamped) == (500, True)
    assert found.receipt.attempts == RECEIPT.attempts


def test_an_outcome_that_nobody_vouches_for_keeps_the_law_or_fails() -> None:
    assert ask(BAD).failure().kind == "invalid_row"


def test_denied_domains_are_left_out_of_what_is_handed_on() -> None:
    assert ask(OUTCOME, "a.example").unwrap().rows == ()


def test_a_kept_outcome_comes_back_as_cached_and_without_its_attempts() -> None:
    query = WebSearchQuery(query="q")
    served = Served(answer=(), outcome=vouch_search_outcome(OUTCOME, OUTCOME.receipt))
    entry = cacheable_search(query, served, TODAY, Lifetimes())
    assert entry is not None
    recalled = decode_cached_rows(entry.payload)

    assert isinstance(recalled, Served)
    assert recalled.outcome is not None
    again = ask(recalled.outcome, cached=True).unwrap()
    assert (again.rows, again.receipt.cached, again.receipt.attempts) == (OUTCOME.rows, True, ())


def test_an_outcome_with_bad_rows_is_not_kept_and_one_about_news_not_for_long() -> None:
    bad = RejectedRow(index=0, field="url", reason="x", raw="y")
    rejected = msgspec.structs.replace(OUTCOME, rejected=(bad,))
    news = WebSearchQuery(query="news")

    assert cacheable_search(news, Served(answer=(), outcome=rejected), TODAY, Lifetimes()) is None
    short = cacheable_search(news, Served(answer=(), outcome=OUTCOME), TODAY, Lifetimes())
    assert short is not None
    assert short.seconds == Lifetimes().recent


def test_a_page_of_a_route_is_kept_with_who_read_it() -> None:
    page = {"url": "https://a.example/", "title": "t", "content": "text"}

    entry = cacheable_page("https://a.example/", Served(answer=page, by="b"), Lifetimes())

    assert entry is not None
    recalled = decode_cached_page(entry.payload)
    assert isinstance(recalled, Served)
    assert recalled.by == "b"


def test_served_facts_made_by_hand_are_checked() -> None:
    odd: Any = {"by": 5, "attempts": ("x",)}

    assert served_answer(Served(answer=(), **odd)) == Served(answer=())
    assert served_answer(Served(answer=(), by="b")).by == "b"


def test_agents_are_told_who_found_a_row_where() -> None:
    envelope = search_envelope(Success(OUTCOME))

    data = msgspec.convert(envelope["data"], dict[str, list[dict[str, object]]])
    assert data["web"][0]["found_by"] == ({"backend": "a", "position": 1},)


def test_warnings_beside_a_vouched_outcome_are_one_line() -> None:
    outcome = vouch_search_outcome(OUTCOME, OUTCOME.receipt)

    plain = served_answer(Served(answer=(), outcome=outcome))
    warned = served_answer(Served(answer=(), outcome=outcome, warnings=("two\nlines",)))

    assert plain.outcome is warned.outcome is outcome
    assert warned.warnings == ("two lines",)


@pytest.mark.parametrize(
    "odd", [{"embedded": "yes"}, {"abilities": 5}, {"batch": 0}, {"batch": "x"}, {"name": 5}]
)
def test_invalid_facts_of_a_backend_are_replaced(odd: dict[str, Any]) -> None:
    class Odd(WebBackend):
        about = BackendAbout(**{"name": "odd", **odd})

    assert backend_about(Odd()) == BackendAbout(name="Odd" if "name" in odd else "odd")


def test_noted_limit_of_a_route_stays_in_the_receipt() -> None:
    backend = Handing(Served(answer=(), outcome=vouch_search_outcome(OUTCOME, RECEIPT)))

    outcome = asyncio.run(web_search({"query": "q", "max_results": 10}, WebDeps(backend=backend)))

    assert outcome.unwrap().receipt == RECEIPT


def test_stored_page_of_results_without_a_limit_says_how_many_rows_a_page_has() -> None:
    backend = Handing(Served(answer=(), outcome=vouch_search_outcome(OUTCOME, RECEIPT)))

    outcome = asyncio.run(web_search({"query": "q", "page": 1}, WebDeps(backend=backend)))

    assert "a page has 10 rows" in outcome.unwrap().receipt.warnings[-1]
