"""Dates of rows: ISO dates, ages counted from the answer, and texts that are no date for sure."""

from hypothesis import given, strategies as st

from webseam.adapters.values.dates import service_iso_date
from webseam.adapters.values.row_dates import read_age, settle_row_dates
from webseam.ports.dates import is_iso_date

NOON = 1_741_176_000.0  # 5 March 2025 in UTC
URL = "https://a.example/"


def test_an_age_becomes_a_date_of_its_own_precision() -> None:
    ages = {
        "5 mins ago": "2025-03-05T11:55Z",
        "1 hour ago": "2025-03-05T11:00Z",
        "13 hours ago": "2025-03-04T23:00Z",
        "a day ago": "2025-03-04",
        "Yesterday": "2025-03-04",
        "2 weeks ago": "2025-02-19",
        "3 months ago": "2024-12",
        "15 months ago": "2023-12",
        "about 2 years ago": "2023",
        "2h ago": "2025-03-05T10:00Z",
        "3d ago": "2025-03-02",
        "2 mo ago": "2025-01",
        "1 yr ago": "2024",
        "March 2024": "2024-03",
        "9999 years ago": None,
        "in 2 hours": None,
        "Marchember 2024": None,
        "": None,
    }

    assert {text: read_age(text, NOON) for text in ages} == ages


def test_a_text_that_is_no_date_leaves_its_row_with_a_warning() -> None:
    rows: list[object] = [
        {"url": URL, "published_at": "2025-03-01"},
        {"url": URL, "published_at": "2 days ago"},
        {"url": URL, "published_at": "soon"},
        {"url": URL, "published_at": "later"},
        {"url": URL, "published_at": 7},
        "no object",
    ]

    warnings = settle_row_dates(rows, lambda: NOON)

    assert rows == [
        {"url": URL, "published_at": "2025-03-01"},
        {"url": URL, "published_at": "2025-03-03"},
        {"url": URL},
        {"url": URL},
        {"url": URL, "published_at": 7},
        "no object",
    ]
    assert warnings == (
        "2 rows have a date that is none for sure and was left out, such as 'soon'",
    )


@given(st.text(max_size=40) | st.text(alphabet="0123456789/-.:, TZAPMarUTC+", max_size=40))
def test_whatever_a_service_sends_no_row_keeps_a_date_that_is_none(text: str) -> None:
    row: dict[str, object] = {"url": URL, "published_at": service_iso_date(text)}

    settle_row_dates([row], lambda: NOON)

    date = row.get("published_at")
    assert date is None or (isinstance(date, str) and is_iso_date(date))
