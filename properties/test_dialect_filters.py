"""A filter of domains or dates means by every dialect what it means to us, or is refused by name.

It is never widened without a word: the hosts and days that a backend is asked for lie within those
of the call, or the request names the field among those that it does not keep to.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import NamedTuple, get_args

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from webseam.adapters.features.gateway.asks import SearchRequest
from webseam.adapters.features.gateway.replies import Call, Refusal
from webseam.composition.features.gateway.endpoints import DialectTable
from webseam.composition.features.gateway.gateway_setup import all_dialects

TABLE = DialectTable(all_dialects())
TODAY = date(2026, 11, 15)
JsonFields = dict[str, object]


class Door(NamedTuple):
    """A field of a dialect, and the call that has a value in it."""

    dialect: str
    path: str
    field: str
    base: JsonFields
    wrap: Callable[[str], object]


def in_list(value: str) -> object:
    return [value]


def itself(value: str) -> object:
    return value


def excluded(value: str) -> object:
    return [f"-{value}"]


def in_tool(field: str) -> Callable[[str], object]:
    return lambda value: [{"type": "web_search", "filters": {field: [value]}}]


QUERY: JsonFields = {"query": "t"}
LINKUP: JsonFields = {"q": "t", "depth": "deep", "outputType": "searchResults"}
CHAT: JsonFields = {"messages": [{"role": "user", "content": "t"}]}
DOMAINS = (
    Door("tavily", "/search", "include_domains", {"query": "t"}, in_list),
    Door("tavily", "/search", "exclude_domains", {"query": "t"}, in_list),
    Door("exa", "/search", "includeDomains", {"query": "t"}, in_list),
    Door("exa", "/search", "excludeDomains", {"query": "t"}, in_list),
    Door("firecrawl", "/v1/search", "includeDomains", {"query": "t"}, in_list),
    Door("firecrawl", "/v2/search", "excludeDomains", {"query": "t"}, in_list),
    Door("linkup", "/v1/search", "includeDomains", LINKUP, in_list),
    Door("linkup", "/v1/search", "excludeDomains", LINKUP, in_list),
    Door("jina", "/s", "site", {"q": "t"}, itself),
    Door("perplexity", "/search", "search_domain_filter", {"query": "t"}, in_list),
    Door("perplexity", "/search", "search_domain_filter", {"query": "t"}, excluded),
    Door("perplexity", "/chat/completions", "search_domain_filter", CHAT, in_list),
    Door("openai", "/v1/chat/completions", "search_domain_filter", CHAT, excluded),
    Door("openai", "/v1/responses", "allowed_domains", {"input": "t"}, in_tool("allowed_domains")),
    Door("openai", "/v1/responses", "blocked_domains", {"input": "t"}, in_tool("blocked_domains")),
)  # fmt: skip
# The field, and whether it is the start of the window.
MOMENTS = tuple(
    (Door(dialect, path, field, base, itself), is_start)
    for dialect, path, field, base, is_start in (
        ("tavily", "/search", "start_date", QUERY, True),
        ("tavily", "/search", "end_date", QUERY, False),
        ("exa", "/search", "startPublishedDate", QUERY, True),
        ("exa", "/search", "endPublishedDate", QUERY, False),
        ("linkup", "/v1/search", "fromDate", LINKUP, True),
        ("linkup", "/v1/search", "toDate", LINKUP, False),
    )
)
AMERICAN = tuple(
    (Door(dialect, path, field, base, itself), is_start)
    for dialect, path, base in (
        ("perplexity", "/search", QUERY),
        ("perplexity", "/chat/completions", CHAT),
        ("openai", "/v1/chat/completions", CHAT),
    )
    for field, is_start in (
        ("search_after_date_filter", True),
        ("search_before_date_filter", False),
    )
)
# The field, and what it calls a period.
PERIODS = (
    (Door("tavily", "/search", "time_range", {"query": "t"}, itself), "{}"),
    (Door("firecrawl", "/v2/search", "tbs", {"query": "t"}, itself), "qdr:{0[0]}"),
    (Door("firecrawl", "/v1/search", "tbs", {"query": "t"}, itself), "qdr:{0[0]}"),
    (Door("serper", "/search", "tbs", {"q": "t"}, itself), "qdr:{0[0]}"),
    (Door("serper", "/news", "tbs", {"q": "t"}, itself), "qdr:{0[0]}"),
    (Door("serper", "/images", "tbs", {"q": "t"}, itself), "qdr:{0[0]}"),
    (Door("jina", "/s", "tbs", {"q": "t"}, itself), "qdr:{0[0]}"),
    (Door("brave", "/res/v1/web/search", "freshness", {"q": "t"}, itself), "p{0[0]}"),
    (Door("brave", "/res/v1/news/search", "freshness", {"q": "t"}, itself), "p{0[0]}"),
    (Door("brave", "/res/v1/images/search", "freshness", {"q": "t"}, itself), "p{0[0]}"),
    (Door("searxng", "/search", "time_range", {"q": "t"}, itself), "{}"),
    (Door("perplexity", "/search", "search_recency_filter", {"query": "t"}, itself), "{}"),
    (Door("openai", "/v1/chat/completions", "search_recency_filter", CHAT, itself), "{}"),
)  # fmt: skip
HOSTS = st.from_regex(r"[a-z]{1,5}(\.[a-z]{2,5}){1,2}", fullmatch=True)
PATHS = st.sampled_from(["/@foo", "/in", "/a/", "?q=1", "#a", "/*", "//"])
PREFIXES = st.sampled_from(["", "www.", "*.", "https://", "HTTP://", "https://www."])
ZONES: st.SearchStrategy[timezone | None] = st.none() | st.integers(-14, 14).map(
    lambda hours: timezone(timedelta(hours=hours))
)


def in_zone(time: datetime, zone: timezone | None) -> datetime:
    return time.replace(tzinfo=zone)


# Not at the ends of the calendar, where a zone has no day.
NAIVE = st.datetimes(datetime(2020, 1, 2), datetime(2026, 12, 30))  # noqa: DTZ001  bounds
TIMES = st.builds(in_zone, NAIVE, ZONES)
# Moments at the borders of days are what callers send.
BORDERS = TIMES.map(lambda time: time.replace(hour=0, minute=0, second=0, microsecond=0))


def read(door: Door, value: object) -> SearchRequest | Refusal:
    methods = [
        method
        for method in ("GET", "POST")
        if TABLE.find_matches(method, f"/{door.dialect}{door.path}")
    ]
    (match,) = TABLE.find_matches(methods[0], f"/{door.dialect}{door.path}")
    fields = {**door.base, door.field: value}
    if door.path == "/v1/responses":
        fields = {**door.base, "tools": value}
    call = Call(
        method=methods[0],
        path=door.path,
        today=TODAY,
        id="7",
        query=tuple((name, str(given)) for name, given in fields.items())
        if methods[0] == "GET"
        else (),
        body=b"" if methods[0] == "GET" else json.dumps(fields).encode(),
    )
    reading = match.endpoint.read(call)
    assert isinstance(reading, SearchRequest | Refusal)
    return reading


@pytest.mark.parametrize("door", DOMAINS, ids=lambda door: f"{door.dialect} {door.field}")
@settings(max_examples=30, deadline=None)
@given(PREFIXES, HOSTS, PATHS | st.sampled_from(["", "/"]))
def test_a_domain_is_the_host_that_was_asked_for_or_refused_by_its_field(
    door: Door, prefix: str, host: str, path: str
) -> None:
    reading = read(door, door.wrap(f"{prefix}{host}{path}"))

    if path not in ("", "/"):
        assert isinstance(reading, Refusal)
        assert (reading.kind, reading.params) == ("unsupported", (door.field,))
        return
    assert isinstance(reading, SearchRequest)
    expected = re.sub("(?i)^https?://", "", prefix) + host
    fields = reading.fields
    asked = [fields.get(name) for name in ("include_domains", "exclude_domains")]
    assert [hosts for hosts in asked if hosts] == [[expected]]


@pytest.mark.parametrize(
    ("door", "is_start"), MOMENTS, ids=[f"{door.dialect} {door.field}" for door, _ in MOMENTS]
)
@settings(max_examples=60, deadline=None)
@given(moment=TIMES | BORDERS)
def test_a_moment_is_its_day_or_the_field_is_named(
    door: Door, *, is_start: bool, moment: datetime
) -> None:
    reading = read(door, moment.isoformat())

    assert isinstance(reading, SearchRequest)
    utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    name = "published_after" if is_start else "published_before"
    day = date.fromisoformat(str(reading.fields[name]))
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    # At a day's end the last second is its last moment.
    is_within = utc <= start if is_start else start + timedelta(days=1, seconds=-1) <= utc
    assert is_within or door.field in reading.unread
    # Nothing that was asked for is lost beyond the moment of a border.
    assert start <= utc if is_start else utc <= start + timedelta(days=1)


@pytest.mark.parametrize(
    "text",
    ["2026-W10-1", "20260305", "2026-03-05T25:00", "soon", "2026-02-30", "0001-01-01T00:00+05:00"],
)
@pytest.mark.parametrize(
    "door", [door for door, _ in MOMENTS], ids=lambda door: f"{door.dialect} {door.field}"
)
def test_invalid_date_is_refused_by_its_field(door: Door, text: str) -> None:
    reading = read(door, text)

    assert isinstance(reading, Refusal)
    assert reading.params == (door.field,)


@pytest.mark.parametrize(
    ("door", "is_start"), AMERICAN, ids=[f"{door.dialect} {door.field}" for door, _ in AMERICAN]
)
def test_an_american_day_is_the_day(door: Door, *, is_start: bool) -> None:
    reading = read(door, "3/5/2026")

    assert isinstance(reading, SearchRequest)
    name = "published_after" if is_start else "published_before"
    assert reading.fields[name] == "2026-03-05"


@pytest.mark.parametrize(
    ("door", "form"),
    PERIODS,
    ids=[f"{door.dialect} {door.path} {door.field}" for door, _ in PERIODS],
)
def test_a_period_begins_as_many_days_ago_and_an_hour_is_refused(door: Door, form: str) -> None:
    for period, days in (("day", 1), ("week", 7), ("month", 30), ("year", 365)):
        reading = read(door, form.format(period))
        assert isinstance(reading, SearchRequest), period
        assert reading.fields["published_after"] == str(TODAY - timedelta(days=days))

    refused = read(door, form.format("hour"))

    assert isinstance(refused, Refusal)
    assert refused.params == (door.field,)


@pytest.mark.parametrize(
    "more",
    [
        {"start_date": "2026-11-01", "time_range": "day"},
        {"start_date": "2026-11-14", "time_range": "month"},
    ],
)
def test_two_starts_of_a_window_are_the_later_one(more: JsonFields) -> None:
    door = Door("tavily", "/search", "query", more, itself)
    ours = {
        "search_recency_filter": more["time_range"],
        "search_after_date_filter": "{1}/{2}/{0}".format(*str(more["start_date"]).split("-")),
    }

    readings = [read(door, "t"), read(Door("perplexity", "/search", "query", ours, itself), "t")]

    starts = [
        reading.fields.get("published_after")
        for reading in readings
        if isinstance(reading, SearchRequest)
    ]
    assert starts == ["2026-11-14", "2026-11-14"]


FILTER_WORDS = re.compile("domain|site$|date|tbs|freshness|range|recency", re.IGNORECASE)
# No filters of rows: how domains are matched, and what a crawl does with links.
OTHERS = {"include_domains_mode", "excludeSourceDomain", "crawlEntireDomain", "allowSubdomains", "includeSubdomains"}  # fmt: skip
# The path is honoured on the rows: tests/features/gateway/test_messages.py.
ON_ROWS = {"anthropic"}


def field_names(kind: object) -> Iterator[str]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            yield field.encode_name
            yield from field_names(field.type)
    for inner in get_args(kind):
        yield from field_names(inner)


def test_every_filter_of_domains_and_dates_has_a_line_here() -> None:
    tabled = {(door.dialect, door.field) for door in DOMAINS}
    tabled |= {(door.dialect, door.field) for door, *_ in (*MOMENTS, *AMERICAN, *PERIODS)}
    declared = {
        (dialect.name, name)
        for dialect in TABLE.dialects.values()
        for endpoint in dialect.endpoints
        for name in field_names(endpoint.shape)
        if FILTER_WORDS.search(name) and name not in OTHERS and dialect.name not in ON_ROWS
    }

    assert declared - tabled == set()
