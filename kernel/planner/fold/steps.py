"""The planner: ``step(state, event, now)`` gives the next state, and what is to be done.

Pure: the clock comes as ``now``, chance with the event that needs it. A driver keeps one fleet for
all calls and one ``Call`` for each, does the actions, and says what happened.
"""

import msgspec

from ....ports.errors import WebError
from ....ports.errors.facts import Verdict
from ..health.breakers import cooled, hedge_time, learned, rested
from ..health.pacing import heeded
from ..health.retry import retry_delay
from ..rules import INF
from .answering import quickest_beside, target_after
from .asking import Option, advance, another_key, ask
from .calls import (
    Action,
    Answered,
    Attempt,
    Begin,
    Event,
    Failed,
    Finish,
    GaveUp,
    Reserved,
    Send,
    State,
    Tick,
    Wake,
)
from .finishing import break_off, finish, winners
from .working import Working

replace = msgspec.structs.replace

_LATE = Verdict(blames=True, slow=True)


def step(state: State, event: Event, now: float) -> tuple[State, tuple[Action, ...]]:
    """Return what ``event`` makes of ``state``, and what is to be done."""
    work = Working(state, now)
    match event:
        case Begin():
            _begin(work)
        case Tick():
            _tick(work, event)
        case GaveUp():
            if not work.call.done:
                finish(work, Finish(why="left"))
        case _:
            attempt = work.call.attempts[event.id]
            if not attempt.over:
                _heard(work, attempt, event)
    return work.result()


def _begin(work: Working) -> None:
    rules = work.rules
    work.hedges = min(work.hedges + rules.hedge_share, rules.hedge_burst)
    work.actions.append(Wake(at=work.call.deadline, tick=Tick(what="deadline")))
    advance(work, "first")


def _heard(work: Working, attempt: Attempt, event: Reserved | Answered | Failed) -> None:
    if isinstance(event, Reserved):
        _reserved(work, attempt, event)
    elif isinstance(event, Answered):
        _answered(work, attempt, event)
    else:
        _failed(work, attempt, event)


def _tick(work: Working, tick: Tick) -> None:
    call = work.call
    match tick.what:
        case "overdue":
            _overdue(work, call.attempts[tick.id])
        case "hedge":
            _hedge(work, call.attempts[tick.id])
        case _:
            if not call.done:
                _time_of_the_call(work, tick)


def _time_of_the_call(work: Working, tick: Tick) -> None:
    call = work.call
    if tick.what == "slot":
        if call.waiting:
            work.waiting -= 1
            work.call = replace(call, waiting=False)
            advance(work, "next" if call.attempts else "first")
    elif call.answers:
        finish(work, Finish(winners=winners(work)))
    elif tick.what == "deadline":
        finish(work, Finish(why="waited" if call.waiting else "deadline"))


def _overdue(work: Working, attempt: Attempt) -> None:
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
        finish(work, Finish(winners=winners(work)))
    else:
        advance(work, "next", quiet=True)


def _hedge(work: Working, attempt: Attempt) -> None:
    """Ask another for an answer that is late, as far as hedges are left."""
    if attempt.over or work.call.done or len(work.flying()) > 1:
        return
    # Where the breaker has opened meanwhile, this is no guess any more, and costs no hedge.
    price = 0.0 if work.target(attempt.target).open_until > work.now else 1.0
    if work.hedges >= price and advance(work, "hedge", quiet=True):
        work.hedges = max(work.hedges - price, 0.0)


def _reserved(work: Working, attempt: Attempt, event: Reserved) -> None:
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
    work.actions.append(Send(id=attempt.id, target=attempt.target, at=at))
    overdue = Tick(what="overdue", id=attempt.id)
    work.actions.append(Wake(at=at + late * rules.overdue, tick=overdue))
    if work.call.legs[attempt.leg].fuse or work.call.strict:
        return
    if attempt.why == "probe" and target.slow:
        # One that hung is probed beside the next, not before it: the caller does not wait for it.
        advance(work, "beside", quiet=True)
    else:
        work.actions.append(Wake(at=at + late, tick=Tick(what="hedge", id=attempt.id)))


def _refused(work: Working, attempt: Attempt, error: WebError | None) -> None:
    outcome = "probed_elsewhere" if error is None else error.kind
    work.mark(attempt, over=True, refused=error is not None, outcome=outcome, ended=work.now)
    work.land(attempt)
    if attempt.why == "probe":
        work.change(attempt.target, lambda one: replace(one, probe_until=-INF))
    _go_on(work, attempt)


