"""Answers of the Responses API: items of many kinds, of which a few are the answer.

https://platform.openai.com/docs/api-reference/responses/object (2026-11-15)
"""

from collections.abc import Iterator, Mapping, Sequence

from returns.result import Failure, Result, Success

from .....ports.errors import BadPayload, ModelFailed, WebError
from .....ports.models.chat import ChatRequest, FinishReason, NormalizedResponse, ToolCall
from .....ports.receipts import CacheStats, Usage
from ....values.json_values import (
    as_count,
    as_list,
    as_mapping,
    as_objects,
    steady_id,
    text,
    write_json,
)
from ...messages.tool_calls import CUSTOM_TOOL
from ...refusals.errors import embedded_error
from ...usage import cache_usage, reported_cost
from .replay import (
    RENAMED,
    correlation_fields,
    message_items,
    message_text,
    message_texts,
    refusal_text,
)

_UNFINISHED = ("queued", "in_progress")
_FREE = "custom_tool_call"


def read_calls(
    output: Sequence[Mapping[str, object]], request: ChatRequest | None, *, cut: bool = False
) -> Iterator[ToolCall]:
    """Yield the calls that are for the caller.

    In an answer that was ``cut`` off, a call that is not finished is none. In one that is complete
    it is: some servers never change the status that a call began with.
    """
    declared = declared_names(request)
    spoken = max((at for at, item in enumerate(output) if _speaks(item)), default=-1)
    for place, item in enumerate(output):
        name = caller_name(text(item.get("name")), declared)
        ours = is_caller_call(item, name, request) or (place > spoken and awaits_result(item, name))
        status = item.get("status")
        if ours and status != "incomplete" and not (cut and status in _UNFINISHED):
            yield _call(item, name, place)


def awaits_result(item: Mapping[str, object], name: str) -> bool:
    """Tell whether an item looks like a call that somebody has to answer.

    At the end of an answer, with nothing said after it, it is the caller's even if the tool was not
    listed by name: it may come from a namespace, a stored prompt or a search for tools.
    """
    kind = item.get("type")
    return bool(name) and (
        kind == "function_call" or (kind == _FREE and bool(text(item.get("call_id"))))
    )


def _speaks(item: Mapping[str, object]) -> bool:
    return item.get("type", "message") == "message" and bool(
        message_text(item) or refusal_text([item])
    )


def is_caller_call(item: Mapping[str, object], name: str, request: ChatRequest | None) -> bool:
    """Tell whether an item is a call for the caller: providers show their own tools' calls too.

    A custom call is, if it was declared. A function's call is, unless the caller has none: a name
    that was made up is still the model's wish, and the caller may tell it so.
    """
    declared = declared_names(request)
    if item.get("type") == _FREE:
        return name in declared
    return (
        bool(name) and item.get("type") == "function_call" and (request is None or bool(declared))
    )


def declared_names(request: ChatRequest | None) -> frozenset[str]:
    """Return the names of the functions that a request declares."""
    tools = () if request is None else request.tools
    names = (text(as_mapping(tool.get("function", tool)).get("name")) for tool in tools)
    return frozenset(name for name in names if name)


def caller_name(name: str, declared: frozenset[str]) -> str:
    """Return the name that the caller knows: the one before it was renamed for the wire."""
    bare = name.removeprefix(RENAMED)
    return bare if name not in declared and bare in declared else name


def item_call_id(item: Mapping[str, object]) -> str:
    """Return the id of a call item; blank if it has none."""
    identity = text(item.get("id"))
    bare = "call_" + identity.removeprefix("fc_") if identity.startswith("fc_") else identity
    return text(item.get("call_id")) or bare


def _call(item: Mapping[str, object], name: str, place: int) -> ToolCall:
    if item.get("type") == _FREE:
        words = text(item.get("input"))
        own = item_call_id(item) or steady_id(name, words, place)
        held = {"type": CUSTOM_TOOL, **correlation_fields(item)}
        return ToolCall(id=own, name=name, arguments=words, provider_data=held)
    written = item.get("arguments", item.get("input"))
    arguments = (
        write_json(written) if isinstance(written, Mapping) else text(written).strip() or "{}"
    )
    return ToolCall(
        id=item_call_id(item) or steady_id(name, arguments, place),
        name=name,
        arguments=arguments,
        provider_data=correlation_fields(item) or None,
    )


# Answers of the Responses API: items of many kinds, of which a few are the answer.

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
