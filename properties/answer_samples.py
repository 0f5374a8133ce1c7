"""Answers of every wire with every field that is known of it, and the same answers as streams.

The shapes are those of the vendors' SDKs (openai 3.51, anthropic 2.10, google-genai 3.3, botocore
1.44), with what gateways add.
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from webseam.adapters.features.models.declaration.provider import ApiMode

Json = dict[str, Any]
Events = Iterator[tuple[str, Json]]

CHAT: Json = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "service_tier": "flex",
    "system_fingerprint": "fp",
    "provider": "upstream",
    "citations": ["https://a.example/"],
    "search_results": [{"title": "A", "url": "https://b.example/", "date": "2026-11-19"}],
    "x_groq": {"id": "req"},
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "native_finish_reason": "native",
            "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}},
            "logprobs": {"content": [{"token": "A", "logprob": -0.5}]},
            "message": {
                "role": "assistant",
                "content": "Tides.",
                "reasoning_content": "Look.",
                "reasoning": "Plan.",
                "reasoning_details": [{"type": "reasoning.text", "text": "Look.", "signature": "s"}],
                "annotations": [{"type": "url_citation", "url_citation": {"url": "u", "title": "t"}}],
                "audio": {"id": "audio_1", "data": "QUJD", "expires_at": 9, "transcript": "Tide."},
                "images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}}],
                "executed_tools": [{"type": "search", "output": "o"}],
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "lookup", "arguments": '{"q":1}'},
                        "extra_content": {"google": {"thought_signature": "sig"}},
                    }
                ],
            },
        }
    ],
    "usage": {
        "prompt_tokens": 11,
        "completion_tokens": 12,
        "total_tokens": 23,
        "prompt_tokens_details": {"cached_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 4},
        "cost": 0.5,
    },
}  # fmt: skip

RESPONSES: Json = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "status": "completed",
    "model": "m",
    "service_tier": "flex",
    "conversation": {"id": "conv"},
    "tool_usage": {"web_search": {"num_requests": 2}},
    "output": [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Look."}],
            "encrypted_content": "gAAA",
        },
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "q"}},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "phase": "final_answer",
            "content": [
                {
                    "type": "output_text",
                    "text": "Tides.",
                    "annotations": [{"type": "url_citation", "url": "u", "title": "t"}],
                    "logprobs": [{"token": "T"}],
                }
            ],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "lookup",
            "arguments": '{"q":1}',
        },
    ],
    "usage": {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 3},
        "output_tokens": 12,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 23,
    },
}

MESSAGES: Json = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": "tool_use",
    "stop_sequence": "END",
    "container": {"id": "container_1", "expires_at": "2026-11-20T00:00:00Z"},
    "context_management": {"applied_edits": [{"type": "clear", "cleared": 5}]},
    "content": [
        {"type": "thinking", "thinking": "Look.", "signature": "sig"},
        {"type": "redacted_thinking", "data": "sealed"},
        {
            "type": "text",
            "text": "Tides.",
            "citations": [{"type": "char_location", "cited_text": "c", "document_index": 7}],
        },
        {
            "type": "server_tool_use",
            "id": "srvtoolu_1",
            "name": "code_execution",
            "input": {"code": "1"},
        },
        {
            "type": "code_execution_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": {"type": "code_execution_result", "stdout": "1", "return_code": 3},
        },
        {
            "type": "tool_use",
            "id": "toolu_1",
            "name": "lookup",
            "input": {"q": "v"},
            "caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"},
        },
        {"type": "connector_text", "connector_text": "unknown"},
    ],
    "usage": {
        "input_tokens": 11,
        "output_tokens": 12,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 4,
        "service_tier": "standard",
        "output_tokens_details": {"thinking_tokens": 5},
        "server_tool_use": {"web_search_requests": 6},
    },
}

CONVERSE: Json = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Look.", "signature": "sig"}}},
                {"text": "Tides."},
                {
                    "citationsContent": {
                        "content": [{"text": "Cited."}],
                        "citations": [{"title": "T", "source": "s"}],
                    }
                },
                {"toolUse": {"toolUseId": "tooluse_1", "name": "lookup", "input": {"q": "v"}}},
                {"image": {"format": "png", "source": {"bytes": "QQ=="}}},
            ],
        }
    },
    "stopReason": "tool_use",
    "additionalModelResponseFields": {"a": "b"},
    "usage": {
        "inputTokens": 11,
        "outputTokens": 12,
        "totalTokens": 23,
        "cacheReadInputTokens": 3,
        "cacheDetails": [{"ttl": "5m", "inputTokens": 4}],
    },
    "metrics": {"latencyMs": 812},
    "trace": {"guardrail": {"actionReason": "r"}},
    "serviceTier": {"type": "flex"},
}

GEMINI: Json = {
    "responseId": "r1",
    "modelVersion": "m",
    "createTime": "2026-11-19T00:00:00Z",
    "promptFeedback": {"safetyRatings": [{"category": "c", "probability": "NEGLIGIBLE"}]},
    "modelStatus": {"modelStage": "PREVIEW"},
    "candidates": [
        {
            "index": 0,
            "finishReason": "STOP",
            "finishMessage": "why",
            "avgLogprobs": -0.25,
            "safetyRatings": [{"category": "c2", "probability": "LOW"}],
            "citationMetadata": {"citationSources": [{"uri": "u1", "startIndex": 5}]},
            "groundingMetadata": {"groundingChunks": [{"web": {"uri": "u2", "title": "t2"}}]},
            "logprobsResult": {"chosenCandidates": [{"token": "T", "logProbability": -0.125}]},
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Look.", "thought": True},
                    {"text": "Tides."},
                    {"executableCode": {"language": "PYTHON", "code": "1"}},
                    {"inlineData": {"mimeType": "image/png", "data": "QQ=="}},
                    {
                        "functionCall": {"id": "call_1", "name": "lookup", "args": {"q": "v"}},
                        "thoughtSignature": "sig",
                    },
                ],
            },
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 11,
        "candidatesTokenCount": 12,
        "totalTokenCount": 40,
        "thoughtsTokenCount": 5,
        "cachedContentTokenCount": 3,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 10}],
    },
}


def halves(words: str) -> tuple[str, str]:
    """Cut a text in two pieces."""
    return words[: len(words) // 2], words[len(words) // 2 :]


def chat_events(whole: Json) -> Events:
    """Write an answer as chunks: text, thoughts, arguments and audio in two pieces each."""
    body = {name: value for name, value in whole.items() if name not in ("choices", "usage")}
    for choice in whole["choices"]:
        rest = {name: value for name, value in choice.items() if name != "message"}
        message = dict(choice["message"])
        start = {"index": choice["index"]}
        for name in ("content", "reasoning", "reasoning_content"):
            for piece in halves(message.pop(name, "")):
                yield "", {**body, "choices": [{**start, "delta": {name: piece}}]}
        if "audio" in message:
            audio = message.pop("audio")
            for name in ("data", "transcript"):
                first, second = halves(audio[name])
                yield "", {**body, "choices": [{**start, "delta": {"audio": {name: first}}}]}
                audio = {**audio, name: second}
            yield "", {**body, "choices": [{**start, "delta": {"audio": audio}}]}
        for index, call in enumerate(message.pop("tool_calls", ())):
            first, second = halves(call["function"]["arguments"])
            begun = {**call, "index": index, "function": {**call["function"], "arguments": first}}
            more = {"index": index, "function": {"arguments": second}}
            for fragment in (begun, more):
                yield "", {**body, "choices": [{**start, "delta": {"tool_calls": [fragment]}}]}
        yield "", {**body, "choices": [{**rest, "delta": message}]}
    yield "", {**body, "choices": [], "usage": whole["usage"]}


def responses_events(whole: Json) -> Events:
    """Write an answer as its last event."""
    yield "", {"type": "response.completed", "response": whole}


def messages_events(whole: Json) -> Events:
    """Write an answer as events, text and thoughts in two pieces."""
    ends = ("stop_reason", "stop_sequence", "container")
    late = (*ends, "content", "usage", "context_management")
    start = {name: value for name, value in whole.items() if name not in late}
    yield "", {"type": "message_start", "message": {**start, "content": [], "usage": {}}}
    for index, block in enumerate(whole["content"]):
        yield "", {"type": "content_block_start", "index": index, "content_block": begin(block)}
        for kind, name in (("text_delta", "text"), ("thinking_delta", "thinking")):
            for piece in halves(block.get(name, "")) if block["type"] == name else ():
                delta = {"type": kind, name: piece}
                yield "", {"type": "content_block_delta", "index": index, "delta": delta}
        if block["type"] == "text":
            for citation in block.get("citations", ()):
                delta = {"type": "citations_delta", "citation": citation}
                yield "", {"type": "content_block_delta", "index": index, "delta": delta}
        if block["type"] == "connector_text":
            for piece in halves(block["connector_text"]):
                delta = {"type": "connector_text_delta", "connector_text": piece}
                yield "", {"type": "content_block_delta", "index": index, "delta": delta}
    delta = {name: whole[name] for name in ends if name in whole}
    edits = {name: whole[name] for name in ("context_management",) if name in whole}
    yield "", {"type": "message_delta", "delta": delta, "usage": whole["usage"], **edits}
    yield "", {"type": "message_stop"}


def begin(block: Json) -> Json:
    """Return a block as its first event has it."""
    emptied = {"text": "text", "thinking": "thinking", "connector_text": "connector_text"}
    name = emptied.get(block["type"])
    if name is None:
        return block
    rest = {field: value for field, value in block.items() if field != "citations"}
    return {**rest, name: ""}


def converse_events(whole: Json) -> Events:
    """Write an answer as events."""
    yield "messageStart", {"role": "assistant"}
    for index, block in enumerate(whole["output"]["message"]["content"]):
        for name, payload in converse_block_events(block):
            yield name, {"contentBlockIndex": index, **payload}
        yield "contentBlockStop", {"contentBlockIndex": index}
    ends = ("stopReason", "additionalModelResponseFields")
    yield "messageStop", {name: whole[name] for name in ends if name in whole}
    late = (*ends, "output")
    yield "metadata", {name: value for name, value in whole.items() if name not in late}


def converse_block_events(block: Json) -> Events:
    """Write one block of Converse as events."""
    if "reasoningContent" in block:
        thought = block["reasoningContent"]["reasoningText"]
        for name in thought:
            yield "contentBlockDelta", {"delta": {"reasoningContent": {name: thought[name]}}}
    elif "citationsContent" in block:
        cited = block["citationsContent"]
        for part in cited["content"]:
            yield "contentBlockDelta", {"delta": {"text": part["text"]}}
        for citation in cited["citations"]:
            yield "contentBlockDelta", {"delta": {"citation": citation}}
    elif "toolUse" in block:
        import json  # noqa: PLC0415  as the API writes arguments

        call = dict(block["toolUse"])
        arguments = json.dumps(call.pop("input"))
        yield "contentBlockStart", {"start": {"toolUse": call}}
        for piece in halves(arguments):
            yield "contentBlockDelta", {"delta": {"toolUse": {"input": piece}}}
    elif "text" in block:
        for piece in halves(block["text"]):
            yield "contentBlockDelta", {"delta": {"text": piece}}
    else:
        yield "contentBlockStart", {"start": block}


def gemini_events(whole: Json) -> Events:
    """Write an answer as one event for each part, text in two pieces, and one for the rest."""
    [candidate] = whole["candidates"]
    content = candidate["content"]
    for part in content["parts"]:
        pieces = (
            [{**part, "text": piece} for piece in halves(part["text"])]
            if "text" in part
            else [part]
        )
        for piece in pieces:
            yield "", {"candidates": [{"index": 0, "content": {"role": "model", "parts": [piece]}}]}
    rest = {**content, "parts": []}
    yield "", {**whole, "candidates": [{**candidate, "content": rest}]}


class Sample(NamedTuple):
    """An answer of a wire, and how the wire streams it."""

    whole: Json
    events: Callable[[Json], Events]


SAMPLES: dict[ApiMode, Sample] = {
    "chat_completions": Sample(CHAT, chat_events),
    "responses": Sample(RESPONSES, responses_events),
    "anthropic_messages": Sample(MESSAGES, messages_events),
    "bedrock_converse": Sample(CONVERSE, converse_events),
    "gemini_generate": Sample(GEMINI, gemini_events),
}


def as_namespace(value: object) -> object:
    """Return JSON as nested namespaces, as plugins of Hermes make them."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: as_namespace(part) for name, part in value.items()})
    return [as_namespace(part) for part in value] if isinstance(value, list) else value
