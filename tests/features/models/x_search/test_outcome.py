"""What comes out of a search of X: checked again, with what was done to the request on the way."""

import asyncio

import pytest
from returns.result import Failure

from tests.features.models.x_search.asking import POST, ask, deps, found, saying
from webseam import (
    BackendCrashed,
    BadPayload,
    InlineCitation,
    RateLimited,
    XSearchReceipt,
    x_search,
)
from webseam.testing import FakeXSearch


def test_an_answer_comes_with_its_sources_and_a_receipt() -> None:
    inline = {"url": POST, "title": "1", "start": 3, "end": 9}
    backend = FakeXSearch(
        answer={
            "answer": "High tide.",
            "citations": [POST],
            "inline_citations": [inline],
            "response_id": "r-1",
            "x_search_calls": 2,
            "model": "grok-4.5",
            "credential_source": "xai",
        },
        name="xai",
    )

    outcome = found(backend, from_date="2026-11-01", allowed_x_handles=["@alice"])

    assert (outcome.query, outcome.answer, outcome.citations) == ("tides", "High tide.", (POST,))
    assert outcome.inline_citations == (InlineCitation(url=POST, title="1", start=3, end=9),)
    assert (outcome.response_id, outcome.x_search_calls) == ("r-1", 2)
    assert (outcome.model, outcome.credential_source) == ("grok-4.5", "xai")
    assert (outcome.degraded, outcome.degraded_reason) == (False, None)
    assert (outcome.structured_output, outcome.structured_error) == (None, None)
    assert (outcome.schema_valid, outcome.schema_error) == (None, None)
    assert outcome.receipt == XSearchReceipt(
        backend="xai", stored=False, filters=("allowed_x_handles", "from_date")
    )


def test_the_receipt_says_that_instructions_were_dropped() -> None:
    receipt = found(previous_response_id="r-0", instructions="Be brief.").receipt

    assert (receipt.stored, receipt.dropped) == (True, ("instructions",))
    assert "left out" in receipt.warnings[0]


def test_a_follow_up_without_instructions_has_nothing_dropped() -> None:
    receipt = found(previous_response_id="r-0").receipt

    assert (receipt.stored, receipt.dropped, receipt.warnings) == (True, (), ())


def test_sources_that_are_no_web_address_are_left_out_and_counted() -> None:
    bad = ["javascript:alert(1)", "", "/relative", "https://x.com/\ud800"]
    inline = [{"url": url} for url in (POST, *bad)] + [{"url": POST, "title": "\ud800"}]
    outcome = found(saying("A.", citations=[POST, *bad, POST], inline_citations=inline))

    assert outcome.citations == (POST, POST)
    assert outcome.inline_citations == (InlineCitation(url=POST),)
    assert outcome.receipt.left_out_citations == 9


FILTERED = {"to_date": "2026-11-10", "excluded_x_handles": ["bob"]}
NARROWED = " (narrowed by excluded_x_handles, to_date)"


@pytest.mark.parametrize(
    ("answer", "fields", "reason"),
    [
        ({"x_search_calls": 0}, {}, "the model answered without searching X"),
        ({"x_search_calls": 0, "citations": [POST]}, {}, "the model answered without searching X"),
        ({"x_search_calls": 0}, FILTERED, f"the model answered without searching X{NARROWED}"),
        ({"x_search_calls": 1}, {}, "X was searched, but the answer names no source"),
        (
            {"x_search_calls": 1},
            FILTERED,
            f"X was searched, but the answer names no source{NARROWED}",
        ),
        (
            {"x_search_calls": 1, "citations": ["nonsense"]},
            {},
            "X was searched, but the answer names no source",
        ),
        ({"x_search_calls": 1, "citations": [POST]}, FILTERED, None),
        ({"x_search_calls": 1, "inline_citations": [{"url": POST}]}, {}, None),
        ({}, {}, "the answer names no source"),
        ({"answer": f"High. [[1]]({POST})"}, {}, None),
        ({"answer": f"High. [[1]](javascript:{POST})"}, {}, "the answer names no source"),
        ({}, FILTERED, f"the answer names no source{NARROWED}"),
        ({"citations": [POST]}, FILTERED, None),
        ({"inline_citations": [{"url": POST}]}, FILTERED, None),
    ],
)
def test_an_answer_that_may_not_rest_on_x_is_degraded(
    answer: dict[str, object], fields: dict[str, object], reason: str | None
) -> None:
    outcome = found(FakeXSearch(answer={"answer": "A.", **answer}), **fields)

    assert (outcome.degraded, outcome.degraded_reason) == (reason is not None, reason)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"answer": None},
        {"answer": 3},
        {"answer": "A.", "citations": "https://x.com"},
        {"answer": "A.", "citations": [3]},
        {"answer": "A.", "inline_citations": [{"url": 3}]},
        {"answer": "A.", "x_search_calls": -1},
        {"answer": "A.", "response_id": 7},
        {"answer": "\ud800"},
        {"answer": "A.", "model": "\ud800"},
        [],
        3,
    ],
)
def test_an_answer_of_another_shape_is_a_failure(answer: object) -> None:
    error = ask({"query": "tides"}, FakeXSearch(answer=answer)).failure()

    assert isinstance(error, BadPayload)
    assert (error.problem, error.backend) == ("shape", "fake")


def test_a_failure_of_the_backend_is_passed_on_with_its_name() -> None:
    limited = RateLimited(retry_after=2.0)

    assert ask({"query": "t"}, FakeXSearch(answer=Failure(limited))).failure() == RateLimited(
        retry_after=2.0, backend="fake"
    )


def test_a_backend_that_raises_is_a_failure() -> None:
    error = ask({"query": "t"}, FakeXSearch(raises=RuntimeError("key CANARY"))).failure()

    assert isinstance(error, BackendCrashed)
    assert "CANARY" not in repr(error)


def test_cancelling_passes_through() -> None:
    backend = FakeXSearch(raises=asyncio.CancelledError)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(x_search({"query": "t"}, deps(backend)))
