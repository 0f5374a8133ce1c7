"""Chat completions: from a conversation to the body that is sent."""

import copy
from typing import Any

import pytest

from webseam.adapters.features.models.declaration.provider import (
    Changes,
    FieldRules,
    HistoryRules,
    HttpDetails,
    ModelRule,
    Provider,
)
from webseam.adapters.features.models.wires.chat.completions import CHAT_COMPLETIONS
from webseam.ports import ChatRequest, OutputSchema

PLAIN = Provider(name="plain")
CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {},
    "required": [],
    "additionalProperties": False,
}
USER = {"role": "user", "content": "hello"}
TOOL = {"type": "function", "function": {"name": "lookup", "parameters": {"type": "object"}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}


def body(request: ChatRequest, provider: Provider = PLAIN, *, stream: bool = False) -> Any:  # noqa: ANN401  any JSON
    return CHAT_COMPLETIONS.build_request(request, provider, stream=stream).body


def converted(*messages: dict[str, Any], provider: Provider = PLAIN, model: str = "m") -> list[Any]:
    before = copy.deepcopy(messages)
    conversation = CHAT_COMPLETIONS.convert_messages(messages, provider, model)
    assert messages == before
    assert conversation.system is None
    return conversation.messages


def test_the_least_request_is_model_and_messages() -> None:
    built = CHAT_COMPLETIONS.build_request(ChatRequest(model="m", messages=(USER,)), PLAIN)

    assert (built.path, built.headers) == ("/chat/completions", ())
    assert built.body == {"model": "m", "messages": [USER]}


def test_every_usual_field_has_its_place() -> None:
    request = ChatRequest(
        model="m",
        messages=(USER,),
        tools=(TOOL,),
        tool_choice="required",
        parallel_tool_calls=False,
        max_tokens=9,
        temperature=0.5,
        top_p=0.9,
        stop=("END",),
        reasoning_effort="low",
        output_schema=OutputSchema(schema=CLOSED, name="row"),
        session="s1",
        extra_body={"seed": 7},
    )
    provider = Provider(
        name="p",
        fields=FieldRules(
            max_tokens_field="max_completion_tokens",
            prompt_cache_key=True,
        ),
    )

    assert body(request, provider, stream=True) == {
        "model": "m",
        "messages": [USER],
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["END"],
        "max_completion_tokens": 9,
        "tools": [TOOL],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "reasoning_effort": "low",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "row", "strict": True, "schema": CLOSED},
        },
        "prompt_cache_key": "s1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "seed": 7,
    }


def test_without_tools_nothing_is_said_of_them() -> None:
    request = ChatRequest(model="m", messages=(USER,), tool_choice="auto", parallel_tool_calls=True)

    assert body(request).keys() == {"model", "messages"}


def test_the_providers_way_to_ask_for_reasoning_replaces_ours() -> None:
    provider = Provider(
        name="p",
        changes=Changes(
            reasoning=lambda requested: {"think": requested.reasoning_effort},
        ),
    )
    request = ChatRequest(model="m", messages=(USER,), reasoning_effort="high")

    assert body(request, provider) == {"model": "m", "messages": [USER], "think": "high"}


def test_a_provider_may_have_a_path_and_headers_of_its_own() -> None:
    provider = Provider(
        name="p",
        http=HttpDetails(
            path="/v2/chat",
            request_headers=lambda _: (("x-a", "1"),),
        ),
    )

    built = CHAT_COMPLETIONS.build_request(ChatRequest(model="m", messages=(USER,)), provider)

    assert (built.path, built.headers) == ("/v2/chat", (("x-a", "1"),))


@pytest.mark.parametrize(
    ("messages", "sent"),
    [
        ((USER,), [{"role": "system", "content": "Be brief."}, USER]),
        ((), [{"role": "system", "content": "Be brief."}]),
        (
            ({"role": "system", "content": "Be kind."}, USER),
            [{"role": "system", "content": "Be brief.\n\nBe kind."}, USER],
        ),
        (
            ({"role": "system", "content": [{"type": "text", "text": "x"}]},),
            [
                {"role": "system", "content": "Be brief."},
                {"role": "system", "content": [{"type": "text", "text": "x"}]},
            ],
        ),
    ],
)
def test_instructions_stand_before_everything(
    messages: tuple[dict[str, Any], ...], sent: list[Any]
) -> None:
    request = ChatRequest(model="m", messages=messages, instructions="Be brief.")

    assert body(request)["messages"] == sent


@pytest.mark.parametrize("mode", ["json_object", "none"])
def test_a_schema_is_told_in_words_where_the_api_has_no_place_for_it(mode: Any) -> None:  # noqa: ANN401  one of the literals
    request = ChatRequest(
        model="m", messages=(USER,), output_schema=OutputSchema(schema={"type": "object"})
    )

    sent = body(
        request,
        Provider(
            name="p",
            fields=FieldRules(
                structured_output=mode,
            ),
        ),
    )

    assert sent["messages"][0]["role"] == "system"
    assert '{"type":"object"}' in sent["messages"][0]["content"]
    assert sent.get("response_format") == (
        {"type": "json_object"} if mode == "json_object" else None
    )


