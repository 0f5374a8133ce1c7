"""The planner: ``step_planner(state, event, now)`` gives the next state, and what is to be done.

Pure: the clock comes as ``now``, chance with the event that needs it. A driver keeps one fleet for
all calls and one ``Call`` for each, does the actions, and says what happened.
"""

import msgspec

from ....ports.errors import WebError
from ....ports.errors.error_fields import Verdict
from ..health.breakers import add_target_latency, end_probe, hedge_time, start_cooldown
from ..health.pacing import apply_windows
from ..health.retry import retry_delay
from ..planner_targets import INFINITY
from .answer_effects import apply_landings, quickest_other
from .attempt_choice import (
    AttemptOption,
    WorkingState,
    cancel_attempt,
    finish_call,
    retry_with_other_key,
    start_attempt,
    start_next_attempt,
    winning_targets,
)
from .call_state import (
    Action,
    Attempt,
    AttemptAnswered,
    AttemptFailed,
    CallBegan,
    CallerLeft,
    Event,
    FinishCall,
    MoneyReserved,
    PlannerState,
    SendAttempt,
    TimeCame,
    WakeAt,
)

replace = msgspec.structs.replace

_LATE = Verdict(blames=True, slow=True)


def step_planner(
    state: PlannerState, event: Event, now: float
) -> tuple[PlannerState, tuple[Action, ...]]:
    """Return what ``event`` makes of ``state``, and what is to be done."""
    work = WorkingState(state, now)
    match event:
        case CallBegan():
            _begin(work)
        case TimeCame():
            _tick(work, event)
        case CallerLeft():
            if not work.call.done:
                finish_call(work, FinishCall(why="left"))
        case _:
            attempt = work.call.attempts[event.id]
            if not attempt.over:
                _heard(work, attempt, event)
    return work.result()


def _begin(work: WorkingState) -> None:
    rules = work.rules
    work.hedges = min(work.hedges + rules.hedge_share, rules.hedge_burst)
    work.actions.append(WakeAt(at=work.call.deadline, tick=TimeCame(what="deadline")))
    start_next_attempt(work, "first")


def _heard(
    work: WorkingState, attempt: Attempt, event: MoneyReserved | AttemptAnswered | AttemptFailed
) -> None:
    if isinstance(event, MoneyReserved):
        _reserved(work, attempt, event)
    elif isinstance(event, AttemptAnswered):
        _answered(work, attempt, event)
    else:
        _failed(work, attempt, event)


def _tick(work: WorkingState, tick: TimeCame) -> None:
    call = work.call
    match tick.what:
        case "overdue":
            _overdue(work, call.attempts[tick.id])
        case "hedge":
            _hedge(work, call.attempts[tick.id])
        case _:
            if not call.done:
                _time_of_the_call(work, tick)


def _time_of_the_call(work: WorkingState, tick: TimeCame) -> None:
    call = work.call
    if tick.what == "slot":
        if call.waiting:
            work.waiting -= 1
            work.call = replace(call, waiting=False)
            start_next_attempt(work, "next" if call.attempts else "first")
    elif call.answers:
        finish_call(work, FinishCall(winners=winning_targets(work)))
    elif tick.what == "deadline":
        finish_call(work, FinishCall(why="waited" if call.waiting else "deadline"))


def _overdue(work: WorkingState, attempt: Attempt) -> None:
    """Count an attempt as failing, whether or not it will ever say so, and ask the next.

    What is under way stays: it is paid for already, and may still win.
    """
    if attempt.over:
        return
    work.mark(attempt, overdue=True)
    work.blame(attempt.target, _LATE)
    if work.call.done or any(not each.overdue for each in work.flying()):
        return
    if work.call.answers:
        finish_call(work, FinishCall(winners=winning_targets(work)))
    else:
        start_next_attempt(work, "next", quiet=True)


def _hedge(work: WorkingState, attempt: Attempt) -> None:
    """Ask another for an answer that is late, as far as hedges are left."""
    if attempt.over or work.call.done or len(work.flying()) > 1:
        return
    # Where the breaker has opened meanwhile, this is no guess any more, and costs no hedge.
    price = 0.0 if work.target(attempt.target).open_until > work.now else 1.0
    if work.hedges >= price and start_next_attempt(work, "hedge", quiet=True):
        work.hedges = max(work.hedges - price, 0.0)


def _reserved(work: WorkingState, attempt: Attempt, event: MoneyReserved) -> None:
    if not event.ok:
        _refused(work, attempt, event.error)
        return
    target, rules = work.target(attempt.target), work.rules
    # The time that the reservation took is not the target's.
    at = max(attempt.start, work.now)
    work.mark(attempt, sent=True, start=at)
    if attempt.why == "probe":
        work.put(replace(target, probe_until=at + rules.timeout))
    late = hedge_time(target, rules)
    work.actions.append(SendAttempt(id=attempt.id, target=attempt.target, at=at))
    overdue = TimeCame(what="overdue", id=attempt.id)
    work.actions.append(WakeAt(at=at + late * rules.overdue, tick=overdue))
    if work.call.legs[attempt.leg].fuse or work.call.strict:
        return
    if attempt.why == "probe" and target.slow:
        # One that hung is probed beside the next, not before it: the caller does not wait for it.
        start_next_attempt(work, "beside", quiet=True)
    else:
        work.actions.append(WakeAt(at=at + late, tick=TimeCame(what="hedge", id=attempt.id)))


