"""What a provider wants back with the next turn goes back, to that provider and to no other."""

from typing import Any

import pytest

from webseam.adapters.features.models.declaration.provider import Provider, ResponsesFacts
from webseam.adapters.features.models.wires.preview import load_wire, preview
from webseam.kernel.features.models.chat import assistant_message
from webseam.ports import ChatRequest
from webseam.ports.models import Message

HELLO: Message = {"role": "user", "content": "hello"}
NEXT: Message = {"role": "user", "content": "go on"}
OPENAI = Provider(
    name="openai", api_mode="responses", responses=ResponsesFacts(encrypted_reasoning=True)
)
GEMINI = Provider(name="gemini-native", api_mode="gemini_generate")
NOVA = Provider(name="bedrock", api_mode="bedrock_converse")
CLAUDE = Provider(name="anthropic", api_mode="anthropic_messages")

MESSAGE = {"type": "message", "content": [{"type": "output_text", "text": "Low at six."}]}
SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAA"}
ITEMS: list[dict[str, Any]] = [
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "tides"}},
    {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "harbour", "tools": []},
    {"type": "mcp_call", "id": "mcp_1", "server_label": "harbour", "name": "t", "arguments": "{}", "output": "6"},
    {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "harbour", "name": "t", "arguments": "{}"},
    {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "aGk="},
    {"type": "code_interpreter_call", "id": "ci_1", "code": "print(6)", "container_id": "c", "outputs": None},
    {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["tides"]},
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAB"},
    {"type": "apply_patch_call", "id": "ap_1", "call_id": "call_p", "operation": {"type": "delete_file"}},
]  # fmt: skip


def turn(provider: Provider, payload: object) -> dict[str, Any]:
    response = load_wire(provider.api_mode).normalize_response(payload).unwrap()
    message: dict[str, Any] = assistant_message(response)
    held = message.get("provider_data") or {}
    return {**message, "provider_data": {**held, "_issuer": provider.name}}


def sent(provider: Provider, *messages: Message, model: str = "m", **fields: Any) -> Any:  # noqa: ANN401  any JSON
    request = ChatRequest(model=model, messages=messages, **fields)
    return preview(provider, request).body


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: str(item["type"]))
def test_an_item_of_the_servers_own_tools_goes_back_where_it_stood(item: dict[str, Any]) -> None:
    answer = turn(OPENAI, {"status": "completed", "output": [SEALED, item, MESSAGE]})

    items = sent(OPENAI, HELLO, answer, NEXT)["input"]

    sealed = {"type": "reasoning", "encrypted_content": "gAA", "summary": []}
    assert items[1:4] == [sealed, item, {"role": "assistant", "content": "Low at six."}]


def test_items_go_to_their_issuer_alone_and_not_with_other_words() -> None:
    answer = turn(OPENAI, {"status": "completed", "output": [ITEMS[0], MESSAGE]})
    other = Provider(name="other", api_mode="responses")

    changed = sent(OPENAI, HELLO, {**answer, "content": "***"}, NEXT)["input"]

    assert changed[1:-1] == [{"role": "assistant", "content": "***"}]
    assert sent(other, HELLO, answer, NEXT)["input"][1:-1] == [
        {"role": "assistant", "content": "Low at six."}
    ]


def test_a_call_between_such_items_goes_as_the_message_has_it_now() -> None:
    call = {
        "type": "function_call",
        "call_id": "call_1",
        "name": "f",
        "arguments": '{"q":"secret"}',
    }
    answer = turn(OPENAI, {"status": "completed", "output": [ITEMS[0], call]})
    answer["tool_calls"][0]["function"]["arguments"] = '{"q":"***"}'

    items = sent(OPENAI, HELLO, answer, {"role": "tool", "tool_call_id": "call_1", "content": "x"})[
        "input"
    ]

    assert items[1:3] == [ITEMS[0], {**call, "arguments": '{"q":"***"}'}]


def test_an_approval_among_the_parts_of_a_message_is_an_item_of_its_own() -> None:
    approval = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    answer: Message = {"role": "user", "content": [approval, {"type": "text", "text": "Do it."}]}

    assert sent(OPENAI, answer)["input"] == [
        approval,
        {"role": "user", "content": [{"type": "input_text", "text": "Do it."}]},
    ]


FREE = {"id": "call_9", "type": "custom", "custom": {"name": "patch", "input": "*** Begin\n"}}
CHAT = {"choices": [{"message": {"content": None, "tool_calls": [FREE]}, "finish_reason": "stop"}]}
CHATTING = Provider(name="openai-chat")


def test_a_call_of_a_free_form_tool_stays_one_on_chat() -> None:
    answer = turn(CHATTING, CHAT)

    assert [call["function"]["arguments"] for call in answer["tool_calls"]] == ["*** Begin\n"]
    assert sent(CHATTING, HELLO, answer)["messages"][1]["tool_calls"] == [FREE]


def test_a_call_of_a_free_form_tool_and_its_result_go_to_responses_in_its_words() -> None:
    result: Message = {"role": "tool", "tool_call_id": "call_9", "content": "done"}

    items = sent(OPENAI, HELLO, turn(CHATTING, CHAT), result)["input"]

    assert items[1:] == [
        {"type": "custom_tool_call", "call_id": "call_9", "name": "patch", "input": "*** Begin\n"},
        {"type": "custom_tool_call_output", "call_id": "call_9", "output": "done"},
    ]


def test_a_wire_without_free_form_tools_still_shows_their_input() -> None:
    result: Message = {"role": "tool", "tool_call_id": "call_9", "content": "done"}

    turns = sent(CLAUDE, HELLO, turn(CHATTING, CHAT), result, model="claude-opus-4-5")["messages"]

    assert turns[1]["content"][0]["input"] == {"input": "*** Begin\n"}


