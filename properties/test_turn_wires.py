"""Messages and Converse: no text and no result lost, turns in order, any answer a result."""

import copy
import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, strategies as st
from returns.result import Failure, Result

from tests.features.models.frames import event, exception
from webseam.adapters.features.models.client.answer_reading import EventReader
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.declaration.wire import Json, StreamEvent, Wire
from webseam.adapters.features.models.wires.anthropic.messages import ANTHROPIC_MESSAGES
from webseam.adapters.features.models.wires.bedrock.converse import BEDROCK_CONVERSE
from webseam.composition.features.testing.strategies import json_values
from webseam.ports.models import ChatRequest, Delta, FinishReason, Message

WIRES = [ANTHROPIC_MESSAGES, BEDROCK_CONVERSE]
BOTH = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.api_mode)
PROVIDER = Provider(name="any")
MODELS = st.sampled_from(
    ["claude-sonnet-4-5", "anthropic.claude-opus-4-8-v1", "amazon.nova-lite-v1:0", "meta.llama", "claude-3-opus"]
)  # fmt: skip

IDS = st.sampled_from(["a", "a.b", "a_b", "", "b|c", "x" * 80])
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TEXTS = st.one_of(WORDS, st.sampled_from(["", " ", "\n", "tail "]))
URLS = st.sampled_from(
    ["https://a.example/p.png", "data:image/png;base64,aGk=", "data:image/x,y", "no"]
)
PARTS = st.one_of(
    TEXTS,
    st.builds(lambda said: {"type": "text", "text": said}, TEXTS),
    st.builds(
        lambda said: {"type": "text", "text": said, "cache_control": {"type": "ephemeral"}}, TEXTS
    ),
    st.builds(lambda url: {"type": "image_url", "image_url": {"url": url}}, URLS),
    st.builds(lambda url: {"type": "file", "file": {"file_data": url, "filename": "f.txt"}}, URLS),
    st.sampled_from([{}, None, 7, {"type": "input_audio"}, {"text": "bare"}]),
)
CONTENTS = st.one_of(TEXTS, st.none(), st.lists(PARTS, max_size=3))
CALLS = st.builds(
    lambda own, name, arguments: {
        "id": own,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    },
    IDS,
    st.sampled_from(["f", "g.h", ""]),
    st.sampled_from(['{"q":1}', "", "no"]),
)
DETAILS = st.lists(
    st.sampled_from(
        [
            {"type": "thinking", "thinking": "t", "signature": "s"},
            {"type": "thinking", "thinking": "u"},
            {"type": "redacted_thinking", "data": "cg=="},
        ]
    ),
    max_size=2,
)
MESSAGES = st.one_of(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["system", "developer", "user", "user", "odd"]),
        CONTENTS,
    ),
    st.builds(
        lambda content, calls, details: {
            "role": "assistant",
            "content": content,
            "tool_calls": calls,
            "reasoning_details": details,
        },
        CONTENTS,
        st.lists(CALLS, max_size=2),
        DETAILS,
    ),
    st.builds(
        lambda own, content: {"role": "tool", "tool_call_id": own, "content": content},
        IDS,
        CONTENTS,
    ),
)
CONVERSATIONS = st.lists(MESSAGES, max_size=8)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def said(message: Message) -> Iterator[str]:
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str) and text.strip():
            yield text


@BOTH
@given(messages=CONVERSATIONS, model=MODELS)
def test_no_text_and_no_result_is_lost_and_nothing_given_is_changed(
    wire: Wire, messages: list[dict[str, object]], model: str
) -> None:
    before = copy.deepcopy(messages)

    talk = wire.convert_messages(messages, PROVIDER, model)

    assert messages == before
    texts = list(strings([talk.system, talk.messages]))
    for message in messages:
        for text in said(message):
            assert any(text.rstrip() in piece for piece in texts)


EMPTY_TURN: Json = {"content": []}


def blocks(turn: Json) -> list[dict[str, Any]]:
    return turn["content"]  # type: ignore[return-value]  # as both wires have it


def calls(turn: Json) -> list[str]:
    own = [
        block.get("toolUse", {}).get("toolUseId") or block.get("id")
        for block in blocks(turn)
        if "toolUse" in block or block.get("type") == "tool_use"
    ]
    return [str(piece) for piece in own]


