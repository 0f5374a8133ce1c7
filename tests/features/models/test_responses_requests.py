"""Responses: from a conversation to the body that is sent."""

import copy
from typing import Any

import pytest

from webseam.adapters.features.models.declaration.provider import (
    Changes,
    FieldRules,
    HistoryRules,
    Provider,
    ResponsesFacts,
)
from webseam.adapters.features.models.wires.responses.responses_requests import RESPONSES
from webseam.ports import ChatRequest, OutputSchema

PLAIN = Provider(name="plain", api_mode="responses")
CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {},
    "required": [],
    "additionalProperties": False,
}
USER = {"role": "user", "content": "hello"}
TOOL = {"type": "function", "function": {"name": "lookup", "description": "d", "parameters": {"type": "object"}}}  # fmt: skip
CALL = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": '{"q":1}'}}


def body(request: ChatRequest, provider: Provider = PLAIN, *, stream: bool = False) -> Any:  # noqa: ANN401  any JSON
    return RESPONSES.build_request(request, provider, stream=stream).body


def items(*messages: dict[str, Any], provider: Provider = PLAIN) -> list[Any]:
    before = copy.deepcopy(messages)
    converted = RESPONSES.convert_messages(messages, provider, "m")
    assert messages == before
    return converted.messages


def test_the_least_request_keeps_nothing_at_the_provider() -> None:
    built = RESPONSES.build_request(ChatRequest(model="m", messages=(USER,)), PLAIN)

    assert built.path == "/responses"
    assert built.body == {"model": "m", "input": [USER], "store": False}


def test_every_usual_field_has_its_place() -> None:
    request = ChatRequest(
        model="m",
        messages=({"role": "system", "content": "Be kind."}, USER),
        instructions="Be brief.",
        tools=(TOOL, {"type": "web_search"}),
        tool_choice={"type": "function", "function": {"name": "lookup"}},
        parallel_tool_calls=True,
        max_tokens=9,
        temperature=0.5,
        top_p=0.9,
        stop=("END",),
        reasoning_effort="low",
        output_schema=OutputSchema(schema=CLOSED, name="row"),
        store=True,
        previous_response_id="resp_1",
        include=("web_search_call.action.sources",),
        session="s" * 70,
        extra_body={"truncation": "auto"},
    )
    provider = Provider(
        name="p",
        api_mode="responses",
        fields=FieldRules(
            prompt_cache_key=True,
        ),
    )

    sent = body(request, provider, stream=True)

    assert len(sent.pop("prompt_cache_key")) <= 64
    assert sent == {
        "model": "m",
        "input": [USER],
        "instructions": "Be brief.\n\nBe kind.",
        "store": True,
        "max_output_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "previous_response_id": "resp_1",
        "tools": [
            {
                "type": "function",
                "name": "lookup",
                "description": "d",
                "parameters": {"type": "object"},
                "strict": False,
            },
            {"type": "web_search"},
        ],
        "tool_choice": {"type": "function", "name": "lookup"},
        "parallel_tool_calls": True,
        "include": ["web_search_call.action.sources"],
        "reasoning": {"effort": "low"},
        "text": {
            "format": {"type": "json_schema", "name": "row", "strict": True, "schema": CLOSED}
        },
        "stream": True,
        "truncation": "auto",
    }


def test_a_chained_call_leaves_out_instructions_where_both_are_refused() -> None:
    xai = Provider(
        name="xai",
        api_mode="responses",
        responses=ResponsesFacts(
            chained_instructions=False,
        ),
    )
    request = ChatRequest(model="m", messages=(USER,), instructions="Be brief.")

    assert body(request, xai)["instructions"] == "Be brief."
    chained = ChatRequest(
        model="m", messages=(USER,), instructions="x", previous_response_id="r1", store=True
    )
    assert "instructions" not in body(chained, xai)
    assert body(chained)["instructions"] == "x"


def test_system_messages_lead_as_instructions_and_else_stay_in_their_place() -> None:
    system = {
        "role": "system",
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    }
    later = {"role": "developer", "content": "c"}

    converted = RESPONSES.convert_messages((system, later, USER, later), PLAIN, "m")

    assert converted.system == "a\n\nb\n\nc"
    assert converted.messages == [USER, {"role": "developer", "content": "c"}]


def test_a_conversation_of_system_messages_alone_is_the_input() -> None:
    converted = RESPONSES.convert_messages(({"role": "system", "content": "a"},), PLAIN, "m")

    assert (converted.system, converted.messages) == (None, [{"role": "system", "content": "a"}])