def _refused(work: WorkingState, attempt: Attempt, error: WebError | None) -> None:
    outcome = "probed_elsewhere" if error is None else error.kind
    work.mark(attempt, over=True, refused=error is not None, outcome=outcome, ended=work.now)
    work.land(attempt)
    if attempt.why == "probe":
        work.change(attempt.target, lambda one: replace(one, probe_until=-INFINITY))
    _go_on(work, attempt)


def _answered(work: WorkingState, attempt: Attempt, event: AttemptAnswered) -> None:
    target = work.target(attempt.target)
    answered = apply_landings(
        target,
        ((work.now - attempt.start, work.now, target.inflight),),
        work.rules,
        lambda now: quickest_other(work.call.legs, attempt.target, work.target, now),
    )
    work.put(apply_windows(answered, event.windows, work.now) if event.windows else answered)
    work.mark(attempt, over=True, outcome="answered", ended=work.now)
    if work.call.done:
        # A probe that outlived its call.
        return
    work.call = replace(work.call, answers=(*work.call.answers, attempt.id))
    if _is_enough(work, attempt):
        finish_call(work, FinishCall(winners=winning_targets(work)))


def _is_enough(work: WorkingState, attempt: Attempt) -> bool:
    leg = work.call.legs[attempt.leg]
    if not leg.fuse:
        return True
    count = len(winning_targets(work))
    waited = work.now - min(one.start for one in work.call.attempts if one.leg == attempt.leg)
    under_way = [one for one in work.flying() if one.leg == attempt.leg and not one.overdue]
    return count >= (leg.quorum or len(leg.members)) or waited >= leg.patience or not under_way


def _failed(work: WorkingState, attempt: Attempt, event: AttemptFailed) -> None:
    verdict = event.error.facts.verdict
    work.land(attempt)
    if event.windows:
        work.change(attempt.target, lambda one: apply_windows(one, event.windows, work.now))
    _learn(work, attempt, event, verdict)
    _note(work, attempt, event.error, verdict)
    if work.call.done:
        return
    if verdict.move == "stop":
        finish_call(work, FinishCall(why="stopped", cause=attempt.id))
    elif not _tried_again(work, attempt, event, verdict):
        _go_on(work, attempt)


def _learn(work: WorkingState, attempt: Attempt, event: AttemptFailed, verdict: Verdict) -> None:
    name, rules, now = attempt.target, work.rules, work.now
    if verdict.cools:
        work.change(name, lambda one: start_cooldown(one, verdict, rules, now, event.chance))
    if verdict.blames and not verdict.unreached and not attempt.overdue:
        work.blame(name, verdict)
    if verdict.slow:
        work.change(name, lambda one: add_target_latency(one, now - attempt.start, rules))


def _note(work: WorkingState, attempt: Attempt, error: WebError, verdict: Verdict) -> None:
    """Write down how an attempt ended, and give back the right to probe if it was one."""
    target = work.target(attempt.target)
    if attempt.why == "probe" and target.opened_at < work.now:
        target = end_probe(target, work.now)
        work.put(target)
    work.mark(
        attempt,
        over=True,
        outcome=error.kind,
        ended=work.now,
        unreached=verdict.unreached,
        cooled_until=max(target.cool_until, target.open_until),
    )


def _tried_again(
    work: WorkingState, attempt: Attempt, event: AttemptFailed, verdict: Verdict
) -> bool:
    """Ask the same target once more: at once where that is free of doubt, or as nobody else is."""
    tries = sum(each.target == attempt.target for each in work.call.attempts)
    target = work.target(attempt.target)
    if target.open_until > work.now and not work.call.strict:
        return False
    if verdict.move == "once" and tries == 1 and work.rules.again:
        start_attempt(work, AttemptOption(attempt.leg, target, work.now), "again")
        return True
    leg = work.call.legs[attempt.leg]
    if verdict.move == "next" or leg.fuse or work.flying():
        return False
    return start_next_attempt(work, "next", quiet=True) or _once_more(work, attempt, event, tries)


def _once_more(work: WorkingState, attempt: Attempt, event: AttemptFailed, tries: int) -> bool:
    """Ask the same target again after a while, if that may help and nobody else is left."""
    wait = retry_delay(event.error, tries, event.chance) if work.rules.again else None
    if wait is None:
        return False
    target = work.target(attempt.target)
    start_attempt(work, AttemptOption(attempt.leg, target, work.now + wait), "again")
    return True


def _go_on(work: WorkingState, attempt: Attempt) -> None:
    """Ask whoever is next after an attempt that gave nothing."""
    leg = work.call.legs[attempt.leg]
    if leg.fuse and retry_with_other_key(work, attempt):
        return
    if leg.fuse and leg.strict:
        _drop_leg(work, attempt.leg)
    waiting_for = [each for each in work.flying() if not each.overdue]
    if waiting_for:
        return
    if work.call.answers:
        finish_call(work, FinishCall(winners=winning_targets(work)))
    else:
        start_next_attempt(work, "next")


def _drop_leg(work: WorkingState, place: int) -> None:
    """Break off the others of a strict leg; what they answered does not count."""
    for each in work.flying():
        if each.leg == place:
            cancel_attempt(work, each, answered=False)
    own = {each.id for each in work.call.attempts if each.leg == place}
    answers = tuple(each for each in work.call.answers if each not in own)
    work.call = replace(work.call, answers=answers)
