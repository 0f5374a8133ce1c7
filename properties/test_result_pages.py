"""Pages of results: joined they are one longer search, and one that is not there is refused."""

import asyncio

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace
from returns.result import Failure

from properties.service_rows import LEGS, MOST_ROWS, PAGINGS, RowsOfAService, declared
from tests.planner.support import Scripted, route
from tests.services.pick import SERVICES
from webseam.adapters.services.operations import Paging, SearchAsk
from webseam.adapters.services.service_backend import page_abilities
from webseam.composition.features.testing.strategies import search_queries
from webseam.composition.wiring.service_backends import bundled_service_names, service_backend
from webseam.kernel import WebDeps, web_search
from webseam.kernel.laws.filters import FilterPlan, FilterPolicy, page_rows, plan_query_filters
from webseam.ports.backends import REFUSED, Abilities, WebBackend
from webseam.ports.errors import NobodyAnswered, UnsupportedFilter, WebError
from webseam.ports.web import MAX_RESULTS, Query, SearchOutcome, WebSearchQuery
from webseam.testing import FakeBackend

SEARCHING = [name for name in bundled_service_names() if SERVICES[name].search is not None]
PAGES = [*PAGINGS, Paging(size=4, most=3, counted=True)]


def ask(backend: object, query: Query) -> SearchOutcome | WebError:
    deps = WebDeps(backend=backend)  # type: ignore[arg-type]
    found = asyncio.run(web_search(query, deps))
    return found.failure() if isinstance(found, Failure) else found.unwrap()


def page_urls(backend: WebBackend, query: WebSearchQuery, page: int) -> list[str] | None:
    """Return the rows of a page; None if it is refused by name."""
    outcome = ask(backend, replace(query, page=page))
    if isinstance(outcome, SearchOutcome):
        assert "page" in outcome.receipt.filters
        assert "page" in (*outcome.receipt.sent, *outcome.receipt.emulated)
        assert [row.position for row in outcome.rows] == list(range(1, len(outcome.rows) + 1))
        return [row.url for row in outcome.rows]
    if isinstance(outcome, NobodyAnswered):
        assert "page" in outcome.filters
    else:
        assert isinstance(outcome, UnsupportedFilter)
        assert outcome.filters == ("page",)
        assert f"page {page}" in outcome.message
    return None


@given(
    wanted=st.lists(st.booleans(), max_size=16),
    rows=st.integers(1, 5),
    paging=st.sampled_from(PAGES),
    is_filtered=st.booleans(),
)
def test_pages_of_a_search_are_the_rows_of_a_longer_one(
    wanted: list[bool], rows: int, paging: Paging | None, *, is_filtered: bool
) -> None:
    transport = RowsOfAService(wanted)
    options = {"api_key": "key-0123456789"}
    backend = service_backend(declared(paging), options, transport=transport).unwrap()
    excluded = ("bad.example",) if is_filtered else ()
    query = WebSearchQuery(query="q", max_results=rows, exclude_domains=excluded)
    there = [
        f"https://{url}"
        for url, is_wanted in zip(transport.urls, wanted, strict=True)
        if is_wanted or not is_filtered
    ]

    pages = [page_urls(backend, query, page) for page in range(1, MOST_ROWS + 2)]
    first = ask(backend, replace(query, page=1))

    for number, urls in enumerate(pages):
        if number * rows + rows > MOST_ROWS:
            # A service gives no more rows than it says.
            assert urls is None
        elif not is_filtered:
            assert urls == there[number * rows : number * rows + rows]
    if is_filtered and any("there may be more" in text for text in first.receipt.warnings):  # type: ignore[union-attr]
        return
    joined = [url for urls in pages for url in urls or ()]
    assert joined == there[: len(joined)]


@given(rows=st.integers(1, 30), page=st.integers(1, 12))
def test_a_page_of_fused_backends_is_cut_out_of_their_fused_rows(rows: int, page: int) -> None:
    members = [
        Scripted(name, tuple(f"{name}{n}" if n % 3 else f"both{n}" for n in range(40)))
        for name in "abc"
    ]
    backend = route(members, legs=LEGS)
    longest = ask(backend, WebSearchQuery(query="q", max_results=min(rows * page, MAX_RESULTS)))
    assert isinstance(longest, SearchOutcome)

    urls = page_urls(backend, WebSearchQuery(query="q", max_results=rows), page)

    if rows * page > MAX_RESULTS:
        assert urls is None
    else:
        assert urls == [row.url for row in longest.rows][rows * (page - 1) :]


@pytest.mark.parametrize("name", SEARCHING)
@given(
    query=search_queries(),
    page=st.integers(1, 100),
    filters=st.sampled_from(["strict", "best-effort"]),
)
def test_a_page_is_sent_or_cut_out_or_refused_by_every_service(
    name: str, query: WebSearchQuery, page: int, filters: FilterPolicy
) -> None:
    abilities = page_abilities(SERVICES[name])
    asked = replace(query, page=page, max_results=min(query.max_results or 10, 100))

    plan = plan_query_filters(asked, abilities, filters)

    if isinstance(plan, FilterPlan):
        end = page_rows(asked) * page
        if "page" in plan.sent:
            assert (plan.query.page, plan.query.max_results) == (page, asked.max_results)
            assert plan.skipped == 0
        else:
            assert "page" in plan.emulated
            assert (plan.query.page, plan.query.max_results) == (None, end)
            assert (plan.skipped, plan.limit) == (end - page_rows(asked), page_rows(asked))
            assert end <= (abilities.max_results or MAX_RESULTS)
    elif isinstance(plan, UnsupportedFilter):
        assert filters == "strict" or plan.filters == ("page",)


@pytest.mark.parametrize("name", SEARCHING)
def test_a_counted_service_is_asked_for_the_page_itself(name: str) -> None:
    search = SERVICES[name].search
    if search is None or search.paging is None or not search.paging.counted:
        return
    query = WebSearchQuery(query="q", max_results=5, page=2)
    plan = plan_query_filters(query, page_abilities(SERVICES[name]), "strict")
    assert isinstance(plan, FilterPlan)
    assert plan.sent == ("page",)

    calls = [
        search.encode(SearchAsk(query=query, count=5, page=page, offset=5 * page))
        for page in (0, 1)
    ]

    assert calls[0] != calls[1]


def test_a_backend_that_refuses_pages_is_told_from_one_that_says_nothing() -> None:
    rows = [{"title": "t", "url": f"https://{n}.example/", "snippet": ""} for n in range(30)]
    query = WebSearchQuery(query="q", page=2)
    refusing = FakeBackend(rows, abilities=Abilities(filters={"page": REFUSED}))

    silent, refused = ask(FakeBackend(rows), query), ask(refusing, query)

    assert isinstance(silent, SearchOutcome)
    assert [row.url for row in silent.rows] == [str(row["url"]) for row in rows[10:20]]
    assert "max_results" in silent.receipt.warnings[0]
    assert isinstance(refused, UnsupportedFilter)
    assert "best-effort" not in refused.remedy_for("terminal")
