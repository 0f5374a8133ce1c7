"""Days as people name them: ``yesterday``, ``week``, ``2w``, ``2026-11-01``."""

import argparse
import re
from datetime import UTC, date, datetime, timedelta

from returns.result import Failure, Result, Success

# A month is 30 days and a year 365, counted back from today: nobody who says "since month"
# means the same day of the month before.
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_LETTERS = {"d": "day", "w": "week", "m": "month", "y": "year"}
_COUNTED = re.compile(r"(?:last |past )?(\d{1,4})? ?(d|w|m|y|day|week|month|year)s?(?: ago)?")
HINT = "today, yesterday, week, 2w, 3 months or a date such as 2026-01-31"


def parse_named_day(text: str, today: date) -> Result[date, str]:
    """Return the day that ``text`` names, counted back from ``today``, or what is wrong.

    >>> parse_named_day("2w", date(2026, 11, 15)).unwrap().isoformat()
    '2026-11-01'
    """
    name = " ".join(text.lower().split())
    if name in ("today", "yesterday"):
        return Success(today - timedelta(days=name == "yesterday"))
    counted = _COUNTED.fullmatch(name)
    if counted is not None:
        unit = _LETTERS.get(counted[2], counted[2])
        try:
            return Success(today - timedelta(days=int(counted[1] or 1) * _DAYS[unit]))
        except OverflowError:
            return Failure(f"lies before every calendar; use {HINT}")
    try:
        return Success(date.fromisoformat(name))
    except ValueError:
        return Failure(f"is no day; use {HINT}")


def day_option(text: str) -> str:
    """Return the day that an option names, as ISO has it; argparse is told what is wrong."""
    day = parse_named_day(text, datetime.now(UTC).date())
    if isinstance(day, Failure):
        message = f"{text!r} {day.failure()}"
        raise argparse.ArgumentTypeError(message)
    return day.unwrap().isoformat()
