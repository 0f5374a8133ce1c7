"""The names that people give a day: at a terminal, and in ``since`` of a search."""

from datetime import date

import pytest

from webseam.ports.dates import parse_day_name

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("today", "2026-11-15"),
        (" Yesterday ", "2026-11-14"),
        ("week", "2026-11-08"),
        ("last week", "2026-11-08"),
        ("2w", "2026-11-01"),
        ("3 months ago", "2026-08-17"),
        ("1y", "2025-11-15"),
        ("2026-01-31", "2026-01-31"),
    ],
)
def test_name_is_a_day_counted_back_from_today(name: str, day: str) -> None:
    assert parse_day_name(name, TODAY).unwrap().isoformat() == day


@pytest.mark.parametrize(
    ("name", "reason"), [("soon", "is no day"), ("9999 years", "lies before every calendar")]
)
def test_other_names_are_refused_with_the_names_there_are(name: str, reason: str) -> None:
    refusal = parse_day_name(name, TODAY).failure()

    assert refusal.startswith(reason)
    assert "3 months" in refusal
