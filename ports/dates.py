"""The ISO day that rows, filters and front matter carry."""

from datetime import date


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
