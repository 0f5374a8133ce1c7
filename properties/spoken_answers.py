"""The same answer whole and streamed, for each wire."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from hypothesis import strategies as st

from webseam.adapters.features.models.declaration.provider import ApiMode

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


def named(blocks: Sequence[Said]) -> list[tuple[int, Said]]:
    return list(enumerate(blocks))


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
