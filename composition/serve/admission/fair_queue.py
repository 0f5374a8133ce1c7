"""A fair queue: a bounded number of calls at once, and nobody's many calls before another's first.

Who waits is let in by turns, one call of each caller after the other. The queue has an end: over
it, a caller is told at once to come back later.
"""

import asyncio
from collections import Counter, OrderedDict, deque

import msgspec

from ....adapters.dialect.refusal import Refusal

_RETRY_SECONDS = 1.0


class QueueLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How many calls run at once, how many of one key, and how many may wait for it.

    The owner, who has no key, may have all of them.
    """

    at_once: int
    each: int
    waiting: int
    waiting_each: int


class FairQueue:
    """Lets calls in. Everything happens on one event loop, between two awaits."""

    def __init__(self, limits: QueueLimits) -> None:
        """Let in as many as ``limits`` say."""
        self._limits = limits
        self._running: Counter[str] = Counter()
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.busy = 0
        self.waiting = 0

    async def enter(self, who: str) -> Refusal | None:
        """Wait for one's turn; ``leave`` must follow. A refusal is told at once."""
        if not self._lines.get(who) and self._has_room(who):
            self._admit(who)
            return None
        line = self._lines.get(who, ())
        if who and len(line) >= self._limits.waiting_each:
            message = "Too many of your calls are waiting already."
            return Refusal(kind="rate", message=message, retry_after=_RETRY_SECONDS)
        if self.waiting >= self._limits.waiting:
            message = "Too many calls are waiting already."
            return Refusal(kind="busy", message=message, retry_after=_RETRY_SECONDS)
        await self._wait(who)
        return None

    async def wait(self, who: str) -> None:
        """Wait however long it takes, as parts of a job do; ``leave`` must follow."""
        if not self._lines.get(who) and self._has_room(who):
            self._admit(who)
        else:
            await self._wait(who)

    def leave(self, who: str) -> None:
        """Make room for the next."""
        self.busy -= 1
        self._running[who] -= 1
        if not self._running[who]:
            del self._running[who]
        self._let_in()

    async def _wait(self, who: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(who, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # It was let in, and will not come.
                self.leave(who)
            else:
                self._forget(who, turn)
            raise

    def _forget(self, who: str, turn: asyncio.Future[None]) -> None:
        line = self._lines[who]
        line.remove(turn)
        self.waiting -= 1
        if not line:
            del self._lines[who]

    def _let_in(self) -> None:
        while self.busy < self._limits.at_once:
            who = next((who for who in self._lines if self._has_room(who)), None)
            if who is None:
                return
            line = self._lines.pop(who)
            turn = line.popleft()
            if line:
                # Behind everybody else.
                self._lines[who] = line
            self.waiting -= 1
            self._admit(who)
            turn.set_result(None)

    def _admit(self, who: str) -> None:
        self.busy += 1
        self._running[who] += 1

    def _has_room(self, who: str) -> bool:
        few = not who or self._running[who] < self._limits.each
        return few and self.busy < self._limits.at_once