def _answered(work: Working, attempt: Attempt, event: Answered) -> None:
    target = work.target(attempt.target)
    answered = target_after(
        target,
        ((work.now - attempt.start, work.now, target.inflight),),
        work.rules,
        lambda now: quickest_beside(work.call.legs, attempt.target, work.target, now),
    )
    work.put(heeded(answered, event.windows, work.now) if event.windows else answered)
    work.mark(attempt, over=True, outcome="answered", ended=work.now)
    if work.call.done:
        # A probe that outlived its call.
        return
    work.call = replace(work.call, answers=(*work.call.answers, attempt.id))
    if _is_enough(work, attempt):
        finish(work, Finish(winners=winners(work)))


def _is_enough(work: Working, attempt: Attempt) -> bool:
    leg = work.call.legs[attempt.leg]
    if not leg.fuse:
        return True
    count = len(winners(work))
    waited = work.now - min(one.start for one in work.call.attempts if one.leg == attempt.leg)
    under_way = [one for one in work.flying() if one.leg == attempt.leg and not one.overdue]
    return count >= (leg.quorum or len(leg.members)) or waited >= leg.patience or not under_way


def _failed(work: Working, attempt: Attempt, event: Failed) -> None:
    verdict = event.error.facts.verdict
    work.land(attempt)
    if event.windows:
        work.change(attempt.target, lambda one: heeded(one, event.windows, work.now))
    _learn(work, attempt, event, verdict)
    _note(work, attempt, event.error, verdict)
    if work.call.done:
        return
    if verdict.move == "stop":
        finish(work, Finish(why="stopped", cause=attempt.id))
    elif not _tried_again(work, attempt, event, verdict):
        _go_on(work, attempt)


def _learn(work: Working, attempt: Attempt, event: Failed, verdict: Verdict) -> None:
    name, rules, now = attempt.target, work.rules, work.now
    if verdict.cools:
        work.change(name, lambda one: cooled(one, verdict, rules, now, event.chance))
    if verdict.blames and not verdict.unreached and not attempt.overdue:
        work.blame(name, verdict)
    if verdict.slow:
        work.change(name, lambda one: learned(one, now - attempt.start, rules))


def _note(work: Working, attempt: Attempt, error: WebError, verdict: Verdict) -> None:
    """Write down how an attempt ended, and give back the right to probe if it was one."""
    target = work.target(attempt.target)
    if attempt.why == "probe" and target.opened_at < work.now:
        target = rested(target, work.now)
        work.put(target)
    work.mark(
        attempt,
        over=True,
        outcome=error.kind,
        ended=work.now,
        unreached=verdict.unreached,
        cooled_until=max(target.cool_until, target.open_until),
    )


def _tried_again(work: Working, attempt: Attempt, event: Failed, verdict: Verdict) -> bool:
    """Ask the same target once more: at once where that is free of doubt, or as nobody else is."""
    tries = sum(each.target == attempt.target for each in work.call.attempts)
    target = work.target(attempt.target)
    if target.open_until > work.now and not work.call.strict:
        return False
    if verdict.move == "once" and tries == 1 and work.rules.again:
        ask(work, Option(attempt.leg, target, work.now), "again")
        return True
    leg = work.call.legs[attempt.leg]
    if verdict.move == "next" or leg.fuse or work.flying():
        return False
    return advance(work, "next", quiet=True) or _once_more(work, attempt, event, tries)


def _once_more(work: Working, attempt: Attempt, event: Failed, tries: int) -> bool:
    """Ask the same target again after a while, if that may help and nobody else is left."""
    wait = retry_delay(event.error, tries, event.chance) if work.rules.again else None
    if wait is None:
        return False
    target = work.target(attempt.target)
    ask(work, Option(attempt.leg, target, work.now + wait), "again")
    return True


def _go_on(work: Working, attempt: Attempt) -> None:
    """Ask whoever is next after an attempt that gave nothing."""
    leg = work.call.legs[attempt.leg]
    if leg.fuse and another_key(work, attempt):
        return
    if leg.fuse and leg.strict:
        _drop_leg(work, attempt.leg)
    waiting_for = [each for each in work.flying() if not each.overdue]
    if waiting_for:
        return
    if work.call.answers:
        finish(work, Finish(winners=winners(work)))
    else:
        advance(work, "next")


def _drop_leg(work: Working, place: int) -> None:
    """Break off the others of a strict leg; what they answered does not count."""
    for each in work.flying():
        if each.leg == place:
            break_off(work, each, answered=False)
    own = {each.id for each in work.call.attempts if each.leg == place}
    answers = tuple(each for each in work.call.answers if each not in own)
    work.call = replace(work.call, answers=answers)
