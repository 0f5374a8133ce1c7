"""A choice among several tools: each wire sends it in its own words, or only those tools."""

from typing import Any

import pytest

from tests.features.models.clients import PROVIDER, client, run
from webseam.adapters.features.models.declaration.provider import ApiMode, Provider
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.ports.errors import InvalidQuery
from webseam.ports.models import ChatRequest
from webseam.testing import ScriptedTransport

TOOLS = tuple(
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("web.look", "take", "book")
)
FLAT = [{"type": "function", "name": "web.look"}, {"type": "function", "name": "take"}]
NESTED = [{"type": "function", "function": {"name": each["name"]}} for each in FLAT]


def spellings(mode: str) -> list[dict[str, Any]]:
    """As Responses has it, and as chat has it."""
    return [
        {"type": "allowed_tools", "mode": mode, "tools": FLAT},
        {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": NESTED}},
    ]


def sent(api_mode: ApiMode, choice: object) -> Any:  # noqa: ANN401  a JSON body
    provider = Provider(name="p", api_mode=api_mode)
    request = ChatRequest(
        model="m",
        messages=({"role": "user", "content": "hi"},),
        tools=TOOLS,
        tool_choice=choice,  # type: ignore[arg-type]
    )
    return load_wire(api_mode).build_request(request, provider).body


@pytest.mark.parametrize("choice", spellings("required"))
def test_chat_and_responses_have_the_list_in_their_own_words(choice: dict[str, Any]) -> None:
    chat, responses = sent("chat_completions", choice), sent("responses", choice)

    allowed = {"mode": "required", "tools": NESTED}
    assert chat["tool_choice"] == {"type": "allowed_tools", "allowed_tools": allowed}
    assert responses["tool_choice"] == {"type": "allowed_tools", "mode": "required", "tools": FLAT}
    assert [len(body["tools"]) for body in (chat, responses)] == [3, 3]


@pytest.mark.parametrize(("mode", "kind"), [("required", "any"), ("auto", "auto")])
def test_messages_is_sent_only_what_may_be_called(mode: str, kind: str) -> None:
    for choice in spellings(mode):
        body = sent("anthropic_messages", choice)

        assert [tool["name"] for tool in body["tools"]] == ["web_look", "take"]
        assert body["tool_choice"] == {"type": kind}


@pytest.mark.parametrize(("mode", "kind"), [("required", "any"), ("auto", "auto")])
def test_converse_is_sent_only_what_may_be_called(mode: str, kind: str) -> None:
    for choice in spellings(mode):
        config = sent("bedrock_converse", choice)["toolConfig"]

        assert [tool["toolSpec"]["name"] for tool in config["tools"]] == ["web_look", "take"]
        assert config["toolChoice"] == {kind: {}}


def test_tools_without_a_name_are_allowed_by_their_type() -> None:
    choice = {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "mcp_toolset"}]}
    toolset = {"type": "mcp_toolset", "mcp_server_name": "s"}
    request = ChatRequest(
        model="m",
        messages=({"role": "user", "content": "hi"},),
        tools=(*TOOLS, toolset),
        tool_choice=choice,
    )
    provider = Provider(name="p", api_mode="anthropic_messages")
    body: Any = load_wire("anthropic_messages").build_request(request, provider).body

    assert body["tools"] == [toolset]
    assert sent("responses", choice)["tool_choice"] == choice
    assert sent("chat_completions", choice)["tool_choice"]["allowed_tools"]["tools"] == [
        {"type": "mcp_toolset"}
    ]


def test_a_list_of_tools_that_are_not_there_is_refused_before_anything_is_sent() -> None:
    transport = ScriptedTransport([])
    choice = {"type": "allowed_tools", "mode": "auto", "tools": [{"name": "gone"}]}
    request = ChatRequest(
        model="m",
        messages=({"role": "user", "content": "hi"},),
        tools=TOOLS,
        tool_choice=choice,
    )

    refused = run(client(transport, provider=PROVIDER).complete(request)).failure()

    assert refused == InvalidQuery(
        field="tool_choice",
        reason="allows only tools that the request does not have",
        backend="acme",
    )
    assert transport.requests == []
