"""What may be asked of X: tidied, held against the rules, refused by field before any call."""

from datetime import UTC, date, datetime
from types import MappingProxyType

import pytest

from tests.features.models.x_search.asking import SCHEMA, ask
from webseam import InvalidQuery, XSearchRequest
from webseam.composition.features.testing.strategies.hostile import LyingText, RaisingMapping
from webseam.kernel.features.models.x_search_request import check_x_request
from webseam.testing import FakeXSearch

TEN = [f"user{number}" for number in range(10)]


def asked(**fields: object) -> XSearchRequest:
    backend = FakeXSearch()
    ask({"query": "tides", **fields}, backend).unwrap()
    return backend.asked[0]


def refused(request: object) -> InvalidQuery:
    backend = FakeXSearch()
    error = ask(request, backend).failure()

    assert backend.asked == []
    assert isinstance(error, InvalidQuery)
    return error


def test_a_bare_query_is_asked_as_it_is_and_nothing_is_stored() -> None:
    assert asked() == XSearchRequest(query="tides")


def test_a_struct_is_checked_like_any_mapping() -> None:
    backend = FakeXSearch()
    ask(XSearchRequest(query=" tides "), backend).unwrap()

    assert backend.asked == [XSearchRequest(query="tides")]
    assert refused(XSearchRequest(query="")).field == "query"


@pytest.mark.parametrize(
    ("value", "handles"),
    [
        (["@alice", " bob ", " @carol "], ("alice", "bob", "carol")),
        (["@@alice", "@ alice", "alice"], ("alice",)),
        (["", " ", "@", "alice"], ("alice",)),
        ([*TEN, "@user0", ""], tuple(TEN)),
        (("alice",), ("alice",)),
        ({"@alice"}, ("alice",)),
        ([12345], ("12345",)),
        ([], ()),
        ("", ()),
        (None, ()),
    ],
)
@pytest.mark.parametrize("name", ["allowed_x_handles", "excluded_x_handles"])
def test_handles_are_trimmed_without_sign_and_blanks(
    name: str, value: object, handles: tuple[str, ...]
) -> None:
    assert getattr(asked(**{name: value}), name) == handles


@pytest.mark.parametrize(
    ("fields", "blank"),
    [
        ({"instructions": "  "}, "instructions"),
        ({"previous_response_id": "\t"}, "previous_response_id"),
        ({"from_date": ""}, "from_date"),
        ({"to_date": " "}, "to_date"),
        ({"output_schema": None}, "output_schema"),
    ],
)
def test_blank_fields_are_left_out(fields: dict[str, object], blank: str) -> None:
    request = asked(**fields)

    assert getattr(request, blank) is None
    assert request.store is False


def test_dates_are_read_and_the_end_may_be_in_the_future() -> None:
    request = asked(from_date="2026-11-15", to_date=" 2027-01-01 ")

    assert (request.from_date, request.to_date) == (date(2026, 11, 15), date(2027, 1, 1))
    assert asked(from_date=date(2026, 1, 2)).from_date == date(2026, 1, 2)


def test_a_search_may_be_for_one_day() -> None:
    request = asked(from_date="2026-11-02", to_date="2026-11-02")

    assert request.from_date == request.to_date == date(2026, 11, 2)


def test_a_follow_up_is_stored_and_its_instructions_are_left_out() -> None:
    request = asked(previous_response_id=" r-1 ", instructions="Be brief.", store=False)

    assert request == XSearchRequest(query="tides", previous_response_id="r-1", store=True)


def test_instructions_alone_are_kept() -> None:
    assert asked(instructions=" Be brief. ").instructions == "Be brief."


