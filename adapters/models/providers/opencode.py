"""OpenCode's gateways, Zen and Go, which speak another wire for some of their models.

Zen's Claude is ``opencode-zen-messages``, its GPT ``opencode-zen-responses``; at Go, MiniMax and
Qwen are ``opencode-go-messages``. Callers that do not say who they are are turned away.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from ....ports.models.chat import ChatRequest
from ..declaration.provider import AGENT, HttpDetails, Login, ModelRule, Provider
from . import deepseek, kimi, zai


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Ask as the model's maker wants it, but never with a switch and a level at once."""
    fields = _own_way(request)
    if "reasoning_effort" in fields:
        return {"reasoning_effort": fields["reasoning_effort"]}
    return fields


def _own_way(request: ChatRequest) -> Mapping[str, object]:
    if deepseek.can_think(request.model):
        return deepseek.reasoning(request)
    if request.reasoning_effort is None:
        return {}
    if "kimi-k" in request.model.lower():
        return kimi.reasoning(request)
    # Of GLM only the levels are known here, not the switch.
    fields = zai.reasoning(request)
    return fields if "reasoning_effort" in fields else {}


OPENCODE_ZEN = Provider(
    name="opencode-zen",
    aliases=("opencode", "zen"),
    title="OpenCode Zen",
    site="https://opencode.ai/docs/zen",
    login=Login(
        env=("OPENCODE_ZEN_API_KEY", "OPENCODE_API_KEY"),
        base_url="https://opencode.ai/zen/v1",
        base_url_env="OPENCODE_ZEN_BASE_URL",
    ),
    http=HttpDetails(headers=(AGENT,)),
    auxiliary_model="gemini-3-flash",
)

OPENCODE_ZEN_MESSAGES = replace(
    OPENCODE_ZEN,
    name="opencode-zen-messages",
    aliases=(),
    title="OpenCode Zen (Messages)",
    api_mode="anthropic_messages",
    http=replace(OPENCODE_ZEN.http, path="/messages"),
    auxiliary_model=None,
)

OPENCODE_ZEN_RESPONSES = replace(
    OPENCODE_ZEN,
    name="opencode-zen-responses",
    aliases=(),
    title="OpenCode Zen (Responses)",
    api_mode="responses",
    auxiliary_model=None,
    history=replace(OPENCODE_ZEN.history, reserved_tools=frozenset({"web_search", "search_files"})),
)

OPENCODE_GO = replace(
    OPENCODE_ZEN,
    name="opencode-go",
    aliases=("go", "opencode-go-sub"),
    title="OpenCode Go",
    site="https://opencode.ai/docs/go",
    login=replace(
        OPENCODE_ZEN.login,
        env=("OPENCODE_GO_API_KEY", "OPENCODE_API_KEY"),
        base_url="https://opencode.ai/zen/go/v1",
        base_url_env="OPENCODE_GO_BASE_URL",
    ),
    fields=replace(
        OPENCODE_ZEN.fields,
        # The gateway's own cap is higher than what this model takes.
        models=(ModelRule(contains="mimo-v2.5-pro", max_tokens=131072),),
    ),
    changes=replace(OPENCODE_ZEN.changes, reasoning=reasoning),
    auxiliary_model="glm-5",
    history=replace(OPENCODE_ZEN.history, images_in_tool_results=False),
)

OPENCODE_GO_MESSAGES = replace(
    OPENCODE_GO,
    name="opencode-go-messages",
    aliases=(),
    title="OpenCode Go (Messages)",
    api_mode="anthropic_messages",
    http=replace(OPENCODE_GO.http, path="/messages"),
    changes=replace(OPENCODE_GO.changes, reasoning=None),
    auxiliary_model=None,
)
