"""What valid answers teach about the target that gave them."""

from collections.abc import Callable, Sequence

import msgspec

from ..health.breakers import FADES, WELL_AGAIN
from ..health.latency import grown, quantile
from ..health.pacing import Beside, Landing, breathed, is_full
from ..rules import INF, Rules
from ..targets import Target
from .calls import Leg

replace = msgspec.structs.replace


def target_after(
    target: Target, landings: Sequence[Landing], rules: Rules, beside: Beside
) -> Target:
    """Return the target after answers, in their order: landed, well, and known better.

    Its breaker is closed. What is reckoned here is of every call: so it is done for many at once,
    and without a target for each step.
    """
    breath = target.lately, target.quiet, target.limit, target.cut_at
    before = sum(target.latency)
    lately, quiet, limit, cut_at = breathed(breath, landings, before, rules, beside)
    latency, told = grown(target.latency, [seconds for seconds, _, _ in landings])
    seen, bad = target.seen, target.bad
    for _ in landings:
        seen, bad = seen * FADES + 1, bad * FADES
    landed = replace(
        target,
        inflight=target.inflight - len(landings),
        seen=seen,
        bad=bad,
        successes=target.successes + len(landings),
        lately=lately,
        quiet=quiet,
        limit=limit,
        cut_at=cut_at,
        latency=latency,
        usual=target.usual if told is None else quantile(told, 0.5),
        late=target.late if told is None else quantile(told, rules.hedge_quantile),
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
