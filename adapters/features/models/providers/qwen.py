"""Qwen's portal: content is always in parts, and the first system message has a cache mark."""

from collections.abc import Mapping, Sequence

from webseam.ports.models import ChatRequest, Effort, Message

from ..declaration.provider import Changes, FieldRules, Login, Provider

_THINKING_TOKENS = 32768
_EFFORT_TOKENS: Mapping[Effort, int] = {"minimal": 1024, "low": 4096, "medium": 16384}
_CACHE_MARK = {"cache_control": {"type": "ephemeral"}}


def text_to_parts(messages: Sequence[Message], _model: str) -> Sequence[Message]:
    """Return the messages with text as parts, and a cache mark on the first system message."""
    converted = [_message_to_parts(message) for message in messages]
    first_system = next(
        (index for index, message in enumerate(converted) if message.get("role") == "system"), None
    )
    if first_system is not None:
        converted[first_system] = _mark_last_part(converted[first_system])
    return tuple(converted)


def _message_to_parts(message: Message) -> Message:
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": [_text_part(content)]}
    if isinstance(content, list | tuple):
        return {**message, "content": [_text_part(part) for part in content]}
    return message


def _text_part(part: object) -> object:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def _mark_last_part(message: Message) -> Message:
    parts = message.get("content")
    if not isinstance(parts, list) or not parts or not isinstance(parts[-1], Mapping):
        return message
    return {**message, "content": [*parts[:-1], {**parts[-1], **_CACHE_MARK}]}


def qwen_extra_body(request: ChatRequest) -> Mapping[str, object]:
    """Return the fields for high resolution images, and the session id if there is one."""
    fields: dict[str, object] = {"vl_high_resolution_images": True}
    return {**fields, "metadata": {"sessionId": request.session}} if request.session else fields


def qwen_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the thinking switch, with the budget of a level when it is on."""
    effort = request.reasoning_effort
    tokens = _THINKING_TOKENS if effort is None else _EFFORT_TOKENS.get(effort, _THINKING_TOKENS)
    return qwen_thinking_budget(0 if effort == "none" else tokens)


def qwen_thinking_budget(tokens: int) -> Mapping[str, object]:
    """Return the fields for a number of thinking tokens; 0 switches thinking off."""
    if not tokens:
        return {"enable_thinking": False}
    return {"enable_thinking": True, "thinking_budget": tokens}


QWEN = Provider(
    name="qwen",
    aliases=("qwen-portal", "qwen-oauth", "qwen-cli"),
    title="Qwen Portal",
    site="https://portal.qwen.ai",
    login=Login(
        env=("QWEN_API_KEY",),
        base_url="https://portal.qwen.ai/v1",
        base_url_env="QWEN_BASE_URL",
    ),
    fields=FieldRules(max_tokens=65536),
    changes=Changes(
        prepare_messages=text_to_parts,
        extra_body=qwen_extra_body,
        reasoning=qwen_reasoning,
        thinking_budget=qwen_thinking_budget,
    ),
)
