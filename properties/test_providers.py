"""Laws of all providers of models, and of how they are found and declared."""

import copy
from collections.abc import Mapping
from typing import Any

import msgspec
from hypothesis import example, given, strategies as st
from returns.result import Result, Success

from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.declaration.rules import EFFORT_LEVELS
from webseam.adapters.features.models.provider_registry import (
    built_in_providers,
    register_providers,
)
from webseam.adapters.features.models.provider_settings import (
    SETTING_GROUPS,
    declare_provider,
    declare_providers,
)
from webseam.composition.features.testing.strategies import json_values
from webseam.ports import ChatRequest

REGISTRY = register_providers(built_in_providers())
PROVIDERS = sorted(REGISTRY.providers.values(), key=lambda provider: provider.name)
# Many share their functions with others: each function is looked at once.
PREPARING = {provider.changes.prepare_messages for provider in PROVIDERS}
SANITIZING = {provider.changes.sanitize_tools for provider in PROVIDERS}

MODELS = (
    "kimi-k2.5", "k3", "deepseek-v4-flash", "glm-5.2", "gemini-3-pro", "qwen3.8-max", "MiniMax-M3",
    "MiniMax-M3.1", "openai/gpt-5-mini", "gpt-6-astra", "grok-4.6", "nvidia/nemotron-3-ultra",
)  # fmt: skip
models = st.sampled_from(MODELS) | st.text(max_size=12)
requests = st.builds(
    ChatRequest,
    model=models,
    messages=st.just(()),
    reasoning_effort=st.none() | st.sampled_from(EFFORT_LEVELS),
    session=st.none() | st.text(max_size=8),
)

texts = st.text(max_size=8)
parts = st.fixed_dictionaries({"type": st.just("text"), "text": texts}) | texts | json_values()
calls = st.fixed_dictionaries({"id": texts, "function": json_values()}) | json_values()
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"])},
    optional={
        "content": texts | st.lists(parts, max_size=3) | json_values(),
        "name": texts,
        "reasoning": texts | st.none(),
        "tool_calls": st.lists(calls, max_size=2) | json_values(),
        "tool_call_id": texts,
    },
)

names = st.sampled_from(["a", "b", "enum"]) | texts
schemas = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "string", "null", ["string", "null"], [], 5]),
            "enum": st.lists(st.sampled_from(["a", "a/b", "", None, 1, 1.5, True, []]), max_size=3),
            "required": st.lists(names | json_values(), max_size=2) | json_values(),
            "nullable": st.booleans(),
            "const": json_values(),
            "description": texts,
        },
    )
    | st.booleans()
    | json_values(),
    lambda inside: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string"]),
            "properties": st.dictionaries(names, inside, max_size=3) | json_values(),
            "anyOf": st.lists(inside, max_size=3) | json_values(),
            "items": inside,
            "required": st.lists(names, max_size=2),
        },
    ),
    max_leaves=8,
)


@given(given_messages=st.lists(messages, max_size=3), model=models)
def test_preparing_messages_loses_none_and_changes_only_copies(
    given_messages: list[dict[str, Any]], model: str
) -> None:
    before = copy.deepcopy(given_messages)

    for prepare in PREPARING:
        prepared = list(prepare(given_messages, model))

        assert given_messages == before
        assert [message.get("role") for message in prepared] == [m["role"] for m in before]
        assert spoken(prepared) == spoken(before)
        assert list(prepare(prepared, model)) == prepared


def spoken(held: Any) -> str:  # noqa: ANN401  any JSON
    """Return all that is said, whether as text or in parts."""
    return "".join(word for message in held for word in words(message.get("content")))


def words(content: Any) -> list[str]:  # noqa: ANN401  any JSON
    if isinstance(content, str):
        return content.split("\n")
    if not isinstance(content, list):
        return []
    words = [part.get("text") if isinstance(part, Mapping) else part for part in content]
    return [line for text in words if isinstance(text, str) for line in text.split("\n")]


