"""Xiaomi MiMo: a tool result must be a plain text, and thinking is switched on or off."""

from collections.abc import Mapping

from webseam.adapters.values.json_values import as_mapping, as_objects, text
from webseam.ports.models import ChatRequest, Message

from ..declaration.provider import Changes, HistoryRules, Login, Provider


def _join_result_text(message: Message) -> Message:
    """Join the text parts of a tool result; images are moved later."""
    parts = message.get("content")
    if message.get("role") != "tool" or not isinstance(parts, list | tuple):
        return message
    if any(as_mapping(part).get("type") != "text" for part in parts):
        return message
    return {**message, "content": "\n".join(text(part.get("text")) for part in as_objects(parts))}


def xiaomi_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the thinking switch; MiMo has no levels."""
    effort = request.reasoning_effort
    kind = "disabled" if effort == "none" else "enabled"
    return {} if effort is None else {"thinking": {"type": kind}}


XIAOMI = Provider(
    name="xiaomi",
    aliases=("mimo", "xiaomi-mimo"),
    title="Xiaomi MiMo",
    site="https://platform.xiaomimimo.com",
    login=Login(
        env=("XIAOMI_API_KEY",),
        base_url="https://api.xiaomimimo.com/v1",
        base_url_env="XIAOMI_BASE_URL",
    ),
    changes=Changes(
        prepare_messages=lambda messages, _model: tuple(map(_join_result_text, messages)),
        reasoning=xiaomi_reasoning,
    ),
    history=HistoryRules(images_in_tool_results=False),
)
