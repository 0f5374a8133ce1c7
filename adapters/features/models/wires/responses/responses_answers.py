"""Answers of the Responses API: messages, calls and reasoning among many types of items.

https://platform.openai.com/docs/api-reference/responses/object (2026-11-15)
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
)
from webseam.ports.errors import BadPayload, ModelFailed, WebError
from webseam.ports.models import ChatRequest, FinishReason, NormalizedResponse, ToolCall
from webseam.ports.receipts import CacheStats, Usage

from ...declaration.wire import AnswerResult
from ...messages.tool_calls import CUSTOM_TOOL
from ...refusal_errors import embedded_refusal
from ...usage import reported_cost, token_cache_stats
from ..unread_answers import refuse_empty_answer
from ..unread_fields import find_unread_fields, keep_unread_fields, known
from . import replay

PENDING_STATUSES = ("queued", "in_progress")
_CUSTOM_CALL_TYPE = "custom_tool_call"
_FINISH_REASONS: dict[str, FinishReason] = {
    "incomplete": "length",
    "content_filter": "content_filter",
}
# Statuses that the finish reason tells.
_TOLD_STATUSES = ("", "completed", "incomplete")
_KEPT_BODY_FIELDS = ("output", "citations", "usage", "service_tier", "conversation")
# Left out on purpose: the names of types, the server's clock, and the request once more.
_LEFT_OUT_BODY_FIELDS = (
    "object", "created_at", "completed_at", "background", "frequency_penalty", "instructions",
    "max_output_tokens", "max_tool_calls", "metadata", "parallel_tool_calls", "presence_penalty",
    "previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_retention", "reasoning",
    "safety_identifier", "store", "temperature", "text", "tool_choice", "tools", "top_logprobs",
    "top_p", "truncation", "user",
)  # fmt: skip
_KNOWN_BODY = known(
    "id",
    "model",
    "status",
    "error",
    "incomplete_details",
    "output_text",
    *_KEPT_BODY_FIELDS,
    *_LEFT_OUT_BODY_FIELDS,
)
# Items that are an answer without words: media, sources, and what waits for the caller.
_ANSWERING_ITEM_TYPES = frozenset({
    "apply_patch_call", "code_interpreter_call", "compaction", "computer_call",
    "fetch_url_results", "file_search_call", "image_generation_call", "local_shell_call",
    "mcp_approval_request", "search_results", "shell_call", "tool_search_call",
})  # fmt: skip
# Grok sometimes puts its answer after this mark, at the end of its thoughts.
_GROK_MARK = "<response>"


def read_calls(
    output: Sequence[Mapping[str, object]],
    request: ChatRequest | None,
    *,
    is_truncated: bool = False,
) -> Iterator[ToolCall]:
    """Yield the calls that the caller has to answer.

    An unfinished call counts only in a complete answer, because some servers never update a
    call's status; with ``is_truncated`` it is skipped.
    """
    declared_tools = declared_tool_names(request)
    last_text_index = max(
        (index for index, item in enumerate(output) if _has_text(item)), default=-1
    )
    for index, item in enumerate(output):
        name = callers_function_name(text(item.get("name")), declared_tools)
        is_callers = is_callers_call(item, name, request) or (
            index > last_text_index and is_open_call(item, name)
        )
        status = item.get("status")
        if (
            is_callers
            and status != "incomplete"
            and not (is_truncated and status in PENDING_STATUSES)
        ):
            yield _call_from_item(item, name, index)


def is_open_call(item: Mapping[str, object], name: str) -> bool:
    """Tell whether an item looks like a call that needs a result.

    At the end of an answer, without text after it, it is the caller's even if the tool was not
    declared by name: it may come from a namespace, a stored prompt or a tool search.
    """
    kind = item.get("type")
    return bool(name) and (
        kind == "function_call" or (kind == _CUSTOM_CALL_TYPE and bool(text(item.get("call_id"))))
    )


def _has_text(item: Mapping[str, object]) -> bool:
    return item.get("type", "message") == "message" and bool(
        replay.message_text(item) or replay.refusal_text([item])
    )


def is_callers_call(item: Mapping[str, object], name: str, request: ChatRequest | None) -> bool:
    """Tell whether an item is a call for the caller, not one of the provider's own tools.

    A custom call counts if its tool was declared. A function call counts if the caller declared any
    function: the caller can reject a name that the model invented.
    """
    declared = declared_tool_names(request)
    if item.get("type") == _CUSTOM_CALL_TYPE:
        return name in declared
    return (
        bool(name) and item.get("type") == "function_call" and (request is None or bool(declared))
    )


def declared_tool_names(request: ChatRequest | None) -> frozenset[str]:
    """Return the names of the functions that a request declares."""
    tools = () if request is None else request.tools
    names = (text(as_mapping(tool.get("function", tool)).get("name")) for tool in tools)
    return frozenset(name for name in names if name)


def callers_function_name(name: str, declared: frozenset[str]) -> str:
    """Return the caller's name of a function, without the prefix for the wire."""
    unprefixed = name.removeprefix(replay.RENAMED_PREFIX)
    return unprefixed if name not in declared and unprefixed in declared else name


def item_call_id(item: Mapping[str, object]) -> str:
    """Return the id of a call item; blank if it has none."""
    return text(item.get("call_id")) or replay.fc_to_call_id(text(item.get("id")))


