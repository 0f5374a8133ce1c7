"""The planner at work: everybody that can be asked for one task, and what is learned of them."""

import asyncio
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from returns.result import Failure, Result

from ....kernel.planner.fold.calls import Call, Event, Leg, Tick
from ....kernel.planner.fold.quick import first_choice
from ....kernel.planner.rules import Rules
from ....kernel.planner.targets import Fleet, Target
from ....ports.errors import BudgetExceeded, WebError
from ....ports.planning.ledger import Booking, Settlement
from .execution import Amount, Ask, Errand, PlannedCall
from .health import SharedHealth
from .outcomes import Planned, Terms
from .spending import Hold, Spending
from .usual import UsualCall
from .watch import Watch

Value = TypeVar("Value")

_WRITE_EVERY = 1.0
_LOOK_EVERY = 0.25


class Waiter(Protocol):
    """A call that waits for a place."""

    call: Call

    def feed(self, event: Event) -> None:
        """Tell it what happened."""
        ...


def list_price(target: Target, _replies: int | None) -> int:
    """Return what a call of a target costs where nobody knows better: its price."""
    return target.price


class Planner:
    """Everybody that can be asked for one task, and the calls on their way to them."""

    def __init__(
        self,
        targets: Mapping[str, Target],
        terms: Mapping[str, Terms],
        rules: Rules,
        health: SharedHealth,
        spending: Spending,
    ) -> None:
        """Begin with what is remembered of the targets."""
        self.terms = terms
        self.health = health
        self.spending = spending
        self.fleet = health.begin(targets, rules)
        self.waiters: deque[Waiter] = deque()
        self._looking: asyncio.Task[None] | None = None
        self._writer: asyncio.Task[None] | None = None
        self._written = True
        self._ahead: float | None = None
        self.watch = Watch(self.now)
        self._timer: asyncio.TimerHandle | None = None
        self._looked = 0.0

    def now(self) -> float:
        """Return the time: that of the world when this began, and from then on it never jumps."""
        clock = asyncio.get_running_loop().time()
        if self._ahead is None:
            self._ahead = time.time() - clock
        return clock + self._ahead

    async def call(
        self,
        legs: tuple[Leg, ...],
        ask: Ask[Value],
        *,
        seconds: float,
        strict: bool = False,
        amount: Amount = list_price,
    ) -> Planned[Value]:
        """Ask along the legs until somebody answers; ``ask`` asks one target, by its name.

        ``amount`` is as in ``Errand``.
        """
        now = self.now()
        if now - self._looked > _LOOK_EVERY:
            await self._look(now)
            now = self.now()
        errand = Errand(legs=legs, ask=ask, seconds=seconds, amount=amount, strict=strict)
        first = first_choice(self.fleet, legs, now)
        if first is not None and (self.terms[first.name].free or not self.spending.capped):
            planned = await UsualCall(self, errand, first, now).run()
            plain = planned.error is None and len(planned.attempts) == 1
            urgent = not plain and self.health.is_urgent(self.fleet)
        else:
            planned = await PlannedCall(self, errand.begun(now), errand).run()
            urgent = self.health.is_urgent(self.fleet)
        if urgent:
            self._write_now()
        elif self._timer is None:
            self.write_soon()
        return planned

    async def _look(self, now: float) -> None:
        """Take in what other processes wrote; only the first call waits for a server's word."""
        is_first, self._looked = not self._looked, now
        if self.health.is_near:
            self.fleet = self.health.merged(self.fleet, self.health.news())
        elif self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._look_far())
            if is_first:
                await asyncio.wait((self._looking,))

    async def _look_far(self) -> None:
        try:
            news = await asyncio.to_thread(self.health.news)
            self.fleet = self.health.merged(self.fleet, news)
        finally:
            self._looking = None

    def write_soon(self) -> None:
        """Write what was learned and spent within a second."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_WRITE_EVERY, self._write_now)

    async def hold(self, target: Target, amount: int, until: float) -> Result[Hold, WebError]:
        """Hold money in the ledger, and write along with it what was settled before."""
        settled = self.spending.settlements()
        held = await asyncio.to_thread(self.spending.hold, target, amount, until, settled)
        if isinstance(held, Failure) and not isinstance(held.failure(), BudgetExceeded):
            self.spending.take_back(settled)
        return held

    def landed(self) -> None:
        """Hand free places to those who wait, the longest first, until one finds none."""
        while self.waiters:
            first = self.waiters.popleft()
            if not first.call.waiting:
                continue
            first.feed(Tick(what="slot"))
            if first.call.waiting:
                # It has parked again, at the end; it was first, and still is.
                self.waiters.appendleft(self.waiters.pop())
                return

    async def aclose(self) -> None:
        """Finish what is beside the calls, and write down what was learned."""
        beside = [task for task in (self._writer, self._looking) if task is not None]
        if beside:
            await asyncio.wait(beside)
        self.watch.close()
        await self._write()
        await asyncio.to_thread(self.health.close)

    def _write_now(self) -> None:
        """Write beside the calls: one at a time, so that nothing is counted twice or piles up."""
        self._written = False
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._write_all())

    async def _write_all(self) -> None:
        """Write, and once more for all that came meanwhile."""
        try:
            while not self._written:
                self._written = True
                await self._write()
        finally:
            self._writer = None

    async def _write(self) -> None:
        """Write what was learned and spent; what cannot be written is kept for the next time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        bookings, settled = self.spending.bookings(), self.spending.settlements()
        if not await asyncio.to_thread(self._put_down, self.fleet, bookings, settled):
            self.spending.restore(bookings)
            self.spending.take_back(settled)

    def _put_down(
        self, fleet: Fleet, bookings: Sequence[Booking], settled: Sequence[Settlement]
    ) -> bool:
        """Write to the ledger, in a thread of its own; tell whether the money could be written."""
        self.health.write(fleet)
        return self.spending.write(bookings, settled)
