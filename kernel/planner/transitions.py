"""Step the planner: ``step_planner(state, event, now)`` returns the next state and the actions.

Pure: ``now`` is the clock, and the event that needs chance carries it. A driver keeps one fleet for
all calls and one ``PlannerCall`` for each, performs the actions, and sends events back.
"""

from msgspec.structs import replace

from webseam.ports.errors.error_fields import Verdict

from . import breakers, pacing, retry
from .answer_effects import apply_landings, quickest_target
from .attempt_choice import (
    LATE_VERDICT,
    AttemptOption,
    WorkingState,
    cancel_attempt,
    finish_call,
    retry_with_other_key,
    start_attempt,
    start_next_attempt,
    winning_attempts,
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
from .planner_targets import INFINITY
from .refusals import count_refusal


def step_planner(
    state: PlannerState, event: Event, now: float
) -> tuple[PlannerState, tuple[Action, ...]]:
    """Return the state after ``event``, and the actions to perform."""
    work = WorkingState(state, now)
    match event:
        case CallBegan():
            work.hedges = min(work.hedges + work.rules.hedge_share, work.rules.hedge_burst)
            work.actions.append(WakeAt(at=work.call.deadline, tick=TimeCame(what="deadline")))
            start_next_attempt(work, "first")
        case TimeCame():
            _handle_timer(work, event)
        case CallerLeft():
            if not work.call.done:
                finish_call(work, FinishCall(why="left"))
        case _:
            attempt = work.call.attempts[event.id]
            if not attempt.over:
                _handle_attempt_event(work, attempt, event)
    return work.state_and_actions()


def _handle_attempt_event(
    work: WorkingState, attempt: Attempt, event: MoneyReserved | AttemptAnswered | AttemptFailed
) -> None:
    match event:
        case MoneyReserved():
            _handle_reservation(work, attempt, event)
        case AttemptAnswered():
            _accept_answer(work, attempt, event)
        case _:
            _handle_failure(work, attempt, event)


def _handle_timer(work: WorkingState, tick: TimeCame) -> None:
    call = work.call
    match tick.what:
        case "overdue":
            _count_overdue_attempt(work, call.attempts[tick.id])
        case "hedge":
            _start_hedge(work, call.attempts[tick.id])
        case _:
            if not call.done:
                _handle_call_timer(work, tick)


def _handle_call_timer(work: WorkingState, tick: TimeCame) -> None:
    call = work.call
    if tick.what == "slot":
        if call.waiting:
            work.waiting -= 1
            work.call = replace(call, waiting=False)
            start_next_attempt(work, "next" if call.attempts else "first")
    elif call.answers:
        if tick.what == "patience":
            _blame_silent_members(work)
        finish_call(work, FinishCall(winners=winning_attempts(work)))
    elif tick.what == "deadline":
        finish_call(work, FinishCall(why="waited" if call.waiting else "deadline"))


def _blame_silent_members(work: WorkingState) -> None:
    """Count the members that were silent until the patience ended, while others answered."""
    for attempt in work.attempts_in_flight():
        if attempt.sent and not attempt.overdue:
            work.change_attempt(attempt, overdue=True)
            work.blame_target(attempt.target, LATE_VERDICT)


def _count_overdue_attempt(work: WorkingState, attempt: Attempt) -> None:
    """Count an attempt as failed although it may still answer, and ask the next target.

    Attempts in flight stay: they are paid for already and may still win.
    """
    if attempt.over:
        return
    work.change_attempt(attempt, overdue=True)
    work.blame_target(attempt.target, LATE_VERDICT)
    if work.call.done or any(not flying.overdue for flying in work.attempts_in_flight()):
        return
    if work.call.answers:
        finish_call(work, FinishCall(winners=winning_attempts(work)))
    else:
        start_next_attempt(work, "next")


def _start_hedge(work: WorkingState, attempt: Attempt) -> None:
    """Ask another target for an answer that is late, while hedges are left."""
    if work.rules.hedge_share <= 0:
        # No call is asked twice, whatever is left of the allowance.
        return
    if attempt.over or work.call.done or len(work.attempts_in_flight()) > 1:
        return
    # If the breaker opened meanwhile, the next call is due anyway and costs no hedge.
    price = 0.0 if work.find_target(attempt.target).open_until > work.now else 1.0
    if work.hedges >= price and start_next_attempt(work, "hedge", quiet=True):
        work.hedges = max(work.hedges - price, 0.0)


def _handle_reservation(work: WorkingState, attempt: Attempt, event: MoneyReserved) -> None:
    if not event.ok:
        outcome = "probed_elsewhere" if event.error is None else event.error.kind
        work.change_attempt(
            attempt,
            over=True,
            unsent=True,
            refused=event.error is not None,
            outcome=outcome,
            ended=work.now,
        )
        work.land_attempt(attempt)
        if attempt.why == "probe":
            work.change_target(attempt.target, lambda old: replace(old, probe_until=-INFINITY))
        _continue_route(work, attempt)
        return
    target, rules = work.find_target(attempt.target), work.rules
    # The target's latency excludes the time that the reservation took.
    start = max(attempt.start, work.now)
    work.change_attempt(attempt, sent=True, start=start)
    if attempt.why == "probe":
        work.put_target(replace(target, probe_until=start + rules.timeout))
    late = breakers.hedge_time(target, rules)
    work.actions.append(SendAttempt(id=attempt.id, target=attempt.target, at=start))
    overdue = TimeCame(what="overdue", id=attempt.id)
    work.actions.append(WakeAt(at=start + late * rules.overdue, tick=overdue))
    if work.call.legs[attempt.leg].fuse or work.call.strict:
        return
    if attempt.why == "probe" and target.slow:
        # Probe a target that hung beside the next one, so that the caller does not wait for it.
        start_next_attempt(work, "beside", quiet=True)
    else:
        work.actions.append(WakeAt(at=start + late, tick=TimeCame(what="hedge", id=attempt.id)))


def _accept_answer(work: WorkingState, attempt: Attempt, event: AttemptAnswered) -> None:
    target = work.find_target(attempt.target)
    answered = apply_landings(
        target,
        ((work.now - attempt.start, work.now, target.inflight),),
        work.rules,
        lambda now: quickest_target(work.call.legs, attempt.target, work.find_target, now),
    )
    work.put_target(
        pacing.apply_rate_windows(answered, event.windows, work.now) if event.windows else answered
    )
    work.change_attempt(attempt, over=True, outcome="answered", ended=work.now)
    if work.call.done:
        # A probe outlived its call.
        return
    work.call = replace(work.call, answers=(*work.call.answers, attempt.id))
    if _has_enough_leg_answers(work, attempt):
        finish_call(work, FinishCall(winners=winning_attempts(work)))


def _has_enough_leg_answers(work: WorkingState, attempt: Attempt) -> bool:
    leg = work.call.legs[attempt.leg]
    if not leg.fuse:
        return True
    count = len(winning_attempts(work))
    waited = work.now - min(peer.start for peer in work.call.attempts if peer.leg == attempt.leg)
    under_way = [
        peer
        for peer in work.attempts_in_flight()
        if peer.leg == attempt.leg and not peer.overdue and peer.why != "probe"
    ]
    return count >= (leg.quorum or len(leg.members)) or waited >= leg.patience or not under_way


def _handle_failure(work: WorkingState, attempt: Attempt, event: AttemptFailed) -> None:
    verdict = event.error.facts.verdict
    work.land_attempt(attempt)
    if event.windows:
        work.change_target(
            attempt.target, lambda old: pacing.apply_rate_windows(old, event.windows, work.now)
        )
    _apply_verdict(work, attempt, event, verdict)
    _record_failure(work, attempt, event, verdict)
    if work.call.done:
        return
    if verdict.move == "stop":
        finish_call(work, FinishCall(why="stopped", cause=attempt.id))
    elif verdict.move == "once" and _resend_attempt(work, attempt):
        return
    else:
        _continue_route(work, attempt)


def _apply_verdict(
    work: WorkingState, attempt: Attempt, event: AttemptFailed, verdict: Verdict
) -> None:
    name, rules, now = attempt.target, work.rules, work.now
    if verdict.cools:
        work.change_target(
            name, lambda old: breakers.start_target_cooldown(old, verdict, rules, now, event.chance)
        )
    call, error = work.call, event.error
    work.change_target(name, lambda old: count_refusal(old, error, call.owner, call.subject, now))
    if verdict.blames and not verdict.unreached and not attempt.overdue:
        work.blame_target(name, verdict)
    if verdict.slow:
        work.change_target(
            name, lambda old: breakers.add_target_latency(old, now - attempt.start, rules)
        )


def _record_failure(
    work: WorkingState, attempt: Attempt, event: AttemptFailed, verdict: Verdict
) -> None:
    """Record how an attempt ended; release the right to probe if it was a probe."""
    target = work.find_target(attempt.target)
    delay = None
    # Waiting for the end of an outage must not cost money: a lost answer may be paid for.
    is_free = not verdict.billed or not target.price
    if verdict.move in ("here", "once") and work.rules.again and is_free:
        tries = work.call.count_tries(attempt.target) + event.retried
        pauses = max(tries, work.call.count_retries() + 1)
        delay = retry.retry_delay(event.error, pauses, event.chance)
    if attempt.why == "probe" and target.opened_at < work.now:
        target = breakers.end_target_probe(target, work.now)
        work.put_target(target)
    work.change_attempt(
        attempt,
        over=True,
        outcome=event.error.kind,
        retried=event.retried,
        ended=work.now,
        unreached=verdict.unreached,
        blamed=verdict.blames and not verdict.cools,
        cooled_until=max(target.cool_until, target.open_until),
        again_at=INFINITY if delay is None else work.now + delay,
    )


def _resend_attempt(work: WorkingState, attempt: Attempt) -> bool:
    """Ask the same target at once after a lost connection, one time; return whether it did."""
    target = work.find_target(attempt.target)
    is_open = target.open_until > work.now and not work.call.strict
    may_try = work.rules.again and work.may_try_backend(target.backend)
    if is_open or not may_try or work.call.count_tries(attempt.target) > 1:
        return False
    start_attempt(work, AttemptOption(attempt.leg, target, work.now), "again")
    return True


def _continue_route(work: WorkingState, attempt: Attempt) -> None:
    """Ask the next target after an attempt without an answer."""
    leg = work.call.legs[attempt.leg]
    if leg.fuse and retry_with_other_key(work, attempt):
        return
    if leg.fuse and leg.strict:
        _drop_leg(work, attempt.leg)
    if any(not flying.overdue for flying in work.attempts_in_flight()):
        return
    if work.call.answers:
        finish_call(work, FinishCall(winners=winning_attempts(work)))
    else:
        start_next_attempt(work, "next")


def _drop_leg(work: WorkingState, leg_index: int) -> None:
    """Cancel the other attempts of a strict leg; their answers do not count."""
    for attempt in work.attempts_in_flight():
        if attempt.leg == leg_index:
            cancel_attempt(work, attempt, answered=False)
    leg_ids = {attempt.id for attempt in work.call.attempts if attempt.leg == leg_index}
    answers = tuple(id_ for id_ in work.call.answers if id_ not in leg_ids)
    work.call = replace(work.call, answers=answers)
