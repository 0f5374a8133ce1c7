"""How a Gemini is told to think: https://ai.google.dev/gemini-api/docs/thinking (2026-11-18)."""

import re

from webseam.ports.models import Effort

from .declaration.provider import Efforts
from .declaration.rules import clamp_effort

_VERSION_PATTERN = re.compile(r"gemini-(\d{1,4})(?!\d)(?:\.(\d{1,4})(?!\d))?")
_NEWEST_VERSION, _FIRST_THINKING_VERSION, _FIRST_LEVELS_VERSION = (9999, 0), (2, 5), (3, 0)
# Google's own numbers for the levels of OpenAI's API.
_EFFORT_BUDGET_TOKENS: dict[Effort, int] = {
    "none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576,
    "max": 24576,
}  # fmt: skip
# The least that a Pro accepts, which always thinks.
_MIN_PRO_TOKENS = 128


def gemini_version(model: str) -> tuple[int, int] | None:
    """Return the version of a Gemini, the newest for a name without one; None for other models.

    >>> [*map(gemini_version, ("models/gemini-2.5-pro", "gemini-flash-latest", "gemma-3"))]
    [(2, 5), (9999, 0), None]
    """
    name = model.lower()
    match = _VERSION_PATTERN.search(name)
    if match is None:
        return _NEWEST_VERSION if "gemini" in name else None
    return int(match.group(1)), int(match.group(2) or 0)


def gemini_thinking(effort: Effort | None, model: str) -> dict[str, object]:
    """Return the thinking config for an effort: a level since Gemini 3, a budget for Gemini 2.5.

    A model that cannot stop thinking gets the least for ``none``. Other models refuse the config.

    >>> gemini_thinking("high", "gemini-2.5-flash")
    {'include_thoughts': True, 'thinking_budget': 24576}
    """
    version, is_pro = gemini_version(model), "pro" in model.lower()
    if effort is None or version is None or version < _FIRST_THINKING_VERSION:
        return {}
    config: dict[str, object] = {"include_thoughts": effort != "none"}
    if version < _FIRST_LEVELS_VERSION:
        tokens = max(_EFFORT_BUDGET_TOKENS[effort], _MIN_PRO_TOKENS if is_pro else 0)
        return {**config, "thinking_budget": tokens}
    levels: Efforts = ("low", "medium", "high")
    # A name without a version may be that of a Pro, which refuses "minimal".
    if not is_pro and version != _NEWEST_VERSION:
        levels = ("minimal", *levels)
    elif version == _FIRST_LEVELS_VERSION:
        # Only the first Pro with levels has no medium.
        levels = ("low", "high")
    return {**config, "thinking_level": clamp_effort(effort, levels, {"none": levels[0]})}
