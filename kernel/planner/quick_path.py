"""Handle the usual case in one step: the first choice is healthy and answers in time.

``start_quick_call`` and ``end_quick_call`` change a fleet as the state machine does in three steps,
and ``apply_batched_calls`` does so for several calls. Everything else (waiting, resting, late or
failed targets) goes to the state machine; ``adopt_quick_call`` hands over a started call. Property
tests check that both paths agree.
"""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import replace

from . import answer_effects, breakers, pacing
from .call_state import Attempt, Leg, PlannerCall
from .planner_targets import INFINITY, Fleet, PlannerRules, PlannerTarget

# The name of a target that was asked, and when.
Started: TypeAlias = tuple[str, float]


def first_choice_target(
    fleet: Fleet, legs: tuple[Leg, ...], now: float, *, strict: bool = False
) -> PlannerTarget | None:
    """Return the first target of the route if it can be asked at once, else None.

    None where it has several keys, is fused, rests, is full, or has to wait for a slot. A
    ``strict`` call has no other target, so it does not wait for a full one.
    """
    leg = legs[0]
    if leg.fuse or (fleet.waiting and not strict) or len(leg.members[0]) > 1:
        return None
    target = fleet.targets[leg.members[0][0]]
    if target.open_until > -INFINITY or target.cool_until > now or target.refusals:
        return None
    if pacing.is_target_full(target) and not strict:
        return None
    is_slot_open = max(pacing.next_target_slot(target), pacing.rate_window_start(target)) <= now
    return target if is_plain_target(target) or is_slot_open else None


def is_plain_target(target: PlannerTarget) -> bool:
    """Tell whether a target has neither a declared rate nor a stated window."""
    return target.rate is None and target.allowed is None


def certain_capacity(target: PlannerTarget, rules: PlannerRules, *, strict: bool = False) -> float:
    """Return how many calls may be in flight at any limit that answers can set."""
    if strict:
        return INFINITY
    return rules.limit_least if target.concurrency is None else target.concurrency


def start_quick_call(fleet: Fleet, target: PlannerTarget, now: float) -> Fleet:
    """Return the fleet after a call starts and asks its first choice."""
    rules = fleet.rules
    hedges = min(fleet.hedges + rules.hedge_share, rules.hedge_burst)
    return _fleet_with_target(fleet, pacing.book_target_slot(target, now), hedges)


def apply_batched_calls(
    fleet: Fleet, legs: tuple[Leg, ...], name: str, begun: int, landings: Sequence[pacing.Landing]
) -> Fleet:
    """Return the fleet after calls started with a plain target, and some of them were answered."""
    targets, rules, hedges = fleet.targets, fleet.rules, fleet.hedges
    target = targets[name]
    for _ in range(begun):
        hedges = min(hedges + rules.hedge_share, rules.hedge_burst)
        if hedges == rules.hedge_burst:
            break
    if begun:
        target = replace(target, inflight=target.inflight + begun, used=target.used + begun)
    if landings:
        target = answer_effects.apply_landings(
            target,
            landings,
            rules,
            lambda now: answer_effects.quickest_target(legs, name, targets.__getitem__, now),
        )
    return _fleet_with_target(fleet, target, hedges)


def target_lateness_seconds(target: PlannerTarget, fleet: Fleet, *, strict: bool) -> float:
    """Return after how many seconds the state machine must step in: late, or if strict, overdue."""
    seconds = breakers.hedge_time(target, fleet.rules)
    return seconds * fleet.rules.overdue if strict else seconds


def end_quick_call(
    fleet: Fleet,
    legs: tuple[Leg, ...],
    call: Started,
    windows: tuple[pacing.RateWindow, ...],
    now: float,
) -> Fleet:
    """Return the fleet after a valid answer in time."""
    name, start = call
    targets = fleet.targets
    answered = answer_effects.apply_landings(
        targets[name],
        ((now - start, now, targets[name].inflight),),
        fleet.rules,
        lambda at: answer_effects.quickest_target(legs, name, targets.__getitem__, at),
    )
    updated = pacing.apply_rate_windows(answered, windows, now) if windows else answered
    return _fleet_with_target(fleet, updated, fleet.hedges)


def _fleet_with_target(fleet: Fleet, target: PlannerTarget, hedges: float) -> Fleet:
    targets = {**fleet.targets, target.name: target}
    return Fleet(targets=targets, rules=fleet.rules, hedges=hedges, waiting=fleet.waiting)


def adopt_quick_call(call: PlannerCall, name: str, started_at: float) -> PlannerCall:
    """Return a call whose first attempt is in flight already."""
    attempt = Attempt(id=0, target=name, leg=0, why="first", start=started_at, sent=True)
    return replace(call, attempts=(attempt,))
