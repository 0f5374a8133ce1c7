"""DeepSeek: since V4 thinking is always set explicitly, and thoughts must be sent back."""

import re
from collections.abc import Mapping, Sequence

from webseam.ports.models import ChatRequest, Effort, Message

from ..declaration.provider import Changes, FieldRules, Login, Provider
from ..declaration.rules import clamp_effort
from ..messages.tool_calls import is_tool_forced

_VERSION_PATTERN = re.compile(r"deepseek-v(\d{1,4})(?!\d)")
_MIN_SWITCHABLE_VERSION = 4
_EFFORT_REPLACEMENTS: Mapping[Effort, Effort] = {"xhigh": "max"}


def can_switch_thinking(model: str) -> bool:
    """Tell whether a model's thinking can be switched.

    >>> names = ("deepseek-v4-flash", "deepseek-reasoner", "deepseek-v3.2")
    >>> [*map(can_switch_thinking, names)]
    [True, True, False]
    """
    version = _VERSION_PATTERN.search(model.lower())
    return "reasoner" in model.lower() or (
        version is not None and int(version.group(1)) >= _MIN_SWITCHABLE_VERSION
    )


def deepseek_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the thinking switch and the effort; nothing for older models.

    ``deepseek-chat`` is the newest model without thinking, unless a request asks for it.
    """
    effort = request.reasoning_effort
    is_chat_asked = "deepseek-chat" in request.model.lower() and effort is not None
    if not can_switch_thinking(request.model) and not is_chat_asked:
        return {}
    if effort == "none" or is_tool_forced(request):
        # With thoughts the API refuses a forced tool: "Thinking mode does not support this
        # tool_choice" (deepseek-ai/DeepSeek-V3#1376, read 2026-11-19).
        return {"thinking": {"type": "disabled"}}
    fields: dict[str, object] = {"thinking": {"type": "enabled"}}
    level = clamp_effort(effort, ("low", "medium", "high", "max"), _EFFORT_REPLACEMENTS)
    return fields if level is None else {**fields, "reasoning_effort": level}


def add_missing_thoughts(messages: Sequence[Message], model: str) -> Sequence[Message]:
    """Return the messages with thoughts on turns that called tools, which the API requires."""
    return tuple(map(_add_reasoning_content, messages)) if can_switch_thinking(model) else messages


def _add_reasoning_content(message: Message) -> Message:
    if not message.get("tool_calls") or isinstance(message.get("reasoning_content"), str):
        return message
    # A turn of another model has no thoughts.
    thought = message.get("reasoning")
    return {**message, "reasoning_content": thought if isinstance(thought, str) else ""}


DEEPSEEK = Provider(
    name="deepseek",
    aliases=("deepseek-chat",),
    title="DeepSeek",
    site="https://api-docs.deepseek.com",
    login=Login(
        env=("DEEPSEEK_API_KEY",),
        base_url="https://api.deepseek.com/v1",
        base_url_env="DEEPSEEK_BASE_URL",
    ),
    changes=Changes(prepare_messages=add_missing_thoughts, reasoning=deepseek_reasoning),
    fields=FieldRules(structured_output="json_object"),
    auxiliary_model="deepseek-v4-flash",
)
