"""Dates of services in ISO form."""

from datetime import date

from ..dates import epoch_date, read_date_field
from .field_values import number, one_line


def service_iso_date(value: object) -> str | None:
    """Return a date in ISO form; other texts, such as "2 hours ago", unchanged; else None."""
    seconds = number(value)
    if seconds is not None:
        return epoch_date(seconds)
    text = one_line(value)[:100]
    return (read_date_field(text) or text) if text else None


def date_from_parts(parts: object) -> str | None:
    """Return a date from year, month and day, or only the first of them; None if invalid."""
    if not isinstance(parts, list) or not parts or not all(type(part) is int for part in parts[:3]):
        return None
    year, *rest = parts[:3]
    try:
        date(year, *[*rest, 1, 1][:2])
    except (ValueError, OverflowError):
        return None
    return "-".join([f"{year:04d}", *(f"{part:02d}" for part in rest)])
