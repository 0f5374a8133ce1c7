"""What a caller may ask."""

from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType

import pytest
from returns.result import Success

from webseam.kernel.laws.field_checks import check_query, clamp_max_results, query_filters
from webseam.ports import InvalidQuery, WebSearchQuery
from webseam.ports.web import QueryFields
from webseam.testing import FakeBackend

from .ask import search

DATE = "must be a date such as 2026-01-31"
HOSTS = "must be a list of host names such as example.com"
TEXT = "must be text of 1 to 2000 characters, not blank"


class Evil(Mapping[str, object]):
    def __repr__(self) -> str:
        return "Evil()"

    def __getitem__(self, key: str) -> object:
        raise RuntimeError

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("query", "field", "reason"),
    [
        ({}, "query", "is missing"),
        ({"query": ""}, "query", f"{TEXT}, got ''"),
        ({"query": " \n\t"}, "query", f"{TEXT}, got ' \\n\\t'"),
        ({"query": "\x00"}, "query", "must not hold control characters, got '\\x00'"),
        ({"query": "a\x1b[2Jb"}, "query", "must not hold control characters, got 'a\\x1b[2Jb'"),
        ({"query": "a\x9b"}, "query", "must not hold control characters, got 'a\\x9b'"),
        ({"query": "a\x1f"}, "query", "must not hold control characters, got 'a\\x1f'"),
        ({"query": "\u200b"}, "query", "must not be blank, got '\\u200b'"),
        ({"query": "\u200d \ufe0f"}, "query", "must not be blank, got '\\u200d \\ufe0f'"),
        ({"query": "\u2800"}, "query", "must not be blank, got '\\u2800'"),
        ({"query": None}, "query", f"{TEXT}, got a value of type NoneType"),
        ({"query": b"q"}, "query", f"{TEXT}, got a value of type bytes"),
        (
            {"query": "q", "max_results": True},
            "max_results",
            "must be a whole number, got a value of type bool",
        ),
        (
            {"query": "q", "max_results": 5.0},
            "max_results",
            "must be a whole number, got 5.0",
        ),
        ({"query": "q", "max_results": "5"}, "max_results", "must be a whole number, got '5'"),
        ({"query": "q", "limit": 5}, "limit", "is not a known field; did you mean max_results?"),
        (
            {"query": "q", "max_result": 5},
            "max_result",
            "is not a known field; did you mean max_results?",
        ),
        (
            {"query": "q", "include_domains": "a.example"},
            "include_domains",
            f"{HOSTS}, got 'a.example'",
        ),
        (
            {"query": "q", "include_domains": ["a.example,b.example"]},
            "include_domains",
            f"{HOSTS}, got 'a.example,b.example'",
        ),
        (
            {"query": "q", "exclude_domains": ["*."]},
            "exclude_domains",
            f"{HOSTS}, got '*.'",
        ),
        (
            {"query": "q", "include_domains": ["https://a.example"]},
            "include_domains",
            f"{HOSTS}, got 'https://a.example'",
        ),
        (
            {"query": "q", "exclude_domains": ["a b"]},
            "exclude_domains",
            f"{HOSTS}, got 'a b'",
        ),
        (
            {"query": "q", "include_domains": ("a.example", 5)},
            "include_domains",
            f"{HOSTS}, got 5",
        ),
        ({"query": "q", "published_after": "soon"}, "published_after", f"{DATE}, got 'soon'"),
        (
            {"query": "q", "published_before": 5},
            "published_before",
            f"{DATE}, got 5",
        ),
        (
            {"query": "q", "country": "DEU"},
            "country",
            "must be a two-letter ISO country code such as DE, got 'DEU'",
        ),
        (
            {"query": "q", "language": "english"},
            "language",
            "must be an ISO language code such as en or pt-BR, got 'english'",
        ),
        (
            {"query": "q", "topic": "sports"},
            "topic",
            "must be general, news, finance or images, got 'sports'",
        ),
        ({"query": "q", 7: 1}, "?", "has a field named by 7"),
        (
            {"query": "q", "published_after": "2026-02-01", "published_before": "2026-01-31"},
            "published_after",
            "is later than published_before",
        ),
        (7, "query", "expected a query with fields, got 7"),
        (" ", "query", f"{TEXT}, got ' '"),
        (None, "query", "expected a query with fields, got a value of type NoneType"),
        (["q"], "query", "expected a query with fields, got a value of type list"),
        (Evil(), "query", "could not be read"),
        (WebSearchQuery(query=" "), "query", f"{TEXT}, got ' '"),
    ],
    ids=str,
)
def test_a_query_that_breaks_a_rule_is_refused_with_its_field(
    query: object, field: str, reason: str
) -> None:
    backend = FakeBackend()

    outcome = search(backend, query)

    assert outcome.failure() == InvalidQuery(field=field, reason=reason)
    assert backend.searched == []


