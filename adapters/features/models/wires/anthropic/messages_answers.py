"""Answers of the Messages API: blocks of text, thoughts and calls, and the stop reason.

https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

from returns.result import Failure

from webseam.adapters.values.json_values import as_count, as_list, as_mapping, as_objects, text
from webseam.ports.errors import BadPayload, WebError
from webseam.ports.models import ChatRequest, FinishReason, NormalizedResponse
from webseam.ports.receipts import CacheStats, Usage

from ...claude.claude_tool_calls import read_claude_thoughts, read_claude_tool_calls
from ...claude.content_blocks import (
    THINKING_TYPES,
    claude_block,
    claude_caller,
    join_claude_text,
    unread_block_fields,
)
from ...claude.thinking_blocks import CONTENT_BLOCKS_FIELD
from ...declaration.wire import AnswerResult
from ...refusal_errors import embedded_refusal
from ...usage import token_cache_stats
from ..unread_answers import refuse_empty_answer
from ..unread_fields import find_unread_fields, keep_unread_fields, known, says_something

_FINISH_REASONS: dict[str, FinishReason] = {
    "tool_use": "tool_calls", "max_tokens": "length", "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}  # fmt: skip
# Stop reasons with which an empty answer is valid.
_EMPTY_STOP_REASONS = frozenset({"end_turn", "stop_sequence", *_FINISH_REASONS} - {"tool_use"})
PAUSED_STOP_REASON = "pause_turn"
# The field that marks the turn of a paused answer in the request that continues it.
PAUSED_MARK = "_paused"
# The answer goes on, though it is empty so far.
_UNFINISHED_STOP_REASONS = (PAUSED_STOP_REASON, "compaction")
# Bedrock's InvokeModel reports its guardrail in this field.
_GUARDRAIL_FIELD = "amazon-bedrock-guardrailAction"
# Stop reasons that the finish reason tells.
_TOLD_STOP_REASONS = ("", "end_turn", *_FINISH_REASONS)
# Blocks that the fields of an answer cover; other types are stored for a replay.
_PLAIN_BLOCK_TYPES = frozenset({"text", "tool_use"})
# Blocks that are an answer without words; the results of the API's own tools are such, too.
_ANSWERING_BLOCK_TYPES = frozenset({"compaction", "container_upload", "document", "image"})
_READ_COUNTS = known(
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "server_tool_use",
    output_tokens_details=known("thinking_tokens"),
)
_KNOWN_BODY = known(
    "id",
    "type",
    "role",
    "model",
    "content",
    "stop_reason",
    "stop_sequence",
    "stop_details",
    "usage",
    "container",
    "error",
    _GUARDRAIL_FIELD,
)


def paused_blocks(request: ChatRequest | None) -> list[Mapping[str, object]]:
    """Return the blocks of the paused answer that a request continues."""
    last = request.messages[-1] if request is not None and request.messages else {}
    return as_objects(last.get("content")) if PAUSED_MARK in last else []


def map_finish_reason(raw: object) -> FinishReason:
    """Return one of four reasons for a ``stop_reason``; an unknown one is ``stop``.

    ``pause_turn`` and ``compaction`` are ``stop`` too; ``provider_data`` keeps them.
    """
    return _FINISH_REASONS.get(raw, "stop") if isinstance(raw, str) else "stop"


def validate_response(payload: object) -> WebError | None:
    """Return the error if ``payload`` is not an answer, else None."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    if payload.get("type") == "error" or (payload.get("error") and "content" not in payload):
        return embedded_refusal(payload.get("error") or payload)
    if not isinstance(payload.get("content"), list):
        return BadPayload(problem="shape", path="$.content")
    if as_objects(payload["content"]) or text(payload.get("stop_reason")) in _EMPTY_STOP_REASONS:
        return None
    return BadPayload(problem="shape", path="$.content", detail="it is empty")


def cache_stats(payload: object) -> CacheStats | None:
    """Return the tokens read from and written to the cache, or None."""
    return token_cache_stats(read_anthropic_usage(as_mapping(payload).get("usage")))


def read_anthropic_usage(counts: object) -> Usage | None:
    """Return the token counts; ``input_tokens`` of this API excludes cache reads and writes."""
    if not isinstance(counts, Mapping) or not counts:
        return None
    cached = _billed_tokens(counts, "cache_read_input_tokens")
    written = _billed_tokens(counts, "cache_creation_input_tokens")
    prompt_tokens = _billed_tokens(counts, "input_tokens") + cached + written
    written_tokens = _billed_tokens(counts, "output_tokens")
    details = as_mapping(counts.get("output_tokens_details"))
    return Usage(
        input_tokens=prompt_tokens,
        output_tokens=written_tokens,
        total_tokens=prompt_tokens + written_tokens,
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=as_count(details.get("thinking_tokens")),
    )


