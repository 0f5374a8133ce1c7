"""Answers of Converse: the blocks of its message, and why it stopped.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (2026-11-15)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result, Success

from .....ports.errors import BadPayload, ModelFailed, WebError
from .....ports.models.chat import ChatRequest, FinishReason, NormalizedResponse
from .....ports.receipts import CacheStats, Usage
from ....values.json_values import as_count, as_mapping, as_objects, text
from ...claude.claude_tool_calls import read_calls, read_thoughts
from ...claude.content_blocks import THOUGHTS, join_text_blocks
from ...usage import cache_usage
from .bedrock_refusals import stream_error
from .converse_thinking import BLOCKS, to_messages

_FINISH: dict[str, FinishReason] = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
}
# The model wrote what cannot be read: another try may do better.
_BROKEN = frozenset({"malformed_model_output", "malformed_tool_use"})
_PLAIN = frozenset({"text", "toolUse"})
_KEPT = ("additionalModelResponseFields", "trace")


def map_finish_reason(raw: object) -> FinishReason:
    """Return the one of four reasons that a ``stopReason`` means; what nobody knows is ``stop``."""
    return _FINISH.get(raw, "stop") if isinstance(raw, str) else "stop"


def validate_response(payload: object) -> WebError | None:
    """Return why ``payload`` is not an answer, None if it is one."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    if "output" not in payload and payload.get("__type"):
        return stream_error(text(payload["__type"]), payload)
    message = as_mapping(as_mapping(payload.get("output")).get("message"))
    if not isinstance(message.get("content"), list):
        return BadPayload(problem="shape", path="$.output.message.content")
    reason = text(payload.get("stopReason"))
    if reason in _BROKEN:
        return ModelFailed(code=reason)
    if as_objects(message["content"]) or reason not in ("", "tool_use"):
        return None
    return BadPayload(problem="shape", path="$.output.message.content", detail="it is empty")


def cache_stats(payload: object) -> CacheStats | None:
    """Return what the cache did; None when it did nothing."""
    return cache_usage(read_usage(as_mapping(payload).get("usage")))


def read_usage(counts: object) -> Usage | None:
    """Return the tokens; ``inputTokens`` leaves out what the cache gave or took."""
    if not isinstance(counts, Mapping) or not counts:
        return None
    cached, written = (
        as_count(counts.get(f"cache{what}InputTokens")) for what in ("Read", "Write")
    )
    prompt_tokens = as_count(counts.get("inputTokens")) + cached + written
    written_tokens = as_count(counts.get("outputTokens"))
    return Usage(
        input_tokens=prompt_tokens,
        output_tokens=written_tokens,
        total_tokens=max(prompt_tokens + written_tokens, as_count(counts.get("totalTokens"))),
        cached_tokens=cached,
        cache_write_tokens=written,
    )


def normalize_response(
    payload: object, request: ChatRequest | None = None, /
) -> Result[NormalizedResponse, WebError]:
    """Return the answer in any JSON, or a typed failure; the model is named by the request."""
    refused = validate_response(payload)
    if refused is not None:
        return Failure(refused)
    body = as_mapping(payload)
    items = as_objects(as_mapping(as_mapping(body["output"])["message"])["content"])
    blocks = [block for item in items if (block := to_messages(item)) is not None]
    finish = map_finish_reason(body.get("stopReason"))
    calls, answers = read_calls(blocks, request)
    content = "\n".join((*filter(None, [join_text_blocks(blocks)]), *answers))
    if finish in ("stop", "tool_calls"):
        finish = "tool_calls" if calls else "stop"
    return Success(
        NormalizedResponse(
            content=content or None,
            finish_reason=finish,
            tool_calls=calls,
            reasoning=read_thoughts(blocks),
            usage=read_usage(body.get("usage")),
            cache=cache_stats(body),
            model=None if request is None else request.model,
            provider_data=_kept(body, items, blocks),
        )
    )


def _kept(
    body: Mapping[str, object],
    items: Sequence[Mapping[str, object]],
    blocks: Sequence[Mapping[str, object]],
) -> Mapping[str, object] | None:
    """Return what a replay needs, and what guardrails and models say beside the answer."""
    extras: dict[str, object] = {}
    thoughts = [block for block in blocks if block["type"] in THOUGHTS]
    if thoughts:
        extras["reasoning_details"] = thoughts
    if any(not set(item) <= _PLAIN for item in items):
        extras[BLOCKS] = [dict(item) for item in items]
    extras.update({name: body[name] for name in _KEPT if body.get(name)})
    return extras or None
