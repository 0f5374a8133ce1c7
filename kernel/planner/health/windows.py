"""How many calls a service says are left, read out of the headers of its answers.

Brave's X-RateLimit-* name several windows in one line (read 2026-11-15):
https://api.search.brave.com/app/documentation/web-search/response-headers
The RateLimit field is the IETF's draft-ietf-httpapi-ratelimit-headers; earlier drafts had three
fields, or three parameters in one. OpenAI and Anthropic count requests under names of their own.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

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
    (Window(remaining=50, seconds=30.0),)
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
