"""Qwen's portal: content always in parts, the first system message marked for the cache."""

from collections.abc import Mapping, Sequence

from ....ports.models.chat import ChatRequest, Message
from ..declaration.provider import Changes, FieldRules, Login, Provider

_THINKING_TOKENS = 32768
_CACHED = {"cache_control": {"type": "ephemeral"}}


def in_parts(messages: Sequence[Message], _model: str) -> Sequence[Message]:
    """Write every text as a part; the last part of the first system message is to be cached."""
    parted = [_in_parts(message) for message in messages]
    first = next((at for at, m in enumerate(parted) if m.get("role") == "system"), None)
    if first is not None:
        parted[first] = _cached(parted[first])
    return tuple(parted)


def _in_parts(message: Message) -> Message:
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": [_part(content)]}
    if isinstance(content, list | tuple):
        return {**message, "content": [_part(part) for part in content]}
    return message


def _part(part: object) -> object:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def _cached(message: Message) -> Message:
    parts = message.get("content")
    if not isinstance(parts, list) or not parts or not isinstance(parts[-1], Mapping):
        return message
    return {**message, "content": [*parts[:-1], {**parts[-1], **_CACHED}]}


def extra_body(request: ChatRequest) -> Mapping[str, object]:
    """Look at images closely, and name the conversation if it has a name."""
    closely: dict[str, object] = {"vl_high_resolution_images": True}
    return {**closely, "metadata": {"sessionId": request.session}} if request.session else closely


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Say whether to think, always; when thinking, how much at most."""
    if request.reasoning_effort == "none":
        return {"enable_thinking": False}
    return {"enable_thinking": True, "thinking_budget": _THINKING_TOKENS}


def thinking_budget(tokens: int) -> Mapping[str, object]:
    """Say how many tokens to think with at most; none switches it off."""
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
        prepare_messages=in_parts,
        extra_body=extra_body,
        reasoning=reasoning,
        thinking_budget=thinking_budget,
    ),
)
