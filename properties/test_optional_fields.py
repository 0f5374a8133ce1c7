"""Laws of optional request fields and of arguments in pieces: nothing is dropped in silence."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from properties.model_requests import HELLO, MODELS, PROVIDERS
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.declaration.wire import (
    asks_to_think,
    find_refused_field,
    find_unsent_fields,
)
from webseam.adapters.features.models.wires.gemini.gemini_stream import StreamedGeminiCall
from webseam.adapters.features.models.wires.preview import load_wire, preview
from webseam.ports import ChatRequest, OutputSchema

TOOLS = ({"type": "function", "function": {"name": "tool_77", "parameters": {}}},)
SCHEMA = OutputSchema(schema={"type": "object", "properties": {"field_77": {"type": "string"}}})
# For each field a request with it, and a text that stands in what is sent if the field does.
FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "tools": ({"tools": TOOLS}, "tool_77"),
    "tool_choice": ({"tools": TOOLS, "tool_choice": "required"}, ""),
    "parallel_tool_calls": ({"tools": TOOLS, "parallel_tool_calls": False}, ""),
    "max_tokens": ({"max_tokens": 7174}, "7174"),
    "temperature": ({"temperature": 0.7171}, "0.7171"),
    "top_p": ({"top_p": 0.7172}, "0.7172"),
    "stop": ({"stop": ("stop_77",)}, "stop_77"),
    "reasoning_effort": ({"reasoning_effort": "low"}, ""),
    "output_schema": ({"output_schema": SCHEMA}, "field_77"),
    "instructions": ({"instructions": "say_77"}, "say_77"),
    "store": ({"store": True}, '"store":true'),
    "previous_response_id": ({"previous_response_id": "resp_77"}, "resp_77"),
    "include": ({"include": ("file_77",)}, "file_77"),
    "cache": ({"cache": True}, "cache"),
    "session": ({"session": "session_77"}, "session_77"),
    "extra_body": ({"extra_body": {"more_77": 1}}, "more_77"),
    "json_mode": ({"json_mode": True}, "json"),
    "seed": ({"seed": 0}, '"seed":0'),
    "frequency_penalty": ({"frequency_penalty": 0.7173}, "0.7173"),
    "presence_penalty": ({"presence_penalty": 0.0}, "resence"),
    "logprobs": ({"logprobs": True}, "ogprobs"),
    "top_logprobs": ({"top_logprobs": 7}, ":7"),
    "service_tier": ({"service_tier": "tier_77"}, "tier_77"),
    "verbosity": ({"verbosity": "low"}, "low"),
    "thinking_budget": ({"thinking_budget": 5175}, "5175"),
    "safety_settings": ({"safety_settings": ({"category": "c_77"},)}, "c_77"),
    "cached_content": ({"cached_content": "cached_77"}, "cached_77"),
    "background": ({"background": True}, '"background":true'),
}
# These the client itself keeps; a model and messages are always sent.
KEPT_BY_CLIENT = {"model", "messages", "deadline", "n"}

# What is asked, and what the answer must look like.
ALWAYS_SENT = {"instructions", "output_schema", "previous_response_id", "extra_body"}


def test_every_field_of_a_request_is_tried_and_some_provider_takes_it() -> None:
    taken = {
        name
        for provider in PROVIDERS
        for name in FIELDS
        if find_refused_field(
            ChatRequest(model="m", messages=HELLO, **FIELDS[name][0]),
            load_wire(provider.api_mode),
            provider,
        )
        is None
    }

    assert set(ChatRequest.__struct_fields__) == set(FIELDS) | KEPT_BY_CLIENT
    assert taken == set(FIELDS)


def written(request: ChatRequest, provider: Provider) -> str:
    """Return all that is sent, as one text."""
    sent = preview(provider, request)
    return f"{sent.path} {sent.headers} {msgspec.json.encode(sent.body, enc_hook=dict).decode()}"


def is_thinking_kept(request: ChatRequest, name: str, provider: Provider) -> bool:
    """A model that cannot stop thinking is told to think least, and the effort is named."""
    is_off = name == "reasoning_effort" and request.reasoning_effort == "none"
    return is_off and asks_to_think(preview(provider, request).body)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_every_field_is_sent_or_refused_or_named(provider: Provider) -> None:
    wire = load_wire(provider.api_mode)
    for model in MODELS:
        bare = ChatRequest(model=model, messages=HELLO)
        for name, (fields, mark) in FIELDS.items():
            request = msgspec.structs.replace(bare, **fields)
            refused = find_refused_field(request, wire, provider)
            if refused is not None:
                assert refused.field == name
                continue
            without = msgspec.structs.replace(request, **{name: getattr(bare, name)})
            is_named = name in find_unsent_fields(request, wire, provider)
            text = written(request, provider)

            if not is_thinking_kept(request, name, provider):
                assert is_named == (text == written(without, provider)), (model, name)
            own_mark = mark.replace("seed", provider.fields.seed_field)
            assert is_named or own_mark in text, (model, name)
            assert not is_named or name not in ALWAYS_SENT, (model, name)


@given(
    provider=st.sampled_from(PROVIDERS),
    model=st.sampled_from(MODELS),
    names=st.sets(st.sampled_from(sorted(FIELDS)), max_size=6),
)
def test_fields_beside_each_other_are_sent_or_refused_or_named(
    provider: Provider, model: str, names: set[str]
) -> None:
    fields = {key: value for name in names for key, value in FIELDS[name][0].items()}
    request = ChatRequest(model=model, messages=HELLO, **fields)
    wire = load_wire(provider.api_mode)
    refused = find_refused_field(request, wire, provider)
    unsent = find_unsent_fields(request, wire, provider)
    text = written(request, provider)

    assert refused is None or refused.field in fields
    for name in names if refused is None else ():
        mark = FIELDS[name][1]

        assert name in unsent or mark in text
        assert name not in unsent or len(mark) < len("0.7171") or mark not in text


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_an_effort_is_advised_only_where_it_is_sent(provider: Provider) -> None:
    wire = load_wire(provider.api_mode)
    for model in MODELS:
        request = ChatRequest(model=model, messages=HELLO, thinking_budget=7177)
        refused = find_refused_field(request, wire, provider)
        with_effort = ChatRequest(model=model, messages=HELLO, reasoning_effort="high")

        is_sent = "reasoning_effort" not in find_unsent_fields(with_effort, wire, provider)

        assert refused is None or ("reasoning_effort" in refused.reason) == is_sent, model


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_an_effort_beside_a_forced_tool_is_told_or_named(provider: Provider) -> None:
    wire = load_wire(provider.api_mode)
    for model in MODELS:
        for effort in ("none", "low", "high"):
            request = ChatRequest(
                model=model,
                messages=HELLO,
                tools=TOOLS,
                tool_choice="required",
                reasoning_effort=effort,
            )
            is_named = "reasoning_effort" in find_unsent_fields(request, wire, provider)
            thinking = preview(provider, request).body.get("thinking")

            if thinking == {"type": "disabled"}:
                assert is_named == (effort != "none"), (model, effort)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
NAMES = st.text("abcXYZ_09", min_size=1, max_size=6)


@given(arguments=st.dictionaries(NAMES, TEXTS, max_size=4), cut=st.integers(1, 5))
def test_arguments_in_pieces_are_those_in_one(arguments: dict[str, str], cut: int) -> None:
    call = StreamedGeminiCall({"functionCall": {"name": "f", "willContinue": True}})
    for name, value in arguments.items():
        for start in range(0, len(value), cut):
            piece = {"jsonPath": f"$.{name}", "stringValue": value[start : start + cut]}
            call.add_part({"functionCall": {"partialArgs": [piece], "willContinue": True}})

    assert call.complete_part()["functionCall"] == {"name": "f", "args": arguments}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(path=st.text("$.[]'\"0129ab", max_size=400), value=JSON, more=JSON)
def test_any_path_and_any_value_are_taken(path: str, value: object, more: object) -> None:
    call = StreamedGeminiCall({"functionCall": {"name": "f", "args": more, "partialArgs": more}})
    piece = {"jsonPath": path, "stringValue": value}

    call.add_part({"functionCall": {"partialArgs": [piece, piece]}})

    assert isinstance(call.complete_part()["functionCall"], dict)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_every_field_of_a_tool_is_sent_or_named(provider: Provider) -> None:
    wire = load_wire(provider.api_mode)
    function = {
        "name": "look",
        "description": "Look.",
        "parameters": {},
        "strict": True,
        "inner_odd": "in_77",
    }
    tool = {"type": "function", "function": function, "defer_loading": True, "outer_odd": "out_77"}
    marks = {
        "strict": "strict",
        "inner_odd": "in_77",
        "defer_loading": "defer_loading",
        "outer_odd": "out_77",
    }
    for model in MODELS:
        request = ChatRequest(model=model, messages=HELLO, tools=(tool,))
        unsent = find_unsent_fields(request, wire, provider)
        if "tools" in unsent:
            continue
        text = written(request, provider)

        for name, mark in marks.items():
            assert f"tools[0].{name}" in unsent or mark in text, (model, name)
