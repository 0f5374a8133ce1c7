"""Conversion between a model's answer and the chat completion that Hermes callbacks expect.

They read ``choices[0].message.content`` and ``usage.prompt_tokens``.
"""

from types import SimpleNamespace
from typing import get_args

import msgspec

from webseam.kernel.boundary import attempt_call
from webseam.ports.models import FinishReason, NormalizedResponse, ToolCall
from webseam.ports.receipts import Usage


def chat_completion_view(response: NormalizedResponse) -> SimpleNamespace:
    """Return the answer as a chat completion, with our response in ``normalized``."""
    message = SimpleNamespace(
        role="assistant",
        content=response.content,
        tool_calls=[_tool_call_view(call) for call in response.tool_calls] or None,
        reasoning=response.reasoning,
        reasoning_content=response.reasoning_content,
    )
    choice = SimpleNamespace(index=0, message=message, finish_reason=response.finish_reason)
    return SimpleNamespace(
        id=response.id, object="chat.completion", model=response.model, choices=[choice],
        usage=_token_usage_view(response.usage), finish_reason=response.finish_reason,
        normalized=response,
    )  # fmt: skip


def read_completion_view(value: object) -> NormalizedResponse | None:
    """Return the answer that a callback returned: ours, a chat completion, or None for neither."""
    if isinstance(value, NormalizedResponse):
        rebuilt = attempt_call(
            lambda: msgspec.convert(msgspec.to_builtins(value), NormalizedResponse)
        )
        return rebuilt.value_or(None)
    return attempt_call(lambda: _read_chat_completion(value)).value_or(None)


def _read_chat_completion(value: object) -> NormalizedResponse | None:
    choices = _completion_field(value, "choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if (message := _completion_field(first, "message")) is None:
        return None
    content = _completion_field(message, "content")
    calls = _completion_field(message, "tool_calls")
    tool_calls = tuple(map(_read_tool_call, calls)) if isinstance(calls, list) else ()
    reason = _completion_field(first, "finish_reason")
    default_reason = "tool_calls" if tool_calls else "stop"
    fields = {
        "content": content if isinstance(content, str) else None,
        "finish_reason": reason if reason in get_args(FinishReason) else default_reason,
        "tool_calls": tool_calls,
    }
    if isinstance(original := _completion_field(value, "normalized"), NormalizedResponse):
        return msgspec.structs.replace(original, **fields)
    return NormalizedResponse(
        **fields,  # type: ignore[arg-type]  # as they were read just above
        id=_text_or_none(_completion_field(value, "id")),
        model=_text_or_none(_completion_field(value, "model")),
        usage=_read_token_usage(_completion_field(value, "usage")),
    )


def _tool_call_view(call: ToolCall) -> SimpleNamespace:
    function = SimpleNamespace(name=call.name, arguments=call.arguments)
    return SimpleNamespace(id=call.id, type="function", function=function, original=call)


def _read_tool_call(call: object) -> ToolCall:
    function = _completion_field(call, "function")
    name, arguments = (str(_completion_field(function, key)) for key in ("name", "arguments"))
    if isinstance(original := _completion_field(call, "original"), ToolCall):
        return msgspec.structs.replace(original, name=name, arguments=arguments)
    return ToolCall(id=str(_completion_field(call, "id") or ""), name=name, arguments=arguments)


def _token_usage_view(usage: Usage | None) -> SimpleNamespace | None:
    if usage is None:
        return None
    prompt, answer = usage.input_tokens, usage.output_tokens
    fields = msgspec.structs.asdict(usage)
    return SimpleNamespace(prompt_tokens=prompt, completion_tokens=answer, **fields)


def _read_token_usage(usage: object) -> Usage | None:
    counts = [_completion_field(usage, name) for name in ("prompt_tokens", "completion_tokens")]
    if not all(type(count) is int for count in counts):
        return None
    prompt, answer = (int(str(count)) for count in counts)
    return Usage(input_tokens=prompt, output_tokens=answer, total_tokens=prompt + answer)


def _completion_field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
