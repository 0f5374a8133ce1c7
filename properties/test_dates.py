"""Dates as services write them: reading one twice gives what reading it once gave."""

from datetime import date

from hypothesis import example, given, strategies as st

from webseam.adapters.values.dates import service_iso_date
from webseam.ports.dates import leading_iso_day


@given(st.text(alphabet="0123456789/-.:, TZAPMarUTC+年月日", max_size=40))
@example("Mar 5, 2025, 10:30 PM")
@example("03/05/2025, 09:15 AM, +0000 UTC")
def test_a_date_that_was_read_reads_the_same_again(given: str) -> None:
    once = service_iso_date(given)

    assert once is None or service_iso_date(once) == once


@given(st.dates(), st.text())
def test_a_text_that_begins_with_a_day_has_that_day(day: date, rest: str) -> None:
    assert leading_iso_day(f"{day}{rest}") == str(day)
    assert leading_iso_day(f"on {day}") is None
