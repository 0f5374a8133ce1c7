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
from ....values.json import count, listed, mapping, objects, text
from ...refusals.errors import told_error
from ...usage import cache_work, cost_of
from .calls import read_calls
from .content import messages_in, refusal_in, said_in

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
        return told_error({"error": payload["error"]})
    if status in _ENDED_BADLY:
        return ModelFailed(code=status)
    if status in NOT_ENDED:
        return BadPayload(problem="shape", path="$.status", detail=f"the answer is {status}")
    has_output = bool(listed(payload.get("output"))) or bool(text(payload.get("output_text")))
    if has_output or (status == "incomplete" and isinstance(payload.get("output"), list)):
        return None
    return BadPayload(problem="shape", path="$.output")


def cache_stats(payload: object) -> CacheStats | None:
    """Return what the cache did; None when it did nothing."""
    return cache_work(_usage(mapping(payload).get("usage")))


def normalize_response(
    payload: object, request: ChatRequest | None = None, /
) -> Result[NormalizedResponse, WebError]:
    """Return the answer in any JSON, or a typed failure."""
    refused = validate_response(payload)
    if refused is not None:
        return Failure(refused)
    body = mapping(payload)
    output = objects(body.get("output"))
    calls = tuple(read_calls(output, request, cut=body.get("status") == "incomplete"))
    content, reasoning = _spoken(output)
    content = content or text(body.get("output_text"))
    if not content and not calls:
        content = reasoning.rpartition(_SALVAGE)[2] if _SALVAGE in reasoning else ""
        content = content.replace("</response>", "").strip()
    refusal = "" if content else refusal_in(messages_in(output))
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
    final, aside = said_in(messages_in(output))
    thoughts = [
        text(part.get("text"))
        for item in output
        if item.get("type") == "reasoning"
        for part in (*objects(item.get("summary")), *objects(item.get("content")))
    ]
    return final, "\n\n".join(thought for thought in (*thoughts, aside) if thought)


def _finish(body: Mapping[str, object], calls: tuple[ToolCall, ...], refusal: str) -> FinishReason:
    if calls:
        return "tool_calls"
    if body.get("status") == "incomplete":
        reason = mapping(body.get("incomplete_details")).get("reason")
        return "content_filter" if reason == "content_filter" else "length"
    return "content_filter" if refusal else map_finish_reason(body.get("status"))


def _usage(counts: object) -> Usage | None:
    usage = mapping(counts)
    if not usage:
        return None
    into = mapping(usage.get("input_tokens_details"))
    out = mapping(usage.get("output_tokens_details"))
    prompt, answer = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    return Usage(
        input_tokens=prompt,
        output_tokens=answer,
        total_tokens=count(usage.get("total_tokens")) or prompt + answer,
        cached_tokens=count(into.get("cached_tokens")),
        cache_write_tokens=count(into.get("cache_write_tokens"))
        or count(into.get("cache_creation_input_tokens")),
        reasoning_tokens=count(out.get("reasoning_tokens")),
        cost=cost_of(usage),
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
