"""A call of a model: what may be asked, and the answer as the next turn."""

from types import MappingProxyType
from typing import Any

import pytest

from webseam.kernel.features.models.chat import assistant_message, check_chat_request
from webseam.ports import ChatRequest, InvalidQuery, NormalizedResponse, OutputSchema, ToolCall

USER = {"role": "user", "content": "hello"}


def asked(**changes: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    return {"model": "m", "messages": [USER]} | changes


@pytest.mark.parametrize(
    "request_",
    [
        ChatRequest(model="m", messages=(USER,)),
        asked(),
        MappingProxyType(asked()),
    ],
)
def test_a_request_is_read_in_any_form(request_: object) -> None:
    assert check_chat_request(request_).unwrap() == ChatRequest(model="m", messages=(USER,))


@pytest.mark.parametrize(
    ("request_", "field", "reason"),
    [
        (None, "request", "must be an object, got a value of type NoneType"),
        (asked(temprature=1), "temprature", "is not a known field; did you mean temperature?"),
        (asked(model=" "), "model", "must be the name of a model, got ' '"),
        (asked(messages=[]), "messages", "must be a list of at least one message, got 0"),
        (asked(messages=["hi"]), "messages", "must be a list of at least one message, got 'hi'"),
        (asked(max_tokens=0), "max_tokens", "must be a whole number of at least 1, got 0"),
        (asked(temperature=3), "temperature", "must be a number from 0 to 2, got 3"),
        (
            asked(reasoning_effort="lots"),
            "reasoning_effort",
            "must be none, minimal, low, medium, high, xhigh or max, got 'lots'",
        ),
        (
            asked(messages=[USER, {"content": "x"}]),
            "messages[1].role",
            "must be system, developer, user, assistant or tool, got a value of type NoneType",
        ),
        (
            asked(messages=[{"role": "robot"}]),
            "messages[0].role",
            "must be system, developer, user, assistant or tool, got 'robot'",
        ),
        (
            asked(messages=[{"role": "tool", "content": "x"}]),
            "messages[0].tool_call_id",
            "must name the call whose result this is",
        ),
        (
            asked(messages=[{"role": "tool", "tool_call_id": 7}]),
            "messages[0].tool_call_id",
            "must name the call whose result this is",
        ),
        (
            asked(messages=[{"role": "user", "content": b"x"}]),
            "messages[0].content",
            "must be text or a list of parts, got a value of type bytes",
        ),
        (
            asked(messages=[{"role": "user", "content": 3}]),
            "messages[0].content",
            "must be text or a list of parts, got 3",
        ),
    ],
)
def test_a_bad_field_is_named(request_: object, field: str, reason: str) -> None:
    assert check_chat_request(request_).failure() == InvalidQuery(field=field, reason=reason)


def test_a_schema_is_looked_into_even_when_it_was_built_by_hand() -> None:
    wrong = OutputSchema(schema={}, name="no blanks please")

    refused = check_chat_request(ChatRequest(model="m", messages=(USER,), output_schema=wrong))

    assert refused.failure().field == "output_schema"


def test_unreadable_request_is_refused() -> None:
    class Hostile(dict[str, object]):
        def keys(self) -> Any:  # noqa: ANN401  it lies
            raise RuntimeError

        def __iter__(self) -> Any:  # noqa: ANN401
            raise RuntimeError

    assert check_chat_request(MappingProxyType(Hostile(model="m"))).failure().field == "request"


def test_an_answer_is_the_next_turns_message() -> None:
    response = NormalizedResponse(
        content=None,
        finish_reason="tool_calls",
        tool_calls=(
            ToolCall(id="1", name="f", arguments="{}"),
            ToolCall(id="2", name="g", arguments="{}", provider_data={"extra_content": {}}),
        ),
        reasoning_content="hm",
        provider_data={"x": 1},
    )

    assert assistant_message(response) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {
                "id": "2",
                "type": "function",
                "function": {"name": "g", "arguments": "{}"},
                "provider_data": {"extra_content": {}},
            },
        ],
        "reasoning_content": "hm",
        "provider_data": {"x": 1},
    }
    plain = NormalizedResponse(content="Hi.", finish_reason="stop")
    assert assistant_message(plain) == {"role": "assistant", "content": "Hi."}