def test_parts_are_spelled_for_their_direction() -> None:
    user = {
        "role": "user",
        "content": [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "https://a.example/x.png", "detail": "low"}},
            {"type": "image_url", "image_url": "data:image/png;base64,AA=="},
            {"type": "file", "file": {"file_id": "f1"}},
            {"type": "input_text", "text": "as it is"},
            "bare",
        ],
    }
    assistant = {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "one"},
            {"type": "refusal", "refusal": "no"},
            {"type": "text", "text": ""},
        ],
    }

    assert items(
        user, assistant, {"role": "assistant", "content": [{"type": "text", "text": "x"}]}
    ) == [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "look"},
                {"type": "input_image", "image_url": "https://a.example/x.png", "detail": "low"},
                {
                    "type": "input_image",
                    "image_url": "data:image/png;base64,AA==",
                    "detail": "auto",
                },
                {"type": "input_file", "file_id": "f1"},
                {"type": "input_text", "text": "as it is"},
                {"type": "input_text", "text": "bare"},
            ],
        },
        {"role": "assistant", "content": "one\nno"},
        {"role": "assistant", "content": "x"},
    ]


def test_calls_and_results_become_items_of_their_own() -> None:
    turn = {
        "role": "assistant",
        "content": "Looking.",
        "tool_calls": [CALL, {"function": {"name": "f", "arguments": {"a": 1}}}],
    }
    result = {"role": "tool", "tool_call_id": "c1", "content": "found"}
    shown = {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "t"}]}

    sent = items(turn, result, shown)

    assert sent[0] == {"role": "assistant", "content": "Looking."}
    assert sent[1] == {
        "type": "function_call",
        "call_id": "c1",
        "name": "lookup",
        "arguments": '{"q":1}',
    }
    assert (sent[2]["name"], sent[2]["arguments"]) == ("f", '{"a":1}')
    assert sent[2]["call_id"].startswith("call_")
    assert sent[3:] == [
        {"type": "function_call_output", "call_id": "c1", "output": "found"},
        {
            "type": "function_call_output",
            "call_id": "c2",
            "output": [{"type": "input_text", "text": "t"}],
        },
    ]


def test_a_result_without_an_id_is_told_all_the_same() -> None:
    assert items({"role": "tool", "content": "found"}) == [{"role": "user", "content": "found"}]


@pytest.mark.parametrize("value", ["x" * 65, "call_1|fc_2", "fc_3"])
def test_odd_ids_are_changed_in_the_same_way_on_both_sides(value: str) -> None:
    call = {"id": value, "function": {"name": "f", "arguments": "{}"}}

    sent = items(
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": value, "content": "r"},
    )

    assert sent[0]["call_id"] == sent[1]["call_id"]
    assert len(sent[0]["call_id"]) <= 64
    assert not sent[0]["call_id"].startswith("fc_")


def test_sealed_thoughts_go_back_to_their_issuer_alone() -> None:
    sealed = {
        "type": "reasoning",
        "id": "rs_1",
        "encrypted_content": "gA",
        "summary": [],
        "status": "completed",
    }
    open_one = {"type": "reasoning", "id": "rs_2", "summary": []}
    xai = Provider(
        name="xai",
        api_mode="responses",
        responses=ResponsesFacts(
            encrypted_reasoning=True,
        ),
    )
    turn = {
        "role": "assistant",
        "content": None,
        "provider_data": {"reasoning_items": [sealed, open_one], "_issuer": "xai"},
    }
    replayed = {"type": "reasoning", "encrypted_content": "gA", "summary": []}

    assert items(turn, provider=xai) == [replayed, {"role": "assistant", "content": ""}]
    assert items({**turn, "tool_calls": [CALL]}, provider=xai)[0] == replayed
    assert (
        items({"role": "assistant", "codex_reasoning_items": [sealed]}, provider=xai)[0] == replayed
    )
    assert items(turn) == []
    other = {**turn, "_issuer": "openai"}
    assert items(other, provider=xai) == []


def test_commentary_goes_back_to_its_provider_only() -> None:
    aside = {
        "type": "message",
        "phase": "commentary",
        "content": [{"type": "output_text", "text": "Looking."}],
    }
    final = {
        "type": "message",
        "phase": "final_answer",
        "content": [{"type": "output_text", "text": "04:12"}],
    }
    mine = Provider(
        name="mine",
        api_mode="responses",
        responses=ResponsesFacts(
            encrypted_reasoning=True,
        ),
    )
    turn = {
        "role": "assistant",
        "content": "04:12",
        "provider_data": {"output": [aside, final], "_issuer": "mine"},
    }
    plain = [{"role": "assistant", "content": "04:12"}]

    assert items(turn, provider=mine) == [
        {"role": "assistant", "content": "Looking.", "phase": "commentary"},
        {"role": "assistant", "content": "04:12", "phase": "final_answer"},
    ]
    assert items({**turn, "codex_message_items": [final]}, provider=mine) == [
        {"role": "assistant", "content": "04:12", "phase": "final_answer"}
    ]
    assert (
        items(
            turn,
            provider=Provider(
                name="other",
                responses=ResponsesFacts(
                    encrypted_reasoning=True,
                ),
            ),
        )
        == plain
    )
    assert items(turn, provider=Provider(name="mine")) == plain
    changed = {**turn, "content": "05:30"}
    assert items(changed, provider=mine) == [{"role": "assistant", "content": "05:30"}]


