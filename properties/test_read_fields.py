"""Every field that a provider sends is found in the answer: whole, in pieces, or by a plugin.

A unique value stands at every leaf of an answer in turn. It is found in the answer, or its path is
listed below with the reason.
"""

import copy
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st
from returns.result import Failure, Success

from tests.features.models.frames import event
from webseam.adapters.features.models.client.answer_reading import EventReader
from webseam.adapters.features.models.declaration.provider import ApiMode
from webseam.adapters.features.models.declaration.wire import AnswerResult
from webseam.adapters.features.models.provider_registry import built_in_providers
from webseam.adapters.features.models.text_copies import without_text_copies
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.adapters.features.models.wires.unread_fields import UNREAD_FIELD
from webseam.composition.features.models.model_views import read_returned_answer
from webseam.kernel.features.models.chat import assistant_message
from webseam.ports import ChatRequest, NormalizedResponse

from .answer_samples import SAMPLES, Json, as_namespace

Path = tuple[str | int, ...]
# Leaves that are left out, or that another number is made of: their paths, and why.
LEFT_OUT: dict[ApiMode, dict[str, str]] = {
    "chat_completions": {
        r"object$": "names the type",
        r"created$": "the server's clock",
        r"choices\.0\.index$": "one answer is asked for",
        r"choices\.0\.message\.role$": "always assistant",
        r"tool_calls\.0\.type$": "names the type",
    },
    "responses": {r"object$": "names the type", r"created_at$": "the server's clock"},
    "anthropic_messages": {
        r"^type$": "names the type",
        r"^role$": "always assistant",
    },
    "bedrock_converse": {r"message\.role$": "always assistant"},
    "gemini_generate": {
        r"createTime$": "the server's clock",
        r"candidates\.0\.index$": "one answer is asked for",
        r"content\.role$": "always model",
    },
}
# Leaves that say what kind a part is, or how the answer ended: with another value it is another
# answer. Counts are added up.
STRUCTURE = re.compile(
    r"(^|\.)(type|status|phase|finish_reason|stop_reason|stopReason|finishReason|thought|index"
    r"|arguments|format)$|okens$|okenCount$|(^|\.)usage(Metadata)?\."
)


