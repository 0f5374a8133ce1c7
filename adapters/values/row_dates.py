"""Turn the dates of a service's rows into ISO dates, counted from the time of the answer.

The kernel takes only ISO dates. Most services send one, or a text that ``service_iso_date`` reads.
Search engines also write "2 hours ago". Such an age becomes a date of the same precision: hours a
moment, days a day, months a month. A text that names no day for sure, such as 03/05/2025, is left
out of its row, with a warning that quotes it.
"""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from webseam.ports.dates import is_iso_date

from .dates import MONTHS, SHORT_MONTHS, fold_month_name, service_iso_date

_AGE_PATTERN = re.compile(
    r"(?:about |over |almost )?(?P<count>an?|\d{1,4}) ?"
    r"(?P<unit>sec(?:ond)?|min(?:ute)?|h(?:ou)?r|day|week|wk|month|mo|year|yr|[smhdwy])s? ago",
    re.IGNORECASE,
)
_MONTH_PATTERN = re.compile(r"(?P<month>[^\W\d_]{3,12})\.?,? (?P<year>\d{4})")
_DAYS_BACK = {"today": 0, "just now": 0, "now": 0, "yesterday": 1}
_DAYS = {"day": 1, "d": 1, "week": 7, "wk": 7, "w": 7}
_SECONDS = {
    "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hr": 3600,
    "hour": 3600,
}  # fmt: skip
_MONTHS_A_YEAR = 12


def settle_row_dates(rows: Iterable[object], now: Callable[[], float]) -> tuple[str, ...]:
    """Write ISO dates into the rows of a service; return a warning if a date was left out."""
    unread: list[str] = []
    for row in rows:
        # No call for a row without a date: this runs in every search.
        if row.__class__ is not dict or "published_at" not in row:
            continue
        text = row["published_at"]
        if type(text) is not str or is_iso_date(text):
            continue
        date = read_age(text, now())
        if date is None:
            unread.append(text)
            del row["published_at"]
        else:
            row["published_at"] = date
    if not unread:
        return ()
    count = "1 row has" if len(unread) == 1 else f"{len(unread)} rows have"
    return (f"{count} a date that is none for sure and was left out, such as {unread[0][:40]!r}",)


def read_age(text: str, now: float) -> str | None:
    """Return the date of an age, or of a month, as ISO has it; None for another text.

    >>> [read_age(text, 1_763_200_000.0) for text in ("2 hours ago", "Yesterday", "3 weeks ago")]
    ['2025-11-15T07:46Z', '2025-11-14', '2025-10-25']
    >>> [read_age(text, 1_763_200_000.0) for text in ("a month ago", "March 2025", "soon")]
    ['2025-10', '2025-03', None]
    """
    moment = datetime.fromtimestamp(now, UTC)
    days_back = _DAYS_BACK.get(text.strip().lower())
    if days_back is not None:
        return (moment - timedelta(days=days_back)).date().isoformat()
    age = _AGE_PATTERN.fullmatch(text.strip())
    if age is None:
        return _read_month(text.strip())
    unit = age["unit"].lower()
    count = 1 if age["count"].lower() in ("a", "an") else int(age["count"])
    if unit in _SECONDS:
        return f"{moment - timedelta(seconds=count * _SECONDS[unit]):%Y-%m-%dT%H:%MZ}"
    if unit in _DAYS:
        return (moment - timedelta(days=count * _DAYS[unit])).date().isoformat()
    months = moment.year * _MONTHS_A_YEAR + moment.month - 1
    if unit in ("mo", "month"):
        months -= count
        return f"{months // _MONTHS_A_YEAR:04d}-{months % _MONTHS_A_YEAR + 1:02d}"
    return f"{moment.year - count:04d}" if count < moment.year else None


def _read_month(text: str) -> str | None:
    match = _MONTH_PATTERN.fullmatch(text)
    if match is None:
        return None
    name = fold_month_name(match["month"])
    number = MONTHS.get(name) or SHORT_MONTHS.get(name)
    date = f"{match['year']}-{number or 0:02d}"
    return date if is_iso_date(date) else None


def iso_date_or_text(value: object) -> object:
    """Return a date that a service sent in ISO form; any other value unchanged, to be refused."""
    if value is not None and type(value) not in (str, int, float):
        return value
    return service_iso_date(value) or value
