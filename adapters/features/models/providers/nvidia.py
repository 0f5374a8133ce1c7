"""NVIDIA NIM: thinking is set by arguments of the chat template, which differ by family."""

from collections.abc import Mapping, Sequence

from webseam.ports.models import ChatRequest, Effort, Message

from ..declaration.provider import Changes, FieldRules, Login, Provider
from ..declaration.rules import drop_message_fields

_TOOL_NAME_FIELDS = frozenset({"name", "tool_name"})
_MEDIUM_OR_LESS: tuple[Effort, ...] = ("minimal", "low", "medium")


def drop_tool_result_names(messages: Sequence[Message], _model: str) -> Sequence[Message]:
    """Return the messages without the tool's name in its result."""
    return drop_message_fields(messages, _TOOL_NAME_FIELDS, role="tool")


def nvidia_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the template arguments for an effort; nothing without one."""
    effort = request.reasoning_effort
    if effort is None:
        return {}
    return {"chat_template_kwargs": _template_arguments(request.model.lower(), effort)}


def _template_arguments(model: str, effort: Effort) -> Mapping[str, object]:
    is_thinking = effort != "none"
    level: dict[str, object] = {"reasoning_effort": effort} if is_thinking else {}
    if "glm-5" in model:
        return {"enable_thinking": is_thinking, "clear_thinking": False, **level}
    if "nemotron-3-ultra" in model:
        return {"enable_thinking": is_thinking, "medium_effort": effort in _MEDIUM_OR_LESS}
    return {"thinking": is_thinking, **level}


NVIDIA = Provider(
    name="nvidia",
    aliases=("nvidia-nim", "nim"),
    title="NVIDIA NIM",
    site="https://build.nvidia.com",
    login=Login(
        env=("NVIDIA_API_KEY",),
        base_url="https://integrate.api.nvidia.com/v1",
        base_url_env="NVIDIA_BASE_URL",
    ),
    fields=FieldRules(
        # With a smaller cap, thinking models use it up before their answer begins.
        max_tokens=16384,
    ),
    changes=Changes(prepare_messages=drop_tool_result_names, reasoning=nvidia_reasoning),
)