def test_a_schema_may_be_any_mapping() -> None:
    assert asked(output_schema=MappingProxyType(SCHEMA)).output_schema == SCHEMA
    assert asked(output_schema={}).output_schema == {}


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"query": " \n"}, "query", "must be text of 1 to 20000 characters, not blank, got ''"),
        ({"query": None}, "query", "is missing"),
        ({"query": 3}, "query", "must be text of 1 to 20000 characters, not blank, got 3"),
        ({"query": "q" * 20_001}, "query", "must be text of 1 to 20000 characters"),
        ({"query": "\ud800"}, "query", "contains invalid Unicode text"),
        ({"colour": "red"}, "colour", "is not a known field"),
        ({"\ud800": "red"}, "?", "has a field named by"),
        (
            {"allowed_x_handles": [*TEN, "one_more"]},
            "allowed_x_handles",
            "has more than 10 handles",
        ),
        (
            {"excluded_x_handles": [*TEN, "@one_more"]},
            "excluded_x_handles",
            "has more than 10 handles",
        ),
        (
            {"allowed_x_handles": ["a"], "excluded_x_handles": ["b"]},
            "excluded_x_handles",
            "cannot be used together with allowed_x_handles",
        ),
        (
            {"allowed_x_handles": "alice"},
            "allowed_x_handles",
            "must be a list of handles such as alice",
        ),
        (
            {"allowed_x_handles": [None]},
            "allowed_x_handles",
            "must be a list of handles such as alice",
        ),
        (
            {"allowed_x_handles": [True]},
            "allowed_x_handles",
            "must be a list of handles such as alice",
        ),
        (
            {"allowed_x_handles": ["alice, bob"]},
            "allowed_x_handles",
            "holds 'alice, bob', which is no handle such as alice",
        ),
        (
            {"excluded_x_handles": ["a", "https://x.com/b"]},
            "excluded_x_handles",
            "holds 'https://x.com/b', which is no handle such as alice",
        ),
        ({"excluded_x_handles": ["\udfff"]}, "excluded_x_handles", "contains invalid Unicode text"),
        ({"from_date": "2026-11-16"}, "from_date", "is in the future: today is 2026-11-15 (UTC)"),
        (
            {"from_date": "2026-11-02", "to_date": "2026-11-01"},
            "from_date",
            "is later than to_date",
        ),
        (
            {"from_date": "2026-1-5"},
            "from_date",
            "must be a date such as 2026-01-31, got '2026-1-5'",
        ),
        ({"from_date": "20260105"}, "from_date", "must be a date such as 2026-01-31"),
        ({"from_date": "2026-02-30"}, "from_date", "must be a date such as 2026-01-31"),
        ({"from_date": "2026-01-05T00:00:00Z"}, "from_date", "must be a date such as 2026-01-31"),
        (
            {"from_date": datetime(2026, 1, 5, tzinfo=UTC)},
            "from_date",
            "must be a date such as 2026-01-31",
        ),
        ({"to_date": "yesterday"}, "to_date", "must be a date such as 2026-01-31, got 'yesterday'"),
        ({"to_date": 20260105}, "to_date", "must be a date such as 2026-01-31"),
        (
            {"enable_image_understanding": "yes"},
            "enable_image_understanding",
            "must be true or false",
        ),
        ({"enable_video_understanding": 1}, "enable_video_understanding", "must be true or false"),
        ({"store": "maybe"}, "store", "must be true or false"),
        ({"instructions": 3}, "instructions", "must be text"),
        ({"instructions": "\ud800"}, "instructions", "contains invalid Unicode text"),
        (
            {"previous_response_id": "r" * 501},
            "previous_response_id",
            "must be text of at most 500 characters",
        ),
        ({"output_schema": []}, "output_schema", "must be a JSON object that is a schema"),
        ({"output_schema": "{}"}, "output_schema", "must be a JSON object that is a schema"),
        ({"output_schema": ""}, "output_schema", "must be a JSON object that is a schema"),
        ({"output_schema": True}, "output_schema", "must be a JSON object that is a schema"),
        ({"output_schema": {1: 2}}, "output_schema", "must be a JSON object that is a schema"),
        ({"output_schema": {"type": object()}}, "output_schema", "cannot be written as JSON"),
    ],
)
def test_x_request_that_breaks_a_rule_is_refused_by_field(
    fields: dict[str, object], field: str, reason: str
) -> None:
    error = refused({"query": "tides", **fields})

    assert error.field == field
    assert error.reason.startswith(reason)


@pytest.mark.parametrize("request_", [None, "tides", [("query", "tides")], 3])
def test_invalid_x_request_is_refused(request_: object) -> None:
    assert refused(request_).reason.startswith("expected a request with fields, got")


def test_a_request_that_cannot_even_be_read_is_refused() -> None:
    assert refused(RaisingMapping(RuntimeError())).field == "query"


def test_subclass_of_str_in_a_request_is_the_text_that_it_is() -> None:
    checked = check_x_request({"query": LyingText("tides")}, date(2026, 1, 1)).unwrap()

    assert (type(checked.request.query), checked.request.query) == (str, "tides")
