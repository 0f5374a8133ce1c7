"""What else is special about a provider, on the request that is sent to it."""

import copy
from typing import Any

import pytest

from tests.features.models.providers.asking import parameters
from webseam.adapters.features.models.declaration.provider import Changes, FieldRules, Provider
from webseam.adapters.user_agent import USER_AGENT

from .asking import REGISTRY, USER, added, built, provider

SYSTEM = {"role": "system", "content": "Be brief."}
CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TURN = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "name": "look", "content": "found"}


def sent(who: str, *messages: dict[str, Any], model: str = "m") -> list[Any]:
    before = copy.deepcopy(messages)
    body: Any = built(who, model, messages=messages).body
    assert messages == before
    return list(body["messages"])


@pytest.mark.parametrize(
    ("who", "model", "expected"),
    [
        ("kimi", "kimi-k2.5", None),
        ("openrouter", "moonshotai/Kimi-K2", None),
        ("together", "moonshot-v1-8k", None),
        ("openai-chat", "gpt-5.6-sol", None),
        ("openai-chat", "o3", None),
        ("openai-chat", "gpt-4o", 0.2),
        ("arcee", "trinity-large-thinking", 0.5),
        ("arcee", "trinity-mini", 0.2),
        ("mistral", "mistral-large", 0.2),
    ],
)
def test_the_temperature_is_sent_where_it_may_be(
    who: str, model: str, expected: float | None
) -> None:
    assert added(who, model, temperature=0.2).get("temperature") == expected


@pytest.mark.parametrize(
    ("who", "model", "expected"),
    [
        ("kimi", "kimi-k2.5", 32000),
        ("nvidia", "m", 16384),
        ("qwen", "m", 65536),
        ("opencode-go", "mimo-v2.5-pro", 131072),
        ("groq", "m", None),
        ("custom", "m", None),
    ],
)
def test_an_answer_is_capped_where_the_caller_says_nothing(
    who: str, model: str, expected: int | None
) -> None:
    assert added(who, model).get("max_tokens") == expected
    assert added(who, model, max_tokens=7)["max_tokens"] == 7


@pytest.mark.parametrize("who", ["openai-chat", "azure-openai", "cerebras"])
def test_the_cap_has_the_name_that_the_provider_knows(who: str) -> None:
    assert added(who, max_tokens=7) == {"max_completion_tokens": 7}


