"""One answer in three formats: thoughts, 200 words of text and a call; whole, and as events."""

from collections.abc import Callable, Iterator
from typing import Any

from webseam.adapters.features.models.declaration.provider import ApiMode

Json = dict[str, Any]
WORDS = tuple(f"tide{number} " for number in range(200))
THOUGHTS = tuple(f"thought{number} " for number in range(40))
ARGUMENTS = ('{"port":', '"Bremen"', "}")
TEXT, THOUGHT, ARGUMENT_TEXT = "".join(WORDS), "".join(THOUGHTS), "".join(ARGUMENTS)

CHAT_USAGE: Json = {
    "prompt_tokens": 812,
    "completion_tokens": 264,
    "total_tokens": 1076,
    "prompt_tokens_details": {"cached_tokens": 512, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 40, "audio_tokens": 0},
}
CHAT_BODY: Json = {
    "id": "chatcmpl-1",
    "created": 1794650000,
    "model": "model-1",
    "service_tier": "default",
    "system_fingerprint": "fp_1",
}
CHAT: Json = {
    **CHAT_BODY,
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "logprobs": None,
            "message": {
                "role": "assistant",
                "content": TEXT,
                "refusal": None,
                "annotations": [],
                "reasoning_content": THOUGHT,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "lookup", "arguments": ARGUMENT_TEXT},
                    }
                ],
            },
        }
    ],
    "usage": CHAT_USAGE,
}


def chat_events() -> Iterator[Json]:
    """Yield the chunks of the chat completion."""

    def chunk(delta: Json, reason: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        head = {**CHAT_BODY, "object": "chat.completion.chunk"}
        return {**head, "choices": [choice], "usage": None, "obfuscation": "xxxxxxxx"}

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    yield from (chunk({"reasoning_content": piece}) for piece in THOUGHTS)
    yield from (chunk({"content": piece}) for piece in WORDS)
    function = {"name": "lookup", "arguments": ""}
    call = {"index": 0, "id": "call_1", "type": "function", "function": function}
    yield chunk({"tool_calls": [call]})
    for piece in ARGUMENTS:
        yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls")
    head = {**CHAT_BODY, "object": "chat.completion.chunk"}
    yield {**head, "choices": [], "usage": CHAT_USAGE}


REASONING: Json = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": THOUGHT}],
    "encrypted_content": "gAAA" * 200,
    "status": "completed",
}
MESSAGE: Json = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": TEXT, "annotations": [], "logprobs": []}],
}
FUNCTION_CALL: Json = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "lookup",
    "arguments": ARGUMENT_TEXT,
    "status": "completed",
}
RESPONSES: Json = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1794650010,
    "status": "completed",
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "model": "model-1",
    "output": [REASONING, MESSAGE, FUNCTION_CALL],
    "parallel_tool_calls": True,
    "store": False,
    "temperature": 1.0,
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "metadata": {},
    "service_tier": "default",
    "usage": {
        "input_tokens": 812,
        "input_tokens_details": {"cached_tokens": 512, "cache_write_tokens": 0},
        "output_tokens": 264,
        "output_tokens_details": {"reasoning_tokens": 40},
        "total_tokens": 1076,
    },
}


def responses_events() -> Iterator[Json]:
    """Yield the events of the response."""
    events = [
        {
            "type": "response.created",
            "response": {**RESPONSES, "status": "in_progress", "output": []},
        },
        *item_events(0, {**REASONING, "summary": [], "encrypted_content": None}, REASONING),
        *item_events(1, {**MESSAGE, "content": []}, MESSAGE),
        *item_events(2, {**FUNCTION_CALL, "arguments": ""}, FUNCTION_CALL),
        {"type": "response.completed", "response": RESPONSES},
    ]
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


def item_events(index: int, begun: Json, item: Json) -> Iterator[Json]:
    """Yield the events of one item."""
    place: Json = {"output_index": index, "item_id": item["id"]}
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    if item is REASONING:
        part = {"type": "summary_text", "text": ""}
        kind = "response.reasoning_summary_text"
        place["summary_index"] = 0
        yield {"type": "response.reasoning_summary_part.added", **place, "part": part}
        yield from ({"type": f"{kind}.delta", **place, "delta": piece} for piece in THOUGHTS)
        yield {"type": f"{kind}.done", **place, "text": THOUGHT}
    elif item is MESSAGE:
        part = {**MESSAGE["content"][0], "text": ""}
        place["content_index"] = 0
        yield {"type": "response.content_part.added", **place, "part": part}
        for piece in WORDS:
            yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **place, "text": TEXT, "logprobs": []}
        yield {"type": "response.content_part.done", **place, "part": MESSAGE["content"][0]}
    else:
        kind = "response.function_call_arguments"
        yield from ({"type": f"{kind}.delta", **place, "delta": piece} for piece in ARGUMENTS)
        yield {"type": f"{kind}.done", **place, "arguments": ARGUMENT_TEXT, "name": "lookup"}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


MESSAGES_USAGE: Json = {
    "input_tokens": 300,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 512,
    "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
    "output_tokens": 264,
    "service_tier": "standard",
}
TOOL_USE: Json = {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"port": "Bremen"}}  # fmt: skip
MESSAGES: Json = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "model-1",
    "content": [
        {"type": "thinking", "thinking": THOUGHT, "signature": "EqQB" * 100},
        {"type": "text", "text": TEXT, "citations": None},
        TOOL_USE,
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": MESSAGES_USAGE,
}


def messages_events() -> Iterator[Json]:
    """Yield the events of the message."""
    begun = {**MESSAGES, "content": [], "stop_reason": None}
    yield {
        "type": "message_start",
        "message": {**begun, "usage": {**MESSAGES_USAGE, "output_tokens": 1}},
    }

    def block(index: int, start: Json, deltas: Iterator[Json]) -> Iterator[Json]:
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield from (
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        )
        yield {"type": "content_block_stop", "index": index}

    def thoughts() -> Iterator[Json]:
        yield from ({"type": "thinking_delta", "thinking": piece} for piece in THOUGHTS)
        yield {"type": "signature_delta", "signature": "EqQB" * 100}

    words = ({"type": "text_delta", "text": piece} for piece in WORDS)
    arguments = ({"type": "input_json_delta", "partial_json": piece} for piece in ARGUMENTS)
    yield from block(0, {"type": "thinking", "thinking": "", "signature": ""}, thoughts())
    yield from block(1, {"type": "text", "text": ""}, words)
    yield from block(2, {**TOOL_USE, "input": {}}, arguments)
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 264}}
    yield {"type": "message_stop"}


WHOLE: dict[ApiMode, Json] = {
    "chat_completions": CHAT,
    "responses": RESPONSES,
    "anthropic_messages": MESSAGES,
}
EVENTS: dict[ApiMode, Callable[[], Iterator[Json]]] = {
    "chat_completions": chat_events,
    "responses": responses_events,
    "anthropic_messages": messages_events,
}
