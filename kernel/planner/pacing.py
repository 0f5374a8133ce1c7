"""Pace calls: slots from a declared rate, and a concurrency limit that follows the latency.

Slots follow the generic cell rate algorithm (GCRA): one number for each target, no queue. Booking
hands out times in the order of requests, so it is fair. The limit of concurrent calls grows like a
TCP window, and shrinks when answers take much longer than without a queue.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from .planner_targets import INFINITY, MAX_REST_SECONDS, PlannerRules, PlannerTarget

# A reset at or above these is a Unix time, in seconds or in milliseconds, not a duration.
_MIN_UNIX_SECONDS = 1_000_000_000.0
_MIN_UNIX_MILLISECONDS = 1_000_000_000_000.0
_MAX_WINDOW_SECONDS = 100 * 86_400.0
_COUNT_AND_RESET_HEADERS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)
_DRAFT_HEADER = "ratelimit"
# Every answer that states a window has one of these headers.
COUNT_HEADERS = frozenset((*(count for count, _ in _COUNT_AND_RESET_HEADERS), _DRAFT_HEADER))
_NUMBER_PATTERN = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*\Z", re.ASCII)
# OpenAI writes durations so: 6m0s, 1.5s, 20ms.
_SPAN_PATTERN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)", re.ASCII)
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
# One policy of the IETF draft: "burst";r=50;t=30, or in older drafts: remaining=50, reset=30.
_REMAINING_PATTERN = re.compile(r"(?:\A|[;,\s])(?:r|remaining)=(\d{1,15})", re.ASCII)
_RESET_PATTERN = re.compile(r"(?:\A|[;,\s])(?:t|reset)=(\d{1,15})", re.ASCII)
_MIN_LATENCY_SECONDS = 0.02
_LOG_MIN_LATENCY = math.log(_MIN_LATENCY_SECONDS)
# The weight of one answer in each moving average; the first answers weigh alike.
_RECENT_WEIGHT, _RECENT_ANSWERS = 0.1, 9
_BASELINE_WEIGHT, _BASELINE_ANSWERS = 0.02, 49
_BASELINE_FALL_WEIGHT = 0.05
_LIMIT_CUT_FACTOR = 0.8
_LIMIT_IN_USE_SHARE = 0.8


class RateWindow(NamedTuple):
    """How many calls are left, and for how many seconds."""

    remaining: int
    seconds: float


def read_rate_windows(headers: Mapping[str, str], now: float) -> tuple[RateWindow, ...]:
    """Return the rate windows that the headers of an answer state; skip unreadable ones.

    >>> read_rate_windows({"x-ratelimit-remaining": "1, 1000", "x-ratelimit-reset": "1, 1419"}, 0.0)
    (RateWindow(remaining=1, seconds=1.0), RateWindow(remaining=1000, seconds=1419.0))
    >>> read_rate_windows({"ratelimit": '"default";r=50;t=30'}, 0.0)
    (RateWindow(remaining=50, seconds=30.0),)
    """
    for count, reset in _COUNT_AND_RESET_HEADERS:
        if count in headers and reset in headers:
            return _read_paired_rate_windows(headers[count], headers[reset], now)
    field = headers.get(_DRAFT_HEADER)
    return () if field is None else _read_draft_rate_windows(field)


def _read_paired_rate_windows(counts_text: str, reset: str, now: float) -> tuple[RateWindow, ...]:
    """Read two comma-separated lists, pair by pair; none if their lengths differ."""
    counts = [_NUMBER_PATTERN.match(part) for part in counts_text.split(",")]
    resets = [_parse_rate_reset(part, now) for part in reset.split(",")]
    if len(counts) != len(resets):
        return ()
    return tuple(
        RateWindow(int(float(count[1])), seconds)
        for count, seconds in zip(counts, resets, strict=True)
        if count is not None and seconds is not None and 0 < seconds <= _MAX_WINDOW_SECONDS
    )


def _read_draft_rate_windows(field: str) -> tuple[RateWindow, ...]:
    """Read the draft's field: a list of policies or, in older drafts, one policy in three parts."""
    policies = map(_parse_draft_rate_window, field.split(","))
    return tuple(filter(None, policies)) or tuple(filter(None, [_parse_draft_rate_window(field)]))


