"""A thread that waits for the loop of another: until there is an outcome, or an interrupt."""

from collections.abc import Callable
from concurrent.futures import Future

import pytest

from webseam.composition.doors.client import loop_thread
from webseam.composition.doors.client.loop_thread import Interrupted, wait_for_loop_outcome


@pytest.fixture(autouse=True)
def _look_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_thread, "POLL_SECONDS", 0.0)


def third(then: Callable[[], bool]) -> Callable[[], bool]:
    """Say no twice, and then what ``then`` says."""
    answers = iter([bool, bool, then])

    def interrupted() -> bool:
        return next(answers)()

    return interrupted


class Patient(Future[str]):
    """Work that ends after ten looks."""

    looks = 0

    def result(self, timeout: float | None = None) -> str:
        self.looks += 1
        if self.looks == 10:
            self.set_result("nobody interrupted it")
        return super().result(timeout)


def test_a_call_that_takes_long_is_waited_for_until_it_has_an_outcome() -> None:
    running = Patient()

    def end() -> bool:
        running.set_result("high")
        return False

    assert wait_for_loop_outcome(running, third(end)) == "high"


def test_a_call_that_takes_long_is_left_when_the_user_interrupts_it() -> None:
    with pytest.raises(Interrupted):
        wait_for_loop_outcome(Patient(), third(lambda: True))


def test_a_timeout_of_the_work_itself_is_its_outcome() -> None:
    running: Future[str] = Future()
    running.set_exception(TimeoutError("of the work"))

    with pytest.raises(TimeoutError, match="of the work"):
        wait_for_loop_outcome(running, lambda: True)
