"""Answers of Gemini's own API: the parts of its first candidate, and its finish reason.

https://ai.google.dev/api/generate-content#FinishReason (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

from returns.result import Failure

from webseam.adapters.values.json_values import (
    as_count,
    as_list,
    as_mapping,
    as_objects,
    stable_id,
    text,
    write_json,
)
from webseam.ports.errors import BadPayload, ContentFiltered, ModelFailed, WebError
from webseam.ports.models import ChatRequest, FinishReason, NormalizedResponse, ToolCall
from webseam.ports.receipts import CacheStats, Usage

from ...declaration.wire import AnswerResult
from ...messages.tool_calls import callers_tool_name
from ...refusal_errors import embedded_refusal
from ...usage import token_cache_stats
from ..unread_answers import refuse_empty_answer
from ..unread_fields import find_unread_fields, keep_unread_fields, known, says_something

_FILTER_REASONS = frozenset(
    {
        "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER",
        "MODEL_ARMOR", "ESCALATION",
    }
)  # fmt: skip
# The model's output cannot be parsed; a retry may succeed.
_FAILED_FINISH_REASONS = frozenset({
    "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE",
})  # fmt: skip
# The model made no image though it had to: without a text that is a failure.
_NO_IMAGE_REASON = "NO_IMAGE"
# Finish reasons that those of an answer tell completely.
_TOLD_FINISH_REASONS = ("", "STOP", "MAX_TOKENS")
_KEPT_CANDIDATE_FIELDS = (
    "groundingMetadata", "urlContextMetadata", "citationMetadata", "logprobsResult",
    "avgLogprobs", "safetyRatings", "finishMessage",
)  # fmt: skip
_KEPT_BODY_FIELDS = ("promptFeedback",)
_READ_COUNTS = frozenset({
    "promptTokenCount", "candidatesTokenCount", "totalTokenCount", "thoughtsTokenCount",
    "cachedContentTokenCount", "toolUsePromptTokenCount",
})  # fmt: skip
# Left out on purpose: the server's clock, the number of a candidate, and a count of ``usage``.
_KNOWN_BODY = known(
    "candidates",
    "error",
    "responseId",
    "modelVersion",
    "usageMetadata",
    "createTime",
    *_KEPT_BODY_FIELDS,
)
_KNOWN_CANDIDATE = known(
    "finishReason", "index", "tokenCount", *_KEPT_CANDIDATE_FIELDS, content=known("role", "parts")
)
_KNOWN_CALL_PART = known(
    "text", "thought", "thoughtSignature", functionCall=known("id", "name", "args")
)
# Parts that are an answer without words.
_ANSWERING_PART_FIELDS = frozenset({
    "inlineData", "fileData", "executableCode", "codeExecutionResult", "functionResponse",
    "toolCall", "toolResponse",
})  # fmt: skip
# The field with a turn's ordered parts, if the answer's other fields do not cover them.
GEMINI_PARTS_FIELD = "gemini_parts"
_PLAIN_PART_FIELDS = frozenset({"text", "thought", "thoughtSignature", "functionCall"})


def map_finish_reason(raw: object) -> FinishReason:
    """Return one of four reasons; an unknown one is ``stop``."""
    reason = text(raw).upper()
    if reason == "MAX_TOKENS":
        return "length"
    return "content_filter" if reason in _FILTER_REASONS or reason.startswith("IMAGE_") else "stop"


def validate_response(payload: object) -> WebError | None:
    """Return the error if ``payload`` is not an answer, else None."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    if payload.get("error"):
        return embedded_refusal(payload)
    candidates = as_objects(payload.get("candidates"))
    if candidates:
        reason = text(candidates[0].get("finishReason"))
        return ModelFailed(code=reason.lower()) if reason in _FAILED_FINISH_REASONS else None
    blocked = text(as_mapping(payload.get("promptFeedback")).get("blockReason"))
    if blocked:
        return ContentFiltered(detail=blocked)
    return BadPayload(problem="shape", path="$.candidates")


def cache_stats(payload: object) -> CacheStats | None:
    """Return the tokens read from and written to the cache, or None."""
    return token_cache_stats(read_gemini_usage(as_mapping(payload).get("usageMetadata")))


def read_gemini_usage(counts: object) -> Usage | None:
    """Return the token counts; search results count as input, thoughts as output."""
    usage = as_mapping(counts)
    if not usage:
        return None
    tool_tokens = as_count(usage.get("toolUsePromptTokenCount"))
    prompt_tokens = as_count(usage.get("promptTokenCount")) + tool_tokens
    thought_tokens = as_count(usage.get("thoughtsTokenCount"))
    written_tokens = as_count(usage.get("candidatesTokenCount")) + thought_tokens
    return Usage(
        input_tokens=prompt_tokens,
        output_tokens=written_tokens,
        total_tokens=max(prompt_tokens + written_tokens, as_count(usage.get("totalTokenCount"))),
        cached_tokens=as_count(usage.get("cachedContentTokenCount")),
        reasoning_tokens=thought_tokens,
    )