def test_sealed_thoughts_are_asked_for_only_within_a_loop_of_calls() -> None:
    xai = Provider(
        name="xai",
        api_mode="responses",
        responses=ResponsesFacts(
            encrypted_reasoning=True,
        ),
    )

    assert "include" not in body(ChatRequest(model="m", messages=(USER,)), xai)
    looped = ChatRequest(model="m", messages=(USER,), tools=(TOOL,))
    assert body(looped, xai)["include"] == ["reasoning.encrypted_content"]


def test_a_function_with_a_reserved_name_goes_under_another() -> None:
    xai = Provider(
        name="xai",
        api_mode="responses",
        history=HistoryRules(
            reserved_tools=frozenset({"web_search"}),
        ),
    )
    tool = {"type": "function", "function": {"name": "web_search"}}
    call = {"id": "c", "function": {"name": "web_search", "arguments": "{}"}}
    request = ChatRequest(
        model="m",
        messages=({"role": "assistant", "content": None, "tool_calls": [call]},),
        tools=(tool, {"type": "function", "function": {}}),
        tool_choice={"type": "function", "function": {"name": "web_search"}},
    )

    sent = body(request, xai)

    assert sent["input"][0]["name"] == "client_web_search"
    assert sent["tool_choice"]["name"] == "client_web_search"
    assert [tool["name"] for tool in sent["tools"]] == ["client_web_search"]
    answer = {
        "output": [
            {
                "type": "function_call",
                "call_id": "c",
                "name": "client_web_search",
                "arguments": "{}",
            }
        ]
    }
    assert RESPONSES.normalize_response(answer, request).unwrap().tool_calls[0].name == "web_search"


def test_items_carry_their_type_where_that_is_wanted() -> None:
    typed = Provider(
        name="p",
        api_mode="responses",
        responses=ResponsesFacts(
            typed_items=True,
        ),
    )
    turn = {"role": "assistant", "content": "a", "tool_calls": [CALL]}

    assert [item["type"] for item in items(USER, turn, provider=typed)] == [
        "message",
        "message",
        "function_call",
    ]


def test_images_of_tool_results_move_where_they_must() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    provider = Provider(
        name="p",
        api_mode="responses",
        history=HistoryRules(
            images_in_tool_results=False,
        ),
    )
    result = {
        "role": "tool",
        "tool_call_id": "1",
        "content": [{"type": "text", "text": "a"}, image],
    }

    sent = items(result, provider=provider)

    assert sent[0]["output"] == "a"
    assert sent[1]["content"][0]["type"] == "input_image"


@pytest.mark.parametrize(
    ("mode", "text"),
    [("json_object", {"format": {"type": "json_object"}}), ("none", None)],
)
def test_a_schema_is_told_in_words_where_the_api_has_no_place_for_it(mode: Any, text: Any) -> None:  # noqa: ANN401  any JSON
    request = ChatRequest(
        model="m",
        messages=(USER,),
        instructions="i",
        output_schema=OutputSchema(schema={"type": "object"}),
    )

    sent = body(
        request,
        Provider(
            name="p",
            api_mode="responses",
            fields=FieldRules(
                structured_output=mode,
            ),
        ),
    )

    assert '{"type":"object"}' in sent["instructions"]
    assert sent.get("text") == text


def test_a_provider_asks_for_reasoning_in_its_own_way() -> None:
    provider = Provider(
        name="p",
        api_mode="responses",
        changes=Changes(
            reasoning=lambda _: {"reasoning": {"summary": "auto"}},
        ),
    )

    assert body(ChatRequest(model="m", messages=(USER,)), provider)["reasoning"] == {
        "summary": "auto"
    }


def test_odd_contents_are_sent_as_text() -> None:
    odd = {"role": "tool", "tool_call_id": "1", "content": {"rows": 2}}
    parts = {"role": "user", "content": [3]}
    words = {"role": "assistant", "content": ["plain", {"type": "text", "text": "x"}]}

    assert items(odd, parts, words, {"role": "user", "content": ""}) == [
        {"type": "function_call_output", "call_id": "1", "output": '{"rows":2}'},
        {"role": "user", "content": [{"type": "input_text", "text": "3"}]},
        {"role": "assistant", "content": "plain\nx"},
    ]


def test_a_schema_can_be_sent_as_it_was_given() -> None:
    open_schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    wanted = OutputSchema(schema=open_schema, name="row", as_given=True)

    request = body(ChatRequest(model="m", messages=(USER,), output_schema=wanted))

    assert request["text"]["format"] == {
        "type": "json_schema",
        "name": "row",
        "strict": True,
        "schema": open_schema,
    }
