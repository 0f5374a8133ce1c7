"""Providers out of settings."""

from typing import Any

import pytest
from returns.result import Success

from webseam.adapters.features.models.declaration.provider import Account, Outgoing, Provider
from webseam.adapters.features.models.provider_settings import (
    ProviderSettings,
    declare_provider,
    declare_providers,
)
from webseam.adapters.user_agent import USER_AGENT
from webseam.composition.features.models.clients import provider_model
from webseam.ports import NotConfigured

from .providers.asking import REGISTRY, added

URL = "https://llm.example/v1"
CALL = Outgoing(url=URL, headers=(), content=b"{}")


def declared(name: str = "mine", **given: object) -> Provider:
    return declare_provider(name, given, REGISTRY).unwrap()


def key(provider: Provider, **environment: str) -> str:
    return provider.account(environment).unwrap().key.reveal()


def test_three_lines_declare_a_compatible_server() -> None:
    mine = declared(base_url=URL, env="MINE_API_KEY", model="small-1")

    assert (mine.name, mine.api_mode, mine.model) == ("mine", "chat_completions", "small-1")
    assert mine.account({"MINE_API_KEY": "k"}).unwrap().base_url == URL
    assert mine.account({}).failure().settings == ("MINE_API_KEY",)
    assert added(mine, temperature=0.1) == {"temperature": 0.1}


def test_every_setting_has_its_effect() -> None:
    mine = declared(
        base_url=URL,
        aliases=["m"],
        title="Mine",
        path="/answer",
        headers={"X-Team": "tides"},
        key_header="x-key",
        api_key="k",
        temperature="omit",
        max_tokens=9,
        max_tokens_field="max_completion_tokens",
        efforts=["low"],
        structured_output="none",
        auxiliary_model="tiny",
        extra_body={"seed": 1},
        drop=["top_p"],
        num_ctx=8192,
    )

    assert (mine.title, mine.aliases, mine.http.path) == ("Mine", ("m",), "/answer")
    assert (mine.http.headers, mine.auxiliary_model) == ((("x-team", "tides"),), "tiny")
    assert mine.fields.structured_output == "none"
    assert mine.login.prove(CALL, mine.account({}).unwrap(), 0.0) == (("x-key", "k"),)
    assert added(mine, temperature=0.1, top_p=0.5, reasoning_effort="max") == {
        "max_completion_tokens": 9,
        "reasoning_effort": "low",
        "options": {"num_ctx": 8192},
        "seed": 1,
    }


def test_declared_settings_hold_for_every_model() -> None:
    for name, model in (
        ("mine", "kimi-k2.5"),
        ("kimi", "kimi-k2.5"),
        ("arcee", "trinity-large-thinking"),
    ):
        always = declared(name, base_url=URL, temperature=0.6)
        callers = declared(name, base_url=URL, temperature="caller")

        assert added(always, model)["temperature"] == 0.6
        assert added(callers, model, temperature=0.1)["temperature"] == 0.1

    capped = declared("opencode-go", max_tokens=7, efforts=["low"])
    assert added(capped, "mimo-v2.5-pro")["max_tokens"] == 7
    assert added(capped, "glm-5.3", reasoning_effort="max")["reasoning_effort"] == "low"


def test_a_server_may_speak_another_wire() -> None:
    mine = declared(base_url=URL, api_mode="responses", max_tokens=5)

    assert added(mine)["max_output_tokens"] == 5


def test_without_a_key_none_is_needed() -> None:
    assert key(declared(base_url="http://127.0.0.1:8000/v1")) == ""


def test_a_server_of_ones_own_never_gets_the_key_or_the_address_of_another() -> None:
    mine = declared(base_url=URL)

    held = mine.account({"CUSTOM_API_KEY": "c", "CUSTOM_BASE_URL": "https://c"}).unwrap()

    assert (held.base_url, held.key.reveal()) == (URL, "")


def test_the_environment_comes_before_the_file() -> None:
    mine = declared(base_url=URL, env=["A_KEY", "B_KEY"], api_key="file")
    groq = declared("groq", api_key="file")

    assert key(mine, B_KEY="b") == "b"
    assert key(mine) == "file"
    assert key(groq, GROQ_API_KEY="env") == "env"
    assert key(groq) == "file"


