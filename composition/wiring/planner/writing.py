"""What was learned and spent, on its way to the ledger: beside the calls, one write at a time.

Nothing here is a task. A loop that ends while a write is under way has nothing left to break off:
the thread finishes it.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from ....kernel.planner.planner_targets import Fleet
from ....ports.planning.ledger import Booking, Settlement
from .health import SharedHealth
from .spending import TaskSpending

_WRITE_EVERY = 1.0

Written: TypeAlias = asyncio.Future[bool]


class LedgerWriter:
    """Writes for one planner; ``fleet`` tells what is known when a write begins."""

    def __init__(
        self, health: SharedHealth, spending: TaskSpending, fleet: Callable[[], Fleet]
    ) -> None:
        """Write to where ``health`` and ``spending`` write."""
        self._health = health
        self._spending = spending
        self._fleet = fleet
        self.timer: asyncio.TimerHandle | None = None
        self._writing: Written | None = None
        self._again = False

    def write_soon(self) -> None:
        """Write within a second; nothing has to be said where a ``timer`` runs already."""
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(_WRITE_EVERY, self.write_now)

    def write_now(self) -> None:
        """Write; and once more after the write under way, for all that came meanwhile."""
        if self._writing is not None:
            self._again = True
            return
        self._stop_timer()
        bookings, settled = self._spending.bookings(), self._spending.settlements()
        loop = asyncio.get_running_loop()
        self._writing = loop.run_in_executor(None, self._put_down, self._fleet(), bookings, settled)
        self._writing.add_done_callback(partial(self._wrote, bookings, settled))

    def forget(self) -> None:
        """Begin anew in another loop: the timers of the old one never ring."""
        self.timer = self._writing = None
        self._again = False

    async def finish(self) -> None:
        """Write all that there is, and return when that is done."""
        await self._wait()
        self.write_now()
        await self._wait()

    async def _wait(self) -> None:
        while self._writing is not None:
            await asyncio.wait((self._writing,))

    def _stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _wrote(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement], writing: Written
    ) -> None:
        """Keep what could not be written for the next time."""
        self._writing = None
        if not writing.result():
            self._spending.restore(bookings)
            self._spending.take_back(settled)
        if self._again:
            self._again = False
            self.write_now()

    def _put_down(
        self, fleet: Fleet, bookings: Sequence[Booking], settled: Sequence[Settlement]
    ) -> bool:
        """Write to the ledger, in a thread; tell whether the money could be written."""
        self._health.write(fleet)
        return self._spending.write(bookings, settled)
