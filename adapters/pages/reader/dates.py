"""Dates as pages write them, as ISO dates."""

import re
from datetime import date, datetime
from typing import Final

_ISO: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d))?")
_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_NAMED: Final = re.compile(
    r"\b(?:(?P<before>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?,?\s+"
    r"(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?,?\s+)?(?P<year>\d{4})\b",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"\b((?:19|20)\d\d)[/.]?(\d\d)[/.]?(\d\d)\b")
_EARLIEST: Final = 1900
_LONGEST: Final = 80


def iso_date(text: str) -> str | None:
    """Return the date in ``text`` as ISO 8601, with its time when it has one.

    >>> iso_date("March 5th, 2024"), iso_date("2024-03-05T08:30:00Z"), iso_date("yesterday")
    ('2024-03-05', '2024-03-05T08:30:00+00:00', None)
    """
    plain = text.strip()[:_LONGEST]
    if _ISO.match(plain):
        return _moment(plain)
    if named := _NAMED.search(plain):
        day = named["before"] or named["after"] or "1"
        month = _MONTHS.index(named["month"].lower()) + 1
        return _day(int(named["year"]), month, int(day))
    if plainly := _DIGITS.match(plain):
        return _day(int(plainly[1]), int(plainly[2]), int(plainly[3]))
    return None


def _moment(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _day(int(text[:4]), int(text[5:7]), int(text[8:10]))
    if moment.year < _EARLIEST:
        return None
    has_time = len(text) > len("2024-03-05")
    return moment.isoformat() if has_time else moment.date().isoformat()


def _day(year: int, month: int, day: int) -> str | None:
    if year < _EARLIEST:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
