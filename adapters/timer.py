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
    """Await ``work``; after ``seconds`` it is cancelled, and that is a failure."""
    scope = asyncio.timeout(seconds)
    try:
        async with scope:
            return Success(await work)
    except TimeoutError:
        # The work may have raised one of its own.
        if not scope.expired():
            raise
        return Failure(DeadlineExceeded(deadline=seconds))
