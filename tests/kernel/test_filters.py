"""Filters: honoured, done for the backend, or refused; never dropped in silence."""

import asyncio
from collections.abc import Mapping
from datetime import date
from typing import cast

import pytest
from returns.result import Failure

from webseam.kernel import Policy, WebDeps, web_search
from webseam.kernel.laws.filters import FilterPolicy
from webseam.ports import (
    Abilities,
    BackendCrashed,
    FilterName,
    InvalidQuery,
    SearchOutcome,
    Support,
    UnsupportedFilter,
    WebSearchQuery,
)
from webseam.ports.web import Query, QueryFields, Topic
from webseam.testing import FakeBackend

ROWS = [
    {"title": "a", "url": "https://a.example/1", "published_at": "2026-03-02T10:00:00Z"},
    {"title": "b", "url": "https://www.b.example/2", "published_at": "2026-01-01"},
    {"title": "c", "url": "https://c.example/3", "published_at": "2026-03"},
    {"title": "d", "url": "https://d.example/4"},
]


def fake(**filters: Support) -> FakeBackend:
    return FakeBackend(rows=ROWS, abilities=Abilities(filters=dict(filters)))  # type: ignore[arg-type]  # names of filters


def search(
    backend: FakeBackend, filters: FilterPolicy = "strict", /, **fields: object
) -> SearchOutcome:
    deps = WebDeps(backend=backend, filters=filters)
    return asyncio.run(web_search(cast("Query", {"query": "q", **fields}), deps)).unwrap()


def titles(outcome: SearchOutcome) -> str:
    return "".join(row.title for row in outcome.rows)


def test_a_native_filter_is_handed_over_and_its_rows_are_checked_where_they_show_it() -> None:
    backend = fake(country="native", include_domains="native")

    outcome = search(backend, country="DE", include_domains=["a.example"])

    assert backend.searched == [
        WebSearchQuery(query="q", country="DE", include_domains=("a.example",))
    ]
    receipt = outcome.receipt
    assert receipt.sent == ("include_domains", "country")
    assert (receipt.verified, receipt.filtered) == (("include_domains",), 3)
    assert titles(outcome) == "a"


def test_a_domain_reaches_the_backend_bare_and_once() -> None:
    backend = fake(include_domains="native", exclude_domains="native")

    search(
        backend,
        include_domains=["*.A.example", "a.example.", "*.com"],
        exclude_domains=[".B.example"],
    )

    [queries] = backend.searched
    assert queries.include_domains == ("a.example", "*.com")
    assert queries.exclude_domains == ("b.example",)


