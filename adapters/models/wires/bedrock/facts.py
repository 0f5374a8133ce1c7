"""What is known of the models on Bedrock by their names.

As of 2026-11-15:
https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html
"""

import msgspec

from .....ports.models.chat import ChatRequest, Effort
from ...claude.facts import (
    Claude,
    Thinking,
    identify_claude,
    thinking_for_effort,
    thinking_with_budget,
)
from ...declaration.efforts import clamp_effort

# These refuse to be given tools at all.
_TOOLLESS = (
    "deepseek.r1", "deepseek-r1", "stability.", "embed", "titan-image", "nova-canvas", "nova-reel",
    "titan-text", "rerank",
)  # fmt: skip
_UNSAMPLED = ("xai.grok",)
_THREE: tuple[Effort, ...] = ("low", "medium", "high")


class BedrockFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a model takes. ``claude`` says which one it is, if it is one."""

    claude: Claude | None
    nova: bool
    tools: bool
    sampled: bool

    @property
    def cached(self) -> bool:
        """Whether a prompt may have cache points."""
        return self.nova or self.claude is not None

    @property
    def cached_tools(self) -> bool:
        """Whether the list of tools may have them too."""
        return self.claude is not None

    @property
    def status(self) -> bool:
        """Whether the result of a tool may say that it failed."""
        return self.nova or self.claude is not None

    @property
    def structured(self) -> bool:
        """Whether it follows a JSON schema, and tools that are strict."""
        return self.claude is not None and self.claude.structured


def model_facts(model: str) -> BedrockFacts:
    """Return what is known of a model, by its id, its profile's id or its ARN."""
    name = model.lower()
    claude = identify_claude(name)
    return BedrockFacts(
        claude=claude,
        nova="nova" in name and "amazon" in name,
        tools=not any(part in name for part in _TOOLLESS),
        sampled=not any(part in name for part in _UNSAMPLED) and (claude is None or claude.sampled),
    )


def reasoning_fields(
    request: ChatRequest, effort: Effort | None, cap: int
) -> tuple[Thinking, dict[str, object]]:
    """Return how to ask for an effort: the plan if it is a Claude, and the model's own fields."""
    facts, budget = model_facts(request.model), request.thinking_budget
    if facts.claude is not None:
        plan = (
            thinking_for_effort(effort, facts.claude, cap)
            if budget is None
            else thinking_with_budget(budget)
        )
        return plan, {} if plan.thinking is None else {"thinking": plan.thinking}
    return Thinking(), _own_fields(request.model.lower(), effort)


def _own_fields(name: str, effort: Effort | None) -> dict[str, object]:
    level = clamp_effort(effort, _THREE)
    if "nova-2" in name and effort == "none":
        return {"reasoningConfig": {"type": "disabled"}}
    if "nova-2" in name and level is not None:
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": level}}
    if "gpt-oss" in name and level is not None:
        return {"reasoning_effort": level}
    return {}
