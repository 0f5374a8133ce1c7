"""Answers of the Responses API: items of many kinds, of which a few are the answer.

https://platform.openai.com/docs/api-reference/responses/object (2026-11-15)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result, Success

from .....ports.errors import BadPayload, ModelFailed, WebError
from .....ports.models.chat import (
    ChatRequest,
    FinishReason,
    NormalizedResponse,
    ToolCall,
)
from .....ports.receipts import CacheStats, Usage
from ....values.json_values import as_count, as_list, as_mapping, as_objects, text
from ...refusals.errors import embedded_error
from ...usage import cache_usage, reported_cost
from .content import message_items, message_texts, refusal_text
from .responses_calls import read_calls

_FINISH: dict[str, FinishReason] = {"incomplete": "length", "content_filter": "content_filter"}
_ENDED_BADLY = ("failed", "cancelled")
NOT_ENDED = ("queued", "in_progress")
# Grok sometimes leaves its answer behind this mark, at the end of its thoughts.
_SALVAGE = "<response>"


def map_finish_reason(raw: object) -> FinishReason:
    """Return the reason for a status, or for why an answer is incomplete."""
    if not isinstance(raw, str) or raw == "completed":
        return "stop"
    return _FINISH.get(raw, "length" if raw.startswith("max_") else "stop")


def validate_response(payload: object) -> WebError | None:
    """Return why ``payload`` is not an answer, None if it is one."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    status = text(payload.get("status"))
    if payload.get("error"):
        return embedded_error({"error": payload["error"]})
    if status in _ENDED_BADLY:
        return ModelFailed(code=status)
    if status in NOT_ENDED:
        return BadPayload(problem="shape", path="$.status", detail=f"the answer is {status}")
    has_output = bool(as_list(payload.get("output"))) or bool(text(payload.get("output_text")))
    if has_output or (status == "incomplete" and isinstance(payload.get("output"), list)):
        return None
    return BadPayload(problem="shape", path="$.output")


def cache_stats(payload: object) -> CacheStats | None:
    """Return what the cache did; None when it did nothing."""
    return cache_usage(_usage(as_mapping(payload).get("usage")))


def normalize_response(
    payload: object, request: ChatRequest | None = None, /
) -> Result[NormalizedResponse, WebError]:
    """Return the answer in any JSON, or a typed failure."""
    refused = validate_response(payload)
    if refused is not None:
        return Failure(refused)
    body = as_mapping(payload)
    output = as_objects(body.get("output"))
    calls = tuple(read_calls(output, request, cut=body.get("status") == "incomplete"))
    content, reasoning = _spoken(output)
    content = content or text(body.get("output_text"))
    if not content and not calls:
        content = reasoning.rpartition(_SALVAGE)[2] if _SALVAGE in reasoning else ""
        content = content.replace("</response>", "").strip()
    refusal = "" if content else refusal_text(message_items(output))
    return Success(
        NormalizedResponse(
            content=content or refusal or None,
            finish_reason=_finish(body, calls, refusal),
            tool_calls=calls,
            reasoning=reasoning or None,
            usage=_usage(body.get("usage")),
            cache=cache_stats(body),
            id=text(body.get("id")) or None,
            model=text(body.get("model")) or None,
            provider_data=_kept(body, output),
        )
    )


def _spoken(output: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    """Return the text of the answer, and the thoughts: also what was said aside, if more came."""
    final, aside = message_texts(message_items(output))
    thoughts = [
        text(part.get("text"))
        for item in output
        if item.get("type") == "reasoning"
        for part in (*as_objects(item.get("summary")), *as_objects(item.get("content")))
    ]
    return final, "\n\n".join(thought for thought in (*thoughts, aside) if thought)


def _finish(body: Mapping[str, object], calls: tuple[ToolCall, ...], refusal: str) -> FinishReason:
    if calls:
        return "tool_calls"
    if body.get("status") == "incomplete":
        reason = as_mapping(body.get("incomplete_details")).get("reason")
        return "content_filter" if reason == "content_filter" else "length"
    return "content_filter" if refusal else map_finish_reason(body.get("status"))


def _usage(counts: object) -> Usage | None:
    usage = as_mapping(counts)
    if not usage:
        return None
    into = as_mapping(usage.get("input_tokens_details"))
    out = as_mapping(usage.get("output_tokens_details"))
    prompt, answer = as_count(usage.get("input_tokens")), as_count(usage.get("output_tokens"))
    return Usage(
        input_tokens=prompt,
        output_tokens=answer,
        total_tokens=as_count(usage.get("total_tokens")) or prompt + answer,
        cached_tokens=as_count(into.get("cached_tokens")),
        cache_write_tokens=as_count(into.get("cache_write_tokens"))
        or as_count(into.get("cache_creation_input_tokens")),
        reasoning_tokens=as_count(out.get("reasoning_tokens")),
        cost=reported_cost(usage),
    )


def _kept(
    body: Mapping[str, object], output: Sequence[Mapping[str, object]]
) -> Mapping[str, object] | None:
    extras = {name: body[name] for name in ("output", "citations", "usage") if body.get(name)}
    sealed = [
        item for item in output if item.get("type") == "reasoning" and item.get("encrypted_content")
    ]
    if sealed:
        extras["reasoning_items"] = sealed
    return extras or None
