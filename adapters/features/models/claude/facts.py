"""Facts about a Claude model from its name: how it thinks, and which fields it refuses.

https://platform.claude.com/docs/en/build-with-claude/extended-thinking and .../effort (2026-11-15)
"""

import re

import msgspec

from webseam.ports.models import Effort

from ..declaration.rules import EFFORT_LEVELS

_NAME_SEPARATOR_PATTERN = re.compile(r"[-.:@_/]")
_NEWEST_VERSION = (99, 0)
_FIRST_THINKING_VERSION, _FIRST_STRUCTURED_VERSION, _LAST_MANUAL_VERSION = (3, 7), (4, 5), (4, 5)
_LAST_SAMPLED_VERSION, _FIRST_XHIGH_VERSION, _FIRST_ALWAYS_ON_VERSION = (4, 6), (4, 7), (5, 5)
_FIRST_DEFAULT_ON_VERSION, _SWITCHABLE_FAMILIES = (5, 0), ("opus", "sonnet")
_EFFORT_BUDGET_TOKENS: dict[Effort, int] = {
    "minimal": 1024, "low": 4000, "medium": 8000, "high": 16000, "xhigh": 32000, "max": 32000,
}  # fmt: skip
MIN_THINKING_TOKENS = 1024
# Reserved for the answer, beside the thinking budget.
ANSWER_TOKENS = 4096

# The longest key that is part of a model's name counts.
_MAX_OUTPUT_TOKENS = {
    "opus-4": 32_000, "opus-4-5": 64_000, "opus-4-6": 128_000, "opus-4-7": 128_000,
    "opus-4-8": 128_000, "opus-4-9": 128_000, "sonnet-4": 64_000, "haiku-4-5": 64_000,
    "claude-3-7-sonnet": 128_000, "claude-3-5": 8192, "claude-3": 4096, "claude-2": 4096,
    "claude-v2": 4096, "claude-instant": 4096, "minimax": 131_072, "qwen3": 65_536,
}  # fmt: skip
_DEFAULT_MAX_OUTPUT_TOKENS = 128_000


class Claude(msgspec.Struct, frozen=True, kw_only=True):
    """A Claude model; a name without a version counts as the newest."""

    family: str = ""
    version: tuple[int, int] = _NEWEST_VERSION

    @property
    def can_think(self) -> bool:
        """Whether it can think."""
        return self.version >= _FIRST_THINKING_VERSION

    @property
    def is_adaptive(self) -> bool:
        """Whether it thinks by effort; older ones think by a budget of tokens."""
        return self.version > _LAST_MANUAL_VERSION

    @property
    def thinks_by_default(self) -> bool:
        """Whether it thinks unless a request says otherwise."""
        return self.version >= _FIRST_DEFAULT_ON_VERSION

    @property
    def takes_sampling(self) -> bool:
        """Whether it accepts temperature and top_p."""
        return self.version <= _LAST_SAMPLED_VERSION

    @property
    def has_structured_output(self) -> bool:
        """Whether it supports a JSON schema for the answer."""
        return self.version >= _FIRST_STRUCTURED_VERSION

    @property
    def takes_prefill(self) -> bool:
        """Whether the last message may be the start of its answer."""
        return self.version <= _LAST_MANUAL_VERSION

    @property
    def wants_all_thoughts(self) -> bool:
        """Whether it wants the thoughts of all turns back, not only those of the open turn."""
        return self.is_adaptive or (self.family == "opus" and self.version == _LAST_MANUAL_VERSION)


class Thinking(msgspec.Struct, frozen=True, kw_only=True):
    """Request fields for thinking; the answer's cap must be above ``budget``."""

    thinking: dict[str, object] | None = None
    effort: str | None = None
    budget: int = 0


def identify_claude(model: str) -> Claude | None:
    """Return the Claude model that any vendor's name means; None for other models."""
    _, match, rest = model.lower().partition("claude")
    if not match:
        return None
    parts = [part for part in _NAME_SEPARATOR_PATTERN.split(rest) if part]
    family = next((part for part in parts if part.isalpha() and part != "v"), "")
    return Claude(family=family, version=_version(parts))


