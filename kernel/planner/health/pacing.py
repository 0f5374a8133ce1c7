"""How often and how many at once: slots from a declared rate, a limit that follows the latency.

Slots are given by the generic cell rate algorithm: one number for each target, no queue. Booking
hands out times in the order of asking, so it is fair. The limit of calls at once grows like a
connection's window, and shrinks when answers take much longer than they do without a queue.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

import msgspec

from ..planner_targets import INFINITY, PlannerRules, PlannerTarget

# A reset beyond this is no number of seconds but a moment: of seconds, or of milliseconds.
_MOMENT = 1_000_000_000.0
_MILLISECONDS = 1_000_000_000_000.0
_MAX_WINDOW_SECONDS = 100 * 86_400.0
_PAIRS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)
_FIELD = "ratelimit"
# One of these is in every answer that says something.
COUNT_HEADERS = frozenset((*(count for count, _ in _PAIRS), _FIELD))
_NUMBER = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*\Z", re.ASCII)
# As OpenAI writes it: 6m0s, 1.5s, 20ms.
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)", re.ASCII)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
# One policy of the draft: "burst";r=50;t=30, or in older ones: remaining=50, reset=30.
_LEFT = re.compile(r"(?:\A|[;,\s])(?:r|remaining)=(\d{1,15})", re.ASCII)
_TIME = re.compile(r"(?:\A|[;,\s])(?:t|reset)=(\d{1,15})", re.ASCII)


class RateWindow(NamedTuple):
    """So many calls are left for so many seconds."""

    remaining: int
    seconds: float


def read_windows(headers: Mapping[str, str], now: float) -> tuple[RateWindow, ...]:
    """Return what the headers of an answer say is left; what cannot be read says nothing.

    >>> read_windows({"x-ratelimit-remaining": "1, 1000", "x-ratelimit-reset": "1, 1419704"}, 0.0)
    (RateWindow(remaining=1, seconds=1.0), RateWindow(remaining=1000, seconds=1419704.0))
    >>> read_windows({"ratelimit": '"default";r=50;t=30'}, 0.0)
    (RateWindow(remaining=50, seconds=30.0),)
    """
    for count, reset in _PAIRS:
        if count in headers and reset in headers:
            return _paired(headers[count], headers[reset], now)
    field = headers.get(_FIELD)
    return () if field is None else _draft(field)


def _paired(counts_text: str, reset: str, now: float) -> tuple[RateWindow, ...]:
    """Read two lists that belong together, entry by entry."""
    counts = [_NUMBER.match(part) for part in counts_text.split(",")]
    times = [_seconds(part, now) for part in reset.split(",")]
    if len(counts) != len(times):
        return ()
    return tuple(
        RateWindow(int(float(count[1])), seconds)
        for count, seconds in zip(counts, times, strict=True)
        if count is not None and seconds is not None and 0 < seconds <= _MAX_WINDOW_SECONDS
    )


def _draft(field: str) -> tuple[RateWindow, ...]:
    """Read the one field of the draft: a list of policies, or, as it was, one in three parts."""
    whole = _window(field)
    policies = [_window(part) for part in field.split(",")]
    named = tuple(one for one in policies if one is not None)
    return named or (() if whole is None else (whole,))


def _window(text: str) -> RateWindow | None:
    count, time = _LEFT.search(text), _TIME.search(text)
    if count is None or time is None or not 0 < float(time[1]) <= _MAX_WINDOW_SECONDS:
        return None
    return RateWindow(int(count[1]), float(time[1]))


def _seconds(text: str, now: float) -> float | None:
    """Read a reset: seconds, a moment in seconds or milliseconds, a span, or a date of RFC 3339."""
    number = _NUMBER.match(text)
    if number is not None:
        value = float(number[1])
        if value >= _MILLISECONDS:
            return value / 1000 - now
        return value - now if value >= _MOMENT else value
    spans = _SPAN.findall(text)
    if spans and not _SPAN.sub("", text).strip():
        return sum(float(amount) * _UNITS[unit] for amount, unit in spans)
    return _until(text.strip(), now)


def _until(text: str, now: float) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return aware.timestamp() - now


# How often and how many at once: slots from a declared rate, a limit that follows the latency.

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
