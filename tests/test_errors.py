"""The closed union: what each error says, and that it survives a trip through JSON."""

from typing import get_args

import msgspec
import pytest

from tests.error_texts import SAYINGS
from webseam.ports import (
    NobodyAnswered,
    StoreFailed,
    WebError,
)
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors.error_fields import ErrorFields


def test_an_error_says_what_happened_and_whether_to_try_again() -> None:
    said = [(error, error.retryable, error.message) for error, _, _ in SAYINGS]

    assert [row for row in zip(said, SAYINGS, strict=True) if row[0] != row[1]] == []


def test_an_error_survives_a_trip_through_json() -> None:
    for error, _, _ in SAYINGS:
        encoded = msgspec.json.encode(error)

        assert msgspec.json.decode(encoded, type=WebError) == error
        assert msgspec.json.decode(encoded)["kind"] == error.kind


def test_every_kind_of_the_union_is_in_the_table_above_under_a_name_of_its_own() -> None:
    kinds = {type(error) for error, _, _ in SAYINGS}

    assert kinds == set(get_args(WebError))
    assert len({error.kind for error, _, _ in SAYINGS}) == len(kinds)


def test_a_kind_is_its_class_name_in_small_letters() -> None:
    for error, _, _ in SAYINGS:
        assert error.kind.replace("_", "") == type(error).__name__.lower()


def test_a_route_refuses_in_the_way_that_all_its_attempts_failed() -> None:
    refusals = {
        ("rate_limited", "rate_limited"): "rate",
        ("timeout", "deadline_exceeded"): "deadline",
        ("timeout", "rate_limited"): "backend",
        (): "backend",
    }

    for outcomes, refusal in refusals.items():
        attempts = tuple(BackendAttempt(backend="a", outcome=outcome) for outcome in outcomes)
        assert NobodyAnswered(attempts=attempts).facts.refusal == refusal, outcomes


def test_backend_that_rests_says_why() -> None:
    limited = NobodyAnswered(resting=("a",), causes={"a": "limit"}, again_in=9.0)
    refused = NobodyAnswered(resting=("a",), causes={"a": "quota"})

    assert limited.message == (
        "No backend answered: a (resting: it asked to slow down). Try again in 9 s."
    )
    assert refused.message == "No backend answered: a (resting: its plan is used up)."
    assert (limited.facts.refusal, refused.facts.refusal) == ("rate", "backend")


def test_a_store_that_does_not_exist_yet_is_not_configured() -> None:
    assert (
        StoreFailed(store="pages", reason="no file", problem="missing").facts.exit
        == "not_configured"
    )
    assert StoreFailed(store="pages", reason="no file").facts.exit == "backend_failed"


def test_a_kind_without_facts_cannot_be_defined() -> None:
    with pytest.raises(TypeError, match="Vague has no facts"):
        type("Vague", (ErrorFields,), {})