def _version(parts: list[str]) -> tuple[int, int]:
    """Return the first one or two adjacent small numbers; a date is no version."""
    numbers = [_version_number(part) for part in parts]
    first = next((index for index, number in enumerate(numbers) if number is not None), None)
    if first is None:
        return _NEWEST_VERSION
    minor = numbers[first + 1] if first + 1 < len(numbers) else None
    return numbers[first] or 0, minor or 0


def _version_number(part: str) -> int | None:
    digits = part.removeprefix("v")
    return int(digits) if re.fullmatch("[0-9]{1,2}", digits) else None


def max_output_tokens(model: str) -> int:
    """Return the output limit of a model in tokens."""
    name = model.lower().replace(".", "-")
    parts = [part for part in _MAX_OUTPUT_TOKENS if part in name]
    return _MAX_OUTPUT_TOKENS[max(parts, key=len)] if parts else _DEFAULT_MAX_OUTPUT_TOKENS


def claude_thinking(
    effort: Effort | None, budget: int | None, claude: Claude | None, cap: int
) -> Thinking:
    """Return the fields for a budget or an effort; none for a model that cannot think.

    Models other than Claude get a budget, which hosts with Anthropic's API support. A cap that is
    too small for the effort's budget gives none either.
    """
    if budget is not None:
        return thinking_with_budget(budget)
    if effort is None or (claude is not None and not claude.can_think):
        return Thinking()
    if effort == "none":
        return _least_thinking(claude)
    if claude is not None and claude.is_adaptive:
        adaptive: dict[str, object] = {"type": "adaptive", "display": "summarized"}
        return Thinking(thinking=adaptive, effort=_adaptive_effort(effort, claude))
    tokens = min(_EFFORT_BUDGET_TOKENS[effort], cap - MIN_THINKING_TOKENS)
    return Thinking() if tokens < MIN_THINKING_TOKENS else thinking_with_budget(tokens)


def budget_effort(tokens: int) -> Effort:
    """Return the strongest effort whose budget is within so many tokens.

    >>> budget_effort(10_000)
    'medium'
    >>> budget_effort(100)
    'minimal'
    """
    efforts: list[Effort] = [
        effort for effort, budget in _EFFORT_BUDGET_TOKENS.items() if budget <= tokens
    ]
    return efforts[-1] if efforts else "minimal"


def _least_thinking(claude: Claude | None) -> Thinking:
    """Return the fields for no thinking, or for the least that a model can think.

    https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5 (2026-11-18): thoughts
    are on by default since 5, and "disabled" is refused by Opus and Sonnet since 5.5, and by the
    families that always think.
    """
    if claude is None or not claude.thinks_by_default or claude.family == "haiku":
        return Thinking(thinking={"type": "disabled"})
    if claude.family in _SWITCHABLE_FAMILIES and claude.version < _FIRST_ALWAYS_ON_VERSION:
        return Thinking(thinking={"type": "disabled"})
    if claude.family == "sonnet":
        return Thinking(thinking={"type": "between_tools"})
    return Thinking(effort="low")


def allows_thinking_budget(claude: Claude | None) -> bool:
    """Tell whether a model accepts a thinking budget; the newest accept only effort."""
    return claude is None or (claude.can_think and claude.version <= _LAST_SAMPLED_VERSION)


def thinking_with_budget(tokens: int) -> Thinking:
    """Return the fields for a thinking budget; below the API's minimum thinking is off."""
    if tokens < MIN_THINKING_TOKENS:
        return Thinking(thinking={"type": "disabled"})
    return Thinking(thinking={"type": "enabled", "budget_tokens": tokens}, budget=tokens)


def _adaptive_effort(effort: Effort, claude: Claude) -> str:
    if effort == "xhigh" and claude.version < _FIRST_XHIGH_VERSION:
        return "max"
    return "low" if EFFORT_LEVELS.index(effort) < EFFORT_LEVELS.index("low") else effort
