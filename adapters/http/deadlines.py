"""One time limit for many calls with one timer of the loop.

Nearly no call ever times out, and ``asyncio.timeout`` sets and cancels a timer for each call.
"""

import asyncio
from typing import Any


class DeadlinePassedError(TimeoutError):
    """The time of a call is up; its own work raised nothing."""


class TimedCall:
    """A running call for ``with``: its task, how often others cancelled it, if its time is up."""

    __slots__ = ("calls", "cancelled", "due", "expired", "task")

    def __init__(
        self, task: "asyncio.Task[Any]", calls: "dict[TimedCall, None]", due: float
    ) -> None:
        """Join the running ``calls``."""
        self.task, self.calls, self.due = task, calls, due
        self.cancelled, self.expired = task.cancelling(), False
        calls[self] = None

    def __enter__(self) -> None:
        """Do nothing: the time runs since the call was made."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Raise an error if the time is up; cancellation by others passes through."""
        self.calls.pop(self, None)
        # The deadline cancelled the task, unless another caller cancelled it as well.
        is_ours = self.expired and self.task.uncancel() <= self.cancelled
        if is_ours and isinstance(error, asyncio.CancelledError):
            raise DeadlinePassedError from error


class _DeadlineClock:
    """The calls of one loop in the order of their starts, which is also that of their deadlines."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.calls: dict[TimedCall, None] = {}
        self.timer: asyncio.TimerHandle | None = None

    def start_timer(self, due: float) -> None:
        self.timer = self.loop.call_at(due, self._cancel_expired)

    def _cancel_expired(self) -> None:
        """Cancel every call whose time is up, and set the timer for the next one."""
        self.timer = None
        now = self.loop.time()
        for call in list(self.calls):
            if call.due > now:
                self.start_timer(call.due)
                return
            del self.calls[call]
            call.expired = True
            call.task.cancel()


class Deadlines:
    """Gives every call the same number of seconds."""

    def __init__(self, seconds: float) -> None:
        """Start without running calls."""
        self.seconds = seconds
        self._clock: _DeadlineClock | None = None

    def limit_call(self) -> TimedCall:
        """Return a limit for ``with``; ``DeadlinePassedError`` when the time is up."""
        loop = asyncio.get_running_loop()
        clock = self._clock
        if clock is None or clock.loop is not loop:
            # The first call, or a second asyncio.run. Calls of an earlier loop keep their clock.
            clock = self._clock = _DeadlineClock(loop)
        task = asyncio.current_task(loop)
        if task is None:
            message = "only a task has a time limit"
            raise RuntimeError(message)
        call = TimedCall(task, clock.calls, loop.time() + self.seconds)
        if clock.timer is None:
            clock.start_timer(call.due)
        return call
