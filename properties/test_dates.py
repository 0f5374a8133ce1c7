"""Dates as services write them: reading one twice gives what reading it once gave."""

from datetime import UTC, date, datetime

from hypothesis import example, given, strategies as st

from webseam.adapters.values.dates import service_iso_date
from webseam.ports.dates import leading_iso_day


@given(st.text(alphabet="0123456789/-.:, TZAPMarUTC+年月日", max_size=40))
@example("Mar 5, 2025, 10:30 PM")
@example("03/05/2025, 09:15 AM, +0000 UTC")
def test_a_date_that_was_read_reads_the_same_again(given: str) -> None:
    once = service_iso_date(given)

    assert once is None or service_iso_date(once) == once


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_digits_are_the_day_or_the_year_that_they_say(day: date) -> None:
    assert service_iso_date(day.year) == service_iso_date(str(day.year)) == str(day.year)
    digits = f"{day:%Y%m%d}".rjust(8, "0")
    assert service_iso_date(int(digits)) == service_iso_date(digits) == day.isoformat()


@given(st.integers(100_000_000, 9_999_999_999))
def test_a_unix_time_is_its_moment_in_any_part_of_seconds(seconds: int) -> None:
    moment = datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")

    assert service_iso_date(seconds) == service_iso_date(float(seconds)) == moment
    if seconds >= 10**9:
        for zeros in ("", "000", "000000", "000000000"):
            assert service_iso_date(f"{seconds}{zeros}") == moment


@given(st.dates(), st.text())
def test_a_text_that_begins_with_a_day_has_that_day(day: date, rest: str) -> None:
    assert leading_iso_day(f"{day}{rest}") == str(day)
    assert leading_iso_day(f"on {day}") is None
