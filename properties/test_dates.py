"""Dates as services write them: reading one twice gives what reading it once gave."""

from hypothesis import example, given, strategies as st

from webseam.adapters.values.dates import service_iso_date


@given(st.text(alphabet="0123456789/-.:, TZAPMarUTC+年月日", max_size=40))
@example("Mar 5, 2025, 10:30 PM")
@example("03/05/2025, 09:15 AM, +0000 UTC")
def test_a_date_that_was_read_reads_the_same_again(given: str) -> None:
    once = service_iso_date(given)

    assert once is None or service_iso_date(once) == once
