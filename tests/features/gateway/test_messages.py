"""Anthropic's Messages over any provider: the gateway runs the web tools and keeps every block."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure

from tests.answering import Asked, Reply, answering
from tests.features.gateway.keys import new_key
from tests.features.gateway.messages import CLAUDE_CODE_SEARCH, SEARCH, VERSIONS, fold, kinds
from webseam.adapters.features.gateway.dialects.anthropic.messages_history import (
    History,
    Turn,
    read_history,
)
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.kernel.envelopes import NO_PROGRESS_NOTE
from webseam.ports.errors import RateLimited

from .asgi import ROWS, Site

FETCH = {"type": "web_fetch_20260318", "name": "web_fetch"}
LOOKUP = {"name": "lookup", "description": "Looks up.", "input_schema": {"type": "object"}}


def called(*calls: tuple[str, dict[str, object]], text: str | None = None) -> dict[str, object]:
    """Return a turn of the model that calls functions."""
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {
                "id": f"call_{n}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for n, (name, arguments) in enumerate(calls)
        ],
    }


class Provider:
    """A chat model on loopback that follows a script; its last turn repeats."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.turns: list[dict[str, Any]] = [{"role": "assistant", "content": "Hello."}]
        self.status = 200
        self.url = ""

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked.body)
        turn = self.turns[min(len(self.asked), len(self.turns)) - 1]
        finish = "tool_calls" if turn.get("tool_calls") else "stop"
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        choice = {"index": 0, "message": turn, "finish_reason": finish}
        body = {"id": "1", "model": "m", "choices": [choice], "usage": usage}
        return Reply(body, status=turn.get("status", self.status))


@pytest.fixture
def provider() -> Iterator[Provider]:
    scripted = Provider()
    with answering(scripted.answer) as address:
        scripted.url = f"{address}/v1"
        yield scripted


@pytest.fixture
def site(tmp_path: Path, provider: Provider) -> Site:
    (tmp_path / "config.yaml").write_text(
        f"providers: {{custom: {{base_url: '{provider.url}', api_key: k}}}}\n"
        "model_route: [custom/m]\n"
    )
    return Site(tmp_path)


def ask(site: Site, body: Mapping[str, Any], **more: object) -> dict[str, Any]:
    """Return the message; streamed it is the same but for the ids of tools."""
    whole = site.post("/v1/messages", {"model": "claude-x", "max_tokens": 100, **body, **more})
    assert whole.status == 200, whole.body
    message: dict[str, Any] = whole.json
    return message


def same(message: dict[str, Any]) -> str:
    """Return a message without its random ids."""
    ids = [block.get("id") or block.get("tool_use_id") for block in message["content"]]
    text = json.dumps({**message, "id": ""}, sort_keys=True)
    for number, identity in enumerate(dict.fromkeys(filter(None, ids))):
        text = text.replace(identity, f"id{number}")
    return text