def test_a_key_in_the_settings_is_treated_as_one_from_the_environment() -> None:
    kimi = declared("kimi", api_key="sk-kimi-1")

    assert kimi.account({}).unwrap().base_url == "https://api.kimi.com/coding/v1"


def test_a_known_provider_keeps_what_is_not_set() -> None:
    kimi = declared("moonshot", max_tokens=5, headers={"X-Title": "tides"})

    assert (kimi.name, kimi.fields.max_tokens, kimi.fields.temperature) == ("kimi", 5, "omit")
    assert kimi.http.headers == (("user-agent", USER_AGENT), ("x-title", "tides"))


def test_a_providers_own_settings_go_into_its_body() -> None:
    routed = declared("openrouter", preferences={"order": ["a"]}, min_coding_score=0.5)
    windowed = declared("ollama", num_ctx=4096)
    provider = declared("openai", reasoning_summary="auto")
    guarded = declared("bedrock", guardrail={"identifier": "g", "version": 1, "trace": "enabled"})

    assert added(routed)["provider"] == {"order": ["a"]}
    assert added(routed)["usage"] == {"include": True}
    assert "plugins" not in added(routed)
    assert added(routed, "openrouter/pareto-code")["plugins"] == [
        {"id": "pareto-router", "min_coding_score": 0.5}
    ]
    assert added(windowed) == {"options": {"num_ctx": 4096}}
    assert added(provider, reasoning_effort="low")["reasoning"] == {
        "effort": "low",
        "summary": "auto",
    }
    assert added(guarded)["guardrailConfig"] == {
        "guardrailIdentifier": "g",
        "guardrailVersion": "1",
        "trace": "enabled",
    }


def test_a_server_that_is_ollama_by_its_address_is_treated_as_such() -> None:
    mine = declared(base_url="http://10.0.0.5:11434/v1")

    settled = mine.settle(mine, mine.login.base_url)

    assert added(settled, reasoning_effort="none") == {"reasoning_effort": "none", "think": False}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "mine",
            {},
            "providers.mine.base_url cannot be used: a provider of your own needs its address. Set providers.mine.base_url.",
        ),
        (
            "mine",
            {"base_url": None},
            "providers.mine.base_url cannot be used: a provider of your own needs its address. Set providers.mine.base_url.",
        ),
        (
            "mine",
            {"base_url": 5},
            "providers.mine.base_url cannot be used: Expected `str`, got `int`. Set providers.mine.base_url.",
        ),
        (
            "mine",
            {"base_url": "llm.example"},
            "providers.mine.base_url cannot be used: it must begin with https:// or http:// and name a host. Set providers.mine.base_url.",
        ),
        (
            "mine",
            {"base_url": "https://"},
            "providers.mine.base_url cannot be used: it must begin with https:// or http:// and name a host. Set providers.mine.base_url.",
        ),
        (
            "mine",
            {"base_url": URL, "modle": "m"},
            "There is no setting providers.mine.modle. Set providers.mine.model.",
        ),
        (
            "mine",
            {"base_url": URL, "xyzzy": "m"},
            "There is no setting providers.mine.xyzzy. Set providers.mine.",
        ),
        (
            "mine",
            {"base_url": URL, "path": "x"},
            "providers.mine.path cannot be used: it must begin with a slash. Set providers.mine.path.",
        ),
        (
            "mine",
            {"base_url": URL, "headers": {"a b": "x"}},
            "providers.mine.headers cannot be used: a header's name is a word, and its value is one line of plain ASCII. Set providers.mine.headers.",
        ),
        (
            "mine",
            {"base_url": URL, "headers": {"a": "x\ny"}},
            "providers.mine.headers cannot be used: a header's name is a word, and its value is one line of plain ASCII. Set providers.mine.headers.",
        ),
        (
            "mine",
            {"base_url": URL, "key_header": "a:"},
            "providers.mine.key_header cannot be used: it must be the name of a header. Set providers.mine.key_header.",
        ),
        (
            "mine",
            {"base_url": URL, "max_tokens": 0},
            "providers.mine.max_tokens cannot be used: Expected `int` >= 1. Set providers.mine.max_tokens.",
        ),
        (
            "mine",
            {"base_url": URL, "efforts": ["much"]},
            "providers.mine.efforts cannot be used: it must be one of none, minimal, low, medium, high, xhigh, max. Set providers.mine.efforts.",
        ),
        (
            "mine",
            {"base_url": URL, "temperature": "hot"},
            "providers.mine.temperature cannot be used: it must be one of caller, omit or a number. Set providers.mine.temperature.",
        ),
        (
            "mine",
            {"base_url": URL, "num_ctx": 0},
            "providers.mine.num_ctx cannot be used: it must be a number of tokens, such as 8192. Set providers.mine.num_ctx.",
        ),
        (
            "openrouter",
            {"preferences": "cheap"},
            "providers.openrouter.preferences cannot be used: it must be a block such as {order: [anthropic], data_collection: deny}. Set providers.openrouter.preferences.",
        ),
        (
            "openrouter",
            {"min_coding_score": 2},
            "providers.openrouter.min_coding_score cannot be used: it must be a number from 0 to 1. Set providers.openrouter.min_coding_score.",
        ),
        (
            "openai",
            {"reasoning_summary": "long"},
            "providers.openai.reasoning_summary cannot be used: it must be auto, concise or detailed. Set providers.openai.reasoning_summary.",
        ),
        (
            "bedrock",
            {"guardrail": {"identifier": "g"}},
            "providers.bedrock.guardrail cannot be used: it must hold identifier: and version:, and may hold trace: enabled. Set providers.bedrock.guardrail.",
        ),
        (
            "bedrock",
            {"guardrail": "g"},
            "providers.bedrock.guardrail cannot be used: it must hold identifier: and version:, and may hold trace: enabled. Set providers.bedrock.guardrail.",
        ),
        (
            "a b",
            {"base_url": URL},
            "providers.a b cannot be used: a name has letters, digits, points and hyphens. Set providers.a b.",
        ),
        (
            "mine",
            "x",
            "providers.mine cannot be used: it must hold settings such as base_url:. Set providers.mine.",
        ),
    ],
)
def test_invalid_provider_setting_is_named(name: str, value: Any, message: str) -> None:  # noqa: ANN401  what a file may hold
    assert declare_provider(name, value, REGISTRY).failure().message == message


