"""An answer that is streamed is the answer it would have been, and its pieces are its text."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import example, given, strategies as st
from returns.result import Failure

from tests.features.models.frames import event
from webseam.adapters.features.models.client.answer_reading import EventReader
from webseam.adapters.features.models.declaration.provider import ApiMode
from webseam.adapters.features.models.declaration.wire import AnswerResult
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.ports import Delta
from webseam.ports.errors import EmptyContent
from webseam.ports.models import ToolCall

Json = dict[str, Any]


class Said(NamedTuple):
    """One block of an answer, in the pieces it comes in: text, a thought, or a call's arguments."""

    kind: str
    pieces: tuple[str, ...]

    @property
    def whole(self) -> str:
        return "".join(self.pieces)


class Spoken(NamedTuple):
    """How a wire writes an answer: whole, and as events."""

    whole: Callable[[Sequence[Said]], Json]
    events: Callable[[Sequence[Said]], Iterator[tuple[str, Json]]]


def sse(name: str, payload: object) -> bytes:
    return f"event: {name}\n".encode() + b"data: " + msgspec.json.encode(payload) + b"\n\n"


def named(blocks: Sequence[Said]) -> list[tuple[int, Said]]:
    return list(enumerate(blocks))


# Chat completions: one text, one thought, any number of calls.


def chat_whole(blocks: Sequence[Said]) -> Json:
    calls = [
        {"id": f"c{at}", "function": {"name": "f", "arguments": block.whole}}
        for at, block in named(blocks)
        if block.kind == "call"
    ]
    message = {
        "content": "".join(block.whole for block in blocks if block.kind == "text"),
        "reasoning_content": "".join(block.whole for block in blocks if block.kind == "thought"),
        "tool_calls": calls,
    }
    return {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1},
    }


