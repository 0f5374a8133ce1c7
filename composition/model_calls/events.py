"""What observers hear of a model call."""

from collections.abc import Mapping

import msgspec

from ...kernel.observed import observed
from ...kernel.trim import estimate_tokens
from ...ports.errors import WebError
from ...ports.models import NormalizedResponse


def before(request: Mapping[str, object]) -> dict[str, object]:
    """Return what is known when a request is about to be sent."""
    messages = request.get("messages")
    listed = messages if isinstance(messages, list) else []
    tools = request.get("tools")
    text = msgspec.json.encode(listed, enc_hook=str).decode()
    return {
        "request": {"body": observed(request)},
        "request_messages": observed(listed),
        "message_count": len(listed),
        "tool_count": len(tools) if isinstance(tools, list) else 0,
        "approx_input_tokens": estimate_tokens(text),
        "request_char_count": len(text),
        "max_tokens": request.get("max_tokens"),
    }


def after(response: NormalizedResponse) -> dict[str, object]:
    """Return what is known when there is an answer."""
    usage = None if response.usage is None else msgspec.structs.asdict(response.usage)
    return {
        "finish_reason": response.finish_reason,
        "response_model": response.model,
        "usage": usage,
        "response": observed(msgspec.to_builtins(response, enc_hook=str)),
        "assistant_message": observed({"role": "assistant", "content": response.content}),
        "assistant_content_chars": len(response.content or ""),
        "assistant_tool_call_count": len(response.tool_calls),
    }


def error_event(error: WebError) -> dict[str, object]:
    """Return what is known when there is none."""
    return {
        "status_code": getattr(error, "status", None),
        "retryable": error.retryable,
        "reason": error.kind,
        "error": {"type": error.kind, "message": error.message},
    }
