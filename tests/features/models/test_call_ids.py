"""Calls and results without ids: whose is whose."""

import copy
from typing import Any

import pytest

from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.messages.tool_calls import add_tool_call_ids
from webseam.adapters.features.models.wires.preview import load_wire

MADE = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
OTHER = {"type": "function", "function": {"name": "g", "arguments": {"q": 1}}}


def turn(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(words: str, **given: object) -> dict[str, Any]:
    return {"role": "tool", "content": words, **given}


def ids(messages: list[Any]) -> list[object]:
    calls_made = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    return [
        *calls_made,
        *(message["tool_call_id"] for message in messages if message["role"] == "tool"),
    ]


def test_results_without_ids_are_those_of_the_calls_in_their_order() -> None:
    conversation = [turn(MADE, OTHER), result("a"), result("b", tool_call_id="")]
    before = copy.deepcopy(conversation)

    first, second, *answered = ids(add_tool_call_ids(conversation))

    assert conversation == before
    assert first != second
    assert answered == [first, second]


def test_call_with_an_id_keeps_it() -> None:
    named = {**MADE, "id": "c1"}

    sent = add_tool_call_ids([turn(named, OTHER), result("a"), result("b", tool_call_id="c1")])
    waiting = add_tool_call_ids([turn(named, OTHER), result("b", tool_call_id="c1"), result("a")])

    assert ids(sent)[0] == ids(sent)[2] == "c1"
    assert ids(waiting)[1] == ids(waiting)[3]


def test_a_result_that_no_call_waits_for_stays_as_it_is() -> None:
    alone = [{"role": "user", "content": "q"}, result("a"), result("b", tool_call_id="x")]

    assert add_tool_call_ids(alone) == alone


@pytest.mark.parametrize("api_mode", ["chat_completions", "responses"])
def test_a_call_and_its_result_meet_on_the_wire(api_mode: Any) -> None:  # noqa: ANN401  one of the literals
    sent = load_wire(api_mode).convert_messages([turn(MADE), result("a")], Provider(name="p"), "m")
    call, messages = sent.messages
    calls_made: Any = call["tool_calls"] if "tool_calls" in call else [{"id": call["call_id"]}]

    assert calls_made[0]["id"] == messages.get("tool_call_id", messages.get("call_id"))
