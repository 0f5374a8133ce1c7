"""Answers of Gemini's own API: the parts of its first candidate, and why it stopped.

https://ai.google.dev/api/generate-content#FinishReason (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

from returns.result import Failure, Result, Success

from .....ports.errors import BadPayload, ContentFiltered, ModelFailed, WebError
from .....ports.models.chat import (
    ChatRequest,
    FinishReason,
    NormalizedResponse,
    ToolCall,
)
from .....ports.receipts import CacheStats, Usage
from ....values.json_values import as_count, as_mapping, as_objects, steady_id, text, write_json
from ...messages.tool_calls import callers_tool_name
from ...refusals.errors import embedded_error
from ...usage import cache_usage

_FILTERED = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER"}
)
# The model wrote what cannot be read: another try may do better.
_BROKEN = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"})
_KEPT = ("groundingMetadata", "urlContextMetadata", "citationMetadata", "logprobsResult")
# The ordered parts of a turn, where not all of them are said by the fields of an answer.
PARTS = "gemini_parts"
_PLAIN = frozenset({"text", "thought", "thoughtSignature", "functionCall"})


def map_finish_reason(raw: object) -> FinishReason:
    """Return the one of four reasons that is meant; what nobody knows is ``stop``."""
    reason = text(raw).upper()
    if reason == "MAX_TOKENS":
        return "length"
    return "content_filter" if reason in _FILTERED or reason.startswith("IMAGE_") else "stop"


def validate_response(payload: object) -> WebError | None:
    """Return why ``payload`` is not an answer, None if it is one."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    if payload.get("error"):
        return embedded_error(payload)
    candidates = as_objects(payload.get("candidates"))
    if candidates:
        reason = text(candidates[0].get("finishReason"))
        return ModelFailed(code=reason.lower()) if reason in _BROKEN else None
    blocked = text(as_mapping(payload.get("promptFeedback")).get("blockReason"))
    return ContentFiltered(detail=blocked) if blocked else BadPayload(problem="shape", path=_PATH)


_PATH = "$.candidates"


def cache_stats(payload: object) -> CacheStats | None:
    """Return what the cache did; None when it did nothing."""
    return cache_usage(read_usage(as_mapping(payload).get("usageMetadata")))


def read_usage(counts: object) -> Usage | None:
    """Return the tokens; what a search brought in counts as input, thoughts count as output."""
    usage = as_mapping(counts)
    if not usage:
        return None
    prompt_tokens = as_count(usage.get("promptTokenCount")) + as_count(
        usage.get("toolUsePromptTokenCount")
    )
    thought = as_count(usage.get("thoughtsTokenCount"))
    written_tokens = as_count(usage.get("candidatesTokenCount")) + thought
    return Usage(
        input_tokens=prompt_tokens,
        output_tokens=written_tokens,
        total_tokens=max(prompt_tokens + written_tokens, as_count(usage.get("totalTokenCount"))),
        cached_tokens=as_count(usage.get("cachedContentTokenCount")),
        reasoning_tokens=thought,
    )


def normalize_response(
    payload: object, request: ChatRequest | None = None, /
) -> Result[NormalizedResponse, WebError]:
    """Return the answer in any JSON, or a typed failure."""
    refused = validate_response(payload)
    if refused is not None:
        return Failure(refused)
    body = as_mapping(payload)
    first = as_objects(body["candidates"])[0]
    parts = as_objects(as_mapping(first.get("content")).get("parts"))
    calls = tuple(read_calls(parts, request))
    content, thoughts = text_and_thoughts(parts)
    finish = map_finish_reason(first.get("finishReason"))
    extras = {name: first[name] for name in _KEPT if first.get(name)}
    if any(_comes_back(part) for part in parts):
        extras[PARTS] = parts
    return Success(
        NormalizedResponse(
            content=content or None,
            finish_reason="tool_calls" if calls and finish == "stop" else finish,
            tool_calls=calls,
            reasoning=thoughts or None,
            usage=read_usage(body.get("usageMetadata")),
            cache=cache_stats(body),
            id=text(body.get("responseId")) or None,
            model=text(body.get("modelVersion")) or None,
            provider_data=extras or None,
        )
    )


def _comes_back(part: Mapping[str, object]) -> bool:
    """Tell whether a part is more than words or a call: pictures, code that ran, signed words."""
    return not set(part) <= _PLAIN or ("thoughtSignature" in part and "functionCall" not in part)


def text_and_thoughts(parts: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    """Return the text in parts, and the thoughts."""
    words = [text(part.get("text")) for part in parts if part.get("thought") is not True]
    thoughts = [text(part.get("text")) for part in parts if part.get("thought") is True]
    return "".join(words), "".join(thoughts)


def read_calls(
    parts: Sequence[Mapping[str, object]], request: ChatRequest | None, earlier_parts: int = 0
) -> Iterator[ToolCall]:
    """Yield the calls in parts; ``earlier_parts`` is how many parts came earlier."""
    for index, part in enumerate(parts, earlier_parts):
        call = as_mapping(part.get("functionCall"))
        name = text(call.get("name"))
        if name:
            arguments = write_json(as_mapping(call.get("args")))
            own = text(call.get("id")) or steady_id(name, arguments, index)
            signed = text(part.get("thoughtSignature"))
            yield ToolCall(
                id=own,
                name=callers_tool_name(name, request),
                arguments=arguments,
                provider_data={"thoughtSignature": signed} if signed else None,
            )