@pytest.mark.parametrize("change", [{}, {"tool_choice": {"type": "auto"}}, {"stream": True}])
def test_claude_codes_own_search_needs_no_model(
    site: Site, provider: Provider, change: dict[str, object]
) -> None:
    answer = site.post("/v1/messages?beta=true", {**CLAUDE_CODE_SEARCH, **change})

    assert answer.status == 200, answer.body
    message = fold(answer) if "stream" in change else answer.json
    use, result, text = message["content"]
    assert provider.asked == []
    assert (use["type"], use["name"], use["input"]) == (
        "server_tool_use",
        "web_search",
        {"query": "high tides"},
    )
    assert (result["type"], result["tool_use_id"]) == ("web_search_tool_result", use["id"])
    assert [(row["type"], row["url"], row["title"]) for row in result["content"]] == [
        ("web_search_result", row["url"], row["title"]) for row in ROWS
    ]
    assert "High at noon." in text["text"]
    assert {note["type"] for note in text["citations"]} == {"web_search_result_location"}
    assert [note["url"] for note in text["citations"]] == [row["url"] for row in ROWS]
    assert message["stop_reason"] == "end_turn"
    assert message["usage"]["server_tool_use"]["web_search_requests"] == 1
    assert "metadata" in answer.headers["x-webseam-ignored"]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_a_tool_is_run_and_its_blocks_are_native(
    site: Site, provider: Provider, version: str
) -> None:
    name = version[: version.rindex("_")]
    arguments: dict[str, object] = {"query": "tides", "url": "https://example.com/a"}
    provider.turns = [
        called((name, arguments), text="I look."),
        {"role": "assistant", "content": "At noon [1]."},
    ]
    body = {
        "messages": [{"role": "user", "content": "When? See https://example.com/a"}],
        "tools": [{"type": version, "name": name}],
    }

    message = ask(site, body)
    provider.asked.clear()
    streamed = fold(
        site.post(
            "/anthropic/v1/messages",
            {"model": "claude-x", "max_tokens": 100, "stream": True, **body},
        )
    )

    assert kinds(message) == ["text", "server_tool_use", f"{name}_tool_result", "text"]
    assert message["usage"]["server_tool_use"][f"{name}_requests"] == 1
    assert (message["usage"]["input_tokens"], message["usage"]["output_tokens"]) == (14, 6)
    assert same(streamed) == same(message)
    (function,) = provider.asked[0]["tools"]
    assert (function["type"], function["function"]["name"]) == ("function", name)
    result = provider.asked[1]["messages"][-1]
    assert (result["role"], "High at noon." in result["content"]) == ("tool", True)


def test_a_model_that_finds_nothing_new_is_told(site: Site, provider: Provider) -> None:
    look = called(("web_search", {"query": "tides"}))
    provider.turns = [look, look, look, {"role": "assistant", "content": "At noon."}]

    ask(site, {"messages": [{"role": "user", "content": "When?"}], "tools": [SEARCH]})

    results = [turn["content"] for turn in provider.asked[-1]["messages"] if turn["role"] == "tool"]
    assert [result.startswith(NO_PROGRESS_NOTE) for result in results] == [False, False, True]


def test_a_caller_s_own_tools_go_to_the_caller_and_come_back(
    site: Site, provider: Provider
) -> None:
    provider.turns = [called(("web_search", {"query": "tides"}), ("lookup", {"word": "tide"}))]
    body: dict[str, Any] = {
        "messages": [{"role": "user", "content": "When?"}],
        "tools": [SEARCH, LOOKUP],
    }

    message = ask(site, body)

    assert kinds(message) == ["server_tool_use", "web_search_tool_result", "tool_use"]
    assert message["stop_reason"] == "tool_use"
    use = message["content"][-1]
    assert (use["name"], use["input"]) == ("lookup", {"word": "tide"})

    provider.turns = [{"role": "assistant", "content": "At noon [1]."}]
    provider.asked.clear()
    turns = [
        *body["messages"],
        {"role": "assistant", "content": message["content"]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": use["id"],
                    "content": "found",
                    "is_error": True,
                }
            ],
        },
    ]
    second = ask(site, {**body, "messages": turns})

    asked = provider.asked[0]["messages"]
    assert [turn["role"] for turn in asked] == ["user", "assistant", "tool", "assistant", "tool"]
    assert "High at noon." in asked[2]["content"]
    assert (asked[2]["tool_call_id"], asked[4]["tool_call_id"], asked[4]["content"]) == (
        asked[1]["tool_calls"][0]["id"],
        asked[3]["tool_calls"][0]["id"],
        "found",
    )
    assert [note["url"] for note in second["content"][0]["citations"]] == [ROWS[0]["url"]]


# Claude Code 2.1.327 sends its skills in a system message with an effort, and defers most tools.
SAID: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "When is high tide?"}]}
LOUD = {"role": "system", "content": [{"type": "text", "text": "# Environment"}], "output_config": {"effort": "low"}}  # fmt: skip
QUIET: dict[str, Any] = {"role": "system", "content": [], "output_config": {"effort": "low"}}
USED = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ToolSearch", "input": {}}]}  # fmt: skip
FOUND = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "tool_reference", "tool_name": "lookup"}]}]}  # fmt: skip


