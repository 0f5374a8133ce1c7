"""Responses: from what servers answer to one shape."""

from typing import Any

import pytest

from tests.features.models.chat import events, told
from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.adapters.features.models.wires.responses.responses_requests import RESPONSES
from webseam.ports import (
    BadPayload,
    ChatRequest,
    ConnectionLost,
    ContentFiltered,
    Delta,
    ModelFailed,
    NormalizedResponse,
    RateLimited,
    ToolCall,
    ToolCallDelta,
    Usage,
    WebError,
)
from webseam.ports.models import FinishReason
from webseam.ports.receipts import CacheStats


def said(text: str, **item: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "role": "assistant", "content": [part]} | item


def answer(*output: object, status: str = "completed", **around: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    return {
        "id": "resp_1",
        "model": "m",
        "status": status,
        "error": None,
        "output": list(output),
    } | around


def read(payload: object, request: ChatRequest | None = None) -> NormalizedResponse:
    return RESPONSES.normalize_response(payload, request).unwrap()


CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": '{"q":1}', "status": "completed"}  # fmt: skip


def test_a_plain_answer() -> None:
    sealed = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Checked."}],
        "encrypted_content": "gA",
    }
    usage = {
        "input_tokens": 420,
        "input_tokens_details": {"cached_tokens": 20, "cache_write_tokens": 1},
        "output_tokens": 95,
        "output_tokens_details": {"reasoning_tokens": 60},
        "total_tokens": 515,
        "cost": {"total_cost": 0.25},
    }
    payload = answer(sealed, said("High tide"), said(" at 04:12."), usage=usage, citations=["u"])

    response = read(payload)

    assert response == NormalizedResponse(
        content="High tide at 04:12.",
        finish_reason="stop",
        reasoning="Checked.",
        cache=CacheStats(read_tokens=20, written_tokens=1),
        usage=Usage(
            input_tokens=420,
            output_tokens=95,
            total_tokens=515,
            cached_tokens=20,
            cache_write_tokens=1,
            reasoning_tokens=60,
            cost=0.25,
        ),
        id="resp_1",
        model="m",
        provider_data={
            "output": payload["output"],
            "citations": ["u"],
            "usage": usage,
            "reasoning_items": [sealed],
        },
    )
    assert RESPONSES.cache_stats(payload) == CacheStats(read_tokens=20, written_tokens=1)
    assert RESPONSES.cache_stats(answer(usage={"input_tokens": 1})) is None


def test_calls_are_the_callers_and_whole() -> None:
    odd = {"type": "function_call", "id": "fc_2", "name": "g", "arguments": {"a": 1}}
    bare = {"type": "function_call", "name": "h", "arguments": " "}
    cut = {**CALL, "status": "incomplete"}
    server = {"type": "custom_tool_call", "call_id": "", "name": "x_keyword_search", "input": "{}"}
    search = {"type": "web_search_call", "id": "ws_1", "status": "in_progress"}

    response = read(answer(search, server, CALL, odd, bare, cut, {"type": "function_call"}))

    assert response.finish_reason == "tool_calls"
    assert response.tool_calls[:2] == (
        ToolCall(id="call_1", name="f", arguments='{"q":1}'),
        ToolCall(id="call_2", name="g", arguments='{"a":1}'),
    )
    assert [call.arguments for call in response.tool_calls[2:]] == ["{}"]


def test_a_providers_own_call_is_not_the_callers() -> None:
    request = ChatRequest(model="m", messages=(), tools=({"type": "web_search"},))
    traced = {"type": "function_call", "call_id": "c", "name": "search_web", "arguments": "{}"}
    stream = events(
        {"type": "response.output_item.added", "output_index": 0, "item": traced},
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": {"type": "search_results"},
        },
        {"type": "response.completed", "response": answer(traced, said("Found."))},
    )
    fold = RESPONSES.fold(request)

    deltas = [delta for event in stream for delta in fold.feed(event)]
    response = fold.finish().unwrap()

    assert deltas == []
    assert (response.content, response.tool_calls, response.finish_reason) == ("Found.", (), "stop")


