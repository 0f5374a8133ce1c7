"""What valid answers teach about the target that gave them."""

from collections.abc import Callable, Sequence

import msgspec

from ..health.breakers import FAILURE_DECAY, RECOVERY_ANSWERS
from ..health.latency import add_latencies, quantile
from ..health.pacing import Beside, Landing, adjust_limit, is_full
from ..planner_targets import INFINITY, PlannerRules, PlannerTarget
from .call_state import Leg

replace = msgspec.structs.replace


def apply_landings(
    target: PlannerTarget,
    landings: Sequence[Landing],
    rules: PlannerRules,
    quickest_other_seconds: Beside,
) -> PlannerTarget:
    """Return the target after answers, in their order: landed, well, and known better.

    Its breaker is closed. What is reckoned here is of every call: so it is done for many at once,
    and without a target for each step.
    """
    breath = target.lately, target.quiet, target.limit, target.cut_at
    before = sum(target.latency)
    lately, quiet, limit, cut_at = adjust_limit(
        breath, landings, before, rules, quickest_other_seconds
    )
    latency, told = add_latencies(target.latency, [seconds for seconds, _, _ in landings])
    seen, bad = target.seen, target.bad
    for _ in landings:
        seen, bad = seen * FAILURE_DECAY + 1, bad * FAILURE_DECAY
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


def _is_sound(target: PlannerTarget) -> bool:
    """Tell whether nothing was held against a target, as is usual."""
    return not (
        target.failures
        or target.level
        or target.limits
        or target.cool_until > -INFINITY
        or target.open_until > -INFINITY
        or target.probe_until > -INFINITY
    )


def _recovered(target: PlannerTarget) -> PlannerTarget:
    """Return a target that answered with nothing held against it any more.

    A limit of a moment stays: this answer may be of a call that was sent before it.
    """
    passing = target.cool_why in ("limit", "load")
    return replace(
        target,
        failures=0,
        level=0 if target.successes >= RECOVERY_ANSWERS else target.level,
        limits=0,
        cool_why=target.cool_why if passing else "",
        cool_until=target.cool_until if passing else -INFINITY,
        open_until=-INFINITY,
        probe_until=-INFINITY,
    )


def quickest_other(
    legs: tuple[Leg, ...], target_name: str, find: Callable[[str], PlannerTarget], now: float
) -> float | None:
    """Return the recent latency of the quickest free target other than ``target_name``."""
    names = {name for leg in legs for names in leg.members for name in names}
    others = [find(name) for name in names - {target_name}]
    free = [
        one.lately
        for one in others
        if one.lately and one.open_until == -INFINITY and one.cool_until <= now and not is_full(one)
    ]
    return min(free, default=None)