def leaves(value: object, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from leaves(part, (*path, index))
    else:
        yield path


def objects(value: object, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        yield path
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in parts:
        yield from objects(part, (*path, key))


def put(whole: Json, path: Path, value: object) -> Json:
    changed = copy.deepcopy(whole)
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


def at(whole: Json, path: Path) -> object:
    value: Any = whole
    for key in path:
        value = value[key]
    return value


def dotted(path: Path) -> str:
    return ".".join(map(str, path))


def is_found(sentinel: object, value: object) -> bool:
    if isinstance(value, dict):
        return any(is_found(sentinel, part) for part in value.values())
    if isinstance(value, list | tuple):
        return any(is_found(sentinel, part) for part in value)
    if isinstance(sentinel, str):
        return isinstance(value, str) and sentinel in value
    return type(value) is type(sentinel) and value == sentinel


def whole_answer(api_mode: ApiMode, whole: Json) -> AnswerResult:
    return load_wire(api_mode).normalize_response(whole)


def streamed_answer(api_mode: ApiMode, whole: Json) -> AnswerResult:
    reader = EventReader(load_wire(api_mode))
    for name, payload in SAMPLES[api_mode].events(whole):
        if api_mode == "bedrock_converse":
            reader.feed(event(name, payload))
        else:
            reader.feed(b"data: " + msgspec.json.encode(payload) + b"\n\n")
    return reader.finish()[1]


def returned_answer(api_mode: ApiMode, whole: Json, *, as_object: bool) -> AnswerResult:
    value = as_namespace(whole) if as_object else whole
    answer = read_returned_answer(value, api_mode)
    assert isinstance(answer, Success)
    return Success(msgspec.structs.replace(answer.unwrap(), raw=None))


def sentinel_for(value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return 0.123456789
    return 987_654_321 if isinstance(value, int) else "SENTINEL"


@pytest.mark.parametrize("api_mode", SAMPLES)
def test_every_leaf_is_found_or_left_out_for_a_reason(api_mode: ApiMode) -> None:
    whole = SAMPLES[api_mode].whole
    lost = []
    for path in leaves(whole):
        name = dotted(path)
        if STRUCTURE.search(name) or any(re.search(rule, name) for rule in LEFT_OUT[api_mode]):
            continue
        sentinel = sentinel_for(at(whole, path))
        if isinstance(sentinel, bool):
            continue
        changed = put(whole, path, sentinel)
        for read in (whole_answer, streamed_answer):
            answer = read(api_mode, changed)
            told = None if isinstance(answer, Failure) else msgspec.to_builtins(answer.unwrap())
            if not is_found(sentinel, told):
                lost.append((name, read.__name__, str(answer)[:80] if told is None else ""))

    assert lost == []


@pytest.mark.parametrize("api_mode", SAMPLES)
def test_whole_streamed_and_returned_are_the_same_answer(api_mode: ApiMode) -> None:
    whole = SAMPLES[api_mode].whole
    answer = whole_answer(api_mode, whole)

    assert streamed_answer(api_mode, whole) == answer
    assert returned_answer(api_mode, whole, as_object=False) == answer
    assert returned_answer(api_mode, whole, as_object=True) == answer


# Objects in a stream's pieces of which have no place for a field that the whole one could have.
NO_PLACE_IN_PIECES: dict[ApiMode, str] = {
    "chat_completions": r"function$|logprobs|reasoning_details\.|audio$",
    "responses": r"$^",
    "anthropic_messages": r"$^",
    "bedrock_converse": r"output|^$|^usage$",
    "gemini_generate": r"content$|Metadata$|logprobsResult$",
}


@pytest.mark.parametrize("api_mode", SAMPLES)
def test_an_unknown_field_is_kept_wherever_it_stands(api_mode: ApiMode) -> None:
    whole = SAMPLES[api_mode].whole
    lost = []
    for path in objects(whole):
        changed = put(whole, (*path, "odd_field"), "SENTINEL")
        told = msgspec.to_builtins(whole_answer(api_mode, changed).unwrap())
        if not is_found("SENTINEL", told):
            lost.append((dotted(path), "whole"))
        if not re.search(NO_PLACE_IN_PIECES[api_mode], dotted(path)):
            told = msgspec.to_builtins(streamed_answer(api_mode, changed).unwrap())
            lost += [] if is_found("SENTINEL", told) else [(dotted(path), "streamed")]

    assert lost == []


def unknown_answer(api_mode: ApiMode, value: object) -> NormalizedResponse:
    changed = put(SAMPLES[api_mode].whole, ("odd_field",), value)
    return whole_answer(api_mode, changed).unwrap()


@pytest.mark.parametrize("api_mode", SAMPLES)
def test_unknown_answer_fields_are_not_sent_with_the_next_turn(api_mode: ApiMode) -> None:
    turn = assistant_message(unknown_answer(api_mode, "SENTINEL"))
    tools = ({"type": "function", "function": {"name": "lookup", "parameters": {}}},)
    messages = (
        {"role": "user", "content": "Hi."},
        turn,
        {"role": "tool", "tool_call_id": "call_1", "content": "4"},
    )

    for provider in built_in_providers():
        request = ChatRequest(model="m", messages=messages, tools=tools)
        built = load_wire(provider.api_mode).build_request(request, provider)
        assert not is_found("SENTINEL", built.body), provider.name


@pytest.mark.parametrize("api_mode", SAMPLES)
@given(
    value=st.one_of(
        st.integers(0, 60_000).map(lambda size: "x" * size),
        st.integers(0, 300).map(lambda size: {str(number): "y" * 200 for number in range(size)}),
    )
)
def test_unknown_answer_fields_are_kept_within_a_size(api_mode: ApiMode, value: object) -> None:
    answer = unknown_answer(api_mode, value)
    kept = (answer.provider_data or {}).get(UNREAD_FIELD, {})

    assert len(msgspec.json.encode(kept)) < 40_000


@pytest.mark.parametrize("api_mode", SAMPLES)
def test_the_json_of_the_command_line_says_each_text_once(api_mode: ApiMode) -> None:
    answer = whole_answer(api_mode, SAMPLES[api_mode].whole).unwrap()
    text = msgspec.json.encode(without_text_copies(answer)).decode()

    assert text.count("Tides.") == 1
    assert text.count("Look.") <= 1