def chat_events(blocks: Sequence[Said]) -> Iterator[tuple[str, Json]]:
    number = 0
    for at, block in named(blocks):
        if block.kind == "call":
            start = {"index": number, "id": f"c{at}", "function": {"name": "f", "arguments": ""}}
            yield "", {"choices": [{"delta": {"tool_calls": [start]}}]}
        for piece in block.pieces:
            more = {"index": number, "function": {"arguments": piece}}
            delta = {
                "text": {"content": piece},
                "thought": {"reasoning_content": piece},
                "call": {"tool_calls": [more]},
            }
            yield "", {"choices": [{"delta": delta[block.kind]}]}
        number += block.kind == "call"
    yield "", {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    yield "", {"choices": [], "usage": {"prompt_tokens": 1}}


# Responses: an item for each block.


def item(at: int, block: Said) -> Json:
    if block.kind == "call":
        return {
            "type": "function_call",
            "id": f"fc_{at}",
            "call_id": f"c{at}",
            "name": "f",
            "arguments": block.whole,
        }
    part = {"type": "output_text", "text": block.whole}
    if block.kind == "text":
        return {"type": "message", "content": [part]}
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": block.whole}]}


def responses_whole(blocks: Sequence[Said]) -> Json:
    output = [item(at, block) for at, block in named(blocks)]
    return {"status": "completed", "output": output, "usage": {"input_tokens": 1}}


RESPONSE_KINDS = {
    "text": "response.output_text.delta",
    "thought": "response.reasoning_summary_text.delta",
    "call": "response.function_call_arguments.delta",
}


def responses_events(blocks: Sequence[Said]) -> Iterator[tuple[str, Json]]:
    for at, block in named(blocks):
        begun = item(at, Said(block.kind, ()))
        yield "", {"type": "response.output_item.added", "output_index": at, "item": begun}
        for piece in block.pieces:
            yield "", {"type": RESPONSE_KINDS[block.kind], "output_index": at, "delta": piece}
        yield "", {"type": "response.output_item.done", "output_index": at, "item": item(at, block)}
    yield "", {"type": "response.completed", "response": responses_whole(blocks)}


# Messages and Converse: a block for each block.


def message_block(at: int, block: Said) -> Json:
    if block.kind == "text":
        return {"type": "text", "text": block.whole}
    if block.kind == "thought":
        return {"type": "thinking", "thinking": block.whole, "signature": "s"}
    return {
        "type": "tool_use",
        "id": f"c{at}",
        "name": "f",
        "input": msgspec.json.decode(block.whole or "{}"),
    }


def messages_whole(blocks: Sequence[Said]) -> Json:
    content = [message_block(at, block) for at, block in named(blocks)]
    return {"content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 1}}


def messages_events(blocks: Sequence[Said]) -> Iterator[tuple[str, Json]]:
    start: Json = {"content": [], "stop_reason": None, "usage": {"input_tokens": 1}}
    yield "", {"type": "message_start", "message": start}
    for at, block in named(blocks):
        empty = message_block(at, Said(block.kind, ()))
        yield (
            "",
            {
                "type": "content_block_start",
                "index": at,
                "content_block": empty | {"signature": ""} if block.kind == "thought" else empty,
            },
        )
        for piece in block.pieces:
            delta = {
                "text": {"type": "text_delta", "text": piece},
                "thought": {"type": "thinking_delta", "thinking": piece},
                "call": {"type": "input_json_delta", "partial_json": piece},
            }
            yield "", {"type": "content_block_delta", "index": at, "delta": delta[block.kind]}
        if block.kind == "thought":
            signed = {"type": "signature_delta", "signature": "s"}
            yield "", {"type": "content_block_delta", "index": at, "delta": signed}
    yield "", {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}}
    yield "", {"type": "message_stop"}


def converse_block(at: int, block: Said) -> Json:
    if block.kind == "text":
        return {"text": block.whole}
    if block.kind == "thought":
        return {"reasoningContent": {"reasoningText": {"text": block.whole, "signature": "s"}}}
    return {
        "toolUse": {
            "toolUseId": f"c{at}",
            "name": "f",
            "input": msgspec.json.decode(block.whole or "{}"),
        }
    }


def converse_whole(blocks: Sequence[Said]) -> Json:
    content = [converse_block(at, block) for at, block in named(blocks)]
    return {
        "output": {"message": {"content": content}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 1},
    }


def converse_events(blocks: Sequence[Said]) -> Iterator[tuple[str, Json]]:
    yield "messageStart", {"role": "assistant"}
    for at, block in named(blocks):
        if block.kind == "call":
            call = {"toolUseId": f"c{at}", "name": "f"}
            yield "contentBlockStart", {"contentBlockIndex": at, "start": {"toolUse": call}}
        for piece in block.pieces:
            delta = {
                "text": {"text": piece},
                "thought": {"reasoningContent": {"text": piece}},
                "call": {"toolUse": {"input": piece}},
            }
            yield "contentBlockDelta", {"contentBlockIndex": at, "delta": delta[block.kind]}
        if block.kind == "thought":
            signed = {"reasoningContent": {"signature": "s"}}
            yield "contentBlockDelta", {"contentBlockIndex": at, "delta": signed}
        yield "contentBlockStop", {"contentBlockIndex": at}
    yield "messageStop", {"stopReason": "end_turn"}
    yield "metadata", {"usage": {"inputTokens": 1}}


# Gemini: every piece is a part.


def gemini_part(kind: str, words: str) -> Json:
    if kind == "call":
        return {"functionCall": {"name": "f", "args": msgspec.json.decode(words or "{}")}}
    return {"text": words, "thought": True} if kind == "thought" else {"text": words}


def gemini_answer(parts: list[Json], **more: object) -> Json:
    return {
        "candidates": [{"content": {"parts": parts}, **more}],
        "usageMetadata": {"promptTokenCount": 1},
    }


def gemini_whole(blocks: Sequence[Said]) -> Json:
    parts = [part for block in blocks for part in gemini_parts(block)]
    return gemini_answer(parts, finishReason="STOP")


def gemini_parts(block: Said) -> list[Json]:
    pieces = (block.whole,) if block.kind == "call" else block.pieces
    return [gemini_part(block.kind, piece) for piece in pieces]


def gemini_events(blocks: Sequence[Said]) -> Iterator[tuple[str, Json]]:
    for block in blocks:
        for part in gemini_parts(block):
            yield "", gemini_answer([part])
    yield "", gemini_answer([], finishReason="STOP")


SPOKEN: dict[ApiMode, Spoken] = {
    "chat_completions": Spoken(chat_whole, chat_events),
    "responses": Spoken(responses_whole, responses_events),
    "anthropic_messages": Spoken(messages_whole, messages_events),
    "bedrock_converse": Spoken(converse_whole, converse_events),
    "gemini_generate": Spoken(gemini_whole, gemini_events),
}

words = st.sampled_from(["a", "ä ", "\n", "wide 漢", "<", "."])
texts = st.lists(words, min_size=1, max_size=4).map(tuple)


def cut(whole: str, places: list[int]) -> tuple[str, ...]:
    ends = sorted({place % (len(whole) + 1) for place in places} | {0, len(whole)})
    return tuple(whole[start:end] for start, end in pairwise(ends))


arguments = st.builds(
    cut,
    words.map(lambda word: msgspec.json.encode({"q": word}).decode()),
    st.lists(st.integers(0, 20)),
) | st.just(())
blocks_of = st.lists(
    st.one_of(
        st.builds(Said, st.just("text"), texts),
        st.builds(Said, st.just("thought"), texts),
        st.builds(Said, st.just("call"), arguments),
    ),
    min_size=1,
    max_size=5,
)


def calls_in(deltas: Sequence[Delta]) -> list[tuple[str, str, str]]:
    answer_found: dict[int, tuple[str, str, str]] = {}
    for piece in (delta.tool_call for delta in deltas if delta.tool_call):
        own, name, words = answer_found.get(piece.index, ("", "", ""))
        answer_found[piece.index] = (own or piece.id, name or piece.name, words + piece.arguments)
    return [answer_found[index] for index in sorted(answer_found)]


def same(value: tuple[str, str, str], call: ToolCall) -> bool:
    decoded = msgspec.json.decode(value[2] or "{}")
    return value[:2] == (call.id, call.name) and decoded == msgspec.json.decode(call.arguments)


def read(api_mode: ApiMode, data: bytes) -> tuple[list[Delta], AnswerResult]:
    reader = EventReader(load_wire(api_mode))
    deltas = list(reader.feed(data))
    last, answer = reader.finish()
    return [*deltas, *last], answer


@pytest.mark.parametrize("api_mode", SPOKEN)
@given(blocks=blocks_of)
@example(blocks=[Said("text", ("a",)), Said("thought", ("b",)), Said("text", ("c",))])
@example(blocks=[Said("text", ("a",)), Said("call", ()), Said("text", ("b",)), Said("call", ())])
def test_a_streamed_answer_is_the_whole_one_in_pieces(
    api_mode: ApiMode, blocks: list[Said]
) -> None:
    spoken = SPOKEN[api_mode]
    result = load_wire(api_mode).normalize_response(spoken.whole(blocks))
    write = event if api_mode == "bedrock_converse" else sse
    data = b"".join(write(name, payload) for name, payload in spoken.events(blocks))

    deltas, answer = read(api_mode, data)

    assert answer == result
    if isinstance(result, Failure):
        # Thoughts alone are no answer.
        assert isinstance(result.failure(), EmptyContent)
        assert all(block.kind == "thought" for block in blocks)
        return
    whole = result.unwrap()
    assert "".join(delta.text for delta in deltas) == (whole.content or "")
    thoughts = "".join(delta.reasoning for delta in deltas)
    assert thoughts == (whole.reasoning or whole.reasoning_content or "")
    assert len(calls_in(deltas)) == len(whole.tool_calls)
    assert all(map(same, calls_in(deltas), whole.tool_calls))
