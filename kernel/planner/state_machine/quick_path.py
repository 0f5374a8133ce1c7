"""The usual case in one step: the first choice is well, asked, and answers before it is late.

``start_call`` and ``end_call`` do to a fleet what the fold does to it in three steps, and
``apply_batched`` does that of several such calls at once; what is anything else (somebody waits,
rests, is late or fails) is left to the fold, with what was begun handed over as ``adopt_call``.
That all come to the same is a law in the properties.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from ..health.breakers import hedge_time
from ..health.pacing import (
    Landing,
    RateWindow,
    apply_windows,
    book_slot,
    is_full,
    next_slot_time,
    window_opens_at,
)
from ..planner_targets import INFINITY, Fleet, PlannerRules, PlannerTarget
from .answer_effects import apply_landings, quickest_other
from .call_state import Attempt, Leg, PlannerCall

replace = msgspec.structs.replace

# The name of a target that was asked, and when.
Begun: TypeAlias = tuple[str, float]


def first_choice(fleet: Fleet, legs: tuple[Leg, ...], now: float) -> PlannerTarget | None:
    """Return whom to ask where there is nothing to decide: the first of the route, if it is well.

    None where it has several keys, is asked with others, rests, is full, or has a slot to wait for.
    """
    leg = legs[0]
    if leg.fuse or fleet.waiting or len(leg.members[0]) > 1:
        return None
    target = fleet.targets[leg.members[0][0]]
    if target.open_until > -INFINITY or target.cool_until > now or is_full(target):
        return None
    if target.rate is None and target.allowed is None:
        return target
    return target if max(next_slot_time(target), window_opens_at(target)) <= now else None


def is_plain(target: PlannerTarget) -> bool:
    """Tell whether nothing of a target is counted but the calls under way: no slots, no windows."""
    return target.rate is None and target.allowed is None


def certain_capacity(target: PlannerTarget, rules: PlannerRules) -> float:
    """Return how many calls may be under way whatever its answers make of its limit."""
    return rules.limit_least if target.concurrency is None else target.concurrency


def start_call(fleet: Fleet, target: PlannerTarget, now: float) -> Fleet:
    """Return the fleet with a call begun and its first choice asked."""
    rules = fleet.rules
    hedges = min(fleet.hedges + rules.hedge_share, rules.hedge_burst)
    return _with(fleet, book_slot(target, now), hedges)


def apply_batched(
    fleet: Fleet, legs: tuple[Leg, ...], name: str, begun: int, landings: Sequence[Landing]
) -> Fleet:
    """Return the fleet after so many calls began with a plain target, and some of them landed."""
    targets, rules, hedges = fleet.targets, fleet.rules, fleet.hedges
    target = targets[name]
    for _ in range(begun):
        hedges = min(hedges + rules.hedge_share, rules.hedge_burst)
        if hedges == rules.hedge_burst:
            break
    if begun:
        target = replace(target, inflight=target.inflight + begun, used=target.used + begun)
    if landings:
        target = apply_landings(
            target,
            landings,
            rules,
            lambda now: quickest_other(legs, name, targets.__getitem__, now),
        )
    return _with(fleet, target, hedges)


def lateness_seconds(target: PlannerTarget, fleet: Fleet, *, strict: bool) -> float:
    """Return after how many seconds an answer needs the fold: it is late, or, alone, overdue."""
    seconds = hedge_time(target, fleet.rules)
    return seconds * fleet.rules.overdue if strict else seconds


def end_call(
    fleet: Fleet, legs: tuple[Leg, ...], attempt: Begun, windows: tuple[RateWindow, ...], now: float
) -> Fleet:
    """Return the fleet after a valid answer that came in time."""
    name, start = attempt
    targets = fleet.targets
    answered = apply_landings(
        targets[name],
        ((now - start, now, targets[name].inflight),),
        fleet.rules,
        lambda at: quickest_other(legs, name, targets.__getitem__, at),
    )
    heeding = apply_windows(answered, windows, now) if windows else answered
    return _with(fleet, heeding, fleet.hedges)


def _with(fleet: Fleet, target: PlannerTarget, hedges: float) -> Fleet:
    targets = {**fleet.targets, target.name: target}
    return Fleet(targets=targets, rules=fleet.rules, hedges=hedges, waiting=fleet.waiting)


def adopt_call(call: PlannerCall, name: str, began: float) -> PlannerCall:
    """Return a call whose first choice was asked already."""
    attempt = Attempt(id=0, target=name, leg=0, why="first", start=began, sent=True)
    return replace(call, attempts=(attempt,))
