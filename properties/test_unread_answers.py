"""A 200 with content, calls or a refusal is never an empty success, on any wire."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, strategies as st
from returns.result import Failure

from webseam.adapters.features.models.declaration.provider import ApiMode
from webseam.adapters.features.models.declaration.wire import AnswerResult, StreamEvent
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.composition.features.models.model_views import read_returned_answer
from webseam.ports.errors import EmptyContent

Answered = tuple[object, list[tuple[str, object]]]


def chat(said: Any) -> Answered:  # noqa: ANN401  any JSON
    message = {"content": said}
    if isinstance(said, dict) and said.keys() <= {"content", "refusal", "tool_calls"}:
        calls, refusal = said.get("tool_calls", []), said.get("refusal", "")
        is_typed = isinstance(refusal, str) and isinstance(calls, list)
        message = said if is_typed and all(isinstance(call, dict) for call in calls) else message
    chunk = {"choices": [{"delta": message}]}
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    return {"choices": [{"message": message, "finish_reason": "stop"}]}, [("", chunk), ("", end)]


def responses(said: object) -> Answered:
    whole = {"status": "completed", "output": said if isinstance(said, list) else [said]}
    return whole, [("", {"type": "response.completed", "response": whole})]


def messages(said: object) -> Answered:
    content = said if isinstance(said, list) else [said]
    whole = {"content": content, "stop_reason": "end_turn"}
    start = {"type": "message_start", "message": {"id": "m", "content": content}}
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    return whole, [("", start), ("", end)]


def converse(said: object) -> Answered:
    content = said if isinstance(said, list) else [said]
    return {"output": {"message": {"content": content}}, "stopReason": "end_turn"}, []


def gemini(said: object) -> Answered:
    content = {"parts": said} if isinstance(said, list) else said
    whole = {"candidates": [{"content": content, "finishReason": "STOP"}]}
    return whole, [("", whole)]


ANSWERS: dict[ApiMode, Callable[[Any], Answered]] = {
    "chat_completions": chat, "responses": responses, "anthropic_messages": messages,
    "bedrock_converse": converse, "gemini_generate": gemini,
}  # fmt: skip

words = st.sampled_from(["", "a", "lookup", '{"q": 1}'])
names = st.sampled_from(
    ["type", "text", "content", "refusal", "tool_calls", "function_call", "function", "custom",
     "name", "input", "arguments", "functionCall", "toolUse", "parts", "odd"]
)  # fmt: skip
kinds = st.sampled_from(
    ["text", "output_text", "message", "function_call", "tool_use", "refusal", "function", "odd"]
)
said = st.recursive(
    words | st.integers(0, 9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(names, inner, max_size=4)
        | st.builds(
            lambda kind, fields: {**fields, "type": kind},
            kinds,
            st.dictionaries(names, inner, max_size=3),
        )
    ),
    max_leaves=8,
)


def has_words(value: object) -> bool:
    if isinstance(value, dict):
        return any(has_words(value[name]) for name in value if name != "type")
    return (
        any(map(has_words, value))
        if isinstance(value, list)
        else bool(isinstance(value, str) and value)
    )


def is_empty_success(answer: AnswerResult) -> bool:
    if isinstance(answer, Failure):
        return False
    response = answer.unwrap()
    kept: dict[str, Any] = {**(response.provider_data or {})}
    # What no field understands is no answer, and neither are thoughts.
    for name in ("_unread", "output", "finish_reason", "content_parts"):
        kept.pop(name, None)
    return not (response.content or response.tool_calls or kept)


SNOWFLAKE = {"id": "c", "function": {"name": "f", "arguments": "{}"}, "custom": {"name": "", "input": ""}}  # fmt: skip


@pytest.mark.parametrize("api_mode", ANSWERS)
@given(said=said)
@example(said={"content": {"tides": ["high"]}})
@example(said={"content": "", "refusal": "No."})
@example(said={"tool_calls": [SNOWFLAKE]})
@example(said={"tool_calls": [{"function": {"arguments": "{}"}}]})
@example(said=[{"text": "a"}])
@example(said=["a", {}])
@example(said={"type": [], "text": "a"})
@example(said=[{"functionCall": {"args": {"q": "a"}}}])
@example(said=[{"type": "function_call", "arguments": "{}"}])
@example(said=["a"])
def test_words_never_become_an_empty_success(api_mode: ApiMode, said: object) -> None:
    wire = load_wire(api_mode)
    whole, events = ANSWERS[api_mode](said)
    fold = wire.fold(None)
    for name, payload in events:
        fold.feed(StreamEvent(name=name, data=msgspec.json.encode(payload).decode()))
    is_said = has_words(said) or (isinstance(said, str) and bool(said))

    if is_said:
        assert not is_empty_success(wire.normalize_response(whole, None))
        assert not events or not is_empty_success(fold.finish())


@pytest.mark.parametrize("api_mode", ANSWERS)
@pytest.mark.parametrize("part", [{"type": "odd_part", "x": 1}, {"odd_part": {"x": 1}}])
def test_an_answer_of_an_unknown_part_alone_fails_and_says_what_was_there(
    api_mode: ApiMode, part: dict[str, object]
) -> None:
    wire = load_wire(api_mode)
    if api_mode == "chat_completions" and "type" not in part:
        pytest.skip("an object without a type is the answer, as JSON")
    whole, events = ANSWERS[api_mode]([part])
    fold = wire.fold(None)
    for name, payload in events:
        fold.feed(StreamEvent(name=name, data=msgspec.json.encode(payload).decode()))
    answers = [wire.normalize_response(whole), read_returned_answer(whole, api_mode)]
    answers += [fold.finish()] if events else []

    for answer in answers:
        assert isinstance(answer, Failure)
        failure = answer.failure()
        assert isinstance(failure, EmptyContent)
        assert "odd_part" in failure.detail
