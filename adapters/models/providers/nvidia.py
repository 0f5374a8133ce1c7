"""NVIDIA NIM: how to think goes into the chat template's own arguments, a way for each family."""

from collections.abc import Mapping, Sequence

from ....ports.models.chat import ChatRequest, Effort, Message
from ..declaration.provider import Changes, FieldRules, Login, Provider
from ..declaration.rules import without_fields

_NAMES = frozenset({"name", "tool_name"})
_GENTLE: tuple[Effort, ...] = ("minimal", "low", "medium")


def unnamed_results(messages: Sequence[Message], _model: str) -> Sequence[Message]:
    """Leave the tool's name out of its result."""
    return without_fields(messages, _NAMES, role="tool")


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Say whether and how hard to think, if that was asked at all."""
    effort = request.reasoning_effort
    if effort is None:
        return {}
    return {"chat_template_kwargs": _arguments(request.model.lower(), effort)}


def _arguments(model: str, effort: Effort) -> Mapping[str, object]:
    thinks = effort != "none"
    level: dict[str, object] = {"reasoning_effort": effort} if thinks else {}
    if "glm-5" in model:
        return {"enable_thinking": thinks, "clear_thinking": False, **level}
    if "nemotron-3-ultra" in model:
        return {"enable_thinking": thinks, "medium_effort": effort in _GENTLE}
    return {"thinking": thinks, **level}


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
        # Thinking models spend a smaller budget before they have said anything.
        max_tokens=16384,
    ),
    changes=Changes(prepare_messages=unnamed_results, reasoning=reasoning),
)
