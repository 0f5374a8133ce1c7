"""Update a target after its valid answers."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from .breakers import ANSWER_EVIDENCE, FAILURE_DECAY, RECOVERY_ANSWERS
from .call_state import Leg
from .latency import add_latencies, latency_quantile
from .pacing import Landing, QuickestOther, adjust_target_limit, is_target_full
from .planner_targets import INFINITY, PlannerRules, PlannerTarget


def apply_landings(
    target: PlannerTarget,
    landings: Sequence[Landing],
    rules: PlannerRules,
    quickest_other_seconds: QuickestOther,
) -> PlannerTarget:
    """Return the target after answers, in their order; its breaker is closed.

    Every call passes here, so many answers are applied at once, without a new target for each step.
    """
    limit_state = target.lately, target.quiet, target.limit, target.cut_at
    answers_seen = sum(target.latency)
    lately, quiet, limit, cut_at = adjust_target_limit(
        limit_state, landings, answers_seen, rules, quickest_other_seconds
    )
    latency, refreshed = add_latencies(target.latency, [seconds for seconds, _, _ in landings])
    seen, bad = target.seen, target.bad
    for _ in landings:
        seen, bad = seen * FAILURE_DECAY + 1, bad * FAILURE_DECAY
    usual, late = target.usual, target.late
    if refreshed is not None:
        usual = latency_quantile(refreshed, 0.5)
        late = latency_quantile(refreshed, rules.hedge_quantile)
    landed = replace(
        target,
        inflight=target.inflight - len(landings),
        seen=seen,
        bad=bad,
        evidence=max(0.0, target.evidence + ANSWER_EVIDENCE * len(landings)),
        successes=target.successes + len(landings),
        lately=lately,
        quiet=quiet,
        limit=limit,
        cut_at=cut_at,
        latency=latency,
        usual=usual,
        late=late,
    )
    return landed if _is_target_sound(target) else clear_target_failures(landed)


def _is_target_sound(target: PlannerTarget) -> bool:
    """Tell whether a target has no failures, cooldowns or open breaker, which is usual."""
    return not (
        target.level
        or target.limits
        or target.cool_until > -INFINITY
        or target.open_until > -INFINITY
        or target.probe_until > -INFINITY
        or target.refusals
    )


def clear_target_failures(target: PlannerTarget) -> PlannerTarget:
    """Return an answering target with its failures, cooldowns and breaker cleared.

    A rate or load cooldown stays: this answer may belong to a call sent before it began.
    """
    is_transient = target.cool_why in ("limit", "load")
    was_open = target.open_until > -INFINITY
    return replace(
        target,
        seen=0.0 if was_open else target.seen,
        bad=0.0 if was_open else target.bad,
        level=0 if target.successes >= RECOVERY_ANSWERS else target.level,
        limits=0,
        cool_why=target.cool_why if is_transient else "",
        cool_until=target.cool_until if is_transient else -INFINITY,
        open_until=-INFINITY,
        probe_until=-INFINITY,
        refusals=(),
    )


def quickest_target(
    legs: tuple[Leg, ...], target_name: str, find: Callable[[str], PlannerTarget], now: float
) -> float | None:
    """Return the recent latency of the quickest free target other than ``target_name``."""
    names = set[str]().union(*(names for leg in legs for names in leg.members))
    others = [find(name) for name in names - {target_name}]
    free = [
        spare.lately
        for spare in others
        if spare.lately
        and spare.open_until == -INFINITY
        and spare.cool_until <= now
        and not is_target_full(spare)
    ]
    return min(free, default=None)
