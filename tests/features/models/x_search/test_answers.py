"""xAI's answers in the shapes that they come in."""

import json
from typing import Any

import httpx
import pytest

from tests.features.models.x_search.serving import POST, exchange, reply, scripted
from webseam import BadPayload, ContentFiltered, InlineCitation, XSearchOutcome

ANNOTATION = {"type": "url_citation", "url": POST, "title": "1", "start_index": 2, "end_index": 5}
CALL = {"type": "x_search_call", "id": "fc_1", "call_id": "", "name": "x_keyword_search", "arguments": "{}", "status": "in_progress"}  # fmt: skip


def message(*texts: str, phase: str | None = None, **part: object) -> dict[str, Any]:
    parts = [{"type": "output_text", "text": text, **part} for text in texts]
    return {"type": "message", "role": "assistant", "content": parts, "phase": phase}


def read(**fields: object) -> XSearchOutcome:
    searched, _ = exchange({"body": reply(**fields)})
    outcome: XSearchOutcome = searched.unwrap()
    return outcome


def test_sources_at_the_top_level() -> None:
    outcome = read(citations=[POST, {"url": f"{POST}2"}, 3, "javascript:alert(1)"])

    assert outcome.citations == (POST, f"{POST}2")
    assert outcome.receipt.left_out_citations == 2
    assert (outcome.x_search_calls, outcome.degraded) == (1, False)
    assert outcome.response_id == "8f0c3b1e-0000-4000-8000-2b6d0e5c1a77"
    assert (outcome.model, outcome.credential_source) == ("grok-4.5", "XAI_API_KEY")


def test_sources_in_the_annotations_alone() -> None:
    outcome = read(output=[CALL, message("It is high.", annotations=[ANNOTATION])], citations=[])

    assert outcome.citations == (POST,)
    assert outcome.inline_citations == (InlineCitation(url=POST, title="1", start=2, end=5),)
    assert outcome.degraded is False


@pytest.mark.parametrize(
    ("annotation", "citation"),
    [
        ({"type": "url_citation", "url": POST}, InlineCitation(url=POST)),
        (
            {"type": "url_citation", "url_citation": {"url": POST, "title": "t"}},
            InlineCitation(url=POST, title="t"),
        ),
        (
            {"url": POST, "start_index": -1, "end_index": "5", "title": None},
            InlineCitation(url=POST),
        ),
        (
            {"type": "url_citation", "url": POST, "start_index": True, "end_index": 1 << 60},
            InlineCitation(url=POST),
        ),
    ],
)
def test_annotations_may_lack_anything_but_the_address(
    annotation: dict[str, object], citation: InlineCitation
) -> None:
    outcome = read(
        output=[
            message(
                "A.", annotations=[annotation, "nonsense", {"type": "file_citation", "url": POST}]
            )
        ]
    )

    assert outcome.inline_citations == (citation,)


def test_parts_are_put_together_by_blank_lines_and_places_move_along() -> None:
    parts = [
        {
            "type": "output_text",
            "text": "One. ",
            "annotations": [{**ANNOTATION, "start_index": 0, "end_index": 3}],
        },
        {
            "type": "text",
            "text": "\n Two.",
            "annotations": [{**ANNOTATION, "start_index": 2, "end_index": 5}],
        },
        {"type": "output_text", "text": " "},
    ]
    outcome = read(output=[{"type": "message", "content": parts}, message("Three.")])

    assert outcome.answer == "One.\n\nTwo.\n\nThree."
    assert [outcome.answer[each.start : each.end] for each in outcome.inline_citations] == [
        "One",
        "Two",
    ]


def test_an_answer_that_a_gateway_made_one_text_of_comes_first() -> None:
    outcome = read(output_text=" The whole. ", output=[message("A part.")])

    assert outcome.answer == "The whole."
    assert read(output_text=" ", output=[message("A part.")]).answer == "A part."


def test_commentary_is_not_the_answer() -> None:
    aside, final = message("Let me look.", phase="commentary"), message("It is high.")

    assert read(output=[aside, final]).answer == "It is high."
    assert read(output=[aside]).answer == "Let me look."


