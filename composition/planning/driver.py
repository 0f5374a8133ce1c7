"""The planner at work: everybody that can be asked for one task, and what is learned of them."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from threading import get_ident
from typing import TypeAlias, TypeVar

from returns.result import Failure, Success

from ...kernel.planner.planner_targets import Fleet, PlannerRules, PlannerTarget
from ...kernel.planner.state_machine.call_state import TimeCame
from ...ports.errors import BudgetExceeded
from ...ports.planning import Settlement
from .calls.batched_starts import FleetLanes, StartLane
from .calls.dispatcher import DueTimer, Held, Holding, Waiter
from .calls.fast_path import FastCall
from .calls.planned_call import PlannedCall
from .calls.route_requests import RouteRequest, begin_call
from .health import LedgerWriter, Memories, SharedHealth
from .outcomes import MoneyHold, TargetTerms
from .spending import TaskSpending

Value = TypeVar("Value")
Outcome = TypeVar("Outcome")

_HEALTH_READ_SECONDS = 0.25
# How far the clock of the world may be ahead of ours, in seconds.
_MAX_CLOCK_LAG_SECONDS = 1.0

Look: TypeAlias = asyncio.Future[Memories | None]


class Planner:
    """Everybody that can be asked for one task, and the calls on their way to them."""

    def __init__(
        self,
        targets: Mapping[str, PlannerTarget],
        terms: Mapping[str, TargetTerms],
        rules: PlannerRules,
        health: SharedHealth,
        spending: TaskSpending,
    ) -> None:
        """Begin with what is remembered of the targets."""
        self.terms = terms
        self.paid = frozenset(name for name, each in terms.items() if not each.free)
        self.health = health
        self.spending = spending
        held = self.paid if spending.capped else frozenset[str]()
        self.fleets = FleetLanes(health.begin(targets, rules), held)
        self.waiters: deque[Waiter] = deque()
        self.watch = DueTimer(self.now)
        self.writer = LedgerWriter(health, spending, lambda: self.fleet)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self.clock: Callable[[], float] = time.monotonic
        self._looking: Look | None = None
        self._abandoned: set[Holding] = set()
        self._looked = 0.0
        self.ahead = 0.0

    @property
    def fleet(self) -> Fleet:
        """All that is known of everybody."""
        return self.fleets.known()

    @fleet.setter
    def fleet(self, fleet: Fleet) -> None:
        self.fleets.put(fleet)

    def now(self) -> float:
        """Return the time: that of the world when this began, and it never jumps amid a call."""
        # To ask for the running loop is a call of the system, and every call is timed twice.
        if get_ident() != self._thread or asyncio.current_task(self.loop) is None:
            self._look_around(asyncio.get_running_loop())
        return self.clock() + self.ahead

    def _look_around(self, loop: asyncio.AbstractEventLoop) -> asyncio.Task[object] | None:
        """Find out where this runs, and in which task."""
        self._thread = get_ident()
        if loop is not self.loop:
            self._move_to(loop)
        return asyncio.current_task(loop)

    def _move_to(self, loop: asyncio.AbstractEventLoop) -> None:
        """Go on in a loop: whatever was under way in the one before ended with it."""
        self.loop = loop
        # What asyncio's own loops call, without the call between.
        own = type(loop).time is asyncio.BaseEventLoop.time
        self.clock = time.monotonic if own else loop.time
        self._looking = None
        self._abandoned.clear()
        self.ahead = time.time() - loop.time()
        self.watch.forget()
        self.writer.forget()

    def call(self, errand: RouteRequest[Value, Outcome]) -> Awaitable[Outcome]:
        """Ask along the legs of an errand until somebody answers. It begins here: await it."""
        task = asyncio.current_task(self.loop) if get_ident() == self._thread else None
        if task is None:
            task = self._look_around(asyncio.get_running_loop())
        now = self.clock() + self.ahead
        if now - self._looked > _HEALTH_READ_SECONDS:
            now = self._in_step(now)
            first_look = self._look(now)
            if first_look is not None:
                return self._after(first_look, errand)
        lane = self.fleets.lane
        if lane is not None and lane.flying < lane.room and lane.legs is errand.legs and lane.free:
            # The most usual of all calls, without a step more than it needs.
            lane.begun += 1
            lane.flying += 1
            return FastCall(self, errand, lane.target, task, lane, now, now).run()
        return self._begun(errand, now)

    def _in_step(self, now: float) -> float:
        """Return the time, set again if that of the world is ahead: this machine has slept.

        Other processes would seem to have somebody rest for hours, and what is held here to be of
        the dead. Calls under way would seem to have taken as long, so it waits for their end.
        """
        behind = time.time() - now
        ours = self.clock is time.monotonic
        if behind < _MAX_CLOCK_LAG_SECONDS or not ours or self.waiters or _is_busy(self.fleet):
            return now
        self.ahead += behind
        return now + behind

    def _usual(
        self,
        errand: RouteRequest[Value, Outcome],
        target: PlannerTarget,
        now: float,
        lane: StartLane | None,
    ) -> FastCall[Value, Outcome]:
        return FastCall(self, errand, target, asyncio.current_task(self.loop), lane, now, now)

    def _begun(self, errand: RouteRequest[Value, Outcome], now: float) -> Awaitable[Outcome]:
        """Return a call that begins now: by itself where nothing is to be decided, or folded."""
        first = self.fleets.choice(errand.legs, now)
        if first is None:
            return PlannedCall(self, begin_call(errand, now), errand).run()
        if first.name not in self.fleets.held:
            lane = self.fleets.begin(errand.legs, first, now)
            return self._usual(errand, first, now, lane).run()
        return self._paid(errand, first, now)

    async def _paid(
        self, errand: RouteRequest[Value, Outcome], first: PlannerTarget, now: float
    ) -> Outcome:
        """Hold the money for the first choice, and ask it; what does not fit is the fold's case."""
        hold = await self._held(errand, first, now)
        later = self.now()
        same = None if hold is None else self.fleets.choice(errand.legs, later)
        if hold is not None and same is not None and same.name == first.name:
            lane = self.fleets.begin(errand.legs, same, later)
            call = self._usual(errand, same, now, lane)
            call.began = later
            call.hold = hold
            return await call.run()
        if hold is not None:
            # Meanwhile it rests, or is full.
            self.spending.settle(hold, 0)
        return await PlannedCall(self, begin_call(errand, now), errand).run()

    async def _held(
        self, errand: RouteRequest[Value, Outcome], first: PlannerTarget, now: float
    ) -> MoneyHold | None:
        """Return the money for an attempt, held; None if it may not be paid for."""
        spending = self.spending
        amount = spending.most(first, errand.amount(first, None))
        if spending.admit(first, self.terms[first.name], amount, in_call=0) is not None:
            return None
        if not spending.held_in_ledger:
            return spending.counted(first, amount)
        held = await self.hold(first, amount, now + errand.seconds)
        return held.value_or(None)

    async def _after(self, look: Look, errand: RouteRequest[Value, Outcome]) -> Outcome:
        await asyncio.wait((look,))
        return await self._begun(errand, self.now())

    def _look(self, now: float) -> Look | None:
        """Take in what other processes wrote; return what the first call of all has to wait for.

        Only that is worth waiting for a server's word.
        """
        is_first, self._looked = not self._looked, now
        if self.health.is_near:
            self.fleet = self.health.merged(self.fleet, self.health.news())
            return None
        if self._looking is None:
            self._looking = asyncio.get_running_loop().run_in_executor(None, self.health.news)
            self._looking.add_done_callback(self._take_in)
        return self._looking if is_first else None

    def _take_in(self, look: Look) -> None:
        self._looking = None
        if not look.cancelled():
            self.fleet = self.health.merged(self.fleet, look.result())

    def noted(self) -> None:
        """Write what a call taught: at once where others should know, else soon."""
        if self.health.is_urgent(self.fleet):
            self.writer.write_now()
        else:
            self.writer.write_soon()

    async def hold(self, target: PlannerTarget, amount: int, until: float) -> Held:
        """Hold money that was admitted, and write along with it what was settled before.

        What is not held after all is given back, also where the caller leaves meanwhile.
        """
        settled, loop = self.spending.settlements(), asyncio.get_running_loop()
        hold = loop.run_in_executor(None, self.spending.hold, target, amount, until, settled)
        try:
            await asyncio.wait((hold,))
        except asyncio.CancelledError:
            self._abandoned.add(hold)
            hold.add_done_callback(partial(self._let_go, amount, settled))
            raise
        return self._taken(hold.result(), amount, settled)

    def _taken(self, held: Held, amount: int, settled: Sequence[Settlement]) -> Held:
        if isinstance(held, Failure):
            self.spending.give_back(amount)
            if not isinstance(held.failure(), BudgetExceeded):
                self.spending.take_back(settled)
        return held

    def _let_go(self, amount: int, settled: Sequence[Settlement], hold: Holding) -> None:
        """Give back what is held for a caller who left before anybody was asked."""
        self._abandoned.discard(hold)
        held = self._taken(hold.result(), amount, settled)
        if isinstance(held, Success):
            self.spending.settle(held.unwrap(), 0)
        self.writer.write_soon()

    def landed(self) -> None:
        """Hand free places to those who wait, the longest first, until one finds none."""
        while self.waiters:
            first = self.waiters.popleft()
            if not first.call.waiting:
                continue
            first.feed(TimeCame(what="slot"))
            if first.call.waiting:
                # It has parked again, at the end; it was first, and still is.
                self.waiters.appendleft(self.waiters.pop())
                return

    async def aclose(self) -> None:
        """Finish what is beside the calls, and write down what was learned."""
        under_way = [*self._abandoned, *(() if self._looking is None else (self._looking,))]
        if under_way:
            await asyncio.wait(under_way)
        self.watch.close()
        await self.writer.finish()
        await asyncio.to_thread(self.health.close)


def _is_busy(fleet: Fleet) -> bool:
    return any(target.inflight for target in fleet.targets.values())
