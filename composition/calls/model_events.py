"""What observers hear of a model call, in the shapes in which Hermes tells it."""

from collections.abc import Mapping

import msgspec

from ...kernel.middleware.hooks import observable_value
from ...kernel.planner.health.retry import MODEL_RETRIES
from ...kernel.text.trim import estimate_tokens
from ...ports.errors import WebError
from ...ports.models.chat import NormalizedResponse
from ...ports.receipts import Usage
from .model_views import response_view


def request_event(request: Mapping[str, object]) -> dict[str, object]:
    """Return what is known when a request is about to be sent."""
    messages = _messages(request)
    tools = request.get("tools")
    text = msgspec.json.encode(messages, enc_hook=str).decode()
    shown_messages = observable_value(messages)
    return {
        "request": {"method": "POST", "body": observable_value(request)},
        "request_messages": shown_messages,
        "conversation_history": shown_messages,
        "user_message": observable_value(_last_of_user(messages)),
        "message_count": len(messages),
        "tool_count": len(tools) if isinstance(tools, list) else 0,
        "approx_input_tokens": estimate_tokens(text),
        "request_char_count": len(text),
        "max_tokens": _cap(request),
    }


def response_event(
    response: NormalizedResponse, request: Mapping[str, object]
) -> dict[str, object]:
    """Return what is known when there is an answer to ``request``."""
    usage = None if response.usage is None else _usage(response.usage)
    message = response_view(response).choices[0].message
    calls = [msgspec.to_builtins(call, enc_hook=str) for call in response.tool_calls]
    turn = {"role": "assistant", "content": response.content, "tool_calls": calls}
    return {
        "finish_reason": response.finish_reason,
        "message_count": len(_messages(request)),
        "response_model": response.model,
        "usage": usage,
        "response": {
            "model": response.model,
            "finish_reason": response.finish_reason,
            "assistant_message": observable_value(turn),
            "usage": usage,
        },
        "assistant_message": message,
        "assistant_content_chars": len(response.content or ""),
        "assistant_tool_call_count": len(response.tool_calls),
    }


def error_event(error: WebError, retries: int) -> dict[str, object]:
    """Return what is known when this attempt failed; ``retries`` counts those before it."""
    return {
        "status_code": getattr(error, "status", None),
        "retry_count": retries,
        "max_retries": MODEL_RETRIES.attempts - 1,
        "retryable": error.retryable,
        "reason": error.kind,
        "error": {"type": error.kind, "message": error.message},
    }


def _cap(request: Mapping[str, object]) -> object:
    """Return how long the answer may be, under any of the names that APIs have for it."""
    names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
    return next((request[name] for name in names if request.get(name) is not None), None)


def _messages(request: Mapping[str, object]) -> list[object]:
    """Return the conversation, under the name that the provider's API has for it."""
    named = (request.get(name) for name in ("messages", "input", "contents"))
    first = next((value for value in named if value is not None), None)
    if isinstance(first, str):
        return [{"role": "user", "content": first}]
    return first if isinstance(first, list) else []


def _last_of_user(messages: list[object]) -> object:
    user_messages = [
        each for each in messages if isinstance(each, dict) and each.get("role") == "user"
    ]
    return user_messages[-1].get("content") if user_messages else ""


def _usage(usage: Usage) -> dict[str, object]:
    """Return the tokens as Hermes counts them: what went through a cache stands apart."""
    cached = usage.cached_tokens + usage.cache_write_tokens
    return {
        "input_tokens": max(0, usage.input_tokens - cached),
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cached_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "request_count": 1,
        "prompt_tokens": usage.input_tokens,
        "total_tokens": usage.total_tokens,
        "cost": usage.cost,
    }
