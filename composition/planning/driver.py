"""The planner of one task: its targets, their health, and the calls in progress."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from threading import get_ident
from typing import TypeAlias, TypeVar

from webseam.kernel.planner.call_state import TimeCame
from webseam.kernel.planner.planner_targets import Fleet, PlannerRules, PlannerTarget

from .batched_starts import FleetLanes
from .dispatcher import DueTimer, Waiter
from .fast_path import FastCall
from .grouped_holds import HoldGroups
from .planned_call import PlannedCall
from .route_requests import RouteRequest, begin_planned_call
from .shared_health import LedgerWriter, Memories, SharedHealth
from .spending import UNASKED, MoneyHold, TargetTerms, TaskSpending

Value = TypeVar("Value")
Outcome = TypeVar("Outcome")

_HEALTH_READ_SECONDS = 0.25
# How far the wall clock may be ahead of ours.
_MAX_LAG_SECONDS = 1.0

HealthRead: TypeAlias = asyncio.Future[Memories | None]


class Planner:
    """All targets of one task, and the calls in progress."""

    def __init__(
        self,
        targets: Mapping[str, PlannerTarget],
        terms: Mapping[str, TargetTerms],
        rules: PlannerRules,
        health: SharedHealth,
        spending: TaskSpending,
    ) -> None:
        self.terms = terms
        self.paid = frozenset(name for name, offer in terms.items() if not offer.free)
        self.health, self.spending = health, spending
        held_names = self.paid if spending.capped else frozenset[str]()
        self.fleets = FleetLanes(health.begin_fleet(targets, rules), held_names)
        self.waiters: deque[Waiter] = deque()
        self.watch = DueTimer(self.now)
        self.writer = LedgerWriter(health, spending, lambda: self.fleet, self.now)
        self.holds = HoldGroups(spending, self.writer.write_soon)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self.clock: Callable[[], float] = time.monotonic
        self._health_read: HealthRead | None = None
        self._health_read_at = 0.0
        self.ahead = 0.0

    @property
    def fleet(self) -> Fleet:
        """The current state of all targets."""
        return self.fleets.folded_fleet()

    @fleet.setter
    def fleet(self, fleet: Fleet) -> None:
        self.fleets.replace_fleet(fleet)

    def now(self) -> float:
        """Return the time: the wall clock at the start, and monotonic from there on."""
        # Asking for the running loop is a system call, and each call reads the time twice.
        if get_ident() != self._thread or asyncio.current_task(self.loop) is None:
            self._note_running_loop(asyncio.get_running_loop())
        return self.clock() + self.ahead

    def _note_running_loop(self, loop: asyncio.AbstractEventLoop) -> asyncio.Task[object] | None:
        """Note the current thread and loop; return the current task."""
        self._thread = get_ident()
        if loop is not self.loop:
            self._move_to_loop(loop)
        return asyncio.current_task(loop)

    def _move_to_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Continue in another loop; the work of the previous loop ended with it."""
        self.loop = loop
        # asyncio's own loops use this clock; calling it directly saves a call.
        is_standard_clock = type(loop).time is asyncio.BaseEventLoop.time
        self.clock = time.monotonic if is_standard_clock else loop.time
        self._health_read = None
        self.ahead = time.time() - loop.time()
        self.watch.forget_loop()
        self.writer.forget_loop()
        self.holds.forget_loop()

    def call(self, request: RouteRequest[Value, Outcome]) -> Awaitable[Outcome]:
        """Ask along the legs of a request until a target answers; await the result."""
        task = asyncio.current_task(self.loop) if get_ident() == self._thread else None
        if task is None:
            task = self._note_running_loop(asyncio.get_running_loop())
        now = self.clock() + self.ahead
        if now - self._health_read_at > _HEALTH_READ_SECONDS:
            now = self._catch_up_clock(now)
            if (health_read := self._read_health_news(now)) is not None:
                return self._start_after_read(health_read, request)
        lane = self.fleets.lane
        if lane is not None and lane.flying < lane.room and lane.legs is request.legs and lane.free:
            # The most frequent case; keep it free of extra steps.
            lane.begun += 1
            lane.flying += 1
            return FastCall(self, request, lane.target, task, lane, now, now).run()
        return self._start_call(request, now)

    def _catch_up_clock(self, now: float) -> float:
        """Return the time; move our clock forward after the machine was asleep.

        With an old clock, cooldowns of other processes look hours long and our money holds look
        abandoned. Calls in progress would seem to have taken as long, so wait until none is left.
        """
        lag = time.time() - now
        is_own = self.clock is time.monotonic
        is_busy = self.waiters or any(target.inflight for target in self.fleet.targets.values())
        if lag < _MAX_LAG_SECONDS or not is_own or is_busy:
            return now
        self.ahead += lag
        return now + lag

    def _start_call(self, request: RouteRequest[Value, Outcome], now: float) -> Awaitable[Outcome]:
        """Return a started call: a fast one where nothing is to decide, else a planned one."""
        first = self.fleets.undisputed_choice(request.legs, now, strict=request.strict)
        if first is None:
            return PlannedCall(self, begin_planned_call(request, now), request).run()
        if first.name not in self.fleets.held:
            lane = self.fleets.count_start(request.legs, first, now)
            task = asyncio.current_task(self.loop)
            return FastCall(self, request, first, task, lane, now, now).run()
        return self._run_paid_call(request, first, now)

    async def _run_paid_call(
        self, request: RouteRequest[Value, Outcome], first: PlannerTarget, now: float
    ) -> Outcome:
        """Hold money for the first choice and ask it; leave every other case to the fold."""
        hold = await self._hold_for_attempt(request, first, now)
        started_at = self.now()
        choice = (
            None
            if hold is None
            else self.fleets.undisputed_choice(request.legs, started_at, strict=request.strict)
        )
        if hold is not None and choice is not None and choice.name == first.name:
            lane = self.fleets.count_start(request.legs, choice, started_at)
            task = asyncio.current_task(self.loop)
            return await FastCall(self, request, choice, task, lane, now, started_at, hold).run()
        if hold is not None:
            # The first choice cools down or is full by now.
            self.spending.settle((hold,), UNASKED)
        return await PlannedCall(self, begin_planned_call(request, now), request).run()

    async def _hold_for_attempt(
        self, request: RouteRequest[Value, Outcome], first: PlannerTarget, now: float
    ) -> MoneyHold | None:
        spending = self.spending
        amount = spending.amount_to_hold(first, request.call_cost(first, 1))
        terms, spent = self.terms[first.name], request.spent
        if spending.admit_attempt(first, terms, amount, in_call=spent) is not None:
            return None
        if not spending.held_in_ledger:
            return spending.make_counted_hold(first, amount)
        outcome = await self.holds.hold(first, amount, now + request.seconds)
        return outcome.value_or(None)

    async def _start_after_read(
        self, read: HealthRead, request: RouteRequest[Value, Outcome]
    ) -> Outcome:
        await asyncio.wait((read,))
        return await self._start_call(request, self.now())

    def _read_health_news(self, now: float) -> HealthRead | None:
        """Merge what other processes wrote; return a future that the first call must await.

        Only the first call waits for a remote ledger.
        """
        is_first, self._health_read_at = not self._health_read_at, now
        if self.health.is_near:
            self.fleet = self.health.merge_memories(self.fleet, self.health.read_news(), now)
            return None
        if self._health_read is None:
            loop = asyncio.get_running_loop()
            self._health_read = loop.run_in_executor(None, self.health.read_news)
            self._health_read.add_done_callback(self._merge_health_news)
        return self._health_read if is_first else None

    def _merge_health_news(self, health_read: HealthRead) -> None:
        self._health_read = None
        if not health_read.cancelled():
            self.fleet = self.health.merge_memories(self.fleet, health_read.result(), self.now())

    def write_learned(self) -> None:
        """Write what a call taught: at once where other processes need it, else soon."""
        if self.health.is_urgent(self.fleet):
            self.writer.write_now()
        else:
            self.writer.write_soon()

    def hand_out_slots(self) -> None:
        """Give free slots to the waiting calls, the longest wait first, until one cannot start."""
        while self.waiters:
            first = self.waiters.popleft()
            if not first.call.waiting:
                continue
            first.feed_event(TimeCame(what="slot"))
            if first.call.waiting:
                # It parked again at the end of the queue; put it back to the front.
                self.waiters.appendleft(self.waiters.pop())
                return

    async def aclose(self) -> None:
        """Finish background work, and write down what was learned."""
        if self._health_read is not None:
            await asyncio.wait((self._health_read,))
        await self.holds.finish_writes()
        self.watch.close()
        await self.writer.finish_writes()
        await asyncio.to_thread(self.health.close)