def test_a_message_s_effort_counts_from_the_next_input_of_the_user(
    site: Site, provider: Provider
) -> None:
    for turns, effort in (
        ([SAID, LOUD], "low"),
        ([SAID, LOUD, USED, FOUND], "low"),
        ([SAID, USED, QUIET, FOUND], "high"),
        ([SAID, USED, FOUND, QUIET], "high"),
        ([SAID, USED, QUIET, FOUND, SAID], "low"),
        ([SAID, LOUD, {**QUIET, "output_config": {"effort": "medium"}}], "medium"),
        ([SAID, {**LOUD, "output_config": {}}, {**LOUD, "output_config": None}], "high"),
    ):
        ask(
            site,
            {"messages": turns, "tools": [LOOKUP]},
            output_config={"effort": "high"},
            thinking={"type": "adaptive", "display": "updates"},
        )
        assert provider.asked[-1]["reasoning_effort"] == effort, turns


def test_the_model_gets_the_tools_that_the_conversation_offers(
    site: Site, provider: Provider
) -> None:
    def change(kind: str, **tool: object) -> dict[str, Any]:
        return {"role": "system", "content": [{"type": f"tool_{kind}", "tool": tool}]}

    reference = {"type": "tool_reference", "name": "lookup"}
    inline = {"type": "tool_definition", "definition": {**LOOKUP, "description": "New."}}
    deferred = {**LOOKUP, "defer_loading": True}
    for tools, turns, words in (
        ([deferred], [SAID], []),
        ([deferred], [SAID, USED, FOUND], ["Looks up."]),
        ([deferred], [SAID, change("addition", **reference)], ["Looks up."]),
        ([LOOKUP], [SAID, change("removal", **reference)], []),
        ([deferred], [SAID, USED, FOUND, change("removal", **reference)], []),
        ([], [SAID, change("addition", **inline)], ["New."]),
        ([LOOKUP], [SAID, change("removal", **reference), change("addition", **inline)], ["New."]),
    ):
        ask(site, {"messages": turns, "tools": tools})
        functions = [tool["function"] for tool in provider.asked[-1].get("tools", ())]
        assert [function["description"] for function in functions] == words, turns


@pytest.mark.parametrize("max_uses", [1, 3, None])
def test_a_model_that_goes_on_to_search_is_stopped(
    site: Site, provider: Provider, max_uses: int | None
) -> None:
    provider.turns = [called(("web_search", {"query": "tides"}))]
    tool = {**SEARCH, "max_uses": max_uses}

    message = ask(site, {"messages": [{"role": "user", "content": "When?"}], "tools": [tool]})

    results = [
        block["content"]
        for block in message["content"]
        if block["type"] == "web_search_tool_result"
    ]
    errors = [result["error_code"] for result in results if isinstance(result, dict)]
    searches = len(results) - len(errors)
    assert message["usage"]["server_tool_use"]["web_search_requests"] == searches
    if max_uses is None:
        assert (searches, errors, message["stop_reason"]) == (10, [], "pause_turn")
    else:
        assert searches == max_uses
        assert set(errors) == {"max_uses_exceeded"}
        assert len(provider.asked) == max_uses + 1
        assert "tools" not in provider.asked[-1]
        assert message["stop_reason"] == "end_turn"


