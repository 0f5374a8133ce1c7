"""The JSON that agents see of a search of X."""

import json
from typing import Any

import msgspec
from returns.result import Failure, Success

from tests.features.models.x_search.asking import POST, SCHEMA, ask, found, saying
from webseam import InvalidQuery, NotConfigured, RateLimited, Timeout, WebError, x_search_envelope


def test_a_success_is_one_flat_object() -> None:
    inline = {"url": POST, "title": " a\n\u200bb ", "start": 1, "end": 2}
    backend = saying(
        '{"handle": "al\u200bice", "n\u202e": [1, null, "\u200b"]}',
        citations=[POST],
        inline_citations=[inline],
        response_id="r-1",
        x_search_calls=1,
        model="grok-4.5",
        credential_source="xai",
    )

    envelope = x_search_envelope(Success(found(backend, output_schema=SCHEMA)), "xai")

    assert envelope == {
        "success": True,
        "provider": "xai",
        "tool": "x_search",
        "model": "grok-4.5",
        "query": "tides",
        "answer": '{"handle": "alice", "n": [1, null, ""]}',
        "citations": [POST],
        "inline_citations": [
            {
                "url": POST,
                "title": "a b",
                "start": 1,
                "end": 2,
                "start_index": 1,
                "end_index": 2,
            }
        ],
        "response_id": "r-1",
        "structured_output": {"handle": "alice", "n": [1, None, ""]},
        "structured_error": None,
        "schema_valid": True,
        "schema_error": None,
        "x_search_calls": 1,
        "degraded": False,
        "degraded_reason": None,
        "credential_source": "xai",
        "receipt": {
            "backend": "fake",
            "stored": False,
            "filters": (),
            "dropped": (),
            "left_out_citations": 0,
            "warnings": (),
            "usage": None,
            "attempts": (),
            "middleware": (),
        },
    }
    assert json.loads(msgspec.json.encode(envelope))["receipt"]["filters"] == []


def test_a_place_is_one_in_the_answer_that_is_told() -> None:
    answer = "\u200fHigh\u200b tide.\u2060[1]"
    place = answer.index("[1]")
    inline = [{"url": POST, "start": place, "end": place + 3}, {"url": POST, "start": 0, "end": 99}]
    backend = saying(answer, inline_citations=[*inline, {"url": POST}])

    envelope: Any = x_search_envelope(Success(found(backend)), "xai")

    first, second, third = envelope["inline_citations"]
    assert envelope["answer"][first["start"] : first["end"]] == "[1]"
    assert (first["start_index"], first["end_index"]) == (first["start"], first["end"])
    assert (second["start"], second["end"]) == (0, 96)
    assert (third["start"], third["end"]) == (None, None)


def test_a_typed_value_is_told_as_json() -> None:
    class Posts(msgspec.Struct):
        handles: tuple[str, ...]

    outcome = ask({"query": "q"}, saying('{"handles": ["a"]}'), output_type=Posts)

    assert x_search_envelope(outcome, "xai")["structured_output"] == {"handles": ["a"]}


def test_every_failure_has_the_same_shape() -> None:
    failures: list[WebError] = [
        ask({"query": ""}).failure(),
        ask({"query": "q", "from_date": None, "to_date": "soon"}).failure(),
        NotConfigured(reason="xAI has no key", settings=("XAI_API_KEY",)),
        RateLimited(retry_after=3.0, backend="xai"),
        Timeout(phase="headers"),
    ]
    envelopes: list[dict[str, Any]] = [
        x_search_envelope(Failure(error), "xai") for error in failures
    ]

    for error, envelope in zip(failures, envelopes, strict=True):
        assert set(envelope) == {"success", "provider", "tool", "error", "error_type", "failure"}
        assert (envelope["success"], envelope["provider"]) == (False, "xai")
        assert (envelope["tool"], envelope["error_type"]) == ("x_search", error.kind)
        assert envelope["error"] == error.message
        assert envelope["failure"]["retryable"] is error.retryable
    assert isinstance(failures[0], InvalidQuery)
