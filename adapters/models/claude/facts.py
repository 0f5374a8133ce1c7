"""What is known of Claude by its name: what it thinks with, and what it refuses to be sent.

https://platform.claude.com/docs/en/build-with-claude/extended-thinking and .../effort (2026-11-15)
"""

import re

import msgspec

from ....ports.models.chat import Effort
from ..declaration.rules import LADDER

_WORDS = re.compile(r"[-.:@_/]")
_NEWEST = (99, 0)
_THINKS, _MANUAL_UNTIL, _SAMPLED_UNTIL, _XHIGH, _ALWAYS = (3, 7), (4, 5), (4, 6), (4, 7), (5, 0)
_STRUCTURED = (4, 5)
_BUDGETS: dict[Effort, int] = {
    "minimal": 1024, "low": 4000, "medium": 8000, "high": 16000, "xhigh": 32000, "max": 32000,
}  # fmt: skip
MIN_THINKING_TOKENS = 1024
# What is left for the answer itself beside the thoughts.
ANSWER_TOKENS = 4096

# The longest part of a name that is in here counts.
_CEILINGS = {
    "opus-4": 32_000, "opus-4-5": 64_000, "opus-4-6": 128_000, "opus-4-7": 128_000,
    "opus-4-8": 128_000, "opus-4-9": 128_000, "sonnet-4": 64_000, "haiku-4-5": 64_000,
    "claude-3-7-sonnet": 128_000, "claude-3-5": 8192, "claude-3": 4096, "claude-2": 4096,
    "claude-v2": 4096, "claude-instant": 4096, "minimax": 131_072, "qwen3": 65_536,
}  # fmt: skip
_UNKNOWN_CEILING = 128_000


class Claude(msgspec.Struct, frozen=True, kw_only=True):
    """A Claude; a version that its name does not tell is taken for the newest."""

    family: str = ""
    version: tuple[int, int] = _NEWEST

    @property
    def thinks(self) -> bool:
        """Whether it may be asked to think at all."""
        return self.version >= _THINKS and self.family != "haiku"

    @property
    def adaptive(self) -> bool:
        """Whether it thinks by effort; the older ones have a budget of tokens."""
        return self.version > _MANUAL_UNTIL

    @property
    def sampled(self) -> bool:
        """Whether it takes temperature and top_p."""
        return self.version <= _SAMPLED_UNTIL

    @property
    def structured(self) -> bool:
        """Whether it follows a JSON schema of its own accord."""
        return self.version >= _STRUCTURED

    @property
    def prefilled(self) -> bool:
        """Whether an answer may be begun for it."""
        return self.version <= _MANUAL_UNTIL

    @property
    def remembers(self) -> bool:
        """Whether the thoughts of all turns go back to it, and not just those of the open one."""
        return self.adaptive or (self.family == "opus" and self.version == _MANUAL_UNTIL)


class Thinking(msgspec.Struct, frozen=True, kw_only=True):
    """How to ask for thoughts; with a ``budget`` the answer's cap must be above it."""

    thinking: dict[str, object] | None = None
    effort: str | None = None
    budget: int = 0


def identify_claude(model: str) -> Claude | None:
    """Return which Claude a model is, by any vendor's name for it; None if it is none.

    >>> identify_claude("us.anthropic.claude-opus-4-1-20250805-v1:0").version
    (4, 1)
    """
    _, match, rest = model.lower().partition("claude")
    if not match:
        return None
    words = [word for word in _WORDS.split(rest) if word]
    family = next((word for word in words if word.isalpha() and word != "v"), "")
    return Claude(family=family, version=_version(words))


def _version(words: list[str]) -> tuple[int, int]:
    """Return the first one or two small numbers in a row; a date is no version."""
    small = [_number(word) for word in words]
    first = next((at for at, number in enumerate(small) if number is not None), None)
    if first is None:
        return _NEWEST
    minor = small[first + 1] if first + 1 < len(small) else None
    return small[first] or 0, minor or 0


def _number(word: str) -> int | None:
    digits = word.removeprefix("v")
    return int(digits) if re.fullmatch("[0-9]{1,2}", digits) else None


def max_output_tokens(model: str) -> int:
    """Return the most tokens that a model can write.

    >>> max_output_tokens("claude-3-5-haiku-20241022"), max_output_tokens("claude-opus-4-6")
    (8192, 128000)
    """
    name = model.lower().replace(".", "-")
    parts = [part for part in _CEILINGS if part in name]
    return _CEILINGS[max(parts, key=len)] if parts else _UNKNOWN_CEILING


def thinking_for_effort(effort: Effort | None, claude: Claude | None, cap: int | None) -> Thinking:
    """Return how to ask for an effort; nothing where it cannot be, or the cap has no room for it.

    A model that is no Claude is asked the older way, as the hosts that speak like Anthropic know.
    """
    if effort is None or (claude is not None and not claude.thinks):
        return Thinking()
    if effort == "none":
        # The newest cannot be told to stop; left alone they do not begin.
        older = claude is None or claude.version < _ALWAYS
        return Thinking(thinking={"type": "disabled"} if older else None)
    if claude is not None and claude.adaptive:
        adaptive: dict[str, object] = {"type": "adaptive", "display": "summarized"}
        return Thinking(thinking=adaptive, effort=_adaptive(effort, claude))
    budget = _BUDGETS[effort] if cap is None else min(_BUDGETS[effort], cap - MIN_THINKING_TOKENS)
    if budget < MIN_THINKING_TOKENS:
        return Thinking()
    return Thinking(thinking={"type": "enabled", "budget_tokens": budget}, budget=budget)


def takes_budget(claude: Claude | None) -> bool:
    """Tell whether a number of tokens to think with may be set; the newest know effort alone."""
    return claude is None or (claude.thinks and claude.version <= _SAMPLED_UNTIL)


def thinking_with_budget(tokens: int) -> Thinking:
    """Return how to ask for so many tokens to think with; fewer than the API's least is none."""
    if tokens < MIN_THINKING_TOKENS:
        return Thinking(thinking={"type": "disabled"})
    return Thinking(thinking={"type": "enabled", "budget_tokens": tokens}, budget=tokens)


def _adaptive(effort: Effort, claude: Claude) -> str:
    if effort == "xhigh" and claude.version < _XHIGH:
        return "max"
    return "low" if LADDER.index(effort) < LADDER.index("low") else effort