def test_a_declared_custom_call_is_one() -> None:
    request = ChatRequest(model="m", messages=(), tools=({"type": "custom", "name": "write"},))
    call = {"type": "custom_tool_call", "call_id": "c", "name": "write", "input": "free text"}

    assert read(answer(call), request).tool_calls == (
        ToolCall(id="c", name="write", arguments="free text", provider_data={"type": "custom"}),
    )


@pytest.mark.parametrize(
    ("payload", "content", "finish"),
    [
        (answer(said("a")), "a", "stop"),
        (
            answer(
                said("a"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
            ),
            "a",
            "length",
        ),
        (answer(said("a"), status="incomplete"), "a", "length"),
        (
            answer(status="incomplete", incomplete_details={"reason": "content_filter"}),
            None,
            "content_filter",
        ),
        (
            answer({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}),
            "No.",
            "content_filter",
        ),
        (answer({"type": "message", "content": "bare"}), "bare", "stop"),
        (
            answer(said("thinking aloud", phase="commentary"), said("done", phase="final_answer")),
            "done",
            "stop",
        ),
        (answer(said("only this", phase="commentary")), "only this", "stop"),
        ({"output_text": "from a relay"}, "from a relay", "stop"),
        (
            answer(
                {
                    "type": "reasoning",
                    "content": [{"type": "reasoning_text", "text": "hm <response>Yes.</response>"}],
                }
            ),
            "Yes.",
            "stop",
        ),
    ],
)
def test_content_and_finish_reason_are_read(
    payload: object, content: str | None, finish: FinishReason
) -> None:
    response = read(payload)

    assert (response.content, response.finish_reason) == (content, finish)


def test_commentary_is_reasoning() -> None:
    response = read(answer(said("first this", phase="commentary"), said("done")))

    assert response.reasoning == "first this"


@pytest.mark.parametrize(
    ("raw", "mapped"),
    [
        ("completed", "stop"),
        ("incomplete", "length"),
        ("content_filter", "content_filter"),
        ("max_output_tokens", "length"),
        (None, "stop"),
        ("odd", "stop"),
    ],
)
def test_a_status_is_one_of_four_reasons(raw: object, mapped: FinishReason) -> None:
    assert RESPONSES.map_finish_reason(raw) == mapped


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ("?", BadPayload(problem="shape")),
        ({}, BadPayload(problem="shape", path="$.output")),
        (answer(), BadPayload(problem="shape", path="$.output")),
        (
            answer(status="failed", error={"code": "rate_limit_exceeded", "message": "slow"}),
            RateLimited(detail="slow"),
        ),
        (
            answer(status="failed", error={"code": "server_error", "message": "oops"}),
            ModelFailed(code="server_error", detail="oops"),
        ),
        (
            answer(status="failed", error={"code": "invalid_prompt", "message": "no"}),
            ContentFiltered(detail="no"),
        ),
        (answer(status="failed"), ModelFailed(code="failed")),
        (answer(said("a"), status="cancelled"), ModelFailed(code="cancelled")),
        (
            answer(status="queued"),
            BadPayload(problem="shape", path="$.status", detail="the answer is queued"),
        ),
        ({"code": "x", "error": "gone"}, ModelFailed(code="error", detail="gone")),
    ],
)
def test_invalid_answer_is_a_typed_failure(payload: object, error: WebError) -> None:
    assert RESPONSES.normalize_response(payload).failure() == error
    assert RESPONSES.validate_response(payload) == error


