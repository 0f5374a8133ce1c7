"""A model's answer as callbacks written for Hermes know one, and what they made of it.

They know the shape of a chat completion: ``choices[0].message.content``, ``usage.prompt_tokens``.
"""

from types import SimpleNamespace

import msgspec

from ...kernel.boundary import attempt_call
from ...ports.models import FinishReason, NormalizedResponse, ToolCall
from ...ports.receipts import Usage

_FINISHES: dict[object, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


def response_view(response: NormalizedResponse) -> SimpleNamespace:
    """Return the answer with a chat completion's names, and ours beside them."""
    message = SimpleNamespace(
        role="assistant",
        content=response.content,
        tool_calls=[_call_view(call) for call in response.tool_calls] or None,
        reasoning=response.reasoning,
        reasoning_content=response.reasoning_content,
    )
    choice = SimpleNamespace(index=0, message=message, finish_reason=response.finish_reason)
    return SimpleNamespace(
        id=response.id,
        object="chat.completion",
        model=response.model,
        choices=[choice],
        usage=_usage_view(response.usage),
        finish_reason=response.finish_reason,
        normalized=response,
    )


def response_from_view(value: object) -> NormalizedResponse | None:
    """Return the answer that a callback returned: ours, a chat completion, or None for neither."""
    if isinstance(value, NormalizedResponse):
        rebuilt = attempt_call(
            lambda: msgspec.convert(msgspec.to_builtins(value), NormalizedResponse)
        )
        return rebuilt.value_or(None)
    return attempt_call(lambda: _read(value)).value_or(None)


def _read(value: object) -> NormalizedResponse | None:
    choices = _part(value, "choices")
    message = _part(choices[0], "message") if isinstance(choices, list) and choices else None
    if message is None:
        return None
    content = _part(message, "content")
    calls = _part(message, "tool_calls")
    tool_calls = tuple(_call_in(call) for call in calls) if isinstance(calls, list) else ()
    reason = _part(choices[0], "finish_reason")  # type: ignore[index]
    finish = _FINISHES.get(reason, "tool_calls" if tool_calls else "stop")
    fields = {
        "content": content if isinstance(content, str) else None,
        "finish_reason": finish,
        "tool_calls": tool_calls,
    }
    known = _part(value, "normalized")
    if isinstance(known, NormalizedResponse):
        return msgspec.structs.replace(known, **fields)
    return NormalizedResponse(
        **fields,  # type: ignore[arg-type]  # as they were read just above
        id=_text(_part(value, "id")),
        model=_text(_part(value, "model")),
        usage=_usage_in(_part(value, "usage")),
    )


def _call_view(call: ToolCall) -> SimpleNamespace:
    function = SimpleNamespace(name=call.name, arguments=call.arguments)
    return SimpleNamespace(id=call.id, type="function", function=function, original=call)


def _call_in(call: object) -> ToolCall:
    function = _part(call, "function")
    name, arguments = str(_part(function, "name")), str(_part(function, "arguments"))
    known = _part(call, "original")
    if isinstance(known, ToolCall):
        return msgspec.structs.replace(known, name=name, arguments=arguments)
    return ToolCall(id=str(_part(call, "id") or ""), name=name, arguments=arguments)


def _usage_view(usage: Usage | None) -> SimpleNamespace | None:
    if usage is None:
        return None
    named = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        **msgspec.structs.asdict(usage),
    }
    return SimpleNamespace(**named)


def _usage_in(usage: object) -> Usage | None:
    counts = [_part(usage, name) for name in ("prompt_tokens", "completion_tokens")]
    if not all(type(count) is int for count in counts):
        return None
    numbers, written = (int(str(count)) for count in counts)
    return Usage(input_tokens=numbers, output_tokens=written, total_tokens=numbers + written)


def _part(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
