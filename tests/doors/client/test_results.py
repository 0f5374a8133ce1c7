"""Failures for people: what went wrong and what to do, as an exception or as a typed value."""

import pytest
from returns.result import Failure, Result, Success

import webseam
from tests.error_texts import SAYINGS
from webseam import RateLimited, WebError, WebseamError


def test_unwrap_gives_the_value() -> None:
    assert webseam.unwrap(Success(1)) == 1


def test_unwrap_raises_what_went_wrong() -> None:
    result: Result[int, WebError] = Failure(RateLimited(retry_after=2.0, backend="brave"))

    with pytest.raises(WebseamError, match="brave asks to slow down; try again in 2 s") as raised:
        webseam.unwrap(result)

    assert isinstance(raised.value.error, RateLimited)
    assert raised.value.remedy.startswith("Try again later")


def test_a_failure_is_told_from_a_success() -> None:
    results: list[Result[int, str]] = [Success(1), Failure("no")]

    assert [webseam.failed(result) for result in results] == [False, True]


def test_every_failure_is_told_in_whole_sentences() -> None:
    for error, *_ in SAYINGS:
        lines = str(WebseamError(error)).splitlines()

        assert lines[0] == error.message.splitlines()[0], error
        assert error.remedy_for("python") == "" or lines[-1].endswith("."), error
