"""What an ``llm_execution`` plugin returns is read as from a server, and what it changed counts."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from returns.result import Success

from webseam.composition.features.models.model_views import (
    OddAnswer,
    chat_completion_view,
    read_returned_answer,
)
from webseam.kernel.features.models.chat import assistant_message
from webseam.ports import NormalizedResponse, ToolCall, Usage

ANSWER = NormalizedResponse(
    content="My key is hunter2.",
    finish_reason="tool_calls",
    tool_calls=(ToolCall(id="c1", name="f", arguments="{}", provider_data={"sig": "s"}),),
    reasoning="hunter2?",
    usage=Usage(input_tokens=5, output_tokens=3, total_tokens=8),
    id="r1",
    model="m",
    provider_data={
        "output": [
            {
                "type": "message",
                "content": [
                    {
                        "type": "output_text",
                        "text": "My key is hunter2.",
                        "annotations": [{"type": "url_citation", "url": "u", "title": "t"}],
                    }
                ],
            }
        ],
        "reasoning_items": [{"type": "reasoning", "encrypted_content": "sealed"}],
        "logprobs": {"content": [{"token": "hunter2"}]},
    },
    raw={"output_text": "My key is hunter2."},
)


def returned(value: object, api_mode: str = "chat_completions") -> NormalizedResponse:
    answer = read_returned_answer(value, api_mode, None, ANSWER)
    assert isinstance(answer, Success), answer
    response: NormalizedResponse = answer.unwrap()
    return response


def problem(value: object, api_mode: str = "chat_completions") -> str:
    failure = read_returned_answer(value, api_mode, None, ANSWER).failure()
    assert isinstance(failure, OddAnswer), failure
    return failure.problem


def chat(**message: Any) -> dict[str, Any]:
    return {"choices": [{"message": message}]}


def test_content_in_parts_a_refusal_and_arguments_as_an_object_are_read() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": {"x": 1}}}

    assert returned(chat(content=[{"type": "text", "text": "part"}])).content == "part"
    refused = returned(chat(content=None, refusal="No."))
    assert (refused.content, refused.finish_reason) == ("No.", "content_filter")
    assert returned(chat(tool_calls=[call])).tool_calls == (
        ToolCall(id="c", name="f", arguments='{"x":1}'),
    )


def test_a_call_without_a_name_alone_is_no_answer() -> None:
    answer = read_returned_answer(chat(tool_calls=[{"id": 1}]), "")

    assert answer.failure().kind == "empty_content"  # type: ignore[union-attr]  # a WebError


def test_rows_and_citations_of_a_search_model_are_kept() -> None:
    value = {**chat(content="Tides."), "citations": ["u"], "search_results": [{"url": "u"}]}

    answer = returned(value)

    assert answer.raw == value
    assert answer.provider_data == {"citations": ["u"], "search_results": [{"url": "u"}]}


OWN_JSON = {
    "anthropic_messages": {
        "content": [{"type": "text", "text": "Own."}],
        "stop_reason": "end_turn",
    },
    "responses": {
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "Own."}]}],
    },
    "gemini_generate": {
        "candidates": [{"content": {"parts": [{"text": "Own."}]}, "finishReason": "STOP"}]
    },
    "bedrock_converse": {
        "output": {"message": {"content": [{"text": "Own."}]}},
        "stopReason": "end_turn",
    },
}


@pytest.mark.parametrize("api_mode", OWN_JSON)
def test_the_apis_own_json_is_read_by_its_wire(api_mode: str) -> None:
    assert returned(OWN_JSON[api_mode], api_mode).content == "Own."


class SdkModel:
    """An object as the SDKs of OpenAI, Anthropic and Google return it."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def model_dump(self, **options: object) -> dict[str, Any]:
        assert options == {"mode": "json", "by_alias": True, "exclude_none": True}
        return self._fields


@dataclass
class Completion:
    choices: list[Any] = field(default_factory=lambda: chat(content="Hi.")["choices"])


def test_an_object_of_an_sdk_is_read_like_its_json() -> None:
    assert returned(SdkModel(chat(content="Hi."))).content == "Hi."
    assert returned(Completion()).content == "Hi."


class Unknown:
    pass


LOOP: dict[str, Any] = chat(content="x")
LOOP["choices"][0]["message"]["again"] = LOOP


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (None, "NoneType"),
        ("text", "str"),
        (iter(()), "iterator"),
        (chat(content=Unknown()), "the answer.choices[0].message.content of the type Unknown"),
        ({"answer": 1}, "an object with answer"),
        (LOOP, "nested too deep"),
    ],
)
def test_anything_else_is_refused_by_its_name(value: object, named: str) -> None:
    assert named in problem(value)


def edited(**changes: Any) -> NormalizedResponse:
    view = chat_completion_view(ANSWER)
    for path, value in changes.items():
        *way, name = path.split("__")
        holder: Any = view
        for step in way:
            holder = getattr(holder, step)[0] if step == "choices" else getattr(holder, step)
        setattr(holder, name, value)
    return returned(view)


def test_a_view_that_was_not_changed_is_the_answer() -> None:
    assert returned(chat_completion_view(ANSWER)) == ANSWER


def test_fields_changed_by_a_plugin_are_in_the_answer() -> None:
    assert edited(id="other").id == "other"
    assert edited(model="n").model == "n"
    assert edited(choices__message__reasoning_content="new").reasoning_content == "new"
    assert edited(choices__message__reasoning=None).reasoning is None
    assert edited(choices__finish_reason="length").finish_reason == "length"
    assert edited(usage__prompt_tokens=50).usage == Usage(
        input_tokens=50, output_tokens=3, total_tokens=53
    )
    assert (
        edited(choices__message__content=[{"type": "text", "text": "Parts."}]).content == "Parts."
    )


def test_a_call_keeps_what_its_provider_wants_back() -> None:
    view = chat_completion_view(ANSWER)
    view.choices[0].message.tool_calls[0].function.arguments = '{"a":1}'

    [call] = returned(view).tool_calls

    assert call == ToolCall(id="c1", name="f", arguments='{"a":1}', provider_data={"sig": "s"})


@pytest.mark.parametrize("by", ["view", "normalized", "ours"])
def test_a_secret_that_a_plugin_took_out_is_nowhere(by: str) -> None:
    clean = msgspec.structs.replace(ANSWER, content="My key is ***.", reasoning="?")
    if by == "ours":
        answer = returned(clean)
    elif by == "normalized":
        answer = edited(normalized=clean)
    else:
        answer = edited(choices__message__content="My key is ***.", choices__message__reasoning="?")

    assert answer.content == "My key is ***."
    assert b"hunter2" not in msgspec.json.encode(answer)
    assert answer.raw is None
    # The sources of the text stay.
    assert "url_citation" in str(answer.provider_data)
    assert b"hunter2" not in msgspec.json.encode(assistant_message(answer))


def test_two_changes_of_one_field_are_refused() -> None:
    view = chat_completion_view(ANSWER)
    view.normalized = msgspec.structs.replace(ANSWER, content="one")
    view.choices[0].message.content = "two"

    assert problem(view) == "changed content in two places, to two values"


def test_a_plugin_that_takes_everything_out_leaves_no_answer() -> None:
    empty = msgspec.structs.replace(ANSWER, content=None, tool_calls=(), provider_data=None)
    answer = read_returned_answer(empty, "", None, ANSWER)

    assert answer.failure().kind == "empty_content"  # type: ignore[union-attr]  # a WebError
