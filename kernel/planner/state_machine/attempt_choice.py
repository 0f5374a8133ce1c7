"""Who is asked next: the first of the route that may be, a probe beside it, or nobody for now."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from ....ports.attempts import Why
from ....ports.errors.error_fields import Verdict
from ..health.breakers import add_target_latency, count_failure, hedge_time
from ..health.pacing import book_slot, has_room, is_full, next_slot_time, window_opens_at
from ..planner_targets import INFINITY, Fleet, PlannerTarget
from .call_state import (
    Action,
    Attempt,
    CancelAttempt,
    FinishCall,
    Leg,
    ParkCall,
    PlannerCall,
    PlannerState,
    ReserveMoney,
    TimeCame,
    WakeAt,
)

working_state_replace = msgspec.structs.replace


class WorkingState:
    """A copy of a state to work on, the time, and the actions that come of it."""

    def __init__(self, state: PlannerState, now: float) -> None:
        """Begin with ``state``, which is never changed."""
        self.call: PlannerCall = state.call
        self.hedges = state.fleet.hedges
        self.waiting = state.fleet.waiting
        self.now = now
        self.rules = state.fleet.rules
        self.actions: list[Action] = []
        self._fleet = state.fleet
        self._changed: dict[str, PlannerTarget] = {}

    def target(self, name: str) -> PlannerTarget:
        """Return a target as it is now."""
        return self._changed.get(name) or self._fleet.targets[name]

    def put(self, target: PlannerTarget) -> None:
        """Keep a target as it is now."""
        self._changed[target.name] = target

    def change(self, name: str, change: Callable[[PlannerTarget], PlannerTarget]) -> None:
        """Replace a target by what ``change`` makes of it."""
        self.put(change(self.target(name)))

    def mark(self, attempt: Attempt, **changes: object) -> Attempt:
        """Return an attempt with changes, which is kept in its place."""
        attempts = list(self.call.attempts)
        changed = attempts[attempt.id] = working_state_replace(attempts[attempt.id], **changes)
        self.call = working_state_replace(self.call, attempts=tuple(attempts))
        return changed

    def land(self, attempt: Attempt) -> None:
        """Take an attempt from those that run."""
        self.change(
            attempt.target, lambda one: working_state_replace(one, inflight=one.inflight - 1)
        )

    def blame(self, name: str, verdict: Verdict, weight: float = 1.0) -> None:
        """Count a failure against a target."""
        self.change(name, lambda one: count_failure(one, verdict, self.rules, self.now, weight))

    def flying(self) -> list[Attempt]:
        """Return the attempts under way."""
        return [attempt for attempt in self.call.attempts if not attempt.over]

    def result(self) -> tuple[PlannerState, tuple[Action, ...]]:
        """Return the new state, and what is to be done."""
        fleet = self._fleet
        targets = {**fleet.targets, **self._changed} if self._changed else fleet.targets
        grown = Fleet(targets=targets, rules=self.rules, hedges=self.hedges, waiting=self.waiting)
        return PlannerState(self.call, grown), tuple(self.actions)


# The end of a call: what flies is broken off, and what it taught is kept.

call_end_replace = msgspec.structs.replace
# To lose to a hedge after one's own hedge time is half a failure.
_LATE = Verdict(blames=True, slow=True)
_UNREACHED = Verdict(blames=True, unreached=True)
_ALONE = 1


def finish_call(work: WorkingState, end: FinishCall) -> None:
    """End the call. A probe flies on without a caller: it is there to learn."""
    for attempt in work.flying():
        if attempt.why != "probe" or not attempt.sent or attempt.overdue:
            cancel_attempt(work, attempt, answered=bool(end.winners))
    _blame_unreached(work, end)
    if work.call.waiting:
        work.waiting -= 1
    work.call = call_end_replace(work.call, done=True, waiting=False)
    work.actions.append(end)


def cancel_attempt(work: WorkingState, attempt: Attempt, *, answered: bool) -> None:
    """Cancel an attempt, and remember how long it was waited for."""
    work.land(attempt)
    work.actions.append(CancelAttempt(id=attempt.id))
    target, waited = work.target(attempt.target), work.now - attempt.start
    if attempt.sent and waited > hedge_time(target, work.rules):
        # Above its hedge time for certain, by how much nobody knows: a quantile needs no more.
        work.put(add_target_latency(target, waited, work.rules))
        if answered and not attempt.overdue:
            work.blame(attempt.target, _LATE, weight=0.5)
    work.mark(attempt, over=True, outcome="cancelled", ended=work.now)


def _blame_unreached(work: WorkingState, end: FinishCall) -> None:
    """Blame those that could not be reached, unless that was so of everybody.

    Then it is the caller's own network, and says nothing about anybody.
    """
    unreached = [attempt for attempt in work.call.attempts if attempt.unreached]
    reached = end.winners or len(unreached) < len(work.call.attempts)
    if not reached and len({attempt.target for attempt in unreached}) > _ALONE:
        return
    for attempt in unreached:
        work.blame(attempt.target, _UNREACHED)


def winning_targets(work: WorkingState) -> tuple[int, ...]:
    """Return whose answers count: all of the leg that answered last, in its order."""
    answers = [work.call.attempts[place] for place in work.call.answers]
    leg = answers[-1].leg
    names = [name for member in work.call.legs[leg].members for name in member]
    own = [one for one in answers if one.leg == leg]
    return tuple(one.id for one in sorted(own, key=lambda one: names.index(one.target)))


# Who is asked next: the first of the route that may be, a probe beside it, or nobody for now.

replace = msgspec.structs.replace


class AttemptOption(NamedTuple):
    """A target that could be asked, the leg it belongs to, and when it is free."""

    leg: int
    target: PlannerTarget
    at: float


def start_next_attempt(work: WorkingState, why: Why, *, quiet: bool = False) -> bool:
    """Ask whoever comes next, and tell whether anybody was asked.

    A ``quiet`` one leaves it at that. Otherwise, with nothing under way, the call waits for a
    place, or for a limit that passes soon; or it ends.
    """
    for options in _by_leg(work, why):
        free = [one for one in options if _is_free(work, one)]
        leg = work.call.legs[options[0].leg]
        if not free or (leg.strict and len(free) < len(leg.members)):
            continue
        _ask_leg(work, leg, free, why)
        return True
    if quiet or work.flying():
        return False
    return _last_resort(work, why)


def start_attempt(work: WorkingState, option: AttemptOption, why: Why) -> None:
    """Begin an attempt: book its slot, and have the money for it reserved."""
    target, call = option.target, work.call
    probing = target.open_until > -INFINITY and not call.strict
    at = max(option.at, work.now)
    if _is_dear(target) and probing:
        work.hedges = max(work.hedges - 1, 0.0)
    # Until the end of the attempt, which may begin later.
    lease = at + work.rules.timeout if probing else target.probe_until
    work.put(replace(book_slot(target, at), probe_until=lease))
    attempt = Attempt(
        id=len(call.attempts),
        target=target.name,
        leg=option.leg,
        why="probe" if probing else why,
        start=at,
    )
    work.call = replace(call, attempts=(*call.attempts, attempt))
    work.actions.append(
        ReserveMoney(id=attempt.id, target=target.name, micros=target.price, probe=probing)
    )


def retry_with_other_key(work: WorkingState, attempt: Attempt) -> bool:
    """Ask the same member of a leg with another key, if one is free; tell whether that was so."""
    leg = work.call.legs[attempt.leg]
    keys = next(names for names in leg.members if attempt.target in names)
    options = [
        AttemptOption(attempt.leg, one, target_ready_at(work, one)) for one in _unasked(work, keys)
    ]
    free = [one for one in options if _is_free(work, one)]
    if free:
        start_attempt(work, free[0], "next")
    return bool(free)


def target_ready_at(work: WorkingState, target: PlannerTarget) -> float:
    """Return when a target may be asked; infinity when only an event can tell."""
    if work.call.strict:
        return max(next_slot_time(target), work.now)
    if target.open_until > work.now or target.probe_until > work.now or is_full(target):
        return INFINITY
    return max(target.cool_until, window_opens_at(target), next_slot_time(target), work.now)


def _by_leg(work: WorkingState, why: Why) -> Iterator[list[AttemptOption]]:
    """Yield for each leg whom to ask of it: one target, or one of each member of a fused leg.

    A backend that is still being waited for is not asked with another of its keys: it is late with
    all of them, and each costs money.
    """
    begun = {attempt.leg for attempt in work.call.attempts}
    waited_for = {attempt.leg for attempt in work.flying()}
    for place, leg in enumerate(work.call.legs):
        if place in waited_for or (leg.fuse and (place in begun or why == "hedge")):
            continue
        chosen = [_best(work, place, names) for names in leg.members]
        options = [option for option in chosen if option is not None]
        if options:
            yield options


def _best(work: WorkingState, place: int, names: tuple[str, ...]) -> AttemptOption | None:
    """Return the key to ask with: of those that are free the least used, then the first."""
    options = [
        AttemptOption(place, one, target_ready_at(work, one)) for one in _unasked(work, names)
    ]
    if not options:
        return None
    return next((one for one in options if _is_free(work, one)), options[0])


def _unasked(work: WorkingState, names: Iterable[str]) -> list[PlannerTarget]:
    names_asked = {attempt.target for attempt in work.call.attempts}
    targets = [work.target(name) for name in names if name not in names_asked]
    return sorted(targets, key=lambda one: (one.used, one.key))


def _is_free(work: WorkingState, option: AttemptOption) -> bool:
    if _is_dear(option.target) and work.hedges < 1 and not work.call.strict:
        return False
    return option.at <= work.now + work.rules.pace_wait


def _is_dear(target: PlannerTarget) -> bool:
    """Tell whether to probe it is a second call that costs money, which is drawn as a hedge is."""
    return target.open_until > -INFINITY and target.slow and target.price > 0


def _ask_leg(work: WorkingState, leg: Leg, free: list[AttemptOption], why: Why) -> None:
    if not leg.fuse:
        start_attempt(work, free[0], why)
        return
    for option in free:
        start_attempt(work, option, "member")
    if leg.patience < INFINITY:
        work.actions.append(WakeAt(at=work.now + leg.patience, tick=TimeCame(what="patience")))


def _last_resort(work: WorkingState, why: Why) -> bool:
    """Wait for a place, take a slot that comes soon, look at one early, or end the call."""
    look_early = _all_rest(work)
    everybody = [
        AttemptOption(place, target, _early(work, target, look_early=look_early))
        for place, leg in enumerate(work.call.legs)
        for names in leg.members
        for target in _unasked(work, names)
    ]
    soonest = min(everybody, key=lambda one: one.at, default=None)
    if soonest is None:
        finish_call(work, FinishCall(why="nobody", again_at=_again_at(work, look_early=look_early)))
        return False
    if soonest.at <= min(work.now + work.rules.longest_wait, work.call.deadline):
        start_attempt(work, soonest, why)
        return True
    busy = [one.target for one in everybody if _is_busy(one.target, work.now)]
    if busy:
        _park(work, busy)
    else:
        finish_call(work, FinishCall(why="nobody", again_at=_again_at(work, look_early=look_early)))
    return False


def _again_at(work: WorkingState, *, look_early: bool) -> float:
    """Return when another call would find somebody, those with them who failed just now.

    Who may not be paid for does not become cheaper by waiting.
    """
    refused = {one.target for one in work.call.attempts if one.refused}
    others = [target for target in _everybody(work) if target.name not in refused]
    return min((_early(work, each, look_early=look_early) for each in others), default=INFINITY)


def _everybody(work: WorkingState) -> list[PlannerTarget]:
    legs = work.call.legs
    return [work.target(name) for leg in legs for names in leg.members for name in names]


def _all_rest(work: WorkingState) -> bool:
    """Tell whether everybody on the route is left alone for now, and nobody is just busy."""
    return all(max(one.open_until, one.cool_until) > work.now for one in _everybody(work))


def _early(work: WorkingState, target: PlannerTarget, *, look_early: bool) -> float:
    """Return when a target may be asked if nobody else can be.

    When everybody rests, the first cooldown is enough for one to look again: else one long outage
    hides its own end.
    """
    blocked = is_full(target) and not has_room(target, work.rules)
    if not work.call.strict and (target.probe_until > work.now or blocked):
        return INFINITY
    opened = target.open_until
    if look_early:
        opened = min(opened, target.opened_at + work.rules.cool_first)
    at = max(opened, target.cool_until, window_opens_at(target), next_slot_time(target), work.now)
    return max(next_slot_time(target), work.now) if work.call.strict else at


def _is_busy(target: PlannerTarget, now: float) -> bool:
    """Tell whether a place, or word of how a quick probe went, comes soon."""
    if target.open_until > now or target.cool_until > now:
        return False
    return (target.probe_until > now and not target.slow) or is_full(target)


def _park(work: WorkingState, busy: list[PlannerTarget]) -> None:
    if work.waiting >= work.rules.most_waiting:
        finish_call(work, FinishCall(why="crowded"))
        return
    work.waiting += 1
    work.call = replace(work.call, waiting=True)
    work.actions.append(ParkCall())
    leases = [one.probe_until for one in busy if one.probe_until > work.now]
    if leases:
        # Another process may be the prober, and nobody here is told how it went.
        work.actions.append(WakeAt(at=min(leases), tick=TimeCame(what="slot")))