@pytest.mark.parametrize(
    "abilities",
    [
        None,
        {"filters": {}},
        Abilities(filters={"country": "nativ"}),  # type: ignore[dict-item]  # written by hand
        Abilities(filters=["country"]),  # type: ignore[arg-type]
        Abilities(needs=None),  # type: ignore[arg-type]
        Abilities(filters={"topic": "native"}, topics="news"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_a_backend_that_declares_nothing_valid_gets_no_filter(abilities: object) -> None:
    backend = FakeBackend(rows=ROWS, abilities=cast("Abilities", abilities))
    day, domains = "2026-01-02", ["a.example", "b.example"]

    on_rows = search(backend, include_domains=domains, published_after=day)
    best_effort = search(backend, "best-effort", country="DE", topic="news", published_after=day)
    strict = asyncio.run(web_search({"query": "q", "country": "DE"}, WebDeps(backend=backend)))

    assert backend.searched == [WebSearchQuery(query="q")] * 2
    receipt = on_rows.receipt
    assert (receipt.sent, receipt.refused, receipt.filtered) == ((), (), 3)
    assert receipt.verified == receipt.emulated == ("include_domains", "published_after")
    assert titles(on_rows) == "a"
    assert best_effort.receipt.refused == ("country", "topic")
    error = strict.failure()
    assert error == UnsupportedFilter(filters=("country",), undeclared=True, backend="fake")
    assert 'declare `Abilities(filters={"country": "native"})`' in error.message


@pytest.mark.parametrize("support", ["operator", "rows"])
def test_filter_that_rows_cannot_show_is_refused(support: Support) -> None:
    backend = fake(country=support, safe_search=support)
    query: Query = {"query": "q", "country": "DE", "safe_search": "strict"}

    result = asyncio.run(web_search(query, WebDeps(backend=backend)))

    assert result == Failure(
        UnsupportedFilter(
            filters=("country", "safe_search"),
            values={"country": "'DE'", "safe_search": "'strict'"},
            backend="fake",
        )
    )
    assert backend.searched == []


def test_a_refused_filter_fails_the_search_before_the_backend_is_asked() -> None:
    backend = fake(country="refused")
    query: Query = {"query": "q", "country": "DE", "language": "de"}

    result = asyncio.run(web_search(query, WebDeps(backend=backend)))

    assert result == Failure(UnsupportedFilter(filters=("country", "language"), backend="fake"))
    assert backend.searched == []


def test_a_refusal_names_the_value_and_the_filters_that_it_depends_on() -> None:
    def depending(query: WebSearchQuery) -> Mapping[FilterName, Support]:
        limits: dict[FilterName, bool] = {
            "country": query.country != "DE" or query.topic == "news",
            "language": query.country != "DE",
            "include_domains": len(query.include_domains) > 1,
        }
        return {name: "refused" for name, is_refused in limits.items() if is_refused}

    names: tuple[FilterName, ...] = ("country", "language", "topic", "include_domains")
    abilities = Abilities(
        filters=dict.fromkeys(names, "native"), depending=depending, needs={"language": "country"}
    )
    refusals: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "a value": ({"country": "FR"}, {"values": {"country": "'FR'"}}),
        "a list": (
            {"include_domains": ["a.example", "b.example"]},
            {"values": {"include_domains": "(2 values)"}},
        ),
        "beside another": (
            {"country": "DE", "topic": "news"},
            {"values": {"country": "'DE'"}, "beside": ("topic",)},
        ),
        "without another": (
            {"language": "de"},
            {"values": {"language": "'de'"}, "needs": ("country",)},
        ),
        "with a wrong other": (
            {"country": "FR", "language": "de"},
            {"values": {"country": "'FR'", "language": "'de'"}, "beside": ("country",)},
        ),
    }
    for case, (fields, expected) in refusals.items():
        backend = FakeBackend(abilities=abilities)
        result = asyncio.run(
            web_search(cast("Query", {"query": "q", **fields}), WebDeps(backend=backend))
        )
        error = result.failure()
        assert isinstance(error, UnsupportedFilter), case
        blank: dict[str, object] = {"values": {}, "beside": (), "needs": ()}
        found = {name: getattr(error, name) for name in blank}
        assert found == {**blank, **expected}, case


@pytest.mark.parametrize(
    ("field", "value"),
    [("country", "UK"), ("country", "zz"), ("language", "jp"), ("language", "en-UK")],
)
def test_a_code_that_iso_does_not_have_is_refused_before_any_backend(
    field: str, value: str
) -> None:
    backend = FakeBackend(rows=ROWS)

    query = cast("Query", {"query": "q", field: value})
    result = asyncio.run(web_search(query, WebDeps(backend=backend)))

    error = result.failure()
    assert isinstance(error, InvalidQuery)
    assert error.field == field
    assert repr(value.rpartition("-")[2]) in error.reason
    assert backend.searched == []


def test_best_effort_asks_without_the_refused_filters_and_says_so() -> None:
    backend = fake(language="native")

    outcome = search(backend, "best-effort", country="DE", language="de")

    assert backend.searched == [WebSearchQuery(query="q", language="de")]
    assert (outcome.receipt.sent, outcome.receipt.refused) == (("language",), ("country",))


def test_the_general_topic_is_what_every_search_is_about() -> None:
    assert search(fake(), topic="general").receipt.sent == ("topic",)


@pytest.mark.parametrize("topic", ["news", "finance", "images"])
def test_any_other_topic_must_be_one_that_the_backend_knows(topic: Topic) -> None:
    result = asyncio.run(web_search({"query": "q", "topic": topic}, WebDeps(backend=fake())))

    assert result == Failure(UnsupportedFilter(filters=("topic",), backend="fake"))


def test_a_filter_that_rows_are_tried_for_is_refused_for_images() -> None:
    abilities = Abilities(
        filters={"topic": "native", "exclude_domains": "rows"}, topics=("images",)
    )
    query: Query = {"query": "q", "topic": "images", "exclude_domains": ["a.example"]}

    result = asyncio.run(
        web_search(query, WebDeps(backend=FakeBackend(rows=ROWS, abilities=abilities)))
    )

    assert isinstance(result, Failure)
    assert result.failure().filters == ("exclude_domains",)


def test_the_general_topic_lets_no_other_filter_through() -> None:
    query: Query = {"query": "q", "topic": "general", "country": "DE"}

    result = asyncio.run(web_search(query, WebDeps(backend=fake())))

    assert result == Failure(UnsupportedFilter(filters=("country",), backend="fake"))


@pytest.mark.parametrize(
    ("fields", "written"),
    [
        ({"include_domains": ["a.example"]}, "q site:a.example"),
        ({"include_domains": ["A.example", "b.example"]}, "q (site:a.example OR site:b.example)"),
        ({"exclude_domains": ["c.example", "d.example"]}, "q -site:c.example -site:d.example"),
        ({"published_after": "2026-01-02"}, "q after:2026-01-02"),
        ({"published_before": "2026-01-02"}, "q before:2026-01-02"),
    ],
)
def test_an_operator_is_written_into_the_query(fields: dict[str, object], written: str) -> None:
    backend = fake(
        include_domains="operator",
        exclude_domains="operator",
        published_after="operator",
        published_before="operator",
    )

    outcome = search(backend, **fields)

    assert backend.searched == [WebSearchQuery(query=written)]
    assert outcome.receipt.emulated == tuple(fields)
    assert outcome.receipt.query == "q"


@pytest.mark.parametrize("how", ["native", "operator", "rows"])
@pytest.mark.parametrize(
    ("fields", "kept", "undated"),
    [
        ({"include_domains": ["b.example", "c.example"]}, "bc", 0),
        ({"exclude_domains": ["*.b.example", "c.example."]}, "ad", 0),
        ({"published_after": "2026-03-02"}, "acd", 2),
        ({"published_after": "2026-03-01"}, "acd", 1),
        ({"published_after": "2026-04-01"}, "d", 1),
        ({"published_before": "2026-03-02"}, "abcd", 2),
        ({"published_after": "2026-01-02", "published_before": "2026-03-01"}, "cd", 2),
    ],
)
def test_domains_and_dates_are_checked_on_the_rows_whoever_filtered(
    how: Support, fields: dict[str, object], kept: str, undated: int
) -> None:
    backend = fake(
        include_domains=how, exclude_domains=how, published_after=how, published_before=how
    )

    outcome = search(backend, **fields)

    assert titles(outcome) == kept
    receipt = outcome.receipt
    assert (receipt.filtered, receipt.undated) == (len(ROWS) - len(kept), undated)
    assert receipt.verified == tuple(fields)
    assert [row.position for row in outcome.rows] == list(range(1, len(kept) + 1))


def test_two_spellings_of_a_domain_are_one() -> None:
    rows = [
        {"title": "a", "url": "https://xn--mnchen-3ya.example/"},
        {"title": "b", "url": "https://www.MÜNCHEN.example./"},
        {"title": "c", "url": "https://munchen.example/"},
        {"title": "d", "url": "http://192.0.2.1/"},
    ]
    backend = FakeBackend(rows=rows)

    outcome = search(backend, include_domains=["münchen.example"])

    assert titles(outcome) == "ab"


@pytest.mark.parametrize(
    ("date", "kept"),
    [("2025", ""), ("2026", "a"), ("2026-02", ""), ("2026-12", "a"), ("2027", "a")],
)
def test_a_month_or_a_year_decides_as_far_as_it_goes(date: str, kept: str) -> None:
    row = {"title": "a", "url": "https://a.example/", "published_at": date}

    outcome = search(FakeBackend(rows=[row]), published_after="2026-03-01")

    assert titles(outcome) == kept
    assert outcome.receipt.undated == (1 if date == "2026" else 0)


def test_the_row_of_an_image_is_not_checked() -> None:
    abilities = Abilities(
        filters={"topic": "native", "include_domains": "native"}, topics=("images",)
    )
    backend = FakeBackend(rows=ROWS, abilities=abilities)

    outcome = search(backend, topic="images", include_domains=["a.example"])

    assert titles(outcome) == "abcd"
    assert (outcome.receipt.sent, outcome.receipt.verified) == (("include_domains", "topic"), ())


def test_a_search_without_filters_checks_nothing() -> None:
    receipt = search(FakeBackend(rows=ROWS)).receipt

    assert (receipt.sent, receipt.verified, receipt.filtered, receipt.undated) == ((), (), 0, 0)


def test_filters_on_rows_come_before_the_limit() -> None:
    outcome = search(fake(exclude_domains="rows"), exclude_domains=["a.example"], max_results=2)

    assert titles(outcome) == "bc"
    assert (outcome.receipt.filtered, outcome.receipt.trimmed) == (1, 1)


def test_filter_support_may_depend_on_the_query() -> None:
    def depending(query: WebSearchQuery) -> Mapping[FilterName, Support]:
        return {"exclude_domains": "rows"} if query.include_domains else {}

    abilities = Abilities(
        filters={"include_domains": "native", "exclude_domains": "native"}, depending=depending
    )
    backend = FakeBackend(rows=ROWS, abilities=abilities)

    alone = search(backend, exclude_domains=["a.example"])
    both = search(backend, exclude_domains=["a.example"], include_domains=["b.example"])

    assert (alone.receipt.sent, alone.receipt.emulated) == (("exclude_domains",), ())
    assert both.receipt.emulated == ("exclude_domains",)


def test_abilities_that_raise_are_a_crash_of_the_backend() -> None:
    def depending(_query: WebSearchQuery) -> Mapping[FilterName, Support]:
        raise ValueError

    backend = FakeBackend(abilities=Abilities(depending=depending))
    query: Query = {"query": "q", "country": "DE"}

    result = asyncio.run(web_search(query, WebDeps(backend=backend)))

    assert isinstance(result.failure(), BackendCrashed)


@pytest.mark.parametrize(
    ("most", "asked", "got"), [(20, 50, 20), (20, 7, 7), (0, 5, 1), (200, 150, 100)]
)
def test_the_limit_is_clamped_to_what_the_backend_returns(most: int, asked: int, got: int) -> None:
    backend = FakeBackend(abilities=Abilities(max_results=most))

    outcome = search(backend, max_results=asked)

    assert backend.searched[0].max_results == got
    assert (outcome.receipt.max_results, outcome.receipt.clamped) == (got, got != asked)


def test_no_limit_stays_no_limit_whatever_the_backend_returns() -> None:
    backend = FakeBackend(abilities=Abilities(max_results=20))

    assert search(backend).receipt.max_results is None


def test_a_query_that_grows_too_long_with_its_filters_is_refused() -> None:
    abilities = Abilities(max_query_characters=16, filters={"include_domains": "operator"})
    backend = FakeBackend(abilities=abilities)
    query: QueryFields = {"query": "q", "include_domains": ["a.example"]}

    fits = asyncio.run(web_search(query, WebDeps(backend=backend)))
    long = asyncio.run(web_search({**query, "query": "qq"}, WebDeps(backend=backend)))

    assert fits.unwrap().rows == ()
    error = long.failure()
    assert isinstance(error, InvalidQuery)
    assert (error.field, error.backend) == ("query", "fake")
    assert "16 characters" in error.reason


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (Policy(deny_domains=("b.example",)), "acd"),
        (Policy(allow_domains=("b.example", "c.example")), "bc"),
        (Policy(allow_domains=("b.example",), deny_domains=("www.b.example",)), ""),
        (Policy(), "abcd"),
    ],
)
def test_denied_domains_are_left_out_of_the_results(policy: Policy, kept: str) -> None:
    deps = WebDeps(backend=FakeBackend(rows=ROWS), policy=policy)

    outcome = asyncio.run(web_search({"query": "q"}, deps)).unwrap()

    assert titles(outcome) == kept
    assert outcome.receipt.blocked == len(ROWS) - len(kept)


def test_an_address_that_cannot_be_judged_is_left_out_where_domains_are_listed() -> None:
    row = {"title": "x", "url": "http://0x7f.1/"}
    deps = WebDeps(backend=FakeBackend(rows=[row]), policy=Policy(deny_domains=("a.example",)))

    assert asyncio.run(web_search({"query": "q"}, deps)).unwrap().receipt.blocked == 1


def test_dates_are_handed_over_as_dates() -> None:
    backend = fake(published_after="native")

    search(backend, published_after="2026-01-02")

    assert backend.searched[0].published_after == date(2026, 1, 2)