def test_a_forced_tool_is_forced_once(site: Site, provider: Provider) -> None:
    provider.turns = [
        called(("web_search", {"query": "tides"})),
        {"role": "assistant", "content": "At noon."},
    ]

    ask(
        site,
        {"messages": [{"role": "user", "content": "When?"}], "tools": [SEARCH]},
        tool_choice={"type": "tool", "name": "web_search"},
    )

    assert provider.asked[0]["tool_choice"]["function"]["name"] == "web_search"
    assert provider.asked[1].get("tool_choice") in (None, "auto")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("web_search", {}, "invalid_tool_input"),
        ("web_search", {"query": "x" * 3000}, "query_too_long"),
        ("web_fetch", {"url": "https://example.com/never-named"}, "url_not_in_prior_context"),
        ("web_fetch", {"url": "https://other.example/"}, "url_not_allowed"),
        ("web_fetch", {"url": "http://10.0.0.1/"}, "url_not_allowed"),
    ],
)
def test_a_tool_that_cannot_be_run_is_an_error_block_with_its_code(
    site: Site, provider: Provider, name: str, arguments: dict[str, object], code: str
) -> None:
    provider.turns = [called((name, arguments)), {"role": "assistant", "content": "I cannot."}]
    fetch = {**FETCH, "allowed_domains": ["example.com", "10.0.0.1"]}

    message = ask(
        site,
        {
            "messages": [
                {"role": "user", "content": "Read https://other.example/ and http://10.0.0.1/"}
            ],
            "tools": [SEARCH, fetch],
        },
    )

    assert message["content"][1]["content"] == {
        "type": f"{name}_tool_result_error",
        "error_code": code,
    }
    assert code in provider.asked[1]["messages"][-1]["content"]


def test_a_search_that_fails_is_an_error_block_and_not_an_empty_list(
    tmp_path: Path,
) -> None:
    failing = Site(tmp_path, FakeBackend(Failure(RateLimited(retry_after=3)), ""))

    message = ask(failing, CLAUDE_CODE_SEARCH)

    assert message["content"][1]["content"]["error_code"] == "too_many_requests"
    assert message["usage"]["server_tool_use"]["web_search_requests"] == 0


def test_domains_are_kept_to_their_paths(site: Site) -> None:
    for field, domain, urls in (
        ("allowed_domains", "example.com/tid", ["https://example.com/tides"]),
        ("allowed_domains", "example.com/moon", []),
        ("blocked_domains", "example.com/moon", [row["url"] for row in ROWS]),
        ("blocked_domains", "*.example.com", ["https://example.org/moon"]),
    ):
        message = ask(site, {**CLAUDE_CODE_SEARCH, "tools": [{**SEARCH, field: [domain]}]})
        assert [row["url"] for row in message["content"][1]["content"]] == urls, (field, domain)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"tools": [{"type": "bash_20250124", "name": "bash"}]}, "bash_20250124"),
        ({"tools": [{**SEARCH, "depth": "deep"}]}, "tools.depth"),
        ({"tools": [{**SEARCH, "max_uses": 0}]}, "max_uses"),
        ({"tools": [SEARCH, {**LOOKUP, "name": "web_search"}]}, "tools.name"),
        (
            {"tools": [{**SEARCH, "allowed_domains": ["a.test"], "blocked_domains": ["b.test"]}]},
            "allowed_domains",
        ),
        ({"thinking": {"type": "sometimes"}}, "thinking"),
        ({"top_k": 5}, "top_k"),
        ({"inference_geo": "eu"}, "inference_geo"),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}
                ]
            },
            "container_upload",
        ),
        (
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [{"type": "image", "source": {"type": "file", "file_id": "f"}}],
                    }
                ]
            },
            "file",
        ),
        (
            {
                "messages": [
                    {
                        "role": "system",
                        "content": [
                            {
                                "type": "tool_removal",
                                "tool": {"type": "mcp_tool_reference", "name": "a"},
                            }
                        ],
                    }
                ]
            },
            "mcp_tool_reference",
        ),
        ({"messages": []}, "messages"),
        ({"max_tokens": None}, "max_tokens"),
    ],
)
def test_unsupported_messages_fields_are_refused_by_name(
    site: Site, change: dict[str, object], named: str
) -> None:
    answer = site.post("/v1/messages", {**CLAUDE_CODE_SEARCH, **change})

    assert (answer.status, answer.json["type"]) == (400, "error")
    assert answer.json["error"]["type"] == "invalid_request_error"
    assert named in answer.json["error"]["message"]


