"""Addresses, days, ages and durations as a person reads them."""

from webseam.adapters.folder_files import file_path
from webseam.kernel.text.display import one_line
from webseam.ports.dates import leading_day
from webseam.ports.receipts import ExtractReceipt, SearchReceipt

_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"  # the same in every locale


def shown_address(url: str) -> str:
    """Return a URL without its scheme and last slash, for people.

    A document of the index is a file to people.

    >>> shown_address("https://tides.example/ports/")
    'tides.example/ports'
    >>> shown_address("http://file.localhost/notes/to%20do.md")
    '/notes/to do.md'
    """
    path = file_path(url)
    return one_line(url if path is None else str(path), 8192).removeprefix("https://").rstrip("/")


def shown_date(text: str | None) -> str:
    """Return the day of an ISO date for people; nothing where there is none.

    >>> shown_date("2026-11-12T08:00:00Z")
    '12 Nov 2026'
    """
    if (day := leading_day(text)) is None:
        return ""
    return f"{day.day} {_MONTHS[3 * day.month - 3 : 3 * day.month]} {day.year}"


def cached_words(receipt: SearchReceipt | ExtractReceipt) -> str:
    """Return how old a cached answer is; empty for a fresh one."""
    age = "" if receipt.age is None else f" {duration_text(receipt.age)} ago"
    return f"cached{age}" if receipt.cached else ""


def duration_text(seconds: float) -> str:
    """Return how long something took.

    >>> [duration_text(seconds) for seconds in (0.4213, 9.2, 200, 7300)]
    ['0.42 s', '9.2 s', '3 min', '2 h']
    """
    for min_seconds, unit, unit_name in ((5400, 3600, "h"), (90, 60, "min")):
        if seconds >= min_seconds:
            return f"{round(seconds / unit)} {unit_name}"
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