def _billed_tokens(counts: Mapping[str, object], name: str) -> int:
    """Return a count, summed over the iterations: only they include compactions and advisors.

    An attempt that a model declined before it wrote anything is not billed.
    https://platform.claude.com/docs/en/build-with-claude/compaction-threshold (2026-11-18)
    """
    iterations = [
        item
        for item in as_objects(counts.get("iterations"))
        if name in item and item.get("output_tokens") != 0
    ]
    return sum(as_count(item[name]) for item in iterations or [counts] if name in item)


def normalize_response(payload: object, request: ChatRequest | None = None, /) -> AnswerResult:
    """Return the answer in any JSON, or a typed failure."""
    error = validate_response(payload)
    if error is not None:
        return Failure(error)
    body = as_mapping(payload)
    blocks = as_objects(body["content"])
    usage = read_anthropic_usage(body.get("usage"))
    is_blocked = body.get(_GUARDRAIL_FIELD) == "INTERVENED"
    finish = "content_filter" if is_blocked else map_finish_reason(body.get("stop_reason"))
    calls, answers = read_claude_tool_calls(blocks, request)
    content = "\n".join((*filter(None, [join_claude_text(blocks)]), *answers))
    if finish == "content_filter" and body.get("stop_reason") == "refusal":
        # Text before the refusal must not be used.
        content, calls = text(as_mapping(body.get("stop_details")).get("explanation")), ()
    if finish in ("stop", "tool_calls"):
        finish = "tool_calls" if calls else "stop"
    response = NormalizedResponse(
        content=content or None,
        finish_reason=finish,
        tool_calls=calls,
        reasoning=read_claude_thoughts(blocks),
        usage=usage,
        cache=token_cache_stats(usage),
        id=text(body.get("id")) or None,
        model=text(body.get("model")) or None,
        provider_data=_provider_data(body, blocks),
    )
    is_paused = body.get("stop_reason") in _UNFINISHED_STOP_REASONS
    is_kept = is_paused or any(map(_is_answer_block, blocks))
    return refuse_empty_answer(response, "$.content", is_kept=is_kept)


def _is_answer_block(block: Mapping[str, object]) -> bool:
    kind = text(block.get("type"))
    return kind in _ANSWERING_BLOCK_TYPES or kind.endswith("_tool_result")


def _provider_data(
    body: Mapping[str, object], blocks: Sequence[Mapping[str, object]]
) -> Mapping[str, object] | None:
    """Return data for a replay: signed thoughts, and blocks that no field covers."""
    extras: dict[str, object] = {}
    thoughts = [claude_block(part) for part in blocks if text(part.get("type")) in THINKING_TYPES]
    if any(thoughts):
        extras["reasoning_details"] = [thought for thought in thoughts if thought]
    if any(
        text(block.get("type")) not in _PLAIN_BLOCK_TYPES
        or block.get("citations")
        or claude_caller(block)
        for block in blocks
    ):
        extras[CONTENT_BLOCKS_FIELD] = list(_replay_blocks(blocks))
    if body.get("stop_details"):
        extras["stop_details"] = body["stop_details"]
    if text(body.get("stop_reason")) not in _TOLD_STOP_REASONS:
        extras["stop_reason"] = body["stop_reason"]
    # The API refuses the next turn of a container's code without the container.
    names = ("stop_sequence", "container")
    extras.update({name: body[name] for name in names if body.get(name)})
    usage = as_mapping(body.get("usage"))
    unread_counts: dict[str, object] = {}
    find_unread_fields(usage, _READ_COUNTS, "$.usage", unread_counts)
    if unread_counts:
        extras["usage"] = usage
    if any(as_count(value) for value in as_mapping(usage.get("server_tool_use")).values()):
        extras["server_tool_use"] = usage["server_tool_use"]
    extras.update(keep_unread_fields(_unread_fields(body)))
    return extras or None


def _unread_fields(body: Mapping[str, object]) -> dict[str, object]:
    unread: dict[str, object] = {}
    find_unread_fields(body, _KNOWN_BODY, "$", unread)
    for index, block in enumerate(as_list(body["content"])):
        path = f"$.content[{index}]"
        if isinstance(block, Mapping):
            unread.update(unread_block_fields(block, path))
        elif says_something(block):
            unread[path] = block
    return unread


def _replay_blocks(blocks: Sequence[Mapping[str, object]]) -> Iterator[Mapping[str, object]]:
    for block in blocks:
        if block.get("type") == "tool_use":
            caller = {"caller": block["caller"]} if claude_caller(block) else {}
            yield {name: block.get(name) for name in ("type", "id", "name", "input")} | caller
        elif (replayed := claude_block(block)) is not None:
            yield replayed
