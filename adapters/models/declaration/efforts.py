"""How hard a model is asked to think: one ladder, and the rungs that a model has."""

from collections.abc import Mapping, Sequence
from typing import get_args

from ....ports.models.chat import Effort

LADDER: tuple[Effort, ...] = get_args(Effort)


def clamp_effort(
    effort: Effort | None,
    known: Sequence[Effort] | None,
    instead: Mapping[Effort, Effort] | None = None,
) -> Effort | None:
    """Return the level to send: the one asked for, else the nearest weaker one that is known.

    ``instead`` are a vendor's own replacements. A request to think never becomes ``none``; where
    nothing weaker is known it is the weakest. None, or a model without levels, is None.

    >>> clamp_effort("xhigh", ("low", "high")), clamp_effort("minimal", ("none", "low"))
    ('high', 'low')
    """
    if effort is None or known is None or effort in known:
        return effort
    replaced = (instead or {}).get(effort)
    if replaced in known:
        return replaced
    rungs = [level for level in LADDER if level in known and level != "none"]
    weaker = [level for level in rungs if LADDER.index(level) < LADDER.index(effort)]
    if effort == "none" or not rungs:
        # Thinking cannot be switched off here, or cannot be asked for: say nothing.
        return None
    return weaker[-1] if weaker else rungs[0]
