"""Track the breaker of each target, its cooldowns and its hedge time."""

from msgspec.structs import replace

from webseam.ports.errors.error_fields import Verdict

from .latency import add_latencies, latency_quantile
from .pacing import halve_target_limit
from .planner_targets import (
    INFINITY,
    MAX_REST_SECONDS,
    MIN_REST_SECONDS,
    PROBED_REASONS,
    PlannerRules,
    PlannerTarget,
)

# Old calls fade: about the last 16 calls count.
FAILURE_DECAY = 0.94
# A sequential test (Page 1954) judges the failure rate: each failure adds evidence, each answer
# takes some away, and enough of it opens the breaker. That is 6 quick failures or 3 slow ones in a
# row, or in the long run more than 34 % of quick ones or 17 % of slow ones.
QUICK_EVIDENCE = 0.76
SLOW_EVIDENCE = 1.9
ANSWER_EVIDENCE = -0.4
_OPENING_EVIDENCE = 4.0
RECOVERY_ANSWERS = 20
_MAX_BACKOFF_LEVEL = 16
_GOLDEN_RATIO_SHARE = 0.618
_QUOTA_REST_SECONDS = 3600.0
_FORBIDDEN_REST_SECONDS = 600.0
_MODEL_REST_SECONDS = 600.0


def hedge_time(target: PlannerTarget, rules: PlannerRules) -> float:
    """Return when an answer is late, in seconds: its 98th percentile, or 2 medians if sooner."""
    if rules.hedge_after is not None:
        return rules.hedge_after
    if target.late is None or target.usual is None:
        return rules.usual_prior
    measured = min(target.late, rules.hedge_medians * target.usual)
    measured_weight = min(1.0, sum(target.latency) / rules.prior_weight)
    # Cap it at a third of the timeout: a target that hangs only teaches its own timeouts.
    blended: float = measured**measured_weight * rules.usual_prior ** (1 - measured_weight)
    return min(blended, rules.timeout / rules.overdue)


def target_failure_share(target: PlannerTarget) -> float:
    """Return the share of recent calls that failed, near one half when few are known."""
    return (target.bad + 1.0) / (target.seen + 2.0)


def add_target_latency(target: PlannerTarget, seconds: float, rules: PlannerRules) -> PlannerTarget:
    """Return the target with one more latency in its histogram."""
    latency, refreshed = add_latencies(target.latency, (seconds,))
    if refreshed is None:
        return replace(target, latency=latency)
    usual = latency_quantile(refreshed, 0.5)
    late = latency_quantile(refreshed, rules.hedge_quantile)
    return replace(target, latency=latency, usual=usual, late=late)


def count_target_failure(
    target: PlannerTarget, verdict: Verdict, rules: PlannerRules, now: float
) -> PlannerTarget:
    """Count a failure; open the breaker when the evidence is enough."""
    seen, bad = target.seen * FAILURE_DECAY + 1, target.bad * FAILURE_DECAY + 1
    step = SLOW_EVIDENCE if verdict.slow else QUICK_EVIDENCE
    if verdict.opens_after:
        step = _OPENING_EVIDENCE / verdict.opens_after
    evidence = target.evidence + step
    target = replace(target, seen=seen, bad=bad, evidence=evidence, successes=0)
    was_probe = -INFINITY < target.open_until <= now
    if target.open_until > now or not (was_probe or evidence >= _OPENING_EVIDENCE):
        return target
    return _open_breaker(target, verdict, rules, now)


def _open_breaker(
    target: PlannerTarget, verdict: Verdict, rules: PlannerRules, now: float
) -> PlannerTarget:
    # Spread by 0.7 to 1.3, so that probes do not fall in step with a recurring outage.
    spread = 0.7 + 0.6 * (target.opens * _GOLDEN_RATIO_SHARE % 1.0)
    max_seconds = rules.cool_most if verdict.slow else rules.cool_quick
    seconds = min(rules.cool_first * 2.0**target.level, max_seconds) * spread
    return replace(
        target,
        open_until=now + seconds,
        opened_at=now,
        level=min(target.level + 1, _MAX_BACKOFF_LEVEL),
        opens=target.opens + 1,
        slow=verdict.slow,
        probe_until=-INFINITY,
        evidence=0.0,
    )


def end_target_probe(target: PlannerTarget, now: float) -> PlannerTarget:
    """Return a target after a probe that did not succeed; release the right to probe.

    After an early probe the whole cooldown starts again.
    """
    if target.open_until <= now:
        return replace(target, probe_until=-INFINITY)
    seconds = target.open_until - target.opened_at
    return replace(target, opened_at=now, open_until=now + seconds, probe_until=-INFINITY)


def start_target_cooldown(
    target: PlannerTarget, verdict: Verdict, rules: PlannerRules, now: float, chance: float
) -> PlannerTarget:
    """Rest the key for as long as the service asks, or for the default of the refusal's kind.

    A service that refuses again right after the rest that it asked for gets the default at least.
    A probe within a rest that is refused the same way does not prolong it.
    """
    is_same_rest = target.cool_until > now and target.cool_why == verdict.cools
    if is_same_rest and verdict.cools in PROBED_REASONS:
        return replace(target, cooled_at=now, probe_until=-INFINITY)
    usual = _cooldown_seconds(target, verdict, rules, chance)
    stated = verdict.wait if verdict.wait is not None and verdict.wait > 0 else 0.0
    seconds = max(stated, 0.0 if stated and not target.limits else usual)
    seconds = min(max(seconds, MIN_REST_SECONDS), MAX_REST_SECONDS)
    if verdict.cools == "limit":
        target = halve_target_limit(target, rules, now)
    return replace(
        target,
        cool_until=now + seconds,
        cool_why=verdict.cools,
        cooled_at=now,
        limits=target.limits + 1,
        probe_until=-INFINITY,
    )


def _cooldown_seconds(
    target: PlannerTarget, verdict: Verdict, rules: PlannerRules, chance: float
) -> float:
    backoff = 2.0 ** min(target.limits, _MAX_BACKOFF_LEVEL)
    match verdict.cools:
        case "quota":
            return _QUOTA_REST_SECONDS * backoff
        case "key":
            return MAX_REST_SECONDS
        case "forbidden":
            return _FORBIDDEN_REST_SECONDS * backoff
        case "model":
            return _MODEL_REST_SECONDS
        case _:
            return min(backoff, rules.cool_most) * (0.5 + chance)