def results(turn: Json) -> list[str]:
    own = [
        block.get("toolResult", {}).get("toolUseId") or block.get("tool_use_id")
        for block in blocks(turn)
        if "toolResult" in block or block.get("type") == "tool_result"
    ]
    return [str(piece) for piece in own]


@BOTH
@given(messages=CONVERSATIONS, model=MODELS)
def test_turns_alternate_and_every_call_has_its_result_right_after(
    wire: Wire, messages: list[dict[str, object]], model: str
) -> None:
    everything = wire.convert_messages(messages, PROVIDER, model).messages
    # From Claude 4.8 on a system message may stand behind a turn of the user.
    turns = [turn for turn in everything if turn["role"] != "system"]

    before = [
        earlier["role"]
        for earlier, turn in itertools.pairwise(everything)
        if turn["role"] == "system"
    ]
    assert set(before) <= {"user"}
    assert [turn["role"] for turn in turns] == (["user", "assistant"] * len(turns))[: len(turns)]
    for turn, following in zip(turns, [*turns[1:], EMPTY_TURN], strict=True):
        assert blocks(turn)
        assert sorted(results(following)) == sorted(calls(turn))
    calls_made = [own for turn in turns for own in calls(turn)]
    assert len(calls_made) == len(set(calls_made))
    assert all(re.fullmatch("[A-Za-z0-9_.:-]+", own) for own in calls_made)
    assert all(block.get("text", "x").strip() for turn in turns for block in blocks(turn))


@BOTH
@given(messages=CONVERSATIONS, model=MODELS)
@example(
    messages=[
        {
            "role": "assistant",
            "content": [{"type": "image_url", "image_url": {"url": "https://a.example/p.png"}}],
        },
        {
            "role": "assistant",
            "reasoning_details": [{"type": "thinking", "thinking": "t", "signature": "s"}],
        },
    ],
    model="claude-sonnet-4-5",
)
@example(
    messages=[{"role": "assistant", "content": None}, {"role": "system", "content": "0"}],
    model="claude-opus-4-8",
)
def test_converting_turns_twice_changes_nothing(
    wire: Wire, messages: list[dict[str, object]], model: str
) -> None:
    once = wire.convert_messages(messages, PROVIDER, model).messages

    assert wire.convert_messages(once, PROVIDER, model).messages == once


@BOTH
@given(messages=CONVERSATIONS, model=MODELS, cache=st.booleans(), stream=st.booleans())
def test_a_request_can_always_be_written(
    wire: Wire, messages: list[dict[str, object]], model: str, *, cache: bool, stream: bool
) -> None:
    request = ChatRequest(model=model, messages=tuple(messages), cache=cache)

    built = wire.build_request(request, PROVIDER, stream=stream)

    assert msgspec.json.encode(built.body)
    marks = str(built.body).count("'cache_control'") + str(built.body).count("'cachePoint'")
    assert marks <= 4


# What may stand where a text, an object or a list was meant.
VALUES = st.sampled_from(
    [
        None,
        True,
        7,
        -1,
        1e300,
        "",
        "text",
        [],
        ["x"],
        [{"text": "x"}],
        {},
        {"text": "x"},
        {"toolUseId": 7, "name": None},
        {"content": [{"text": "c"}]},
    ]
)
KINDS = st.sampled_from(
    ["text", "thinking", "tool_use", "redacted_thinking", "server_tool_use", "odd", None]
)
BLOCKS = st.one_of(
    VALUES,
    st.fixed_dictionaries(
        {"type": KINDS},
        optional=dict.fromkeys(
            ("text", "thinking", "signature", "data", "id", "name", "input", "citations"), VALUES
        ),
    ),
    st.fixed_dictionaries(
        {}, optional={"text": VALUES, "toolUse": VALUES, "citationsContent": VALUES}
    ),
    st.builds(
        lambda said, hidden: {
            "reasoningContent": {"reasoningText": said, "redactedContent": hidden}
        },
        VALUES,
        VALUES,
    ),
)
REASONS = st.one_of(
    VALUES,
    st.sampled_from(
        ["end_turn", "tool_use", "refusal", "max_tokens", "pause_turn", "malformed_tool_use"]
    ),
)
ANSWERS = st.one_of(
    json_values(),
    st.builds(
        lambda content, reason, usage: {
            "content": content,
            "output": {"message": {"content": content}},
            "stop_reason": reason,
            "stopReason": reason,
            "usage": usage,
        },
        st.lists(BLOCKS, max_size=4),
        REASONS,
        VALUES,
    ),
)


