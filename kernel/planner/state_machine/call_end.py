"""The end of a call: what flies is broken off, and what it taught is kept."""

import msgspec

from ....ports.errors.facts import Verdict
from ..health.breakers import add_target_latency, hedge_time
from .call_state import Attempt, CancelAttempt, FinishCall
from .working_state import WorkingState

replace = msgspec.structs.replace

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
    work.call = replace(work.call, done=True, waiting=False)
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