def _call_from_item(item: Mapping[str, object], name: str, index: int) -> ToolCall:
    if item.get("type") == _CUSTOM_CALL_TYPE:
        free_text = text(item.get("input"))
        item_id = item_call_id(item) or stable_id(name, free_text, index)
        provider_data = {"type": CUSTOM_TOOL, **replay.correlation_fields(item)}
        return ToolCall(id=item_id, name=name, arguments=free_text, provider_data=provider_data)
    arguments = replay.call_arguments(item.get("arguments", item.get("input"))).strip() or "{}"
    return ToolCall(
        id=item_call_id(item) or stable_id(name, arguments, index),
        name=name,
        arguments=arguments,
        provider_data=replay.correlation_fields(item) or None,
    )


def map_finish_reason(raw: object) -> FinishReason:
    """Return the finish reason for a status, or for the reason of an incomplete answer."""
    if not isinstance(raw, str) or raw == "completed":
        return "stop"
    return _FINISH_REASONS.get(raw, "length" if raw.startswith("max_") else "stop")


def validate_response(payload: object) -> WebError | None:
    """Return the error if ``payload`` is not an answer, else None."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    status = text(payload.get("status"))
    if payload.get("error"):
        return embedded_refusal({"error": payload["error"]})
    if status in ("failed", "cancelled"):
        return ModelFailed(code=status)
    if status in PENDING_STATUSES:
        return BadPayload(problem="shape", path="$.status", detail=f"the answer is {status}")
    has_output = bool(as_list(payload.get("output"))) or bool(text(payload.get("output_text")))
    if has_output or (status == "incomplete" and isinstance(payload.get("output"), list)):
        return None
    return BadPayload(problem="shape", path="$.output")


def cache_stats(payload: object) -> CacheStats | None:
    """Return the tokens read from and written to the cache, or None."""
    return token_cache_stats(_usage(as_mapping(payload).get("usage")))


def normalize_response(payload: object, request: ChatRequest | None = None, /) -> AnswerResult:
    """Return the answer in any JSON, or a typed failure."""
    error = validate_response(payload)
    if error is not None:
        return Failure(error)
    body = as_mapping(payload)
    output = as_objects(body.get("output"))
    calls = tuple(read_calls(output, request, is_truncated=body.get("status") == "incomplete"))
    content, reasoning = _text_and_thoughts(output)
    content = content or text(body.get("output_text"))
    if not content and not calls:
        content = reasoning.rpartition(_GROK_MARK)[2] if _GROK_MARK in reasoning else ""
        content = content.replace("</response>", "").strip()
    usage = _usage(body.get("usage"))
    refusal = "" if content else replay.refusal_text(replay.message_items(output))
    response = NormalizedResponse(
        content=content or refusal or None,
        finish_reason=_finish_reason(body, calls, refusal),
        tool_calls=calls,
        reasoning=reasoning or None,
        usage=usage,
        cache=token_cache_stats(usage),
        id=text(body.get("id")) or None,
        model=text(body.get("model")) or None,
        provider_data=_provider_data(body, output),
    )
    is_kept = bool(body.get("citations")) or any(map(_is_answer_item, output))
    return refuse_empty_answer(response, "$.output", is_kept=is_kept)


def _is_answer_item(item: Mapping[str, object]) -> bool:
    if item.get("type") == "web_search_call":
        return bool(item.get("results") or as_mapping(item.get("action")).get("sources"))
    return text(item.get("type")) in _ANSWERING_ITEM_TYPES


def _text_and_thoughts(output: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    """Return the answer, and thoughts and commentary in their order.

    Without an answer the commentary is the answer, and no thought.
    """
    messages = replay.message_items(output)
    content, commentary = replay.answer_and_commentary(messages)
    thoughts: list[str] = []
    for item in output:
        if item.get("type") == "reasoning":
            parts = (*as_objects(item.get("summary")), *as_objects(item.get("content")))
            thoughts += (text(part.get("text")) for part in parts)
        elif commentary and replay.is_commentary(item) and item.get("type", "message") == "message":
            thoughts.append(replay.message_text(item))
    return content, "\n\n".join(thought for thought in thoughts if thought)


def _finish_reason(
    body: Mapping[str, object], calls: tuple[ToolCall, ...], refusal: str
) -> FinishReason:
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
    input_details = as_mapping(usage.get("input_tokens_details"))
    output_details = as_mapping(usage.get("output_tokens_details"))
    input_tokens = as_count(usage.get("input_tokens"))
    output_tokens = as_count(usage.get("output_tokens"))
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=as_count(usage.get("total_tokens")) or input_tokens + output_tokens,
        cached_tokens=as_count(input_details.get("cached_tokens")),
        cache_write_tokens=as_count(input_details.get("cache_write_tokens"))
        or as_count(input_details.get("cache_creation_input_tokens")),
        reasoning_tokens=as_count(output_details.get("reasoning_tokens")),
        cost=reported_cost(usage),
    )


def _provider_data(
    body: Mapping[str, object], output: Sequence[Mapping[str, object]]
) -> Mapping[str, object] | None:
    extras = {name: body[name] for name in _KEPT_BODY_FIELDS if body.get(name)}
    encrypted_items = [
        item for item in output if item.get("type") == "reasoning" and item.get("encrypted_content")
    ]
    if encrypted_items:
        extras["reasoning_items"] = encrypted_items
    if text(body.get("status")) not in _TOLD_STATUSES:
        extras["status"] = body["status"]
    if body.get("incomplete_details"):
        extras["incomplete_details"] = body["incomplete_details"]
    unread: dict[str, object] = {}
    find_unread_fields(body, _KNOWN_BODY, "$", unread)
    extras.update(keep_unread_fields(unread))
    return extras or None
