"""Claude Code in front of Bedrock: Converse with its binary stream behind the Messages API."""

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.answering import Asked, Reply, answering
from tests.features.gateway.messages import CLAUDE_CODE_SEARCH, fold, kinds
from tests.features.models.frames import event

from .asgi import ROWS, Site

MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
HEADERS = {
    "anthropic_version": "2023-06-01", "x_app": "cli", "user_agent": "claude-cli/2.1.285 (external, cli)",
    "anthropic_beta": "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27",
    "anthropic_dangerous_direct_browser_access": "true", "x_stainless_lang": "js",
}  # fmt: skip
CACHED = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
BASH = {
    "name": "Bash", "description": "Runs a command.",
    "input_schema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"], "additionalProperties": False},
}  # fmt: skip
CLAUDE_CODE_TURN: dict[str, Any] = {
    "model": "claude-sonnet-4-5-20250929",
    "max_tokens": 32000,
    "stream": True,
    "system": [
        {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.285; cc_entrypoint=cli;"},
        {"type": "text", "text": "You are Claude Code, Anthropic's official CLI for Claude.", **CACHED},
        {"type": "text", "text": "You are an interactive agent.", **CACHED},
    ],
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "<system-reminder>Today is 2026-11-18.</system-reminder>"},
            {"type": "text", "text": "When is the high tide? See https://example.com/tides", **CACHED},
        ]},
    ],
    "thinking": {"type": "enabled", "budget_tokens": 31999},
    "metadata": {"user_id": "user_0_account__session_0"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
}  # fmt: skip
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "I must look.", "signature": "c2lnbmVk"}}}
SEALED = {"reasoningContent": {"redactedContent": "c2VhbGVk"}}
SAID = {"text": "At noon [1]."}


def used(name: str, **arguments: str) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": f"tooluse_{name}", "name": name, "input": arguments}}