def _parse_draft_rate_window(text: str) -> RateWindow | None:
    count, reset = _REMAINING_PATTERN.search(text), _RESET_PATTERN.search(text)
    if count is None or reset is None or not 0 < float(reset[1]) <= _MAX_WINDOW_SECONDS:
        return None
    return RateWindow(int(count[1]), float(reset[1]))


def _parse_rate_reset(text: str, now: float) -> float | None:
    """Read a reset: seconds, a Unix time in seconds or milliseconds, a span or an RFC 3339 date."""
    match = _NUMBER_PATTERN.match(text)
    if match is not None:
        value = float(match[1])
        if value >= _MIN_UNIX_MILLISECONDS:
            return value / 1000 - now
        return value - now if value >= _MIN_UNIX_SECONDS else value
    seconds = parse_span(text)
    return _rate_reset_date_seconds(text.strip(), now) if seconds is None else seconds


def parse_span(text: str) -> float | None:
    """Return the seconds of a span such as 6m0s or 7d; None for any other text."""
    spans = _SPAN_PATTERN.findall(text)
    if not spans or _SPAN_PATTERN.sub("", text).strip():
        return None
    return sum(float(amount) * _UNIT_SECONDS[unit] for amount, unit in spans)


def _rate_reset_date_seconds(text: str, now: float) -> float | None:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    aware = parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)
    return aware.timestamp() - now


# One answer: its latency, its arrival time, and the calls in flight, itself included.
Landing: TypeAlias = tuple[float, float, int]
# The fields that answers change: lately, quiet, limit, cut_at. A tuple, since every call makes one.
LimitState: TypeAlias = tuple[float, float, float, float]
# Returns the recent log latency of the quickest other target that is free at a time.
QuickestOther: TypeAlias = Callable[[float], float | None]


def next_rate_slot(due: float, rate: float, burst: float) -> float:
    """Return when the next call may start: ``burst`` calls at once, then ``rate`` a second.

    ``due`` is the theoretical arrival time of the GCRA, the whole state of a rate.

    >>> next_rate_slot(due=10.0, rate=2.0, burst=3)
    9.0
    """
    return due - (burst - 1) / rate


def book_rate_slots(due: float, rate: float, at: float, calls: float = 1) -> float:
    """Return the theoretical arrival time after calls that start ``at`` a time.

    >>> book_rate_slots(due=10.0, rate=2.0, at=9.0)
    10.5
    >>> book_rate_slots(due=0.0, rate=2.0, at=9.0)
    9.5
    """
    return max(due, at) + calls / rate


def next_target_slot(target: PlannerTarget) -> float:
    """Return when the declared rate allows the next call."""
    if target.rate is None:
        return -INFINITY
    return next_rate_slot(target.due, target.rate, target.burst)


def rate_window_start(target: PlannerTarget) -> float:
    """Return when the service's window accepts calls again; minus infinity while some are left."""
    spent = target.allowed is not None and target.allowed <= 0
    return target.allowed_until if spent else -INFINITY


def book_target_slot(target: PlannerTarget, slot_time: float) -> PlannerTarget:
    """Return the target with one more call in flight, whose slot begins at ``slot_time``."""
    rate = target.rate
    due = target.due if rate is None else book_rate_slots(target.due, rate, slot_time)
    allowed = target.allowed
    if allowed is not None:
        # After the window ends the count is unknown until the next answer states it.
        allowed = allowed - 1 if slot_time < target.allowed_until else None
    return replace(
        target, inflight=target.inflight + 1, used=target.used + 1, due=due, allowed=allowed
    )


def is_target_full(target: PlannerTarget) -> bool:
    """Tell whether the target has as many calls in flight as it may have."""
    return target.inflight >= (target.concurrency or target.limit)


def has_target_room(target: PlannerTarget, rules: PlannerRules) -> bool:
    """Tell whether a call may exceed our own limit when no other target is free.

    The limit exists to send calls elsewhere. With no other target free and no queue measured, it
    would only make callers wait.
    """
    if target.concurrency is not None:
        return False
    return target.inflight < 2 * target.limit and target.lately - target.quiet <= rules.queue