STREAM: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "resp_1"}},
    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning"}},
    {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "hm"},
    {"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "summary": [{"text": "hm"}]}},
    {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "phase": "commentary"}},
    {"type": "response.output_text.delta", "output_index": 1, "delta": "aside"},
    {"type": "response.output_item.done", "output_index": 1, "item": said("aside", phase="commentary")},
    {"type": "response.output_item.added", "output_index": 2, "item": {"type": "message"}},
    {"type": "response.output_text.delta", "output_index": 2, "delta": "Let me "},
    {"type": "response.output_text.delta", "output_index": 2, "delta": "look."},
    {"type": "response.output_item.done", "output_index": 2, "item": said("Let me look.")},
    {"type": "response.output_item.added", "output_index": 3, "item": {**CALL, "arguments": "", "status": "in_progress"}},
    {"type": "response.function_call_arguments.delta", "output_index": 3, "delta": '{"q"'},
    {"type": "response.function_call_arguments.delta", "output_index": 3, "delta": ":1}"},
    {"type": "response.output_item.done", "output_index": 3, "item": CALL},
    {"type": "response.web_search_call.searching", "output_index": 4},
]  # fmt: skip


@pytest.mark.parametrize("left_out", [False, True])
def test_a_stream_is_the_answer_it_would_have_been(*, left_out: bool) -> None:
    done = [event["item"] for event in STREAM if event["type"].endswith("item.done")]
    whole = answer(*done)
    last = {
        "type": "response.completed",
        "response": {**whole, "output": []} if left_out else whole,
    }

    deltas, result = told(RESPONSES, events(*STREAM, last, {"type": "never.read"}))

    assert result.unwrap() == read(whole)
    assert deltas == [
        Delta(reasoning="hm"),
        Delta(reasoning="\n\naside"),
        Delta(text="Let me "),
        Delta(text="look."),
        Delta(tool_call=ToolCallDelta(index=0, id="call_1", name="f")),
        Delta(tool_call=ToolCallDelta(index=0, arguments='{"q"')),
        Delta(tool_call=ToolCallDelta(index=0, arguments=":1}")),
    ]


def test_a_search_that_begins_like_a_call_is_not_told_as_one() -> None:
    tool = {"type": "function", "function": {"name": "lookup"}}
    request = ChatRequest(model="m", messages=({"role": "user", "content": "q"},), tools=(tool,))
    search = {
        "type": "function_call",
        "call_id": "c",
        "name": "search_web",
        "arguments": "{}",
        "status": "completed",
    }
    answer_found = {"type": "search_results", "results": []}
    fold = RESPONSES.fold(request)
    stream = events(
        {"type": "response.output_item.added", "output_index": 0, "item": search},
        {"type": "response.output_item.done", "output_index": 0, "item": answer_found},
        {"type": "response.completed", "response": answer(answer_found, said("Yes."))},
    )

    deltas = [delta for event in stream for delta in fold.feed(event)]

    assert deltas == []
    assert fold.finish().unwrap().tool_calls == ()


def test_text_that_was_only_streamed_is_not_lost() -> None:
    stream = events(
        {"type": "response.output_text.delta", "delta": "Hi."},
        {"type": "response.output_item.done", "output_index": 1, "item": CALL},
        {"type": "response.done", "response": {"status": "completed"}},
    )

    _, result = told(RESPONSES, stream)

    assert result.unwrap().content == "Hi."
    assert [call.id for call in result.unwrap().tool_calls] == ["call_1"]


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        (events(*STREAM), ConnectionLost()),
        (events("[DONE]"), ConnectionLost()),
        (events("", "{"), BadPayload(problem="not_json")),
        (
            events({"type": "error", "error": {"type": "server_error", "message": "oops"}}),
            ModelFailed(code="server_error", detail="oops"),
        ),
        ([StreamEvent(name="error", data="gone")], ModelFailed(code="error", detail="gone")),
        (
            events({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}),
            RateLimited(detail="slow"),
        ),
        (
            events(
                {
                    "type": "response.failed",
                    "response": answer(
                        status="failed", error={"code": "server_error", "message": "oops"}
                    ),
                }
            ),
            ModelFailed(code="server_error", detail="oops"),
        ),
    ],
)
def test_a_stream_that_breaks_off_is_a_typed_failure(stream: Any, error: WebError) -> None:  # noqa: ANN401  a list of events
    _, result = told(RESPONSES, stream)

    assert result.failure() == error
