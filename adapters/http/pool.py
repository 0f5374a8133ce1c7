"""The connections of one event loop: which rest, and how many may be open at all."""

import asyncio
from collections.abc import AsyncIterator

from .dial import Origin
from .wire import Wire


class Pool:
    """At most so many connections, resting and in use together; every step costs O(1)."""

    def __init__(self, most: int) -> None:
        """Begin with none, for the running event loop."""
        self.loop = asyncio.get_running_loop()
        self._most = most
        self._turns = asyncio.Semaphore(most)
        self._busy = 0
        self._idle: dict[Origin, list[Wire]] = {}
        # Every resting connection once more, the one that has rested longest first.
        self._resting: dict[Wire, Origin] = {}
        self._closed = False
        self.ending: AsyncIterator[None] | None = None

    @property
    def resting(self) -> int:
        """How many connections wait to be used again."""
        return len(self._resting)

    async def enter(self) -> None:
        """Wait until one more request may be under way."""
        await self._turns.acquire()
        self._busy += 1

    def leave(self) -> None:
        """Let the next request have its turn."""
        self._busy -= 1
        self._turns.release()

    def take(self, origin: Origin) -> Wire | None:
        """Return the connection that was used last, if one rests for this origin."""
        idle = self._idle.get(origin)
        if idle is None:
            return None
        wire = idle[-1]
        self._forget(wire)
        wire.take_up()
        return wire

    def make_room(self) -> None:
        """Close what has rested longest, until one more connection may be opened."""
        while self._resting and self._busy + len(self._resting) > self._most:
            next(iter(self._resting)).close()

    def give_back(self, origin: Origin, wire: Wire, keep: float) -> None:
        """Keep a connection whose answer was read to its end; close any other."""
        exchange = wire.exchange
        if wire.closed or exchange is None:
            return
        if self._closed or not exchange.keep_alive:
            wire.close()
            return
        self._idle.setdefault(origin, []).append(wire)
        self._resting[wire] = origin
        wire.rest(keep, lambda: self._forget(wire))

    def close(self) -> None:
        """Close what rests; what is in use is closed when it is given back."""
        self._closed = True
        while self._resting:
            next(iter(self._resting)).close()

    def _forget(self, wire: Wire) -> None:
        origin = self._resting.pop(wire)
        idle = self._idle[origin]
        if idle[-1] is wire:
            idle.pop()
        else:
            idle.remove(wire)
        if not idle:
            del self._idle[origin]


async def open_pool(most: int) -> Pool:
    """Return a pool that closes itself when its event loop is shut down."""
    pool = Pool(most)
    pool.ending = _at_the_end_of_the_loop(pool)
    await anext(pool.ending)
    return pool


async def _at_the_end_of_the_loop(pool: Pool) -> AsyncIterator[None]:
    # asyncio.run closes the async generators that are still open. This one stays open for that:
    # otherwise connections would outlive their loop, and Python would warn of each.
    try:
        yield
    finally:
        pool.close()
