"""ISO dates of rows, filters and front matter, the names that people give a day, and ages."""

from datetime import date, datetime, timedelta
from typing import Annotated, TypeAlias

from msgspec import Meta
from returns.result import Failure, Result, Success

from .text import lazy_pattern

# The most seconds since a cached answer was fetched.
MaxAge: TypeAlias = Annotated[float, Meta(ge=0)]
_DAY_CHARS = len("2026-01-31")
_YEAR_CHARS = len("2026")
_MONTH_CHARS = len("2026-01")
# A month is 30 days and a year 365: "since month" does not mean the same day a month ago.
_UNIT_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_DAY_PATTERN = lazy_pattern(r"(?:last |past )?(\d{1,4})? ?(d|w|m|y|day|week|month|year)s?(?: ago)?")
DAY_HINT = "today, yesterday, week, 2w, 3 months or a date such as 2026-01-31"


def is_iso_date(text: str) -> bool:
    """Tell whether a text is a date of ISO 8601: a moment, a day, a month or a year.

    >>> [is_iso_date(text) for text in ("2026-01-31T10:00:00Z", "2026-01-31", "2026-01", "2026")]
    [True, True, True, True]
    >>> [is_iso_date(text) for text in ("2 hours ago", "2026-02-30", "2026-01-31T25:00", "")]
    [False, False, False, False]
    """
    if len(text) in (_YEAR_CHARS, _MONTH_CHARS):
        text += "-01-01"[len(text) - _DAY_CHARS :]
    # Python also reads weeks, days without dashes, and any character before the time.
    if (
        text[4:5] != "-"
        or text[7:8] != "-"
        or text[_DAY_CHARS : _DAY_CHARS + 1] not in ("", "T", " ")
    ):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def leading_day(text: str | None) -> date | None:
    """Return the ISO day that a text begins with; None if there is none.

    >>> leading_day(" 2026-01-31T10:00:00Z"), leading_day("soon"), leading_day("2026-13-01")
    (datetime.date(2026, 1, 31), None, None)
    """
    stated = (text or "").strip()[:_DAY_CHARS]
    # Python also reads weeks, and days without dashes.
    if stated[4:5] != "-" or stated[7:8] != "-":
        return None
    try:
        return date.fromisoformat(stated)
    except ValueError:
        return None


def leading_iso_day(text: str | None) -> str | None:
    """Return the ISO day that a text begins with, as text; None if there is none."""
    day = leading_day(text)
    return None if day is None else day.isoformat()


def leading_iso_date(text: str | None) -> str | None:
    """Return the ISO day that a text begins with, or the month or year that it is.

    >>> leading_iso_date("2026-01-31T10:00"), leading_iso_date("2026"), leading_iso_date("soon")
    ('2026-01-31', '2026', None)
    """
    stated = (text or "").strip()
    return leading_iso_day(stated) or (stated if is_iso_date(stated) else None)


def parse_day_name(text: str, today: date) -> Result[date, str]:
    """Return the day that ``text`` names, counted back from ``today``, or what is wrong.

    >>> parse_day_name("2w", date(2026, 11, 15)).unwrap().isoformat()
    '2026-11-01'
    """
    name = " ".join(text.lower().split())
    if name == "today":
        return Success(today)
    if name == "yesterday":
        return Success(today - timedelta(days=1))
    counted = _DAY_PATTERN.fullmatch(name)
    if counted is not None:
        try:
            return Success(today - timedelta(days=int(counted[1] or 1) * _UNIT_DAYS[counted[2][0]]))
        except OverflowError:
            return Failure(f"lies before every calendar; use {DAY_HINT}")
    try:
        return Success(date.fromisoformat(name))
    except ValueError:
        return Failure(f"is no day; use {DAY_HINT}")
