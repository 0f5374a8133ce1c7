"""The alarm rings when it should, and asks little of the loop."""

import asyncio
from collections.abc import Callable
from typing import cast

from webseam.adapters.http.connection import LoopAlarm


class Timer:
    def __init__(self, when: float, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.cancelled = False
        self._when = when

    def when(self) -> float:
        return self._when

    def cancel(self) -> None:
        self.cancelled = True


class HandLoop:
    """A loop whose clock is turned by hand; ``timers`` holds every one that was ever asked for."""

    def __init__(self) -> None:
        self.now = 100.0
        self.timers: list[Timer] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        self.timers.append(Timer(when, callback))
        return self.timers[-1]

    def turn_to(self, now: float) -> None:
        """Go forward, running each timer at its time."""
        while due := [timer for timer in self._live() if timer.when() <= now]:
            timer = min(due, key=Timer.when)
            timer.cancelled = True
            self.now = max(self.now, timer.when())
            timer.callback()
        self.now = now

    def waiting(self) -> int:
        return len(self._live())

    def _live(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.cancelled]


class Bell:
    def __init__(self) -> None:
        self.loop = HandLoop()
        self.alarm = LoopAlarm(cast("asyncio.AbstractEventLoop", self.loop))
        self.rung: list[tuple[str, float]] = []

    def set(self, seconds: float, name: str = "ring") -> None:
        self.alarm.set(seconds, lambda: self.rung.append((name, self.loop.now)))


def test_it_rings_once_when_its_time_has_come() -> None:
    bell = Bell()

    bell.set(5)
    bell.loop.turn_to(104)
    early = list(bell.rung)
    bell.loop.turn_to(200)

    assert early == []
    assert bell.rung == [("ring", 105)]
    assert bell.loop.waiting() == 0


def test_stopped_it_does_not_ring_and_leaves_the_loop_by_itself() -> None:
    bell = Bell()

    bell.set(5)
    bell.alarm.stop()
    bell.loop.turn_to(200)

    assert bell.rung == []
    assert bell.loop.waiting() == 0


def test_ended_it_leaves_nothing_in_the_loop() -> None:
    bell = Bell()

    bell.set(5)
    bell.alarm.end()
    bell.alarm.end()

    assert bell.loop.waiting() == 0


def test_set_again_only_the_last_one_rings_in_its_own_time() -> None:
    later, sooner = Bell(), Bell()

    later.set(5, "first")
    later.set(9, "second")
    sooner.set(9, "first")
    sooner.set(5, "second")
    later.loop.turn_to(200)
    sooner.loop.turn_to(200)

    assert later.rung == [("second", 109)]
    assert sooner.rung == [("second", 105)]


def test_it_can_be_set_again_after_it_was_stopped_rang_or_ended() -> None:
    bell = Bell()

    bell.set(5, "first")
    bell.alarm.stop()
    bell.set(6, "second")
    bell.loop.turn_to(110)
    bell.set(5, "third")
    bell.loop.turn_to(120)
    bell.alarm.end()
    bell.set(5, "fourth")
    bell.loop.turn_to(130)

    assert bell.rung == [("second", 106), ("third", 115), ("fourth", 125)]


def test_setting_and_stopping_over_and_over_costs_one_timer_of_the_loop() -> None:
    bell = Bell()

    for _ in range(1000):
        bell.set(30)
        bell.alarm.stop()
        bell.loop.turn_to(bell.loop.now + 0.01)

    assert len(bell.loop.timers) == 1
