"""Choose the next target: the first free one of the route, a probe beside it, or none for now."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from webseam.ports.attempts import Why
from webseam.ports.errors.error_fields import UNREACHED, Verdict

from . import breakers, call_state
from .pacing import (
    book_target_slot,
    halve_target_limit,
    has_target_room,
    is_target_full,
    next_target_slot,
    rate_window_start,
)
from .planner_targets import INFINITY, PROBE_SECONDS, PROBED_REASONS, Fleet, PlannerTarget
from .refusals import begin_refusal_probe, refusal_rest_end

# Losing to a hedge after the attempt's own hedge time counts as a failure.
LATE_VERDICT = Verdict(blames=True, slow=True)
_SINGLE_TARGET = 1
_MAX_RETRIES = 2


class WorkingState:
    """A working copy of a state, the time, and the actions to return."""

    def __init__(self, state: call_state.PlannerState, now: float) -> None:
        """Start from ``state``, which is never changed."""
        self.call: call_state.PlannerCall = state.call
        self.hedges = state.fleet.hedges
        self.waiting = state.fleet.waiting
        self.now = now
        self.rules = state.fleet.rules
        self.actions: list[call_state.Action] = []
        self._fleet = state.fleet
        self._changed: dict[str, PlannerTarget] = {}

    def find_target(self, name: str) -> PlannerTarget:
        """Return a target with the changes made so far."""
        return self._changed.get(name) or self._fleet.targets[name]

    def put_target(self, target: PlannerTarget) -> None:
        """Store a changed target."""
        self._changed[target.name] = target

    def change_target(self, name: str, change: Callable[[PlannerTarget], PlannerTarget]) -> None:
        """Replace a target by the result of ``change``."""
        self.put_target(change(self.find_target(name)))

    def change_attempt(self, attempt: call_state.Attempt, **changes: object) -> call_state.Attempt:
        """Change an attempt of the call and return it."""
        attempts = list(self.call.attempts)
        changed = attempts[attempt.id] = replace(attempts[attempt.id], **changes)
        self.call = replace(self.call, attempts=tuple(attempts))
        return changed

    def land_attempt(self, attempt: call_state.Attempt) -> None:
        """Count an attempt as no longer in flight."""
        self.change_target(attempt.target, lambda old: replace(old, inflight=old.inflight - 1))

    def blame_target(self, name: str, verdict: Verdict) -> None:
        """Count a failure against a target; a slow one also halves its limit."""
        target = breakers.count_target_failure(
            self.find_target(name), verdict, self.rules, self.now
        )
        if verdict.slow:
            target = halve_target_limit(target, self.rules, self.now)
        self.put_target(target)

    def may_try_backend(self, backend: str) -> bool:
        """Tell whether the call may ask a backend once more: keys do not multiply attempts."""
        tries = sum(
            1 + attempt.retried
            for attempt in self.call.attempts
            if not attempt.unsent and self._fleet.targets[attempt.target].backend == backend
        )
        return tries < self.rules.tries

    def attempts_in_flight(self) -> list[call_state.Attempt]:
        """Return the attempts in flight."""
        return [attempt for attempt in self.call.attempts if not attempt.over]

    def state_and_actions(self) -> tuple[call_state.PlannerState, tuple[call_state.Action, ...]]:
        """Return the new state and the actions."""
        fleet = self._fleet
        targets = {**fleet.targets, **self._changed} if self._changed else fleet.targets
        fleet = Fleet(targets=targets, rules=self.rules, hedges=self.hedges, waiting=self.waiting)
        return call_state.PlannerState(self.call, fleet), tuple(self.actions)


def finish_call(work: WorkingState, end: call_state.FinishCall) -> None:
    """End the call and cancel its attempts. A probe stays in flight, for what it shows."""
    for attempt in work.attempts_in_flight():
        if attempt.why != "probe" or not attempt.sent or attempt.overdue:
            cancel_attempt(work, attempt, answered=bool(end.winners))
    _blame_unreached(work, end)
    if work.call.waiting:
        work.waiting -= 1
    work.call = replace(work.call, done=True, waiting=False)
    work.actions.append(end)


def cancel_attempt(work: WorkingState, attempt: call_state.Attempt, *, answered: bool) -> None:
    """Cancel an attempt, and record how long the caller waited for it."""
    work.land_attempt(attempt)
    work.actions.append(call_state.CancelAttempt(id=attempt.id))
    target, waited = work.find_target(attempt.target), work.now - attempt.start
    if attempt.sent and waited > breakers.hedge_time(target, work.rules):
        # Its latency is at least this long; a quantile needs no exact value above the hedge time.
        work.put_target(breakers.add_target_latency(target, waited, work.rules))
        if answered and not attempt.overdue:
            late = work.find_target(attempt.target)
            work.put_target(breakers.count_target_failure(late, LATE_VERDICT, work.rules, work.now))
    work.change_attempt(attempt, over=True, outcome="cancelled", ended=work.now)


def _blame_unreached(work: WorkingState, end: call_state.FinishCall) -> None:
    """Blame unreached targets, unless no target was reached.

    In that case the caller's own network is the likely cause.
    """
    unreached = [attempt for attempt in work.call.attempts if attempt.unreached]
    reached = end.winners or len(unreached) < len(work.call.attempts)
    if not reached and len({attempt.target for attempt in unreached}) > _SINGLE_TARGET:
        return
    for attempt in unreached:
        work.blame_target(attempt.target, UNREACHED)


def winning_attempts(work: WorkingState) -> tuple[int, ...]:
    """Return the attempts whose answers count: all of the leg that answered last, in its order."""
    answers = [work.call.attempts[index] for index in work.call.answers]
    leg = answers[-1].leg
    names = [name for member in work.call.legs[leg].members for name in member]
    leg_answers = [attempt for attempt in answers if attempt.leg == leg]
    leg_answers.sort(key=lambda attempt: names.index(attempt.target))
    return tuple(attempt.id for attempt in leg_answers)


class AttemptOption(NamedTuple):
    """A target that could be asked, its leg, and when it is free."""

    leg: int
    target: PlannerTarget
    at: float


def start_next_attempt(work: WorkingState, why: Why, *, quiet: bool = False) -> bool:
    """Ask the next free target; return whether one was asked.

    A ``quiet`` call does nothing else. Otherwise, while no attempt may still answer in time, the
    call waits for a slot or a short cooldown, asks a target that rests, retries, or ends.
    """
    for options in _options_by_leg(work, why):
        free = [option for option in options if _is_option_free(work, option)]
        leg = work.call.legs[options[0].leg]
        if not free or (leg.strict and len(free) < len(leg.members)):
            continue
        _ask_leg(work, leg, free, why)
        return True
    if quiet or any(not attempt.overdue for attempt in work.attempts_in_flight()):
        return False
    return _wait_or_finish_call(work, why)


def start_attempt(work: WorkingState, option: AttemptOption, why: Why) -> None:
    """Start an attempt: book its slot and reserve the money."""
    target, call = option.target, work.call
    start = max(option.at, work.now)
    is_early = _cooldown_end(work, target) > start
    is_open = target.open_until > -INFINITY and not call.strict
    probing = (is_early or is_open) and why not in ("last", "again")
    if is_early:
        target = replace(target, cooled_at=start)
    if target.refusals:
        target = begin_refusal_probe(target, call.owner, start)
    if _is_paid_probe(target) and probing:
        work.hedges = max(work.hedges - 1, 0.0)
    # The probe lease lasts until the attempt's end, and the attempt may start later.
    probe_until = start + work.rules.timeout if probing else target.probe_until
    work.put_target(replace(book_target_slot(target, start), probe_until=probe_until))
    attempt = call_state.Attempt(
        id=len(call.attempts),
        target=target.name,
        leg=option.leg,
        why="probe" if probing else why,
        start=start,
    )
    work.call = replace(call, attempts=(*call.attempts, attempt))
    work.actions.append(
        call_state.ReserveMoney(
            id=attempt.id, target=target.name, micros=target.price, probe=probing
        )
    )


def retry_with_other_key(work: WorkingState, attempt: call_state.Attempt) -> bool:
    """Ask the same member of a leg with another free key; return whether there was one."""
    leg = work.call.legs[attempt.leg]
    keys = next(names for names in leg.members if attempt.target in names)
    option = _best_key_option(work, attempt.leg, keys)
    if option is None or not _is_option_free(work, option):
        return False
    start_attempt(work, option, "next")
    return True


def target_ready_at(work: WorkingState, target: PlannerTarget) -> float:
    """Return when a target may be asked; infinity when only an event can free it."""
    rest_end = max(_cooldown_end(work, target), refusal_rest_end(target, work.call.owner))
    if work.call.strict:
        return max(rest_end, next_target_slot(target), work.now)
    if target.open_until > work.now or target.probe_until > work.now or is_target_full(target):
        return INFINITY
    return max(rest_end, rate_window_start(target), next_target_slot(target), work.now)


def _cooldown_end(work: WorkingState, target: PlannerTarget) -> float:
    """Return when a cooldown ends.

    A model that was not found, or that refused a parameter, was asked for by one caller: others may
    ask the same target for another one, and it has no target beside it.
    """
    if work.call.strict and target.cool_why == "model":
        return -INFINITY
    return target.cool_until


def _options_by_leg(work: WorkingState, why: Why) -> Iterator[list[AttemptOption]]:
    """Yield for each leg its options: one target, or one of each member of a fused leg.

    While an attempt of a backend is in flight, do not use its other keys: the backend is late with
    all of them, and each attempt costs money.
    """
    begun_legs = {attempt.leg for attempt in work.call.attempts}
    legs_in_flight = {attempt.leg for attempt in work.attempts_in_flight()}
    for index, leg in enumerate(work.call.legs):
        if index in legs_in_flight or (leg.fuse and (index in begun_legs or why == "hedge")):
            continue
        chosen = [_best_key_option(work, index, names) for names in leg.members]
        if options := [option for option in chosen if option is not None]:
            yield options


def _best_key_option(work: WorkingState, leg: int, names: tuple[str, ...]) -> AttemptOption | None:
    """Return the key to ask with: the least used free one, else the first; None without keys."""
    options = [
        AttemptOption(leg, target, target_ready_at(work, target))
        for target in _unasked_targets(work, names)
    ]
    free = (option for option in options if _is_option_free(work, option))
    return next(free, options[0] if options else None)


def _unasked_targets(work: WorkingState, names: Iterable[str]) -> list[PlannerTarget]:
    asked_names = {attempt.target for attempt in work.call.attempts}
    unasked = [work.find_target(name) for name in names if name not in asked_names]
    # Another key helps with what concerns the key, and not against an outage.
    failed = {
        work.find_target(attempt.target).backend for attempt in work.call.attempts if attempt.blamed
    }
    targets = [
        target
        for target in unasked
        if target.backend not in failed and work.may_try_backend(target.backend)
    ]
    return sorted(targets, key=lambda old: (old.used, old.key))


def _is_option_free(work: WorkingState, option: AttemptOption) -> bool:
    if _is_paid_probe(option.target) and work.hedges < 1 and not work.call.strict:
        return False
    return option.at <= work.now + work.rules.pace_wait


def _is_paid_probe(target: PlannerTarget) -> bool:
    """Tell whether a probe of it costs money besides another call, and so needs a hedge."""
    return target.open_until > -INFINITY and target.slow and target.price > 0


def _ask_leg(work: WorkingState, leg: call_state.Leg, free: list[AttemptOption], why: Why) -> None:
    if not leg.fuse:
        start_attempt(work, free[0], why)
        return
    for option in free:
        start_attempt(work, option, "member")
    if leg.patience < INFINITY:
        work.actions.append(
            call_state.WakeAt(at=work.now + leg.patience, tick=call_state.TimeCame(what="patience"))
        )


def _wait_or_finish_call(work: WorkingState, why: Why) -> bool:
    """Take a slot that comes soon, wait for one, ask one that rests, retry, or end the call."""
    early = all(max(item.open_until, item.cool_until) > work.now for item in _route_targets(work))
    options = [
        AttemptOption(index, target, _last_resort_at(work, target, early=early))
        for index, leg in enumerate(work.call.legs)
        for names in leg.members
        for target in _unasked_targets(work, names)
    ]
    soonest = min(options, key=lambda option: option.at, default=None)
    deadline = work.call.deadline
    if soonest is not None and soonest.at <= min(work.now + work.rules.longest_wait, deadline):
        start_attempt(work, soonest, why)
        return True
    busy = [option.target for option in options if _is_target_busy(option.target, work.now)]
    if busy and not work.attempts_in_flight():
        _park_call(work, busy)
        return False
    spare = min(
        (*_resting_options(work), *_retry_options(work)),
        key=lambda option: breakers.target_failure_share(option.target),
        default=soonest if _is_worth_waiting(work, soonest) else None,
    )
    if spare is not None and spare.at <= deadline:
        asked = any(attempt.target == spare.target.name for attempt in work.call.attempts)
        start_attempt(work, spare, "again" if asked else "last")
        return True
    if not work.attempts_in_flight():
        finish_call(
            work, call_state.FinishCall(why="nobody", again_at=_next_call_at(work, early=early))
        )
    return False


def _is_worth_waiting(work: WorkingState, soonest: AttemptOption | None) -> bool:
    """Tell whether a call that asked nobody yet waits for the end of a rest.

    Not for a refused plan, key or row of queries: these do not end by waiting. A call of one
    target has no time limit of its own here.
    """
    if soonest is None or work.call.attempts:
        return False
    target = soonest.target
    is_probe = target.cool_until > soonest.at
    if is_probe or refusal_rest_end(target, work.call.owner) > work.now:
        return False
    return not work.call.strict or soonest.at <= work.now + work.rules.alone_wait


def _resting_options(work: WorkingState) -> list[AttemptOption]:
    """Return the targets that this call did not ask because their breakers are open.

    A breaker only guesses, so the call asks them before it fails. A rest that a service asked for,
    or that a key or quota needs, holds.
    """
    return [
        AttemptOption(index, target, max(next_target_slot(target), work.now))
        for index, leg in enumerate(work.call.legs)
        for names in leg.members
        for target in _unasked_targets(work, names)
        if not leg.strict
        and max(target.cool_until, refusal_rest_end(target, work.call.owner)) <= work.now
        and rate_window_start(target) <= work.now
        and _has_concurrency_left(target)
    ]


def _retry_options(work: WorkingState) -> list[AttemptOption]:
    """Return the targets whose last failure may pass, while the call has retries left.

    All wait for the longest pause: what failed together is often down together, and a retry spent
    too early is lost. A pause that does not fit into the call is cut to half of the time left.
    """
    if work.call.count_retries() >= _MAX_RETRIES:
        return []
    latest = {attempt.target: attempt for attempt in work.call.attempts}
    may_pass = [attempt for attempt in latest.values() if attempt.again_at < INFINITY]
    at = max((attempt.again_at for attempt in may_pass), default=INFINITY)
    if at > work.call.deadline:
        at = work.now + (work.call.deadline - work.now) / 2
    options = [
        AttemptOption(attempt.leg, work.find_target(attempt.target), at)
        for attempt in may_pass
        if not work.call.legs[attempt.leg].strict
    ]
    return [
        option
        for option in options
        if _has_concurrency_left(option.target) and work.may_try_backend(option.target.backend)
    ]


def _has_concurrency_left(target: PlannerTarget) -> bool:
    return target.concurrency is None or target.inflight < target.concurrency


def _next_call_at(work: WorkingState, *, early: bool) -> float:
    """Return when another call would find a free target, including those that failed just now.

    Leave out targets that the budget refused: waiting does not make them cheaper.
    """
    refused = {attempt.target for attempt in work.call.attempts if attempt.refused}
    others = [target for target in _route_targets(work) if target.name not in refused]
    return min((_last_resort_at(work, spare, early=early) for spare in others), default=INFINITY)


def _route_targets(work: WorkingState) -> list[PlannerTarget]:
    members = [names for leg in work.call.legs for names in leg.members]
    return [work.find_target(name) for names in members for name in names]


def _last_resort_at(work: WorkingState, target: PlannerTarget, *, early: bool) -> float:
    """Return when a target may be asked if no other can be.

    When all targets rest, one may be probed after its first cooldown; otherwise a long backoff
    would hide the end of an outage. One whose plan or key was refused is probed once a minute.
    """
    opened, cooled = target.open_until, _cooldown_end(work, target)
    if early:
        opened = min(opened, target.opened_at + work.rules.cool_first)
        if target.cool_why in PROBED_REASONS:
            cooled = min(cooled, target.cooled_at + PROBE_SECONDS)
    rest_end = max(cooled, refusal_rest_end(target, work.call.owner))
    is_leased = target.probe_until > work.now
    if work.call.strict:
        if is_leased and cooled > -INFINITY:
            return INFINITY
        return max(rest_end, next_target_slot(target), work.now)
    if is_leased or (is_target_full(target) and not has_target_room(target, work.rules)):
        return INFINITY
    return max(opened, rest_end, rate_window_start(target), next_target_slot(target), work.now)


def _is_target_busy(target: PlannerTarget, now: float) -> bool:
    """Tell whether a slot, or the outcome of a quick probe, comes soon."""
    if target.open_until > now or target.cool_until > now:
        return False
    return (target.probe_until > now and not target.slow) or is_target_full(target)


def _park_call(work: WorkingState, busy: list[PlannerTarget]) -> None:
    if work.waiting >= work.rules.most_waiting:
        finish_call(work, call_state.FinishCall(why="crowded"))
        return
    work.waiting += 1
    work.call = replace(work.call, waiting=True)
    work.actions.append(call_state.ParkCall())
    leases = [target.probe_until for target in busy if target.probe_until > work.now]
    if leases:
        # Another process may hold the probe lease and cannot notify us: wake when it ends.
        work.actions.append(
            call_state.WakeAt(at=min(leases), tick=call_state.TimeCame(what="slot"))
        )
