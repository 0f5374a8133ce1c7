"""MiniMax: Anthropic's API with a bearer key; its OpenAI-compatible API is ``minimax-chat``."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from webseam.ports.models import ChatRequest

from ..declaration.provider import Changes, Login, MessagesFacts, Provider, bearer
from ..declaration.rules import clamp_effort

_M3_PATTERN = re.compile(r"minimax-m3(?:\.(\d{1,4})(?!\d))?")
MINIMAX = Provider(
    name="minimax",
    aliases=("mini-max",),
    title="MiniMax",
    site="https://platform.minimax.io",
    api_mode="anthropic_messages",
    login=Login(
        env=("MINIMAX_API_KEY",),
        base_url="https://api.minimax.io/anthropic",
        base_url_env="MINIMAX_BASE_URL",
        prove=bearer,
    ),
    auxiliary_model="MiniMax-M3",
    messages=MessagesFacts(thinking_replay="none"),
)
MINIMAX_CN = replace(
    MINIMAX,
    name="minimax-cn",
    aliases=("minimax-china",),
    title="MiniMax (China)",
    site="https://platform.minimaxi.com",
    login=replace(
        MINIMAX.login,
        env=("MINIMAX_CN_API_KEY",),
        base_url="https://api.minimaxi.com/anthropic",
        base_url_env="MINIMAX_CN_BASE_URL",
    ),
)


def minimax_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return M3's thinking switch, or M3.1's level, which cannot be off."""
    effort, match = request.reasoning_effort, _M3_PATTERN.search(request.model.lower())
    if match is None:
        return {}
    if int(match.group(1) or 0) >= 1:
        level = clamp_effort(effort, ("low", "medium", "high"), {"none": "low"})
        return {} if level is None else {"reasoning_effort": level}
    kind = "disabled" if effort == "none" else "adaptive"
    return {"reasoning_split": True, "thinking": {"type": kind}}


MINIMAX_CHAT = Provider(
    name="minimax-chat",
    title="MiniMax (OpenAI-compatible)",
    site="https://platform.minimax.io",
    login=Login(env=("MINIMAX_API_KEY",), base_url="https://api.minimax.io/v1"),
    changes=Changes(reasoning=minimax_reasoning),
    auxiliary_model="MiniMax-M3",
)