@pytest.mark.parametrize("field", ["query", "include_domains", "exclude_domains"])
def test_a_query_is_plain_unicode_text(field: str) -> None:
    text = "a\ud800"
    fields = {"query": "q", field: text if field == "query" else [text]}

    assert check_query(fields).failure() == InvalidQuery(
        field="query", reason="contains invalid Unicode text"
    )


def test_subclass_of_str_in_a_query_is_the_text_that_it_is() -> None:
    liar = type("Liar", (str,), {"__str__": lambda _: "b", "strip": lambda _: "b"})
    fields = {
        liar("query"): liar("a"),
        "include_domains": [liar("a.example")],
        "country": liar("DE"),
    }

    query = check_query(fields).unwrap()

    assert query == WebSearchQuery(query="a", include_domains=("a.example",), country="DE")
    texts = (query.query, *query.include_domains, query.country)
    assert {*map(type, texts)} == {str}
    assert type(check_query(liar("a")).unwrap().query) is str


def test_limit_of_too_many_digits_is_refused() -> None:
    refused = check_query({"query": "q", "max_results": 10**5000}).failure()

    assert (refused.field, refused.reason) == ("max_results", "must be a whole number")


def test_a_query_of_2000_characters_passes_and_one_more_does_not() -> None:
    assert check_query({"query": "q" * 2000}) == Success(WebSearchQuery(query="q" * 2000))
    assert check_query({"query": "q" * 2001}).failure().field == "query"


def test_every_field_is_read_from_a_mapping() -> None:
    given = MappingProxyType(
        {
            "query": "q",
            "max_results": 3,
            "include_domains": ["a.example"],
            "exclude_domains": ("b.example",),
            "published_after": "2026-01-01",
            "published_before": date(2026, 1, 1),
            "country": "DE",
            "language": "pt-BR",
            "topic": "news",
            "safe_search": "strict",
        }
    )

    checked = check_query(given)

    assert checked == Success(
        WebSearchQuery(
            query="q",
            max_results=3,
            include_domains=("a.example",),
            exclude_domains=("b.example",),
            published_after=date(2026, 1, 1),
            published_before=date(2026, 1, 1),
            country="DE",
            language="pt-BR",
            topic="news",
            safe_search="strict",
        )
    )


def test_a_query_struct_is_checked_like_a_mapping() -> None:
    query = WebSearchQuery(query="q", max_results=7)

    assert check_query(query) == Success(query)


@pytest.mark.parametrize(
    ("asked", "clamped"),
    [
        (None, None),
        (-(10**30), 1),
        (0, 1),
        (1, 1),
        (2, 2),
        (99, 99),
        (100, 100),
        (101, 100),
        (10**30, 100),
    ],
)
def test_the_result_limit_is_brought_into_1_to_100(asked: int | None, clamped: int | None) -> None:
    assert clamp_max_results(asked) == clamped


def test_filters_that_are_set_are_named_in_order() -> None:
    assert query_filters(WebSearchQuery(query="q", max_results=3)) == ()
    assert query_filters(
        WebSearchQuery(query="q", topic="news", include_domains=("a.example",))
    ) == (
        "include_domains",
        "topic",
    )


def test_text_is_a_query_without_filters() -> None:
    backend = FakeBackend()

    search(backend, "tide tables")

    assert backend.searched == [WebSearchQuery(query="tide tables")]


def test_the_typed_dict_names_every_field_of_a_query() -> None:
    fields = set(WebSearchQuery.__struct_fields__)

    assert QueryFields.__required_keys__ == {"query"}
    assert QueryFields.__required_keys__ | QueryFields.__optional_keys__ == fields


@pytest.mark.parametrize(
    "text",
    [
        "tide\ttables\nfor\r\nBremen",
        "a\x0bb\x0cc\x85d",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f469\u200d\U0001f52c",
        "\u200bhidden mark",
    ],
)
def test_pasted_lines_and_scripts_that_need_joiners_are_fine(text: str) -> None:
    assert check_query(text) == Success(WebSearchQuery(query=text))