def apply_rate_windows(
    target: PlannerTarget, windows: Sequence[RateWindow], now: float
) -> PlannerTarget:
    """Adopt the count that the service states: so many calls until the window ends.

    Of several windows the tightest counts: the fewest calls left, then the longest. The service may
    or may not have counted calls in flight; assume that it has not. The count never raises a
    declared rate.
    """
    tightest = min(windows, key=lambda window: (window.remaining, -window.seconds))
    rest = min(tightest.seconds, MAX_REST_SECONDS)
    remaining, until = max(tightest.remaining - target.inflight, 0), now + rest
    if tightest.remaining > 0:
        return replace(target, allowed=remaining, allowed_until=until)
    cool_until = max(target.cool_until, until)
    return replace(target, allowed=0, allowed_until=until, cool_until=cool_until, cool_why="limit")


def halve_target_limit(target: PlannerTarget, rules: PlannerRules, now: float) -> PlannerTarget:
    """Halve the concurrency limit, once for each wave of failures."""
    if now < target.cut_at + (target.usual or 1.0):
        return target
    return replace(target, limit=max(target.limit / 2, rules.limit_least), cut_at=now)


def adjust_target_limit(
    limit_state: LimitState,
    landings: Sequence[Landing],
    answers_seen: int,
    rules: PlannerRules,
    quickest_other_seconds: QuickestOther,
) -> LimitState:
    """Move the limit after answers: up while it is used, down while a queue is measured.

    ``answers_seen`` counts earlier answers. Only answers that come while little runs show the
    latency without a queue. If a backend becomes slower for good, the limit falls until little
    runs, and the baseline is learned again. Every call runs this loop, so it usually calls nothing.
    """
    lately, quiet, limit, cut_at = limit_state
    min_limit, min_slowdown = rules.limit_least, min(rules.queue_beside, rules.queue)
    for count, (seconds, now, inflight) in enumerate(landings, answers_seen):
        log = math.log(seconds) if seconds > _MIN_LATENCY_SECONDS else _LOG_MIN_LATENCY
        others = inflight - 1
        lately += (log - lately) * (_RECENT_WEIGHT if count >= _RECENT_ANSWERS else 1 / (count + 1))
        if count < _RECENT_ANSWERS or others < min_limit or others < limit / 2:
            weight = _BASELINE_WEIGHT if count >= _BASELINE_ANSWERS else 1 / (count + 1)
            quiet += (log - quiet) * weight
        if lately < quiet:
            # A latency below the baseline: the baseline was learned while requests queued.
            quiet += (lately - quiet) * _BASELINE_FALL_WEIGHT
        if lately - quiet > min_slowdown or inflight >= limit * _LIMIT_IN_USE_SHARE:
            limit_state = lately, quiet, limit, cut_at
            limit, cut_at = _move_target_limit(
                limit_state, now, inflight, rules, quickest_other_seconds
            )
    return lately, quiet, limit, cut_at


def _move_target_limit(
    state: LimitState, now: float, inflight: int, rules: PlannerRules, quickest_other: QuickestOther
) -> tuple[float, float]:
    """Return the limit, and when it was cut last, after an answer that may move it."""
    lately, quiet, limit, cut_at = state
    slowdown, max_slowdown = lately - quiet, rules.queue
    if slowdown > rules.queue_beside:
        # Cut earlier when a quicker target is free.
        quickest = quickest_other(now)
        if quickest is not None and quickest < lately:
            max_slowdown = rules.queue_beside
    if slowdown > max_slowdown:
        # An answer shows the previous cut only after one latency.
        if now > cut_at + 2 * math.exp(lately):
            return max(limit * _LIMIT_CUT_FACTOR, rules.limit_least), now
    elif slowdown <= max_slowdown / 2 and inflight >= limit * _LIMIT_IN_USE_SHARE:
        # Like TCP: one more for each answer until the first cut, then one a round. A caller that
        # was let in beyond the limit without causing a queue also adds one.
        growth = 1.0 if cut_at == -INFINITY or inflight - 1 >= limit else 1 / limit
        limit = min(limit + growth, rules.limit_most)
    return limit, cut_at
