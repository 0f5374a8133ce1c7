"""One call for many callers that ask the same at the same time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Generic, TypeVar

Value = TypeVar("Value")


class _Flight(Generic[Value]):
    """A call under way, and how many wait for it."""

    def __init__(self, task: asyncio.Task[Value]) -> None:
        self.task = task
        self.waiting = 0


class SingleFlight(Generic[Value]):
    """The calls under way, by key. A caller that gives up takes nobody else's answer away."""

    def __init__(self) -> None:
        self._flights: dict[tuple[int, bytes], _Flight[Value]] = {}

    async def join(
        self, key: bytes, start: Callable[[], Coroutine[object, object, Value]]
    ) -> Value:
        """Return what the call under ``key`` gives; start it if it is not under way.

        The call runs in a task of its own, so that cancelling one caller does not cancel it. When
        the last caller has gone, it is cancelled too.
        """
        loop = asyncio.get_running_loop()
        place = (id(loop), key)
        flight = self._flights.get(place)
        if flight is None:
            flight = self._flights[place] = _Flight(loop.create_task(start()))
            flight.task.add_done_callback(_look_at)
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                # Before the task has ended, so that nobody joins a call that is being cancelled.
                self._flights.pop(place, None)
                flight.task.cancel()


def _look_at(task: asyncio.Task[Value]) -> None:
    """See what a call raised when nobody waits for it any more; asyncio would complain."""
    if not task.cancelled():
        task.exception()
