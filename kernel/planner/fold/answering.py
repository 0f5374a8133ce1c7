"""What a valid answer teaches about the target that gave it."""

from collections.abc import Callable

import msgspec

from ..health.breakers import FADES, WELL_AGAIN, learned
from ..health.pacing import breathed, is_full
from ..rules import INF, Rules
from ..targets import Target
from .calls import Attempt, Call


def target_after(
    target: Target, seconds: float, rules: Rules, now: float, beside: Callable[[], float | None]
) -> Target:
    """Return the target after an answer that took ``seconds``: landed, well, and known better.

    Its breaker is closed. ``beside`` is as in ``breathed``.
    """
    successes = target.successes + 1
    # A limit of a moment stays: this answer may be of a call that was sent before it.
    passing = target.cool_why in ("limit", "load")
    well = msgspec.structs.replace(
        target,
        inflight=target.inflight - 1,
        seen=target.seen * FADES + 1,
        bad=target.bad * FADES,
        failures=0,
        successes=successes,
        level=0 if successes >= WELL_AGAIN else target.level,
        limits=0,
        cool_why=target.cool_why if passing else "",
        cool_until=target.cool_until if passing else -INF,
        open_until=-INF,
        probe_until=-INF,
    )
    return learned(breathed(well, seconds, rules, now, beside), seconds, rules)


def quickest_beside(
    call: Call, attempt: Attempt, find: Callable[[str], Target], now: float
) -> float | None:
    """Return how long the quickest other of the route takes lately, of those that are free."""
    names = {name for leg in call.legs for names in leg.members for name in names}
    others = [find(name) for name in names - {attempt.target}]
    free = [
        one.lately
        for one in others
        if one.lately and one.open_until == -INF and one.cool_until <= now and not is_full(one)
    ]
    return min(free, default=None)