def test_a_message_may_come_without_its_type() -> None:
    part = {"type": "output_text", "text": "It is high.", "annotations": [ANNOTATION]}
    outcome = read(output=[CALL, {"content": [part]}])

    assert (outcome.answer, len(outcome.inline_citations)) == ("It is high.", 1)


def test_content_may_be_a_bare_text_or_left_in_the_thoughts() -> None:
    thought = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "Hm.<response>High.</response>"}],
    }

    assert read(output=[{"type": "message", "content": "Bare."}]).answer == "Bare."
    assert read(output=[thought]).answer == "High."


def test_tools_alone_are_no_answer() -> None:
    output = [CALL, {"type": "reasoning", "summary": []}]
    searched, _ = exchange({"body": reply(output=output, citations=[])})

    assert searched.failure().kind == "empty_content"


def test_an_answer_without_a_source_is_degraded() -> None:
    outcome = read(output=[CALL, message("High.")], citations=[])

    assert (outcome.answer, outcome.degraded) == ("High.", True)
    assert outcome.degraded_reason == "X was searched, but the answer names no source"


def test_an_answer_that_was_cut_says_so() -> None:
    outcome = read(status="incomplete", incomplete_details={"reason": "max_output_tokens"})

    assert outcome.answer == "High tide."
    assert outcome.receipt.warnings == (
        "The model stopped at its length limit, so its answer is cut short.",
    )
    assert read().receipt.warnings == ()


def test_a_refusal_is_a_failure_and_no_answer() -> None:
    part = {"type": "refusal", "refusal": "I cannot look for that."}
    for fields in (
        {"output": [{"type": "message", "content": [part]}]},
        {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
    ):
        outcome, server = exchange({"body": reply(**fields)})

        assert isinstance(outcome.failure(), ContentFiltered)
        assert outcome.failure().backend == "xai"
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("usage", "calls"),
    [
        ({"server_side_tool_usage_details": {"x_search_calls": 0}}, 0),
        ({"server_side_tool_usage_details": {"x_search_calls": 3.0}}, 3),
        ({"server_side_tool_usage_details": {"x_search_calls": None}}, None),
        ({"server_side_tool_usage_details": {"x_search_calls": -1}}, None),
        ({"server_side_tool_usage_details": {"x_search_calls": 1e300}}, None),
        ({"server_side_tool_usage_details": {"x_search_calls": True}}, None),
        ({"server_side_tool_usage_details": None}, None),
        (None, None),
    ],
)
def test_x_search_calls_are_a_count_or_unknown(usage: object, calls: int | None) -> None:
    outcome = read(usage=usage)

    assert outcome.x_search_calls == calls
    assert outcome.degraded is (calls == 0)


def test_a_response_without_id_and_model_is_an_answer_all_the_same() -> None:
    outcome = read(id=None, model=None)

    assert (outcome.response_id, outcome.model) == (None, "grok-4.5")


def test_an_answer_streamed_unasked_keeps_its_sources() -> None:
    body = reply(output=[message("Streamed.", annotations=[ANNOTATION])])
    events = f'data: {{"type": "response.completed", "response": {json.dumps(body)}}}\n\n'
    outcome, _ = exchange({"text": events, "type": "text/event-stream"})

    assert outcome.unwrap().answer == "Streamed."
    assert outcome.unwrap().citations == (POST,)
    assert len(outcome.unwrap().inline_citations) == 1


@pytest.mark.parametrize("text", ["", "<html>", "[]", "null", '{"output": {}}', "{"])
def test_invalid_answer_is_a_failure(text: str) -> None:
    outcome, _ = exchange({"text": text, "type": "application/json"})

    assert isinstance(outcome.failure(), BadPayload)
    assert outcome.failure().backend == "xai"


def test_a_body_that_is_not_utf_8_is_a_failure() -> None:
    outcome, _ = scripted([httpx.Response(200, content=b'{"output": "\xff"}')])

    assert isinstance(outcome.failure(), BadPayload)
