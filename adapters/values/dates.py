"""Dates as services write them, converted to ISO form."""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from .field_values import number, one_line

_ISO_DATE_PATTERN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?"
)
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
_TIME_REGEX = (
    r"(?:(?:,| at)? (?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    r"(?: ?(?P<half>[AaPp])[Mm])?(?:,? (?P<zone>[+-]\d{2}:?\d{2})?(?: ?(?P<utc>UTC|GMT))?)?)?"
)
_CLOCK_REGEX = r"(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})"
_MONTH_REGEX = r"(?P<month>[A-Za-z]{3,9})\.?"
_DAY_REGEX = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WEEKDAY_REGEX = r"(?:[A-Za-z]{3,9},? )?"
# 03/04/2025 is ambiguous, except with AM or PM: such dates write the month first.
_DATE_PATTERNS = tuple(
    re.compile(form, re.ASCII)
    for form in (
        rf"{_WEEKDAY_REGEX}{_MONTH_REGEX} {_DAY_REGEX},? (?P<year>\d{{4}}){_TIME_REGEX}",
        rf"{_WEEKDAY_REGEX}{_DAY_REGEX}\.? {_MONTH_REGEX},? (?P<year>\d{{4}}){_TIME_REGEX}",
        rf"(?P<year>\d{{4}})(?P<dash>[-/.])(?P<month>\d{{1,2}})(?P=dash){_DAY_REGEX}{_TIME_REGEX}",
        rf"(?=.*[AaPp][Mm])(?P<month>\d{{2}})/{_DAY_REGEX}/(?P<year>\d{{4}}){_TIME_REGEX}",
        r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})",
        rf"(?P<year>\d{{4}})(?P<month>\d{{2}})(?P<day>\d{{2}})T{_CLOCK_REGEX}(?P<utc>Z)?",
    )
)
_AM_PM_PATTERN = re.compile(r"\d ?[AaPp]\.?[Mm]\b")
_EPOCH_PATTERN = re.compile(r"\d{10}|\d{13}")
_MAX_EPOCH_SECONDS = 32_503_680_000  # the year 3000: more must be milliseconds


def service_iso_date(value: object) -> str | None:
    """Return a date in ISO form; other texts, such as "2 hours ago", unchanged; else None.

    >>> (service_iso_date("Mar 3, 2025"), service_iso_date("2025-03-03 10:00:00"),
    ...  service_iso_date(1741000000))
    ('2025-03-03', '2025-03-03T10:00:00', '2025-03-03T11:06:40Z')
    >>> service_iso_date("2 hours ago"), service_iso_date(""), service_iso_date(None)
    ('2 hours ago', None, None)
    """
    seconds = number(value)
    if seconds is not None:
        return date_from_epoch(seconds)
    text = one_line(value)[:100]
    return (_parse_date_value(text) or text) if text else None


def date_from_epoch(seconds: float) -> str | None:
    """Return a Unix time, in seconds or milliseconds, in ISO form; None out of range."""
    if seconds > _MAX_EPOCH_SECONDS:
        seconds /= 1000
    if not 0 < seconds <= _MAX_EPOCH_SECONDS:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")


def date_from_parts(parts: object) -> str | None:
    """Return a date from year, month and day, or only the first of them; None if invalid.

    >>> date_from_parts([2025, 3]), date_from_parts([None])
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


def _parse_date_value(text: str) -> str | None:
    if _ISO_DATE_PATTERN.fullmatch(text):
        return _valid_date_value(text.replace(" ", "T", 1).replace(" ", ""))
    if _EPOCH_PATTERN.fullmatch(text):
        return date_from_epoch(int(text))
    form_match = next((match for form in _DATE_PATTERNS if (match := form.fullmatch(text))), None)
    return _date_from_match(form_match.groupdict()) if form_match else _parse_mail_date(text)


def _valid_date_value(text: str) -> str | None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return None
    return text


def _date_from_match(parts: dict[str, str | None]) -> str | None:
    """Return the ISO form of a matched date; None if there is no such day or hour."""
    year, day, minute, second = (
        int(parts.get(name) or 0) for name in ("year", "day", "minute", "second")
    )
    month = _month_number(parts["month"] or "")
    hour = _hour_of_24(parts.get("hour"), parts.get("half"))
    try:
        moment = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001  the zone is appended
    except ValueError:
        return None
    if not parts.get("hour"):
        return moment.date().isoformat()
    zone = "Z" if parts.get("utc") else parts.get("zone") or ""
    return moment.isoformat() + (zone if len(zone) <= 1 else f"{zone[:3]}:{zone[-2:]}")


def _month_number(name: str) -> int:
    """Return a month's number; 0 for an unknown name."""
    if name.isdecimal():
        return int(name)
    prefix = "sep" if name.lower() == "sept" else name.lower()
    numbered = enumerate(_MONTH_NAMES.split(), 1)
    return next((number for number, month in numbered if month.startswith(prefix)), 0)


def _hour_of_24(hour: str | None, half: str | None) -> int:
    """Return an hour of 24; -1 for an hour that a 12-hour clock does not have."""
    value = int(hour or 0)
    if half is None:
        return value
    return value % 12 + (12 if half in "Pp" else 0) if 1 <= value <= 12 else -1  # noqa: PLR2004  a clock


def _parse_mail_date(text: str) -> str | None:
    """Return a date in mail format (RFC 5322) in ISO form; it never has AM or PM."""
    if _AM_PM_PATTERN.search(text):
        return None
    try:
        return parsedate_to_datetime(text).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return None
