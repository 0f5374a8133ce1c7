"""The ISO date that rows, filters and front matter carry."""

from datetime import date, datetime

_DAY_CHARS = len("2026-01-31")
_YEAR_CHARS = len("2026")
_MONTH_CHARS = len("2026-01")


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
    try:
        return date.fromisoformat((text or "").strip()[:10])
    except ValueError:
        return None


def leading_iso_day(text: str | None) -> str | None:
    """Return the ISO day that a text begins with, as text; None if there is none."""
    day = leading_day(text)
    return None if day is None else day.isoformat()
