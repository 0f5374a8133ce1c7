"""Every field of every message is sent, becomes words that the model reads, or is named.

A sentinel stands at each leaf of a message and of its parts in turn, in every role, for every
provider and model.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from properties.model_requests import HELLO, MODELS, PROVIDERS
from webseam.adapters.features.models.client.unsent_fields import UnsentFields
from webseam.adapters.features.models.declaration.provider import ApiMode, Provider
from webseam.adapters.features.models.wires.preview import load_wire, preview
from webseam.ports import ChatRequest

PNG = "data:image/png;base64,iVBORw0KGgo="
MARK = "mark77"
PARTS: tuple[dict[str, Any], ...] = (
    {"type": "text", "text": "t", "odd": MARK},
    {"type": "text", "text": "t", "cache_control": {"type": "ephemeral", "odd": MARK}},
    {"type": "image_url", "image_url": {"url": PNG, "detail": MARK}},
    {"type": "image_url", "image_url": {"url": f"https://a.example/{MARK}.png"}},
    {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav", "odd": MARK}},
    {"type": "video_url", "video_url": {"url": f"https://a.example/{MARK}.mp4"}},
    {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": MARK}},
    {"type": "file", "file": {"file_id": MARK}},
    {"type": "odd", "odd": {"deep": MARK}},
)  # fmt: skip
FIELDS: tuple[dict[str, Any], ...] = (
    {"name": MARK}, {"odd": MARK}, {"odd": {"deep": MARK}}, {"audio": {"id": MARK}},
    {"cache_control": {"type": "ephemeral", "odd": MARK}},
)  # fmt: skip
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TURNS: dict[str, tuple[tuple[dict[str, Any], ...], dict[str, Any], tuple[dict[str, Any], ...]]] = {
    "user": ((), {"role": "user"}, ()),
    "system": ((), {"role": "system"}, HELLO),
    "assistant": (HELLO, {"role": "assistant"}, HELLO),
    "tool": (
        (*HELLO, {"role": "assistant", "content": None, "tool_calls": [CALL]}),
        {"role": "tool", "tool_call_id": "c1"},
        (),
    ),
}


def conversations() -> Iterator[tuple[str, tuple[dict[str, Any], ...]]]:
    """Yield conversations in which the mark stands once, and the name of the field that has it."""
    for role, (before, message, after) in TURNS.items():
        for part in PARTS:
            name = next(name for name, value in part.items() if MARK in str(value))
            yield f"content[].{name}", (*before, {**message, "content": [part]}, *after)
        for field in FIELDS:
            # The name of a tool stands in its call, too.
            if (role, *field) != ("tool", "name"):
                yield next(iter(field)), (*before, {**message, "content": "t", **field}, *after)


def unsent_fields(request: ChatRequest, provider: Provider) -> tuple[str, ...]:
    return UnsentFields(load_wire(provider.api_mode), provider).find(request)


def sent_text(request: ChatRequest, provider: Provider) -> str:
    return msgspec.json.encode(preview(provider, request).body, enc_hook=dict).decode()


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_every_field_of_a_message_is_sent_or_named(provider: Provider) -> None:
    for model in MODELS:
        for name, messages in conversations():
            request = ChatRequest(model=model, messages=messages)
            is_named = any(
                unsent.startswith(f"messages[].{name}")
                for unsent in unsent_fields(request, provider)
            )

            assert is_named or MARK in sent_text(request, provider), (model, name, messages)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_a_plain_conversation_names_nothing(provider: Provider) -> None:
    image = {"type": "image_url", "image_url": {"url": PNG}}
    turn = {"role": "assistant", "content": None, "tool_calls": [CALL], "finish_reason": "stop"}
    messages = (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, image]},
        {**turn, "provider_data": {"_issuer": "x"}, "reasoning_content": "Hm."},
        {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "4"},
        {"role": "assistant", "content": None, "refusal": "No."},
        *HELLO,
    )

    for model in MODELS:
        assert unsent_fields(ChatRequest(model=model, messages=messages), provider) == ()


# An image that is named by its address: these fetch it, and the others are told the address in
# words, which is no image.
FETCHING: frozenset[ApiMode] = frozenset({"chat_completions", "responses", "anthropic_messages", "gemini_generate"})  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_a_part_that_becomes_words_is_named(provider: Provider) -> None:
    image = {"type": "image_url", "image_url": {"url": "https://a.example/x.png"}}
    odd = {"type": "odd", "odd": "thing"}

    def names(part: Mapping[str, object]) -> tuple[str, ...]:
        messages = ({"role": "user", "content": [part]},)
        return unsent_fields(ChatRequest(model="m", messages=messages), provider)

    assert (names(image) == ()) == (provider.api_mode in FETCHING)
    is_taken = provider.api_mode in ("chat_completions", "responses")
    assert names(odd) == (() if is_taken else ("messages[].content[].odd",))


@given(
    provider=st.sampled_from(PROVIDERS),
    asked=st.lists(st.sampled_from([messages for _, messages in conversations()]), max_size=4),
    temperature=st.sampled_from([None, 0.2]),
)
def test_unsent_fields_do_not_depend_on_earlier_requests(
    provider: Provider, asked: list[tuple[dict[str, Any], ...]], temperature: float | None
) -> None:
    wire = load_wire(provider.api_mode)
    remembering = UnsentFields(wire, provider)

    for messages in (*asked, *asked):
        request = ChatRequest(model="m", messages=messages, temperature=temperature)
        assert remembering.find(request) == UnsentFields(wire, provider).find(request)


@pytest.mark.parametrize(
    "provider",
    [provider for provider in PROVIDERS if provider.api_mode == "responses"],
    ids=lambda provider: provider.name,
)
@pytest.mark.parametrize("turns", [1, 2])
def test_own_sealed_thoughts_go_back_or_are_named(provider: Provider, turns: int) -> None:
    def turn(number: int) -> dict[str, Any]:
        item = {
            "type": "reasoning",
            "id": f"r{number}",
            "summary": [],
            "encrypted_content": f"{MARK}-{number}",
        }
        data = {"reasoning_items": [item], "_issuer": provider.name}
        return {"role": "assistant", "content": "a", "provider_data": data}

    messages = [message for number in range(turns) for message in (*HELLO, turn(number))]
    request = ChatRequest(model="m", messages=(*messages, *HELLO))
    text = sent_text(request, provider)

    is_whole = all(f"{MARK}-{number}" in text for number in range(turns))
    assert is_whole == ("messages.reasoning_items" not in unsent_fields(request, provider))
