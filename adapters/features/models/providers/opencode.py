"""OpenCode's gateways, Zen and Go, which have another API for some of their models.

Zen's Claude is ``opencode-zen-messages``, its GPT ``opencode-zen-responses``; Go's MiniMax and Qwen
are ``opencode-go-messages``. The gateways refuse calls without a user agent.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from webseam.ports.models import ChatRequest

from ..declaration.provider import AGENT, HttpDetails, Login, ModelRule, Provider
from . import deepseek, kimi, zai

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


def opencode_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the vendor's fields for an effort, but never a switch and a level together."""
    fields = _vendor_reasoning(request)
    if "reasoning_effort" in fields:
        return {"reasoning_effort": fields["reasoning_effort"]}
    return fields


def _vendor_reasoning(request: ChatRequest) -> Mapping[str, object]:
    if deepseek.can_switch_thinking(request.model):
        return deepseek.deepseek_reasoning(request)
    if request.reasoning_effort is None:
        return {}
    if "kimi-k" in request.model.lower():
        return kimi.kimi_reasoning(request)
    # The gateway knows GLM's levels, not its switch.
    fields = zai.zai_reasoning(request)
    return fields if "reasoning_effort" in fields else {}


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
        # The gateway's default cap is higher than this model accepts.
        models=(ModelRule(contains="mimo-v2.5-pro", max_tokens=131072),),
    ),
    changes=replace(OPENCODE_ZEN.changes, reasoning=opencode_reasoning),
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
