"""The timer of asyncio's event loop."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from returns.result import Failure, Result, Success

from webseam.ports.errors import DeadlineExceeded

from .http.deadlines import DeadlinePassedError, Deadlines

Value = TypeVar("Value")


async def asyncio_timer(
    work: Awaitable[Value], seconds: float, /
) -> Result[Value, DeadlineExceeded]:
    """Await ``work``; cancel it after ``seconds`` and return a failure."""
    timeout = asyncio.timeout(seconds)
    try:
        async with timeout:
            return Success(await work)
    except TimeoutError:
        # ``work`` may raise a TimeoutError of its own.
        if not timeout.expired():
            raise
        return Failure(DeadlineExceeded(deadline=seconds))


class SharedTimer:
    """A timer for many calls with one time limit, which share one timer of the event loop."""

    def __init__(self) -> None:
        """Start without calls."""
        self._deadlines = Deadlines(0.0)

    async def __call__(
        self, work: Awaitable[Value], seconds: float, /
    ) -> Result[Value, DeadlineExceeded]:
        """Await ``work``; cancel it after ``seconds`` and return a failure."""
        if seconds != self._deadlines.seconds:
            self._deadlines = Deadlines(seconds)
        try:
            with self._deadlines.limit_call():
                return Success(await work)
        except DeadlinePassedError:
            return Failure(DeadlineExceeded(deadline=seconds))
