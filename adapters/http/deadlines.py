"""One time limit for many calls with one timer of the loop.

Nearly no call ever times out, and ``asyncio.timeout`` sets and cancels a timer for each call.
"""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar, cast

Value = TypeVar("Value")


class DeadlinePassedError(TimeoutError):
    """The time of a call is up; its own work raised nothing."""


class _TimedCall:
    """A running call: its task, how often others cancelled it, whether its time is up."""

    __slots__ = ("cancelled", "due", "expired", "task")

    def __init__(self, task: "asyncio.Task[object]", due: float) -> None:
        self.task, self.due = task, due
        self.cancelled, self.expired = task.cancelling(), False


class _DeadlineClock:
    """The calls of one loop in the order of their starts, which is also that of their deadlines."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.calls: dict[_TimedCall, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, call: _TimedCall) -> None:
        self.calls[call] = None
        if self._timer is None:
            self._timer = self.loop.call_at(call.due, self._cancel_expired)

    def _cancel_expired(self) -> None:
        """Cancel every call whose time is up, and set the timer for the next one."""
        self._timer = None
        now = self.loop.time()
        for call in list(self.calls):
            if call.due > now:
                self._timer = self.loop.call_at(call.due, self._cancel_expired)
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

    async def run_within(self, work: Awaitable[Value]) -> Value:
        """Await ``work``; raise an error when its time is up. Cancellation passes through."""
        loop = asyncio.get_running_loop()
        clock = self._clock
        if clock is None or clock.loop is not loop:
            # The first call, or a second asyncio.run. Calls of an earlier loop keep their clock.
            clock = self._clock = _DeadlineClock(loop)
        task = cast("asyncio.Task[object]", asyncio.current_task(loop))
        call = _TimedCall(task, loop.time() + self.seconds)
        clock.add(call)
        try:
            return await work
        except asyncio.CancelledError as error:
            # The deadline cancelled the task, unless another caller cancelled it as well.
            if call.expired and task.cancelling() - 1 <= call.cancelled:
                raise DeadlinePassedError from error
            raise
        finally:
            clock.calls.pop(call, None)
            if call.expired:
                task.uncancel()