def normalize_response(payload: object, request: ChatRequest | None = None, /) -> AnswerResult:
    """Return the answer in any JSON, or a typed failure."""
    error = validate_response(payload)
    if error is not None:
        return Failure(error)
    body = as_mapping(payload)
    candidates = as_objects(body["candidates"])
    # One candidate is asked for; of several the first with parts is the answer.
    first = next((i for i, candidate in enumerate(candidates) if _parts(candidate)), 0)
    candidate, parts = candidates[first], _parts(candidates[first])
    calls = tuple(read_gemini_calls(parts, request))
    content, thoughts = gemini_texts(parts)
    raw_reason = text(candidate.get("finishReason"))
    finish = map_finish_reason(raw_reason)
    if raw_reason == _NO_IMAGE_REASON and not content and not calls:
        return Failure(ModelFailed(code=raw_reason.lower()))
    usage = read_gemini_usage(body.get("usageMetadata"))
    response = NormalizedResponse(
        content=content or None,
        finish_reason="tool_calls" if calls and finish == "stop" else finish,
        tool_calls=calls,
        reasoning=thoughts or None,
        usage=usage,
        cache=token_cache_stats(usage),
        id=text(body.get("responseId")) or None,
        model=text(body.get("modelVersion")) or None,
        provider_data=_provider_data(body, first, parts) or None,
    )
    has_sources = bool(as_mapping(candidate.get("groundingMetadata")).get("groundingChunks"))
    is_kept = has_sources or any(part.keys() & _ANSWERING_PART_FIELDS for part in parts)
    return refuse_empty_answer(response, "$.candidates[0].content", is_kept=is_kept)


def _parts(candidate: Mapping[str, object]) -> list[Mapping[str, object]]:
    return as_objects(as_mapping(candidate.get("content")).get("parts"))


def _provider_data(
    body: Mapping[str, object], first: int, parts: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    candidates = as_objects(body["candidates"])
    candidate, unread = candidates[first], dict[str, object]()
    extras = {name: body[name] for name in _KEPT_BODY_FIELDS if body.get(name)}
    counts = as_mapping(body.get("usageMetadata"))
    if not counts.keys() <= _READ_COUNTS:
        extras["usage"] = counts
    extras.update({name: candidate[name] for name in _KEPT_CANDIDATE_FIELDS if candidate.get(name)})
    if any(_is_replayed_part(part) for part in parts):
        extras[GEMINI_PARTS_FIELD] = list(parts)
    else:
        find_unread_fields(parts, _KNOWN_CALL_PART, "$.candidates[0].content.parts", unread)
    if text(candidate.get("finishReason")) not in _TOLD_FINISH_REASONS:
        extras["finish_reason"] = candidate["finishReason"]
    find_unread_fields(body, _KNOWN_BODY, "$", unread)
    find_unread_fields(candidate, _KNOWN_CANDIDATE, "$.candidates[0]", unread)
    content = candidate.get("content")
    received = as_mapping(content).get("parts")
    odd = [content, *(part for part in as_list(received) if not isinstance(part, Mapping))]
    for index, part in enumerate(odd):
        if says_something(part) and not isinstance(part, Mapping):
            unread[f"$.candidates[0].content.parts[?{index}]"] = part
    for index, other in enumerate(candidates):
        if index != first and (index > first or _parts(other)):
            unread[f"$.candidates[{index}]"] = other
    return {**extras, **keep_unread_fields(unread)}


def _is_replayed_part(part: Mapping[str, object]) -> bool:
    """Tell whether a part must be replayed: an image, executed code, or signed text."""
    return not set(part) <= _PLAIN_PART_FIELDS or (
        "thoughtSignature" in part and "functionCall" not in part
    )


def gemini_texts(parts: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    """Return the text and the thoughts in parts."""
    texts = [text(part.get("text")) for part in parts if part.get("thought") is not True]
    thoughts = [text(part.get("text")) for part in parts if part.get("thought") is True]
    return "".join(texts), "".join(thoughts)


def read_gemini_calls(
    parts: Sequence[Mapping[str, object]], request: ChatRequest | None, earlier_calls: int = 0
) -> Iterator[ToolCall]:
    """Yield the calls in parts; ``earlier_calls`` is the number of calls before these."""
    number = earlier_calls
    for part in parts:
        call = as_mapping(part.get("functionCall"))
        name = text(call.get("name"))
        if name:
            arguments = write_json(as_mapping(call.get("args")))
            call_id = text(call.get("id")) or stable_id(name, arguments, number)
            number += 1
            signature = text(part.get("thoughtSignature"))
            yield ToolCall(
                id=call_id,
                name=callers_tool_name(name, request),
                arguments=arguments,
                provider_data={"thoughtSignature": signature} if signature else None,
            )