def test_a_block_of_them_is_registered_over_those_that_are_there() -> None:
    block = {"mine": {"base_url": URL}, "again": {"base_url": URL}, "groq": {"model": "m"}}

    registry = declare_providers(block, REGISTRY).unwrap()

    assert registry.find("again").unwrap().login.base_url == URL
    assert registry.find("groqcloud").unwrap().model == "m"


def test_an_empty_block_changes_nothing_and_a_wrong_one_is_named() -> None:
    assert declare_providers(None, REGISTRY) == Success(REGISTRY)
    assert declare_providers([], REGISTRY).failure().settings == ("providers",)


def test_a_block_that_cannot_be_used_disables_its_provider_alone() -> None:
    block = {"mine": None, "groq": {"max_tokens": "many"}, "ours": {"base_url": URL}}

    registry = declare_providers(block, REGISTRY).unwrap()

    assert registry.find("ours").unwrap().login.base_url == URL
    assert registry.find("mistral").unwrap().name == "mistral"
    failures = [registry.find(name).failure() for name in ("mine", "groqcloud")]
    assert all(isinstance(each, NotConfigured) for each in failures)
    assert "providers.groq.max_tokens" in failures[1].message
    assert "groq" not in registry.providers


def test_hermes_name_for_responses_is_understood() -> None:
    assert declared(base_url=URL, api_mode="codex_responses").api_mode == "responses"


def test_a_provider_in_code_may_use_hermes_name_too() -> None:
    named = Provider(name="mine", api_mode="codex_responses")  # type: ignore[arg-type]
    unknown = Provider(name="mine", api_mode="soap")  # type: ignore[arg-type]
    account = Account(base_url="https://llm.example/v1")

    assert named.api_mode == "responses"
    assert isinstance(provider_model(named, account), Success)
    assert provider_model(unknown, account).failure().kind == "not_configured"


def test_no_key_shows() -> None:
    mine = declared(base_url=URL, api_key="sk-secret", headers={"x-key": "sk-secret"})

    shown = f"{mine!r} {mine.account({}).unwrap()!r} {ProviderSettings(api_key='sk-secret')!r}"
    assert "sk-secret" not in shown
