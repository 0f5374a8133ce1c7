"""DeepSeek: from V4 on thinking is always switched explicitly, and thoughts are given back."""

import re
from collections.abc import Mapping, Sequence

from ....ports.models.chat import ChatRequest, Effort, Message
from ..declaration.provider import Changes, Efforts, FieldRules, Login, Provider
from ..declaration.rules import clamp_effort

_VERSION = re.compile(r"deepseek-v(\d{1,4})(?!\d)")
_MIN_SWITCHABLE_VERSION = 4
_LEVELS: Efforts = ("low", "medium", "high", "max")
_INSTEAD: Mapping[Effort, Effort] = {"xhigh": "max"}


def can_think(model: str) -> bool:
    """Tell whether a model has thinking to switch.

    >>> can_think("deepseek-v4-flash"), can_think("deepseek-reasoner"), can_think("deepseek-v3.2")
    (True, True, False)
    """
    version = _VERSION.search(model.lower())
    return "reasoner" in model.lower() or (
        version is not None and int(version.group(1)) >= _MIN_SWITCHABLE_VERSION
    )


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Switch thinking on or off, with the level that was asked for; older models know neither."""
    effort = request.reasoning_effort
    if not can_think(request.model):
        return {}
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    switched: dict[str, object] = {"thinking": {"type": "enabled"}}
    level = clamp_effort(effort, _LEVELS, _INSTEAD)
    return switched if level is None else {**switched, "reasoning_effort": level}


def thoughts_returned(messages: Sequence[Message], model: str) -> Sequence[Message]:
    """Give back the thoughts of turns that called tools: a thinking model refuses to go on without.

    Thoughts that are not there, because another model had them, are given back as empty.
    """
    return tuple(map(_with_thoughts, messages)) if can_think(model) else messages


def _with_thoughts(message: Message) -> Message:
    if not message.get("tool_calls") or isinstance(message.get("reasoning_content"), str):
        return message
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
    changes=Changes(prepare_messages=thoughts_returned, reasoning=reasoning),
    fields=FieldRules(structured_output="json_object"),
    auxiliary_model="deepseek-v4-flash",
)
