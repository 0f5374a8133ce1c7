"""How often and how many at once: slots from a declared rate, a limit that follows the latency.

Slots are given by the generic cell rate algorithm: one number for each target, no queue. Booking
hands out times in the order of asking, so it is fair. The limit of calls at once grows like a
connection's window, and shrinks when answers take much longer than they do without a queue.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from ..planner_rules import INFINITY, PlannerRules
from ..planner_targets import PlannerTarget
from .windows import RateWindow

replace = msgspec.structs.replace

_QUICKEST = 0.02
_QUICKEST_LOG = math.log(_QUICKEST)
# What one answer counts in each mean; until so many came, all count alike.
_LATELY, _FEW = 0.1, 9
_QUIET, _SOME = 0.02, 49
_FALLS = 0.05
_CUT = 0.8
_IN_USE = 0.8


# One answer: how long it took, when it came, and how many calls were under way, its own with them.
Landing: TypeAlias = tuple[float, float, int]
# What answers move of a target: lately, quiet, limit, cut_at. Tuples, since every call has one.
Breath: TypeAlias = tuple[float, float, float, float]
# The recent latency, as a logarithm, of the quickest neighbour that is free at a time.
Beside: TypeAlias = Callable[[float], float | None]


def next_slot_time(target: PlannerTarget) -> float:
    """Return when the rate allows the next call."""
    return -INFINITY if target.rate is None else target.due - (target.burst - 1) / target.rate


def window_opens_at(target: PlannerTarget) -> float:
    """Return when the service lets calls in again, as it told; long ago where some are left."""
    spent = target.allowed is not None and target.allowed <= 0
    return target.allowed_until if spent else -INFINITY


def book_slot(target: PlannerTarget, slot_time: float) -> PlannerTarget:
    """Return the target with one more call under way, whose slot begins ``slot_time``."""
    due = target.due if target.rate is None else max(target.due, slot_time) + 1 / target.rate
    allowed = target.allowed
    if allowed is not None:
        # After the window nobody knows, until the next answer tells.
        allowed = allowed - 1 if slot_time < target.allowed_until else None
    return replace(
        target, inflight=target.inflight + 1, used=target.used + 1, due=due, allowed=allowed
    )


def is_full(target: PlannerTarget) -> bool:
    """Tell whether as many calls run as may run at once."""
    return target.inflight >= (target.concurrency or target.limit)


def has_room(target: PlannerTarget, rules: PlannerRules) -> bool:
    """Tell whether a call may go beyond the limit, which is ours, when nobody else is free.

    A limit is there to send calls elsewhere; without an elsewhere, and without a queue that is
    felt, it would only make callers wait.
    """
    if target.concurrency is not None:
        return False
    return target.inflight < 2 * target.limit and target.lately - target.quiet <= rules.queue


def apply_windows(
    target: PlannerTarget, windows: Sequence[RateWindow], now: float
) -> PlannerTarget:
    """Take the service's own count: a bucket of what is left until the windows end.

    Of several windows the tightest counts: the one with the fewest calls left, then the longest.
    Calls that are under way may or may not be counted in it: they are taken to be not. A declared
    rate is never raised by it.
    """
    tightest = min(windows, key=lambda one: (one.remaining, -one.seconds))
    remaining, until = max(tightest.remaining - target.inflight, 0), now + tightest.seconds
    if tightest.remaining > 0:
        return replace(target, allowed=remaining, allowed_until=until)
    rest = max(target.cool_until, until)
    return replace(target, allowed=0, allowed_until=until, cool_until=rest, cool_why="limit")


def halve_limit(target: PlannerTarget, rules: PlannerRules, now: float) -> PlannerTarget:
    """Halve what may run at once, once for each wave of failures."""
    if now < target.cut_at + (target.usual or 1.0):
        return target
    return replace(target, limit=max(target.limit / 2, rules.limit_least), cut_at=now)


def adjust_limit(
    breath: Breath,
    landings: Sequence[Landing],
    answers_seen: int,
    rules: PlannerRules,
    quickest_other_seconds: Beside,
) -> Breath:
    """Move the limit after answers: up while it is used, down while a queue is felt.

    ``answers_seen`` is how many came before them. Only what comes while little runs tells how long
    it takes without a queue. A backend that has become slower for good is cut until little runs,
    and so learned anew. Every call comes past here: so it is one loop, which calls nothing usually.
    """
    lately, quiet, limit, cut_at = breath
    least, felt = rules.limit_least, min(rules.queue_beside, rules.queue)
    for place, (seconds, now, inflight) in enumerate(landings, answers_seen):
        log = math.log(seconds) if seconds > _QUICKEST else _QUICKEST_LOG
        others = inflight - 1
        lately += (log - lately) * (_LATELY if place >= _FEW else 1 / (place + 1))
        if place < _FEW or others < least or others < limit / 2:
            quiet += (log - quiet) * (_QUIET if place >= _SOME else 1 / (place + 1))
        if lately < quiet:
            # It was learned under a queue already if it is quicker now.
            quiet += (lately - quiet) * _FALLS
        if lately - quiet > felt or inflight >= limit * _IN_USE:
            breath = lately, quiet, limit, cut_at
            limit, cut_at = _moved(breath, now, inflight, rules, quickest_other_seconds)
    return lately, quiet, limit, cut_at


def _moved(
    breath: Breath, now: float, inflight: int, rules: PlannerRules, beside: Beside
) -> tuple[float, float]:
    """Return the limit, and when it was cut, after an answer that may move it."""
    lately, quiet, limit, cut_at = breath
    slowdown, queue = lately - quiet, rules.queue
    if slowdown > rules.queue_beside:
        # A queue is felt sooner where somebody quicker is free.
        quickest = beside(now)
        queue = rules.queue_beside if quickest is not None and quickest < lately else queue
    if slowdown > queue:
        # A call takes a latency to feel the cut before.
        if now > cut_at + 2 * math.exp(lately):
            return max(limit * _CUT, rules.limit_least), now
    elif slowdown <= queue / 2 and inflight >= limit * _IN_USE:
        # As a connection does: one more for each answer until the first cut, then one a round;
        # unless callers were let in beyond the limit, and no queue came of it.
        more = 1.0 if cut_at == -INFINITY or inflight - 1 >= limit else 1 / limit
        limit = min(limit + more, rules.limit_most)
    return limit, cut_at