def test_qwen_gets_parts_and_a_cached_system_message() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    text, image = {"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}

    assert sent("qwen", SYSTEM, {"role": "user", "content": ["a", image]}, SYSTEM, TURN) == [
        {"role": "system", "content": [{"type": "text", "text": "Be brief.", **mark}]},
        {"role": "user", "content": [text, image]},
        {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
        TURN,
    ]
    assert sent("qwen", {"role": "system", "content": []}) == [{"role": "system", "content": []}]
    assert sent("qwen", USER) == [{**USER, "content": [{"type": "text", "text": "hello"}]}]


def test_qwen_is_told_the_session() -> None:
    assert added("qwen", session="s1")["metadata"] == {"sessionId": "s1"}
    assert "metadata" not in added("qwen")


def test_nous_is_told_the_product_and_the_session_but_no_preferences() -> None:
    nous = provider("nous")
    preferring = Provider(
        name="n",
        fields=FieldRules(drop=nous.fields.drop),
        changes=Changes(
            extra_body=lambda _request: {"provider": {}},
        ),
    )

    assert added("nous", session="s1") == {"tags": ["product=webseam"], "session_id": "s1"}
    assert added(preferring) == {}


def test_tool_results_reach_nvidia_without_a_name() -> None:
    assert sent("nvidia", {**USER, "name": "ann"}, TURN, RESULT) == [
        {**USER, "name": "ann"},
        TURN,
        {"role": "tool", "tool_call_id": "call_1", "content": "found"},
    ]


def test_deepseek_gets_thoughts_back_with_the_calls_that_followed_them() -> None:
    model = "deepseek-v4-flash"

    assert (
        sent("deepseek", {**TURN, "reasoning_content": "r"}, model=model)[0]["reasoning_content"]
        == "r"
    )
    assert sent("deepseek", {**TURN, "reasoning": "r"}, model=model)[0]["reasoning_content"] == "r"
    assert sent("deepseek", TURN, model=model)[0]["reasoning_content"] == ""
    assert sent("deepseek", USER, TURN, model="deepseek-v3") == [USER, TURN]


@pytest.mark.parametrize(
    "who", ["mistral", "groq", "cerebras", "github", "azure-openai", "perplexity-chat"]
)
def test_those_who_refuse_unknown_fields_get_no_thoughts(who: str) -> None:
    turn = {"role": "assistant", "content": "a", "reasoning": "r", "reasoning_content": "r"}

    assert sent(who, turn) == [{"role": "assistant", "content": "a"}]


def test_mistral_gets_ids_of_nine_letters_that_still_belong_together() -> None:
    turn, result = sent("mistral", TURN, RESULT)
    fine = {**TURN, "tool_calls": [{**CALL, "id": "abcDEF123"}]}

    assert turn["tool_calls"][0]["id"] == result["tool_call_id"] == "74196fe72"
    assert sent("mistral", fine) == [fine]
    assert sent("mistral", {**TURN, "tool_calls": [{"type": "function"}]}) == [
        {**TURN, "tool_calls": [{"type": "function"}]}
    ]


def test_mistral_is_not_asked_for_usage_in_a_stream() -> None:
    assert not provider("mistral").fields.stream_usage
    assert provider("mistral").fields.prompt_cache_key


def test_xiaomi_gets_results_as_plain_text() -> None:
    text, image = {"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}
    result = {"role": "tool", "tool_call_id": "1"}

    assert sent("xiaomi", {**result, "content": [text, text]}) == [{**result, "content": "a\na"}]
    assert sent("xiaomi", USER) == [USER]
    assert sent("xiaomi", {**result, "content": [text, image]}) == [
        {**result, "content": "a"},
        {"role": "user", "content": [image]},
    ]


def test_openrouter_tells_grok_which_conversation_it_is() -> None:
    assert built("openrouter", "x-ai/grok-4.5", session="s").headers == (("x-grok-conv-id", "s"),)
    assert built("openrouter", "x-ai/grok-4.5").headers == ()
    assert built("openrouter", "openai/gpt-5", session="s").headers == ()
    assert added("openrouter", "openai/gpt-5", session="s")["session_id"] == "s"


def test_signatures_of_thoughts_go_back_to_gemini() -> None:
    signed = {**TURN, "tool_calls": [{**CALL, "extra_content": {"google": {"s": 1}}}]}

    assert sent("gemini", signed) == [signed]
    assert sent("groq", signed) == [TURN]


def test_perplexity_gets_the_properties_of_every_object() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}

    assert parameters("perplexity-chat", schema) == {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {}}},
        "required": ["a"],
    }


@pytest.mark.parametrize("who", ["kimi", "openrouter", "fireworks", "gmi", "ai-gateway"])
def test_every_provider_is_sent_our_user_agent(who: str) -> None:
    assert ("user-agent", USER_AGENT) in provider(who).http.headers


def test_nobody_else_is_named_anywhere() -> None:
    words = " ".join(
        f"{name} {value}"
        for each in REGISTRY.providers.values()
        for name, value in each.http.headers
    )

    assert set(words.split()) <= {
        "user-agent",
        "x-title",
        "webseam",
        USER_AGENT,
        "x-github-api-version",
        "2022-11-28",
    }


def test_openai_elsewhere_is_not_told_what_only_openai_knows() -> None:
    openai = provider("openai")

    assert openai.settle(openai, "https://api.openai.com/v1").fields.prompt_cache_key
    assert not openai.settle(openai, "https://proxy.example/v1").fields.prompt_cache_key


@pytest.mark.parametrize("name", ["openai-chat", "azure-openai"])
def test_openai_is_shown_images_by_users_alone_and_no_thoughts(name: str) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    effort = (
        USER,
        {"role": "assistant", "content": "", "reasoning_content": "hm", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "a"}, image]},
    )

    assert built(name, messages=effort).body["messages"] == [
        USER,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "a"},
        {"role": "user", "content": [image]},
    ]