@BOTH
@given(payload=ANSWERS)
def test_any_answer_is_normalised_or_fails_typed(wire: Wire, payload: object) -> None:
    before = copy.deepcopy(payload)

    answer = wire.normalize_response(payload)

    assert isinstance(answer, Result)
    # An answer whose words no field holds is valid, and fails all the same.
    assert isinstance(answer, Failure) or wire.validate_response(payload) is None
    if isinstance(answer, Failure):
        assert answer.failure().message
    else:
        assert answer.unwrap().finish_reason in FinishReason.__args__  # type: ignore[attr-defined]  # a literal
        assert msgspec.json.encode(answer.unwrap())
    wire.cache_stats(payload)
    assert payload == before


NAMES = ["message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "error", "messageStart", "contentBlockStart", "contentBlockDelta", "messageStop", "metadata", "odd"]  # fmt: skip
PIECES = st.sampled_from(
    [
        {"type": "text_delta", "text": "a", "reasoningContent": {"text": "t"}},
        {"type": "input_json_delta", "partial_json": '{"a"', "toolUse": {"input": "{}"}},
        {"type": "thinking_delta", "thinking": "t", "text": "b"},
        {"type": "signature_delta", "signature": "s", "citation": {}},
        {"type": "citations_delta", "citation": None, "reasoningContent": {"redactedContent": "YQ=="}},
        {"stop_reason": "end_turn"},
    ]
)  # fmt: skip
EVENTS = st.one_of(
    VALUES,
    st.builds(
        lambda kind, index, piece, block: {
            "type": kind,
            "index": index,
            "contentBlockIndex": index,
            "delta": piece,
            "content_block": block,
            "start": {"toolUse": block},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 1},
        },
        st.sampled_from(NAMES),
        st.one_of(st.integers(-1, 3), VALUES),
        PIECES,
        BLOCKS,
    ),
)


@BOTH
@given(events=st.lists(st.tuples(st.sampled_from(NAMES), EVENTS, st.booleans()), max_size=8))
def test_any_events_fold_to_a_result(wire: Wire, events: list[tuple[str, object, bool]]) -> None:
    fold = wire.fold(None)
    for name, data, failed in events:
        sent = msgspec.json.encode(data).decode()
        for delta in fold.feed(StreamEvent(name=name, data=sent, failed=failed)):
            assert isinstance(delta, Delta)

    assert isinstance(fold.finish(), Result)


def sse(name: str, payload: object) -> bytes:
    return f"event: {name}\n".encode() + b"data: " + msgspec.json.encode(payload) + b"\n\n"


def stream_of(wire: Wire, events: list[tuple[str, object]]) -> bytes:
    if wire is ANTHROPIC_MESSAGES:
        return b"".join(sse(name, payload) for name, payload in events)
    return b"".join(
        exception(name, "why") if name == "error" else event(name, payload)
        for name, payload in events
    )


def read(wire: Wire, pieces: list[bytes]) -> tuple[list[Delta], object]:
    reader = EventReader(wire)
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    more, answer = reader.finish()
    return [*deltas, *more], answer


@BOTH
@given(
    events=st.lists(st.tuples(st.sampled_from(NAMES), EVENTS), max_size=6),
    cuts=st.lists(st.integers(0, 2000), max_size=5),
    end=st.integers(0, 60),
)
def test_any_split_of_a_stream_gives_the_same_answer(
    wire: Wire, events: list[tuple[str, object]], cuts: list[int], end: int
) -> None:
    data = stream_of(wire, events)
    data = data[: len(data) - end]
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]

    split = [data[start:stop] for start, stop in itertools.pairwise(places)]

    assert read(wire, split) == read(wire, [data])
