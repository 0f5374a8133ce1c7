"""Dates as services write them, in ISO where they are dates at all."""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from .fields import number
from .markup import one_line

_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?"
)
_FORMS = (
    "%b %d, %Y",
    "%B %d, %Y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d %Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
)
_MOST_SECONDS = 32_503_680_000  # the year 3000: more must be milliseconds


def iso(value: object) -> str | None:
    """Return a date in ISO form; other words, such as "2 hours ago", as they are; else None.

    >>> iso("Mar 3, 2025"), iso("2025-03-03 10:00:00"), iso(1741000000)
    ('2025-03-03', '2025-03-03T10:00:00', '2025-03-03T11:06:40Z')
    >>> iso("2 hours ago"), iso(""), iso(None)
    ('2 hours ago', None, None)
    """
    seconds = number(value)
    if seconds is not None:
        return from_epoch(seconds)
    words = one_line(value)[:100]
    return (_read(words) or words) if words else None


def from_epoch(seconds: float) -> str | None:
    """Return the moment that a Unix time names, in seconds or milliseconds; None for nonsense."""
    if seconds > _MOST_SECONDS:
        seconds /= 1000
    if not 0 < seconds <= _MOST_SECONDS:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")


def from_parts(parts: object) -> str | None:
    """Return a date given as year, month and day, or the first of these.

    >>> from_parts([2025, 3]), from_parts([None])
    ('2025-03', None)
    """
    if not isinstance(parts, list) or not parts or not all(type(part) is int for part in parts[:3]):
        return None
    year, *rest = parts[:3]
    try:
        date(year, *[*rest, 1, 1][:2])
    except (ValueError, OverflowError):
        return None
    return "-".join([f"{year:04d}", *(f"{part:02d}" for part in rest)])


def _read(words: str) -> str | None:
    if _ISO.fullmatch(words):
        return _checked(words.replace(" ", "T", 1).replace(" ", ""))
    for form in _FORMS:
        try:
            return datetime.strptime(words, form).date().isoformat()  # noqa: DTZ007  a day has no zone
        except ValueError:
            continue
    try:
        return parsedate_to_datetime(words).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return None


def _checked(words: str) -> str | None:
    try:
        datetime.fromisoformat(words)
    except ValueError:
        return None
    return words
