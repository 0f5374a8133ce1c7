"""Fields that some APIs have: sent under the API's own name, refused before sending elsewhere."""

from typing import Any

import pytest

from tests.features.models.clients import KEY, client, run
from tests.features.models.providers.asking import added, built, provider
from webseam.adapters.features.models.declaration.wire import find_refused_field
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.kernel.features.models.chat import check_chat_request
from webseam.ports import ChatRequest, InvalidQuery
from webseam.testing import ScriptedTransport

HELLO = ({"role": "user", "content": "hello"},)
EVERY: dict[str, Any] = {
    "json_mode": True,
    "seed": 7,
    "frequency_penalty": 0.5,
    "presence_penalty": -0.5,
    "logprobs": True,
    "top_logprobs": 3,
    "service_tier": "flex",
    "verbosity": "low",
    "thinking_budget": 2048,
    "safety_settings": ({"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"},),
    "cached_content": "cachedContents/tides",
    "background": True,
}
CHAT = {"json_mode", "seed", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "service_tier", "verbosity"}  # fmt: skip
RESPONSES = {"json_mode", "logprobs", "top_logprobs", "service_tier", "verbosity", "background"}
GEMINI = {"json_mode", "seed", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "thinking_budget", "safety_settings", "cached_content"}  # fmt: skip


def refusal(who: str, model: str, **fields: Any) -> InvalidQuery | None:  # noqa: ANN401  any field
    declared = provider(who)
    request = ChatRequest(model=model, messages=HELLO, **fields)
    return find_refused_field(request, load_wire(declared.api_mode), declared)


@pytest.mark.parametrize(
    ("who", "model", "taken"),
    [
        ("openai-chat", "gpt-4.1", CHAT),
        ("openrouter", "some/model", CHAT | {"thinking_budget"}),
        ("openai", "gpt-4.1", RESPONSES),
        ("xai", "grok-4.5", RESPONSES - {"service_tier"}),
        ("gemini-native", "gemini-3.6-flash", GEMINI),
        ("anthropic", "claude-sonnet-4-5", {"service_tier", "thinking_budget"}),
        ("anthropic", "claude-opus-4-8", {"service_tier"}),
        ("bedrock", "anthropic.claude-sonnet-4-5", {"service_tier", "thinking_budget"}),
        ("bedrock", "amazon.nova-2-lite-v1:0", {"service_tier"}),
    ],
)
def test_each_api_takes_what_it_has_and_refuses_the_rest(
    who: str, model: str, taken: set[str]
) -> None:
    refused = {name for name in EVERY if refusal(who, model, **{name: EVERY[name]}) is not None}

    assert refused == set(EVERY) - taken


def test_a_refusal_names_the_field_who_refuses_it_and_what_to_do() -> None:
    error = refusal("anthropic", "claude-opus-4-8", json_mode=True)

    assert error is not None
    assert error.message == (
        "json_mode: is not supported by Anthropic for this model; give output_schema instead."
    )


def test_nothing_is_sent_of_a_request_that_is_refused() -> None:
    transport = ScriptedTransport([])

    request = ChatRequest(model="m", messages=HELLO, cached_content="x")
    error = run(client(transport).complete(request)).failure()

    assert isinstance(error, InvalidQuery)
    assert transport.requests == []
    assert KEY not in error.message


def test_chat_has_them_under_their_own_names() -> None:
    fields = {name: EVERY[name] for name in CHAT}

    assert added("openai-chat", "gpt-4.1", **fields) == {
        "seed": 7,
        "frequency_penalty": 0.5,
        "presence_penalty": -0.5,
        "logprobs": True,
        "top_logprobs": 3,
        "service_tier": "flex",
        "verbosity": "low",
        "response_format": {"type": "json_object"},
    }


def test_likely_words_alone_switch_them_on_too() -> None:
    assert added("openai-chat", "gpt-4.1", top_logprobs=2) == {"top_logprobs": 2, "logprobs": True}


