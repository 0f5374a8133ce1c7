"""Pace large bodies: they yield to the event loop, and only a few may be large at a time.

A hundred bytes can become megabytes between two network reads. Without a limit, a few compression
bombs would block the event loop for seconds, or fill the memory together.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeAlias

# Called with the size so far after each piece.
Pace: TypeAlias = Callable[[int], Awaitable[None]]

LARGE_BODY_BYTES = 1024 * 1024
MAX_LARGE_BODIES = 8
_YIELD_BYTES = 64 * 1024


class LargeBodies:
    """Limits how many bodies are large at a time; small ones never wait."""

    def __init__(self, max_bodies: int = MAX_LARGE_BODIES) -> None:
        """Allow ``max_bodies`` large bodies; the semaphore is made in the first event loop."""
        self._max_bodies = max_bodies
        self._loop_and_semaphore: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    @asynccontextmanager
    async def pace_large_body(self) -> AsyncIterator[Pace]:
        """Yield the pace function for one body, and release its turn afterwards."""
        async with AsyncExitStack() as turns:
            next_rest, is_large = _YIELD_BYTES, False

            async def keep_pace(size: int) -> None:
                nonlocal next_rest, is_large
                if size < next_rest:
                    return
                next_rest = size + _YIELD_BYTES
                await asyncio.sleep(0)
                if size > LARGE_BODY_BYTES and not is_large:
                    is_large = True
                    await turns.enter_async_context(self._loop_semaphore())

            yield keep_pace

    def _loop_semaphore(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        if self._loop_and_semaphore is None or self._loop_and_semaphore[0] is not loop:
            # After a second asyncio.run, no task of the old loop waits any more.
            self._loop_and_semaphore = (loop, asyncio.Semaphore(self._max_bodies))
        return self._loop_and_semaphore[1]
