"""What a valid answer teaches about the target that gave it."""

from collections.abc import Callable

import msgspec

from ..health.breakers import FADES, WELL_AGAIN, lesson
from ..health.pacing import breathed, is_full
from ..rules import INF, Rules
from ..targets import Target
from .calls import Leg

replace = msgspec.structs.replace


def target_after(
    target: Target, seconds: float, rules: Rules, now: float, beside: Callable[[], float | None]
) -> Target:
    """Return the target after an answer that took ``seconds``: landed, well, and known better.

    Its breaker is closed. ``beside`` is as in ``breathed``.
    """
    seen, successes = sum(target.latency), target.successes + 1
    lately, quiet, limit, cut_at = breathed(target, (seconds, now, seen), rules, beside)
    latency, usual, late = lesson(target, seconds, rules, seen)
    landed = replace(
        target,
        inflight=target.inflight - 1,
        seen=target.seen * FADES + 1,
        bad=target.bad * FADES,
        successes=successes,
        lately=lately,
        quiet=quiet,
        limit=limit,
        cut_at=cut_at,
        latency=latency,
        usual=usual,
        late=late,
    )
    return landed if _is_sound(target) else _recovered(landed)


def _is_sound(target: Target) -> bool:
    """Tell whether nothing was held against a target, as is usual."""
    return not (
        target.failures
        or target.level
        or target.limits
        or target.cool_until > -INF
        or target.open_until > -INF
        or target.probe_until > -INF
    )


def _recovered(target: Target) -> Target:
    """Return a target that answered with nothing held against it any more.

    A limit of a moment stays: this answer may be of a call that was sent before it.
    """
    passing = target.cool_why in ("limit", "load")
    return replace(
        target,
        failures=0,
        level=0 if target.successes >= WELL_AGAIN else target.level,
        limits=0,
        cool_why=target.cool_why if passing else "",
        cool_until=target.cool_until if passing else -INF,
        open_until=-INF,
        probe_until=-INF,
    )


def quickest_beside(
    legs: tuple[Leg, ...], own: str, find: Callable[[str], Target], now: float
) -> float | None:
    """Return how long the quickest of a route beside ``own`` takes lately, of those free."""
    names = {name for leg in legs for names in leg.members for name in names}
    others = [find(name) for name in names - {own}]
    free = [
        one.lately
        for one in others
        if one.lately and one.open_until == -INF and one.cool_until <= now and not is_full(one)
    ]
    return min(free, default=None)
