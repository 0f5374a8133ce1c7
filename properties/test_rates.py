"""Every keeper of a rate decides like a bucket that fills with time."""

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from webseam.composition.features.gateway.key_guessing import GuessLimiter
from webseam.composition.wiring.store_setup import KeyRates
from webseam.kernel.planner.pacing import book_target_slot, next_target_slot
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.ports.keys import KeyRecord
from webseam.testing import FakeClock

MINUTE = 60.0
GAPS = st.lists(st.sampled_from((0.0, 0.0, 0.0, 0.5, 7.0, 60.0)), min_size=40, max_size=60)
# Seconds until a call may start; a call that may start now is counted.
Take = Callable[[], float]


def key_rate(clock: FakeClock, rate: float, _burst: float) -> Take:
    rates, record = KeyRates(now=clock), KeyRecord(id="k", name="", cache="", made="", rate=rate)

    def take() -> float:
        # Without a shared server nothing is awaited, and a loop for each call would be slow.
        with pytest.raises(StopIteration) as stopped:
            rates.count_call(record).send(None)
        return float(stopped.value.value)

    return take


def guess_rate(clock: FakeClock, _rate: float, _burst: float) -> Take:
    guesses = GuessLimiter(clock)

    def take() -> float:
        seconds = guesses.guess_delay("192.0.2.1")
        if seconds is None:
            guesses.count_guess("192.0.2.1")
        return seconds or 0.0

    return take


def planner_rate(clock: FakeClock, rate: float, burst: float) -> Take:
    target = PlannerTarget(name="t", backend="b", rate=rate / MINUTE, burst=int(burst))

    def take() -> float:
        nonlocal target
        seconds = next_target_slot(target) - clock()
        if seconds <= 0:
            target = book_target_slot(target, clock())
        return max(seconds, 0.0)

    return take


@pytest.mark.parametrize(
    ("keeper", "rate", "burst"),
    [(key_rate, 6, 6), (key_rate, 0.5, 1), (guess_rate, 10, 20), (planner_rate, 30, 4)],
)
@given(gaps=GAPS)
def test_a_rate_fills_and_empties_like_a_bucket(
    keeper: Callable[[FakeClock, float, float], Take], rate: float, burst: float, gaps: list[float]
) -> None:
    clock = FakeClock(1000.0)
    take, level = keeper(clock, rate, burst), float(burst)
    for gap in gaps:
        clock.advance(gap)
        level = min(burst, level + gap * rate / MINUTE)
        expected = max(1 - level, 0.0) * MINUTE / rate
        seconds = take()
        assert seconds == pytest.approx(expected, abs=1e-6)
        level -= seconds == 0