@pytest.mark.parametrize("kind", ["tool_result", "document"])
def test_blocks_inside_blocks_are_read_however_deep(kind: str) -> None:
    block: dict[str, object] = {"type": "text", "text": "a"}
    for _ in range(2_000):
        block = {"type": kind, "content": [block]}

    assert isinstance(read_history(None, [Turn(role="user", content=[block])]), History)


def test_fields_of_a_messages_call_are_passed_on(site: Site, provider: Provider) -> None:
    body = {
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What?"},
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
                    },
                ],
            }
        ],
        "stop_sequences": ["END"],
        "temperature": 0.5,
        "tools": [LOOKUP],
        "tool_choice": {"type": "any"},
    }

    message = ask(site, body)

    (sent,) = provider.asked
    assert kinds(message) == ["text"]
    assert (sent["model"], sent["stop"], sent["temperature"]) == ("m", ["END"], 0.5)
    assert sent["tool_choice"] == "required"
    system, user = sent["messages"]
    assert (system["role"], "Be brief." in json.dumps(system)) == ("system", True)
    assert user["content"][1]["image_url"]["url"] == "data:image/png;base64,AAAA"


def test_fields_that_a_model_api_lacks_are_named(site: Site, provider: Provider) -> None:
    cited = {
        "type": "document",
        "source": {"type": "text", "data": "High."},
        "context": "From the harbour.",
        "citations": {"enabled": True},
    }
    body = {
        "model": "claude-x",
        "max_tokens": 9,
        "service_tier": "auto",
        "cache_control": {"type": "ephemeral"},
        "messages": [{"role": "user", "content": [cited]}],
    }

    answer = site.post("/v1/messages", body)

    (sent,) = provider.asked
    assert "From the harbour." in json.dumps(sent)
    named = answer.headers["x-webseam-ignored"].split(", ")
    assert named == ["messages.citations", "cache_control"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_provider_that_fails_is_an_error_of_the_api(
    site: Site, provider: Provider, *, stream: bool
) -> None:
    provider.status = 401

    answer = site.post(
        "/v1/messages",
        {
            "model": "claude-x",
            "max_tokens": 9,
            "messages": [{"role": "user", "content": "x"}],
            "stream": stream,
        },
    )

    assert (answer.status, answer.json["type"]) == (500, "error")
    assert answer.json["error"]["type"] == "api_error"


def test_a_failure_after_a_search_ends_the_stream_with_an_error(
    site: Site, provider: Provider
) -> None:
    provider.turns = [called(("web_search", {"query": "tides"})), {"status": 401}]
    body = {
        "model": "claude-x",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "x"}],
        "tools": [SEARCH],
    }

    streamed = site.post("/v1/messages", {**body, "stream": True})

    *_, last = streamed.body.decode().strip().split("\n\n")
    assert "web_search_tool_result" in streamed.body.decode()
    assert last.startswith("event: error\n")
    error = json.loads(last.partition("data: ")[2])
    assert (error["type"], error["error"]["type"]) == ("error", "api_error")
    assert error["error"]["message"].startswith("custom refused the key (401). ")


def test_a_key_needs_the_right_to_ask_and_to_read_pages(site: Site, provider: Provider) -> None:
    question = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
    searcher, asker = (
        new_key(site, name, "--tool", "search", "--tool", name) for name in ("search", "ask")
    )

    allowed = site.post("/v1/messages", CLAUDE_CODE_SEARCH, x_api_key=searcher)
    asked = site.post("/v1/messages", question, x_api_key=searcher)
    fetched = site.post("/v1/messages", {**question, "tools": [FETCH]}, x_api_key=asker)

    assert allowed.status == 200, allowed.body
    for refused in (asked, fetched):
        assert (refused.status, refused.json["error"]["type"]) == (403, "permission_error")
    assert provider.asked == []
    assert site.post("/v1/messages", question, x_api_key=asker).status == 200


def test_the_model_s_name_may_name_the_provider(site: Site, provider: Provider) -> None:
    ask(site, {"messages": [{"role": "user", "content": "x"}]}, model="custom/other")

    assert provider.asked[0]["model"] == "other"
