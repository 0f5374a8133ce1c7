"""Dates as services write them: in ISO where they name a day, untouched where they do not."""

import pytest

from webseam.adapters.values.dates import service_iso_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mar 3, 2025", "2025-03-03"),
        ("March 3rd, 2025", "2025-03-03"),
        ("Sept. 5 2023", "2023-09-05"),
        ("3 Mar 2025", "2025-03-03"),
        ("Mon, 3 March 2025", "2025-03-03"),
        ("Thu Mar 06 2025", "2025-03-06"),
        ("2025-3-5", "2025-03-05"),
        ("2025/03/05", "2025-03-05"),
        ("2025.03.05", "2025-03-05"),
        ("20250305", "2025-03-05"),
        ("2025年3月5日", "2025-03-05"),
        ("05.03.2025", "2025-03-05"),
        ("25/3/2025", "2025-03-25"),
        ("3 mars 2025", "2025-03-03"),
        ("1850/03/05", "1850-03-05"),
    ],
)
def test_a_day_is_a_day_in_any_writing(text: str, expected: str) -> None:
    assert service_iso_date(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-03-03T10:00:00.000Z", "2025-03-03T10:00:00.000Z"),
        ("2019-11-15 12:57:46 +00:00", "2019-11-15T12:57:46+00:00"),
        ("2025-03-03 10:00:00 UTC", "2025-03-03T10:00:00Z"),
        ("20250303T101112Z", "2025-03-03T10:11:12Z"),
        ("Wed, 05 Mar 2025 12:00:00 GMT", "2025-03-05T12:00:00Z"),
        ("Wed, 05 Mar 2025 12:00:00 +0100", "2025-03-05T12:00:00+01:00"),
        ("Mar 5, 2025, 10:30 PM", "2025-03-05T22:30:00"),
        ("March 5, 2025 at 12:05 AM", "2025-03-05T00:05:00"),
        ("03/05/2025, 09:15 PM, +0000 UTC", "2025-03-05T21:15:00Z"),
        ("1741000000", "2025-03-03T11:06:40Z"),
        (1741000000000, "2025-03-03T11:06:40Z"),
        (1741000000000000, "2025-03-03T11:06:40Z"),
        ("1741000000000000000", "2025-03-03T11:06:40Z"),
        (1741000000.5, "2025-03-03T11:06:40Z"),
        (941000000, "1999-10-27T04:53:20Z"),
        (20250303101112, "2025-03-03T10:11:12"),
        ("20250303101112", "2025-03-03T10:11:12"),
    ],
)
def test_a_moment_keeps_its_hour_and_its_zone(text: object, expected: str) -> None:
    assert service_iso_date(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2 hours ago",
        "yesterday",
        "March 2025",
        "2025-03",
        "2025",
        "03/05/2025",
        "05-03-2025",
        "Feb 30, 2025",
        "2025-13-01",
        "May be 5, 2025",
        "Mar 5, 2025, 13:30 PM",
        "12345",
        "10:30 PM on Mar 5, 2025",
    ],
)
def test_ambiguous_dates_are_left_unchanged(text: str) -> None:
    assert service_iso_date(text) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2024, "2024"),
        (1850, "1850"),
        (20240305, "2024-03-05"),
        (2024.0, "2024"),
        (0, None),
        (7, "7"),
        (86400, "86400"),
        (20241345, "20241345"),
        (-1741000000, "-1741000000"),
        (2024.5, "2024.5"),
        (10**30, str(10**30)),
        (float("nan"), None),
        (True, "True"),
        ([2024], "[2024]"),
        ({"year": 2024}, "{'year': 2024}"),
    ],
)
def test_a_number_is_a_year_a_day_or_a_moment_and_else_no_date(
    value: object, expected: str | None
) -> None:
    assert service_iso_date(value) == expected