def halves(value: str) -> tuple[str, str]:
    return value[: len(value) // 2], value[len(value) // 2 :]


def pieces(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the deltas of a block; every field but a signature comes in two."""
    thinking = block.get("reasoningContent", {})
    thought = thinking.get("reasoningText", {})
    for half in halves(json.dumps(block.get("toolUse", {}).get("input"))):
        if "toolUse" in block:
            yield {"toolUse": {"input": half}}
    fields = {
        "text": thought.get("text", ""),
        "redactedContent": thinking.get("redactedContent", ""),
    }
    for name, value in fields.items():
        yield from ({"reasoningContent": {name: half}} for half in halves(value) if half)
    if thought:
        yield {"reasoningContent": {"signature": thought["signature"]}}
    yield from ({"text": half} for half in halves(block.get("text", "")) if half)


def streamed(blocks: list[dict[str, Any]]) -> Iterator[bytes]:
    """Yield the frames of a turn."""
    yield event("messageStart", {"role": "assistant"})
    for index, block in enumerate(blocks):
        at = {"contentBlockIndex": index}
        if call := block.get("toolUse"):
            start = {name: call[name] for name in ("toolUseId", "name")}
            yield event("contentBlockStart", {**at, "start": {"toolUse": start}})
        for piece in pieces(block):
            yield event("contentBlockDelta", {**at, "delta": piece})
        yield event("contentBlockStop", at)
    has_calls = any("toolUse" in block for block in blocks)
    yield event("messageStop", {"stopReason": "tool_use" if has_calls else "end_turn"})
    usage = {"inputTokens": 7, "outputTokens": 3, "totalTokens": 15, "cacheReadInputTokens": 5}
    yield event("metadata", {"usage": usage, "metrics": {"latencyMs": 1}})


def explain_refusal(body: Mapping[str, Any]) -> str:
    """Return why Bedrock refuses a request; blank if it takes it."""
    blocks = [block for turn in body["messages"] for block in turn["content"]]
    names = {
        tool["toolSpec"]["name"]
        for tool in body.get("toolConfig", {}).get("tools", [])
        if "toolSpec" in tool
    }
    results = {block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block}
    calls = {block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block}
    roles = [turn["role"] for turn in body["messages"]]
    if (calls or results) and not names:
        return (
            "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        )
    if calls != results:
        return "Expected toolResult blocks."
    if any(first == second for first, second in pairwise(roles)):
        return "A conversation must alternate between user and assistant roles."
    return ""


class Bedrock:
    """Claude on Bedrock, on loopback; follows a script and refuses what Bedrock refuses."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.turns: list[list[dict[str, Any]]] = [[SAID]]
        self.url = ""

    def answer(self, asked: Asked) -> Reply:
        assert asked.path.endswith("/converse-stream"), asked.path
        assert asked.key == "Bearer k"
        self.asked.append(asked.body)
        if refusal := explain_refusal(asked.body):
            return Reply({"message": refusal}, status=400)
        turn = self.turns[min(len(self.asked), len(self.turns)) - 1]
        return Reply(b"".join(streamed(turn)), "application/vnd.amazon.eventstream")


@pytest.fixture
def bedrock() -> Iterator[Bedrock]:
    scripted = Bedrock()
    with answering(scripted.answer) as address:
        scripted.url = address
        yield scripted


@pytest.fixture
def site(tmp_path: Path, bedrock: Bedrock) -> Site:
    (tmp_path / "config.yaml").write_text(
        f"providers: {{bedrock: {{base_url: '{bedrock.url}', api_key: k}}}}\n"
        f"model_route: ['bedrock/{MODEL}']\n"
    )
    return Site(tmp_path)


def ask(site: Site, **change: object) -> dict[str, Any]:
    answer = site.post("/v1/messages?beta=true", {**CLAUDE_CODE_TURN, **change}, **HEADERS)
    assert answer.status == 200, answer.body
    return fold(answer)


@pytest.mark.parametrize("version", ["20250305", "20260318"])
def test_a_search_on_bedrock_has_native_blocks_in_their_order(
    site: Site, bedrock: Bedrock, version: str
) -> None:
    search = {
        "type": f"web_search_{version}",
        "name": "web_search",
        "max_uses": 1,
        "allowed_domains": ["example.com"],
    }
    fetch = {"type": "web_fetch_20260318", "name": "web_fetch", "max_uses": 1}
    bedrock.turns = [
        [THOUGHT, SEALED, {"text": "I look."}, used("web_search", query="high tide")],
        [used("web_fetch", url="https://example.com/tides")],
        [THOUGHT, SAID, used("Bash", command="date")],
    ]

    message = ask(site, tools=[BASH, search, fetch])

    assert kinds(message) == [
        "thinking",
        "redacted_thinking",
        "text",
        "server_tool_use",
        "web_search_tool_result",
        "server_tool_use",
        "web_fetch_tool_result",
        "thinking",
        "text",
        "tool_use",
    ]
    thought, sealed, _, use, result, _, page, _, said, bash = message["content"]
    assert thought == {"type": "thinking", "thinking": "I must look.", "signature": "c2lnbmVk"}
    assert sealed == {"type": "redacted_thinking", "data": "c2VhbGVk"}
    assert (use["name"], use["input"]) == ("web_search", {"query": "high tide"})
    assert [row["url"] for row in result["content"]] == [ROWS[0]["url"]]
    assert page["content"]["type"] == "web_fetch_result"
    assert [note["url"] for note in said["citations"]] == [ROWS[0]["url"]]
    assert (bash["id"], bash["input"]) == ("tooluse_Bash", {"command": "date"})
    assert message["stop_reason"] == "tool_use"
    assert message["usage"]["server_tool_use"] == {
        "web_search_requests": 1,
        "web_fetch_requests": 1,
    }
    assert (message["usage"]["input_tokens"], message["usage"]["output_tokens"]) == (21, 9)
    assert message["usage"]["cache_read_input_tokens"] == 15

    # The model gets its own thoughts back, sealed or signed, before the call that they led to.
    second = bedrock.asked[1]["messages"][1]["content"]
    assert [block for block in second if "reasoningContent" in block] == [THOUGHT, SEALED]
    assert second[:2] == [THOUGHT, SEALED]

    # So it does when the client sends the turn back with the result of its own tool.
    bedrock.asked.clear()
    bedrock.turns = [[SAID]]
    result = {"type": "tool_result", "tool_use_id": bash["id"], "content": "noon", **CACHED}
    turns = [
        *CLAUDE_CODE_TURN["messages"],
        {"role": "assistant", "content": message["content"]},
        {"role": "user", "content": [result]},
    ]
    assert ask(site, tools=[BASH, search, fetch], messages=turns)["stop_reason"] == "end_turn"

    (sent,) = bedrock.asked
    spoken = [turn["content"] for turn in sent["messages"] if turn["role"] == "assistant"]
    assert [
        len([block for block in content if "reasoningContent" in block]) for content in spoken
    ] == [2, 0, 1]
    assert spoken[0][:2] == [THOUGHT, SEALED]
    assert spoken[2][0] == THOUGHT


def test_a_search_that_is_used_up_does_not_break_the_turn(site: Site, bedrock: Bedrock) -> None:
    search = {"type": "web_search_20250305", "name": "web_search", "max_uses": 1}
    bedrock.turns = [[THOUGHT, used("web_search", query="high tide")], [SAID]]

    message = ask(site, tools=[search])

    assert kinds(message) == ["thinking", "server_tool_use", "web_search_tool_result", "text"]
    assert (message["stop_reason"], len(bedrock.asked)) == ("end_turn", 2)


def test_a_request_that_only_wants_the_search_asks_no_model(site: Site, bedrock: Bedrock) -> None:
    tool = {
        "type": "web_search_20260318",
        "name": "web_search",
        "max_uses": 8,
        "allowed_domains": ["example.org"],
        "blocked_domains": [],
    }

    message = ask(
        site,
        **{
            **CLAUDE_CODE_SEARCH,
            "tools": [tool],
            "thinking": {"type": "enabled", "budget_tokens": 31999},
        },
    )

    assert kinds(message) == ["server_tool_use", "web_search_tool_result", "text"]
    assert [row["url"] for row in message["content"][1]["content"]] == [ROWS[1]["url"]]
    assert message["usage"]["server_tool_use"]["web_search_requests"] == 1
    assert (message["stop_reason"], bedrock.asked) == ("end_turn", [])
