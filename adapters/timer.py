"""The timer of asyncio's event loop."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from returns.result import Failure, Result, Success

from ..ports.errors import DeadlineExceeded

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
