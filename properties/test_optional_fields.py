"""Laws of optional request fields and of arguments in pieces: nothing is dropped in silence."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from webseam.adapters.models.declaration.provider import Provider
from webseam.adapters.models.declaration.wire import find_refused_field, set_optional_fields
from webseam.adapters.models.provider_registry import built_in_providers
from webseam.adapters.models.wires.gemini.gemini_stream import StreamedGeminiCall
from webseam.adapters.models.wires.preview import load_wire, preview
from webseam.ports import ChatRequest

PROVIDERS = sorted(
    {each.name: each for each in built_in_providers()}.values(), key=lambda p: p.name
)
HELLO = ({"role": "user", "content": "hello"},)
MODELS = st.sampled_from(
    ["m", "gpt-4.1", "gpt-5-mini", "claude-sonnet-4-5", "claude-opus-4-8", "gemini-3.6-flash"]
)
FIELDS = st.sampled_from(
    [
        {"json_mode": True},
        {"seed": 7},
        {"frequency_penalty": 0.5},
        {"presence_penalty": 0.5},
        {"logprobs": True},
        {"top_logprobs": 2},
        {"service_tier": "flex"},
        {"verbosity": "low"},
        {"thinking_budget": 2048},
        {"safety_settings": ({"category": "c", "threshold": "t"},)},
        {"cached_content": "cachedContents/c"},
        {"background": True},
    ]
)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
@given(model=MODELS, fields=FIELDS)
def test_a_field_is_refused_or_changes_what_is_sent(
    provider: Provider, model: str, fields: dict[str, Any]
) -> None:
    bare = ChatRequest(model=model, messages=HELLO)
    request = msgspec.structs.replace(bare, **fields)
    refused = find_refused_field(request, load_wire(provider.api_mode), provider)

    same = preview(provider, request).body == preview(provider, bare).body

    assert list(set_optional_fields(request)) == list(fields)
    assert (refused is not None) or not same


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
NAMES = st.text("abcXYZ_09", min_size=1, max_size=6)


@given(arguments=st.dictionaries(NAMES, TEXTS, max_size=4), cut=st.integers(1, 5))
def test_arguments_in_pieces_are_those_in_one(arguments: dict[str, str], cut: int) -> None:
    call = StreamedGeminiCall({"functionCall": {"name": "f", "willContinue": True}})
    for name, value in arguments.items():
        for start in range(0, len(value), cut):
            piece = {"jsonPath": f"$.{name}", "stringValue": value[start : start + cut]}
            call.add_gemini_part({"functionCall": {"partialArgs": [piece], "willContinue": True}})

    assert call.complete_gemini_part()["functionCall"] == {"name": "f", "args": arguments}


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

    call.add_gemini_part({"functionCall": {"partialArgs": [piece, piece]}})

    assert isinstance(call.complete_gemini_part()["functionCall"], dict)