def test_private_message_fields_of_an_agent_are_not_sent() -> None:
    turn = {"role": "assistant", "content": "a", "tool_calls": [CALL]}
    source = {
        **turn,
        "_id": 1,
        "timestamp": 2,
        "finish_reason": "stop",
        "codex_reasoning_items": [],
        "provider_data": {"x": 1},
        "tool_calls": [
            {**CALL, "call_id": "x", "response_item_id": "y", "_z": 1, "extra_content": {}}
        ],
    }

    assert converted(source) == [turn]


def test_an_empty_list_of_calls_is_no_list() -> None:
    assert converted({"role": "assistant", "content": "a", "tool_calls": []}) == [
        {"role": "assistant", "content": "a"}
    ]


@pytest.mark.parametrize("model", ["google/Gemini-3-pro", "gemma-4"])
def test_thought_signatures_go_back_to_gemini(model: str) -> None:
    signed = {**CALL, "extra_content": {"google": {"thought_signature": "s"}}}
    held = {**CALL, "provider_data": {"extra_content": {"google": {"thought_signature": "s"}}}}

    for call in (signed, held):
        turn = {"role": "assistant", "content": None, "tool_calls": [call]}
        assert converted(turn, model=model) == [
            {"role": "assistant", "content": None, "tool_calls": [signed]}
        ]


def test_reasoning_goes_back_only_to_those_who_take_it() -> None:
    turn = {
        "role": "assistant",
        "content": "a",
        "reasoning_content": "r",
        "provider_data": {"reasoning_details": [1]},
    }
    strict = Provider(
        name="p",
        history=HistoryRules(
            reasoning_fields=frozenset(),
        ),
    )

    assert converted(turn) == [
        {"reasoning_details": [1], "role": "assistant", "content": "a", "reasoning_content": "r"}
    ]
    assert converted(turn, provider=strict) == [{"role": "assistant", "content": "a"}]


@pytest.mark.parametrize(
    ("model", "role"),
    [
        ("gpt-5.6-sol", "developer"),
        ("openai/GPT-5", "developer"),
        ("my-codex", "developer"),
        ("m", "system"),
    ],
)
def test_the_first_system_message_speaks_as_developer_to_some_models(model: str, role: str) -> None:
    system = {"role": "system", "content": "s"}

    assert converted(system, USER, system, model=model) == [{**system, "role": role}, USER, system]


@pytest.mark.parametrize(("model", "role"), [("gpt-5.6-sol", "developer"), ("m", "system")])
def test_a_developer_is_the_system_to_models_that_know_none(model: str, role: str) -> None:
    sent = converted(
        {"role": "user", "content": "a"}, {"role": "developer", "content": "b"}, model=model
    )

    assert [message["role"] for message in sent] == ["user", role]


def test_arguments_are_a_text_whatever_they_were() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"q": 1}}}

    (sent,) = converted({"role": "assistant", "content": None, "tool_calls": [call]})

    assert sent["tool_calls"] == [{**call, "function": {"name": "f", "arguments": '{"q":1}'}}]


def test_images_of_tool_results_move_to_a_users_turn_where_they_must() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    provider = Provider(
        name="p",
        history=HistoryRules(
            images_in_tool_results=False,
        ),
    )
    first = {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "a"}, image]}
    second = {"role": "tool", "tool_call_id": "2", "content": [image]}
    third = {"role": "tool", "tool_call_id": "3", "content": "plain"}

    assert converted(first, second, third, USER, provider=provider) == [
        {**first, "content": "a"},
        {**second, "content": "(see the image that follows)"},
        third,
        {"role": "user", "content": [image, image]},
        USER,
    ]
    assert converted(first, provider=provider)[-1] == {"role": "user", "content": [image]}
    assert converted(first) == [first]


def test_the_prompt_is_marked_for_the_cache_only_when_asked() -> None:
    provider = Provider(
        name="p",
        history=HistoryRules(
            cache_marks=True,
        ),
    )
    mark = {"cache_control": {"type": "ephemeral"}}
    messages = (
        {"role": "system", "content": "s"},
        USER,
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
    )

    request = ChatRequest(model="m", messages=messages, cache=True)

    assert body(request, provider)["messages"] == [
        {"role": "system", "content": [{"type": "text", "text": "s"} | mark]},
        USER,
        {"role": "user", "content": [{"type": "text", "text": "x"} | mark]},
    ]
    assert body(request)["messages"] == list(messages)
    empty = ChatRequest(model="m", messages=({"role": "assistant", "content": None},), cache=True)
    assert body(empty, provider)["messages"] == [{"role": "assistant", "content": None}]


def test_a_providers_preparations_are_applied() -> None:
    provider = Provider(
        name="p",
        changes=Changes(
            prepare_messages=lambda messages, model: [{**m, "model": model} for m in messages],
            sanitize_tools=lambda tools, _: [{**tool, "clean": True} for tool in tools],
        ),
        fields=FieldRules(
            models=(ModelRule(contains="m", max_tokens=5),),
        ),
    )
    request = ChatRequest(model="m", messages=(USER,), tools=(TOOL,))

    assert body(request, provider) == {
        "model": "m",
        "messages": [{**USER, "model": "m"}],
        "max_tokens": 5,
        "tools": [{**TOOL, "clean": True}],
    }


def test_a_stream_is_asked_for_without_usage_where_that_is_refused() -> None:
    request = ChatRequest(model="m", messages=(USER,))

    assert body(
        request,
        Provider(
            name="p",
            fields=FieldRules(
                stream_usage=False,
            ),
        ),
        stream=True,
    ) == {
        "model": "m",
        "messages": [USER],
        "stream": True,
    }
