"""Who is well: the breaker of each target, its cooldowns, and how long it usually takes."""

import msgspec

from ....ports.errors.error_fields import Verdict
from ..planner_targets import INFINITY, PlannerRules, PlannerTarget
from .latency import add_latencies, quantile
from .pacing import halve_limit

replace = msgspec.structs.replace

# What was seen fades: about the last 64 calls count.
FAILURE_DECAY = 0.984
RECOVERY_ANSWERS = 20
_MAX_BACKOFF_LEVEL = 16
_GOLDEN = 0.618
_QUOTA_SECONDS = 3600.0
_MAX_QUOTA_SECONDS = 86_400.0
_FORBIDDEN_SECONDS = 600.0
_MODEL_SECONDS = 600.0


def hedge_time(target: PlannerTarget, rules: PlannerRules) -> float:
    """Return after how long an answer is late: its 98th percentile, or 2.5 medians if sooner."""
    if rules.hedge_after is not None:
        return rules.hedge_after
    if target.late is None or target.usual is None:
        return rules.usual_prior
    known = min(target.late, rules.hedge_medians * target.usual)
    trust = min(1.0, sum(target.latency) / rules.prior_weight)
    # Not beyond a third of the time it is given: a target that hangs teaches its own timeouts.
    blended: float = known**trust * rules.usual_prior ** (1 - trust)
    return min(blended, rules.timeout / rules.overdue)


def add_target_latency(target: PlannerTarget, seconds: float, rules: PlannerRules) -> PlannerTarget:
    """Return the target with one more latency."""
    latency, told = add_latencies(target.latency, (seconds,))
    if told is None:
        return replace(target, latency=latency)
    usual, late = quantile(told, 0.5), quantile(told, rules.hedge_quantile)
    return replace(target, latency=latency, usual=usual, late=late)


def count_failure(
    target: PlannerTarget, verdict: Verdict, rules: PlannerRules, now: float, weight: float = 1.0
) -> PlannerTarget:
    """Count a failure, and open the breaker when there are enough of them."""
    seen, bad = target.seen * FAILURE_DECAY + weight, target.bad * FAILURE_DECAY + weight
    target = replace(target, seen=seen, bad=bad, failures=target.failures + 1, successes=0)
    if verdict.slow and weight == 1.0:
        target = halve_limit(target, rules, now)
    probed = -INFINITY < target.open_until <= now
    in_a_row = target.failures >= (verdict.opens_after or rules.open_after)
    often = seen >= rules.open_least and bad >= rules.open_share * seen
    if target.open_until > now or not (probed or in_a_row or often):
        return target
    return _opened(target, verdict, rules, now)


def _opened(
    target: PlannerTarget, verdict: Verdict, rules: PlannerRules, now: float
) -> PlannerTarget:
    # Spread by 0.7 to 1.3: one that comes and goes once a minute is not looked at once a minute.
    spread = 0.7 + 0.6 * (target.opens * _GOLDEN % 1.0)
    most = rules.cool_most if verdict.slow else rules.cool_quick
    seconds = min(rules.cool_first * 2.0**target.level, most) * spread
    return replace(
        target,
        open_until=now + seconds,
        opened_at=now,
        level=min(target.level + 1, _MAX_BACKOFF_LEVEL),
        opens=target.opens + 1,
        slow=verdict.slow,
        probe_until=-INFINITY,
        failures=0,
        seen=0.0,
        bad=0.0,
    )


def end_probe(target: PlannerTarget, now: float) -> PlannerTarget:
    """Return a target after a probe that told nothing good, with the right to probe given back.

    One that was looked at early rests for its whole cooldown again.
    """
    if target.open_until <= now:
        return replace(target, probe_until=-INFINITY)
    seconds = target.open_until - target.opened_at
    return replace(target, opened_at=now, open_until=now + seconds, probe_until=-INFINITY)


def start_cooldown(
    target: PlannerTarget, verdict: Verdict, rules: PlannerRules, now: float, chance: float
) -> PlannerTarget:
    """Leave the key alone for as long as the service asks, or as its kind of refusal lasts."""
    seconds = verdict.wait if verdict.wait is not None else _rest(target, verdict, rules, chance)
    if verdict.cools == "limit":
        target = halve_limit(target, rules, now)
    return replace(
        target,
        cool_until=now + seconds,
        cool_why=verdict.cools,
        limits=target.limits + 1,
        probe_until=-INFINITY,
    )


def _rest(target: PlannerTarget, verdict: Verdict, rules: PlannerRules, chance: float) -> float:
    doubled = 2.0 ** min(target.limits, _MAX_BACKOFF_LEVEL)
    match verdict.cools:
        case "quota":
            return min(_QUOTA_SECONDS * doubled, _MAX_QUOTA_SECONDS)
        case "key":
            return INFINITY
        case "forbidden":
            return min(_FORBIDDEN_SECONDS * doubled, _MAX_QUOTA_SECONDS)
        case "model":
            return _MODEL_SECONDS
        case _:
            return min(doubled, rules.cool_most) * (0.5 + chance)