@given(schema=schemas)
@example(schema={"anyOf": [{"type": "null"}, {"anyOf": [{}, {"type": "null"}]}]})
def test_making_a_tool_acceptable_is_total_pure_and_done_once(schema: object) -> None:
    tools = ({"type": "function", "function": {"name": "look", "parameters": schema}},)
    before = copy.deepcopy(tools)

    for sanitize in SANITIZING:
        once = sanitize(tools, "k3")

        assert tools == before
        assert sanitize(once, "k3") == once


@given(request=requests)
def test_fields_added_by_a_provider_are_json(request: ChatRequest) -> None:
    for provider in PROVIDERS:
        added = dict(provider.changes.extra_body(request))
        if provider.changes.reasoning is not None:
            added.update(provider.changes.reasoning(request))

        assert msgspec.json.decode(msgspec.json.encode(added)) == added
        for _, value in provider.http.request_headers(request):
            assert value == request.session


@given(request=requests)
def test_kimi_is_never_told_a_level_and_a_switch_at_once(request: ChatRequest) -> None:
    kimi = REGISTRY.find("kimi").unwrap()
    assert kimi.changes.reasoning is not None

    assert not {"thinking", "reasoning_effort"} <= set(kimi.changes.reasoning(request))


@given(key=texts, base_url=texts, other=texts)
def test_any_environment_gives_an_account_or_what_to_set(
    key: str, base_url: str, other: str
) -> None:
    others = ("AWS_REGION", "GOOGLE_CLOUD_PROJECT", "OLLAMA_HOST", "AZURE_OPENAI_ENDPOINT")
    for provider in PROVIDERS:
        environment = dict.fromkeys(others, other) | dict.fromkeys(provider.login.env, key)

        account_read = provider.account(environment | {provider.login.base_url_env or "": base_url})

        assert isinstance(account_read, Result)
        if isinstance(account_read, Success):
            assert isinstance(provider.settle(provider, account_read.unwrap().base_url), Provider)


@given(
    block=json_values()
    | st.dictionaries(
        st.sampled_from(["mine", "openrouter", "kimi"]),
        st.dictionaries(
            st.sampled_from([*SETTING_GROUPS, "preferences", "num_ctx", "odd"]),
            json_values() | st.just("https://llm.example/v1"),
            max_size=4,
        ),
    )
)
def test_any_settings_declare_providers_or_say_what_is_wrong(block: object) -> None:
    declared = declare_providers(block, REGISTRY)

    assert isinstance(declared, Result)
    if not isinstance(declared, Success):
        assert declared.failure().settings[0].startswith("providers")


@given(
    key=st.text(alphabet="abcdefgh0123", min_size=12, max_size=20),
    field=st.sampled_from(list(SETTING_GROUPS)),
)
def test_a_key_never_shows_in_what_is_said_about_settings(key: str, field: str) -> None:
    given_settings = {"base_url": "https://llm.example/v1", "api_key": key, field: [key, {key: 1}]}

    declared = declare_provider("mine", given_settings, REGISTRY)

    shown = declared.failure().message if not isinstance(declared, Success) else repr(declared)
    assert key not in shown


short_names = st.sampled_from("abcde")
some_providers = st.builds(
    Provider, name=short_names, aliases=st.lists(short_names, max_size=2).map(tuple)
)


@given(first=st.lists(some_providers, max_size=4), second=st.lists(some_providers, max_size=4))
def test_registering_in_two_steps_is_registering_in_one(
    first: list[Provider], second: list[Provider]
) -> None:
    assert register_providers(second, register_providers(first)) == register_providers(
        [*first, *second]
    )


@given(before=st.lists(some_providers, max_size=6), last=some_providers)
def test_the_last_one_registered_has_all_its_names(before: list[Provider], last: Provider) -> None:
    registry = register_providers([*before, last])

    for name in (last.name, *last.aliases):
        assert registry.find(name) == Success(last)