def test_responses_has_them_where_it_keeps_them() -> None:
    body = added("openai", "gpt-4.1", **{name: EVERY[name] for name in RESPONSES})

    assert body == {
        "input": [{"role": "user", "content": "hello"}],
        # What is not stored cannot be asked for later.
        "store": True,
        "background": True,
        "top_logprobs": 3,
        "service_tier": "flex",
        "include": ["message.output_text.logprobs"],
        "text": {"format": {"type": "json_object"}, "verbosity": "low"},
    }


def test_gemini_has_them_in_its_config_and_beside_it() -> None:
    body: Any = built("gemini-native", "gemini-2.5-pro", **{n: EVERY[n] for n in GEMINI}).body

    assert body["generationConfig"] == {
        "responseMimeType": "application/json",
        "responseLogprobs": True,
        "logprobs": 3,
        "seed": 7,
        "frequencyPenalty": 0.5,
        "presencePenalty": -0.5,
        "thinkingConfig": {"thinkingBudget": 2048},
    }
    assert body["safetySettings"] == list(EVERY["safety_settings"])
    assert body["cachedContent"] == "cachedContents/tides"


@pytest.mark.parametrize(
    ("tokens", "thinking"),
    [(2048, {"type": "enabled", "budget_tokens": 2048}), (0, {"type": "disabled"})],
)
def test_claude_thinks_with_a_budget_and_has_room_beside_it(
    tokens: int, thinking: dict[str, object]
) -> None:
    body: Any = built("anthropic", "claude-sonnet-4-5", thinking_budget=tokens).body
    there: Any = built("bedrock", "anthropic.claude-sonnet-4-5", thinking_budget=tokens).body

    assert body["thinking"] == thinking
    assert body["max_tokens"] > tokens
    assert there["additionalModelRequestFields"] == {"thinking": thinking}


def test_a_tier_is_spelled_as_each_api_does() -> None:
    claude: Any = built("anthropic", "claude-opus-4-8", service_tier="standard_only").body
    bedrock: Any = built("bedrock", "amazon.nova-lite-v1:0", service_tier="priority").body

    assert claude["service_tier"] == "standard_only"
    assert bedrock["serviceTier"] == {"type": "priority"}


def test_providers_have_ways_of_their_own_to_set_a_budget() -> None:
    assert added("openrouter", "m", thinking_budget=500)["reasoning"] == {"max_tokens": 500}
    assert added("openrouter", "m", thinking_budget=0)["reasoning"] == {"enabled": False}
    assert added("qwen", "m", thinking_budget=500)["thinking_budget"] == 500
    assert added("qwen", "m", thinking_budget=0)["enable_thinking"] is False


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("n", 3, "must be 1: send another request for another answer"),
        ("frequency_penalty", 3, "must be a number from -2 to 2"),
        ("top_logprobs", 21, "must be a whole number from 0 to 20"),
        ("verbosity", "loud", "must be low, medium or high"),
        ("thinking_budget", -1, "must be a whole number of tokens, 0 for none"),
    ],
)
def test_a_value_out_of_range_is_told_with_the_range(field: str, value: object, words: str) -> None:
    error = check_chat_request({"model": "m", "messages": list(HELLO), field: value}).failure()

    assert error.field == field
    assert error.reason.startswith(words)


def test_one_answer_may_be_asked_for_by_number() -> None:
    assert check_chat_request({"model": "m", "messages": list(HELLO), "n": 1}).unwrap().n == 1


def test_figures_of_likely_words_are_kept_beside_the_answer() -> None:
    figures = {"content": [{"token": "Hi", "logprob": -0.1}]}
    choice = {"message": {"content": "Hi"}, "finish_reason": "stop", "logprobs": figures}

    answer = load_wire("chat_completions").normalize_response({"choices": [choice]}).unwrap()

    assert (answer.provider_data or {})["logprobs"] == figures
