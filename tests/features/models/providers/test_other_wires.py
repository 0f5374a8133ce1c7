"""Providers that do not speak chat completions."""

from collections.abc import Mapping
from typing import Any

import pytest

from webseam.ports.models import Effort

from .asking import USER, account, added, built, provider

EFFORTS: list[tuple[str, str, Effort, Effort | None]] = [
    ("openai", "gpt-5.4", "max", "xhigh"),
    ("openai", "gpt-5.6-sol", "max", "max"),
    ("openai", "gpt-6-astra", "minimal", "low"),
    ("openai", "gpt-4.1", "high", None),
    ("xai", "grok-4.5", "xhigh", "high"),
    ("xai", "grok-4.6", "xhigh", "xhigh"),
    ("xai", "grok-3-mini", "medium", "low"),
    ("xai", "grok-4-fast", "high", None),
    ("xai", "grok-4.5", "none", None),
    ("meta", "muse-1", "none", "minimal"),
    ("meta", "muse-1", "max", "xhigh"),
    ("azure-responses", "gpt-5.4", "low", "low"),
    ("bedrock-mantle", "openai.gpt-5.6", "max", "max"),
]


@pytest.mark.parametrize(("who", "model", "effort", "sent"), EFFORTS)
def test_effort_goes_into_a_reasoning_object(
    who: str, model: str, effort: Effort, sent: Effort | None
) -> None:
    expected = None if sent is None else {"effort": sent}

    assert added(who, model, reasoning_effort=effort).get("reasoning") == expected


def test_xai_is_told_which_conversation_it_is_in_two_ways() -> None:
    request = built("xai", "grok-4.5", session="s1")

    assert request.headers == (("x-grok-conv-id", "s1"),)
    assert request.body["prompt_cache_key"] == "s1"
    assert built("xai", "grok-4.5").headers == ()


def test_xai_has_names_of_its_own_and_no_slash_in_an_enum() -> None:
    schema = {
        "type": "object",
        "properties": {
            "mime": {"enum": ["text/html", 3], "description": "Kind."},
            "mode": {"enum": ["a/b"]},
            "plain": {"enum": ["a", "b"]},
        },
    }
    tool = {"type": "function", "function": {"name": "web_search", "parameters": schema}}
    body: Any = built("xai", "grok-4.5", tools=(tool, {"type": "x_search"})).body

    assert body["tools"][0]["name"] != "web_search"
    assert body["tools"][0]["parameters"]["properties"] == {
        "mime": {"description": "Kind. One of: text/html, 3"},
        "mode": {"description": "One of: a/b"},
        "plain": {"enum": ["a", "b"]},
    }
    assert body["tools"][1] == {"type": "x_search"}


def test_a_function_in_its_flat_form_is_made_acceptable_too() -> None:
    flat = {
        "type": "function",
        "name": "look",
        "parameters": {"properties": {"a": {"enum": ["b/c"]}}},
    }
    bare = {"type": "function", "function": {"name": "bare"}}
    body: Any = built("xai", "grok-4.5", tools=(flat, bare)).body

    assert body["tools"][0]["parameters"]["properties"] == {"a": {"description": "One of: b/c"}}
    assert body["tools"][1]["name"] == "bare"


def test_xai_gets_no_instructions_when_it_goes_on_from_an_answer() -> None:
    chained = {"instructions": "Be brief.", "previous_response_id": "r1"}

    assert "instructions" not in added("xai", "grok-4.5", **chained)
    assert added("openai", "gpt-5.4", **chained)["instructions"] == "Be brief."


def test_xai_is_not_told_who_speaks_nor_what_it_refuses() -> None:
    body: Any = built("xai", "grok-4.5", messages=({**USER, "name": "ann"},), stop=("x",)).body

    assert body["input"] == [USER]
    assert "stop" not in body
    assert {"presence_penalty", "frequency_penalty", "service_tier"} <= provider("xai").fields.drop
    assert provider("xai").changes.prepare_messages([{**USER, "name": "ann"}], "m") == (USER,)


@pytest.mark.parametrize("who", ["openai", "xai", "azure-responses"])
def test_sealed_thoughts_are_asked_for_to_be_given_back(who: str) -> None:
    tool = {"type": "function", "function": {"name": "look"}}

    assert added(who, "gpt-5.4", tools=(tool,))["include"] == ["reasoning.encrypted_content"]


def sealed_turn(number: int, **fields: object) -> dict[str, object]:
    item = {"type": "reasoning", "encrypted_content": f"gA{number}", "summary": []}
    return {
        "role": "assistant",
        "content": "a",
        "provider_data": {"reasoning_items": [item]},
        **fields,
    }


def test_azure_gets_back_the_sealed_thoughts_of_the_newest_turn_alone() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "call_1", "content": "r"}
    history = (USER, sealed_turn(1), USER, sealed_turn(2, tool_calls=[call]), result)

    def thoughts(who: str, *messages: Mapping[str, object]) -> list[object]:
        body: Any = built(who, "gpt-5.4", messages=messages).body
        return [item["encrypted_content"] for item in body["input"] if "encrypted_content" in item]

    assert thoughts("azure-responses", *history, USER) == ["gA2"]
    assert thoughts("azure-responses", *history) == ["gA2"]
    assert thoughts("openai", *history) == ["gA1", "gA2"]


def test_perplexity_answers_at_a_path_of_its_own_and_wants_typed_items() -> None:
    request = built("perplexity", "sonar-pro")
    body: Any = request.body

    assert (request.path, body["store"]) == ("/v1/responses", False)
    assert body["input"] == [{"type": "message", **USER}]
    assert built("perplexity-chat", "sonar").path == "/chat/completions"


def test_meta_keeps_its_cache_for_a_day_and_gets_no_images_from_tools() -> None:
    body = added("meta", "muse-1")

    assert (body["prompt_cache_retention"], body["max_output_tokens"]) == ("24h", 16384)
    assert not provider("meta").history.images_in_tool_results


@pytest.mark.parametrize("who", ["anthropic", "minimax", "minimax-cn"])
def test_those_who_speak_messages_get_a_version_and_no_betas(who: str) -> None:
    headers = dict(built(who, "some-model").headers)

    assert headers == {"anthropic-version": "2023-06-01"}


def test_bedrock_invents_no_cap_and_grok_there_gets_no_temperature() -> None:
    nova: Any = built("bedrock", "amazon.nova-lite-v1:0", temperature=0.2).body
    grok: Any = built("bedrock", "xai.grok-4", temperature=0.2).body

    assert nova["inferenceConfig"] == {"temperature": 0.2}
    assert "inferenceConfig" not in grok


def test_bedrock_is_reached_in_a_region_with_either_kind_of_key() -> None:
    bearer = account("aws", AWS_BEARER_TOKEN_BEDROCK="k", AWS_REGION="eu-west-1")
    signing = account("bedrock-mantle", AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="s")

    assert bearer.base_url == "https://bedrock-runtime.eu-west-1.amazonaws.com"
    assert bearer.key.reveal() == "k"
    assert signing.base_url == "https://bedrock-mantle.us-east-1.api.aws/openai/v1"
    assert not signing.key
