"""The connections of one event loop: which rest, and how many may be open at all."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from .connection import Connection
from .dial import HostPort


class Pool:
    """At most so many connections, resting and in use together; every step costs O(1)."""

    def __init__(self, most: int) -> None:
        """Begin with none, for the running event loop."""
        self.loop = asyncio.get_running_loop()
        self._most = most
        self._busy = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._idle: dict[HostPort, list[Connection]] = {}
        # Every resting connection once more, the one that has rested longest first.
        self._resting: dict[Connection, HostPort] = {}
        self._closed = False
        self.ending: AsyncIterator[None] | None = None

    @property
    def resting(self) -> int:
        """How many connections wait to be used again."""
        return len(self._resting)

    def enter_at_once(self) -> bool:
        """Let one more request be under way, if there is room."""
        if self._busy >= self._most:
            return False
        self._busy += 1
        return True

    async def enter_in_turn(self) -> None:
        """Wait until one more request may be under way; whoever came first is first."""
        turn = self.loop.create_future()
        self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # Given a turn and cancelled in one go: somebody else can use it.
            if not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Hand our turn to the next request, or to nobody."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._busy -= 1

    def take(self, origin: HostPort) -> Connection | None:
        """Return the connection that was used last, if one rests for this origin."""
        idle = self._idle.get(origin)
        if idle is None:
            return None
        wire = idle.pop()
        if not idle:
            del self._idle[origin]
        del self._resting[wire]
        wire.take_up()
        return wire

    def make_room(self) -> None:
        """Close what has rested longest, until one more connection may be opened."""
        while self._resting and self._busy + len(self._resting) > self._most:
            next(iter(self._resting)).close()

    def give_back(self, origin: HostPort, wire: Connection, keep: float) -> None:
        """End a turn: keep a connection whose answer was read to its end, close any other."""
        self.leave()
        exchange = wire.exchange
        if wire.closed or exchange is None:
            return
        if self._closed or not exchange.keep_alive:
            wire.close()
            return
        self._idle.setdefault(origin, []).append(wire)
        self._resting[wire] = origin
        wire.rest(keep, self._forget)

    def close(self) -> None:
        """Close what rests; what is in use is closed when it is given back."""
        self._closed = True
        while self._resting:
            next(iter(self._resting)).close()

    def _forget(self, wire: Connection) -> None:
        """Drop a connection that closed while it rested, and its origin with the last one."""
        origin = self._resting.pop(wire)
        idle = self._idle[origin]
        idle.remove(wire)
        if not idle:
            del self._idle[origin]


async def open_pool(max_connections: int) -> Pool:
    """Return a pool that closes itself when its event loop is shut down."""
    pool = Pool(max_connections)
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
