"""Pace: a large body gives way to others while it is read, and waits for its turn to be large.

A hundred bytes can become megabytes between two network reads. Without this, a handful of bombs
would hold up the event loop for seconds, or fill the memory side by side.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeAlias

# Told the size so far after each piece.
Pace: TypeAlias = Callable[[int], Awaitable[None]]

LARGE_BODY_BYTES = 1024 * 1024
MAX_LARGE_BODIES = 8
_STRIDE = 64 * 1024


class LargeBodies:
    """Lets at most ``most`` bodies at once grow large; small ones never wait."""

    def __init__(self, most: int = MAX_LARGE_BODIES) -> None:
        """Belong to no event loop yet."""
        self._most = most
        self._turns: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    @asynccontextmanager
    async def pace(self) -> AsyncIterator[Pace]:
        """Give the pace for one body, and its turn back afterwards."""
        async with AsyncExitStack() as held:
            next_rest, is_large = _STRIDE, False

            async def keep_pace(size: int) -> None:
                nonlocal next_rest, is_large
                if size < next_rest:
                    return
                next_rest = size + _STRIDE
                await asyncio.sleep(0)
                if size > LARGE_BODY_BYTES and not is_large:
                    is_large = True
                    await held.enter_async_context(self._turns_of_this_loop())

            yield keep_pace

    def _turns_of_this_loop(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        if self._turns is None or self._turns[0] is not loop:
            # A second asyncio.run: nobody of the old loop is waiting any more.
            self._turns = (loop, asyncio.Semaphore(self._most))
        return self._turns[1]