RAN = {"executableCode": {"language": "PYTHON", "code": "print(6)"}}
GAVE = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "6"}}
DREW = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
SIGNED = {"text": "Six.", "thoughtSignature": "sig"}


def gemini(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": "STOP"}]}


@pytest.mark.parametrize(
    "parts", [(SIGNED,), (RAN, GAVE, {"text": "Six."}), ({"text": "Here."}, DREW)]
)
def test_signed_words_code_that_ran_and_pictures_go_back_to_gemini(
    parts: tuple[dict[str, Any], ...],
) -> None:
    answer = turn(GEMINI, gemini({"text": "Hm.", "thought": True}, *parts))

    contents = sent(GEMINI, HELLO, answer, NEXT)["contents"]

    assert contents[1] == {"role": "model", "parts": list(parts)}


def test_parts_do_not_go_to_somebody_else_or_with_other_words() -> None:
    answer = turn(GEMINI, gemini(SIGNED))
    other = Provider(name="other", api_mode="gemini_generate")

    changed = sent(GEMINI, HELLO, {**answer, "content": "***"}, NEXT)["contents"][1]

    assert changed == {"role": "model", "parts": [{"text": "***"}]}
    assert sent(other, HELLO, answer, NEXT)["contents"][1]["parts"] == [{"text": "Six."}]


def test_a_call_beside_signed_words_keeps_its_place_and_its_signature() -> None:
    call = {"functionCall": {"id": "c", "name": "f", "args": {}}, "thoughtSignature": "s2"}
    answer = turn(GEMINI, gemini(SIGNED, call))
    result: Message = {"role": "tool", "tool_call_id": "c", "content": "x"}

    assert sent(GEMINI, HELLO, answer, result)["contents"][1]["parts"] == [SIGNED, call]


CODE = {
    "toolUse": {
        "toolUseId": "t1",
        "name": "nova_code_interpreter",
        "input": {"snippet": "print(6)"},
        "type": "server_tool_use",
    }
}
OUTPUT = {
    "toolResult": {
        "toolUseId": "t1",
        "content": [{"json": {"stdOut": "6"}}],
        "status": "success",
        "type": "nova_code_interpreter_result",
    }
}


def test_the_work_of_novas_code_interpreter_goes_back_within_the_turn() -> None:
    payload = {
        "output": {"message": {"role": "assistant", "content": [CODE, OUTPUT, {"text": "Six."}]}},
        "stopReason": "end_turn",
    }
    tools = ({"systemTool": {"name": "nova_code_interpreter"}},)

    answer = turn(NOVA, payload)
    turns = sent(NOVA, HELLO, answer, NEXT, model="amazon.nova-2-lite-v1:0", tools=tools)[
        "messages"
    ]

    assert turns[1] == {"role": "assistant", "content": [CODE, OUTPUT, {"text": "Six."}]}
    assert [each["role"] for each in turns] == ["user", "assistant", "user"]


def test_code_that_calls_a_tool_is_named_when_the_call_goes_back() -> None:
    caller = {"type": "code_execution_20250825", "tool_id": "srv_1"}
    code = {
        "type": "server_tool_use",
        "id": "srv_1",
        "name": "code_execution",
        "input": {},
        "caller": {"type": "direct"},
    }
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}, "caller": caller}
    answer = turn(CLAUDE, {"content": [code, call], "stop_reason": "tool_use"})
    result: Message = {"role": "tool", "tool_call_id": "toolu_1", "content": "x"}

    turns = sent(CLAUDE, HELLO, answer, result, model="claude-opus-4-5")["messages"]

    assert turns[1]["content"] == [code, call]


FOUND = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "table",
    "arguments": "{}",
    "namespace": "harbour",
}


@pytest.mark.parametrize("others", [[], [{"type": "tool_search_call", "arguments": {}}]])
def test_a_call_goes_back_with_the_namespace_that_it_was_found_in(
    others: list[dict[str, Any]],
) -> None:
    answer = turn(OPENAI, {"status": "completed", "output": [*others, FOUND]})
    result: Message = {"role": "tool", "tool_call_id": "call_1", "content": "six"}

    items = sent(OPENAI, HELLO, answer, result)["input"]

    assert items[1:] == [
        *others,
        FOUND,
        {"type": "function_call_output", "call_id": "call_1", "output": "six"},
    ]


def test_a_program_goes_back_and_hears_the_result_of_its_call() -> None:
    program = {"type": "program", "call_id": "p_1", "fingerprint": "f", "code": "await table()"}
    call = {**FOUND, "caller": {"type": "program", "caller_id": "p_1"}}
    answer = turn(OPENAI, {"status": "completed", "output": [program, call]})
    result: Message = {"role": "tool", "tool_call_id": "call_1", "content": "six"}

    items = sent(OPENAI, HELLO, answer, result)["input"]

    assert items[1:3] == [program, call]
    assert items[3] == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": "six",
        "caller": {"type": "program", "caller_id": "p_1"},
    }


def test_a_namespace_is_told_to_nobody_else() -> None:
    answer = turn(OPENAI, {"status": "completed", "output": [FOUND]})
    other = Provider(name="xai", api_mode="responses")

    for provider in (other, CLAUDE, GEMINI, NOVA, Provider(name="c", api_mode="chat_completions")):
        assert "harbour" not in str(sent(provider, HELLO, answer, NEXT))


def test_a_free_form_call_has_its_namespace_too() -> None:
    call = {
        "type": "custom_tool_call",
        "call_id": "call_1",
        "name": "shell",
        "input": "ls",
        "namespace": "n",
    }
    answer = turn(OPENAI, {"status": "completed", "output": [call]})

    assert sent(OPENAI, HELLO, answer, NEXT)["input"][1] == call
