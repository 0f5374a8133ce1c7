"""The usual case, lean: the first choice is asked in the caller's own task, and answers in time.

Whatever else happens (it is late, fails, or takes too long) is the fold's to decide: the call is
handed over to a ``PlannedCall`` with its first attempt under way.
"""

import asyncio
import math
from functools import partial
from typing import Generic, TypeVar

from ....kernel.planner.money import MICROS, to_micros
from ....kernel.planner.planner_targets import PlannerTarget
from ....kernel.planner.state_machine.call_state import TimeCame
from ....kernel.planner.state_machine.quick_path import adopt_call, lateness_seconds
from ....ports.attempts import BackendAttempt
from ....ports.errors import DeadlineExceeded
from ....ports.errors.error_fields import ErrorFields
from ..metering import Meter, start_meter, stop_meter
from ..outcomes import MoneyHold
from .batched_starts import StartLane
from .dispatcher import Dispatcher
from .planned_call import PlannedCall
from .route_requests import RouteRequest, attempt_cost, begin_call

Value = TypeVar("Value")
Outcome = TypeVar("Outcome")


class FastCall(Meter, Generic[Value, Outcome], eq=False):
    """One call of one target, with the fold at hand. It is its own meter: every call has one.

    It runs in its caller's ``task`` and is counted in ``lane``. It was ``asked`` for, and ``began``
    when its ``hold`` was there; where nothing is to be held, it is counted when it is over.
    """

    planner: Dispatcher
    errand: RouteRequest[Value, Outcome]
    target: PlannerTarget
    task: asyncio.Task[object] | None
    lane: StartLane | None
    asked: float
    began: float
    hold: MoneyHold | None = None
    interrupted: bool = False
    planned: PlannedCall[Value, Outcome] | None = None

    @property
    def due(self) -> float:
        """When its answer is late, or its time is over."""
        errand = self.errand
        late = lateness_seconds(self.target, self.planner.fleet, strict=errand.strict)
        return min(self.began + late, self.asked + errand.seconds, self._ends)

    @property
    def _ends(self) -> float:
        """When the part of the time that it has is over."""
        seconds = self.planner.terms[self.target.name].seconds
        return math.inf if seconds is None else self.began + seconds

    async def run(self) -> Outcome:
        """Return what came of it."""
        planner = self.planner
        watch = planner.watch
        calls = watch.calls
        calls.add(self)
        if watch.timer is None:
            watch.begin(self)
        token = start_meter(self)
        try:
            answer = await self.errand.ask(self.target.name)
        except asyncio.CancelledError:
            ours = self._is_ours()
            # It is broken off; to do that again would break off what the caller does next.
            self.task = None
            if not ours:
                self._handed_over().leave()
                raise
            return await self._handed_over().rest()
        finally:
            stop_meter(token)
            calls.discard(self)
        if self.planned is None and not isinstance(answer, ErrorFields):
            return self._ended(answer)
        planned = self._handed_over()
        planned.hear(0, answer, self)
        return await planned.rest()

    def _ended(self, value: Value) -> Outcome:
        """Take a valid answer that came in time."""
        planner, target = self.planner, self.target
        now = planner.clock() + planner.ahead
        planner.fleets.land(self, now)
        cost = self._paid() if target.name in planner.paid else 0
        if planner.waiters:
            planner.landed()
        if planner.writer.timer is None:
            planner.writer.write_soon()
        line = BackendAttempt(
            backend=target.backend,
            key=target.key,
            outcome="answered",
            milliseconds=round((now - self.began) * 1000),
            cost=cost / MICROS if cost else 0.0,
        )
        return self.errand.answered(((target, value),), (line,))

    def _paid(self) -> int:
        hold, spending = self.hold, self.planner.spending
        if self.deferred:
            held = hold or self._counted()
            self.settle = lambda cost: spending.settle(
                held, held.amount if cost is None else to_micros(cost)
            )
            return held.amount
        amount = attempt_cost(self.errand, self.target, self)
        if hold is None:
            spending.count(self.target, amount)
        else:
            spending.settle(hold, amount)
        return amount

    def _counted(self) -> MoneyHold:
        return self.planner.spending.counted(self.target, self.errand.amount(self.target, None))

    def _handed_over(self) -> PlannedCall[Value, Outcome]:
        """Return the call as the fold has it, from now on."""
        if self.planned is None:
            self.planned = self._hand_over()
        return self.planned

    def _hand_over(self) -> PlannedCall[Value, Outcome]:
        name, hold = self.target.name, self.hold
        call = adopt_call(begin_call(self.errand, self.asked), name, self.began)
        planned = PlannedCall(self.planner, call, self.errand)
        if hold is None and name in self.planner.paid:
            hold = self._counted()
        planned.adopt(0, hold, self._interrupt)
        planned.at(call.deadline, partial(planned.feed, TimeCame(what="deadline")))
        return planned

    def late(self) -> None:
        """Let the fold decide about an answer that is late."""
        planned = self._handed_over()
        if self.errand.strict:
            planned.feed(TimeCame(what="overdue", id=0))
            return
        ends = self._ends
        if ends <= self.planner.now():
            # Another is asked in its place, not beside it.
            self._expire(planned)
            return
        if ends < math.inf:
            planned.at(ends, partial(self._expire, planned))
        overdue = lateness_seconds(self.target, self.planner.fleet, strict=True)
        planned.at(self.began + overdue, partial(planned.feed, TimeCame(what="overdue", id=0)))
        planned.feed(TimeCame(what="hedge", id=0))

    def _expire(self, planned: PlannedCall[Value, Outcome]) -> None:
        """End an attempt that has had its time."""
        if not planned.call.attempts[0].over:
            seconds = self.planner.terms[self.target.name].seconds or 0.0
            late = DeadlineExceeded(deadline=seconds, backend=self.target.backend)
            planned.hear(0, late, self)
            self._interrupt()

    def _interrupt(self) -> None:
        """Break off the attempt, which runs in the caller's task, but not the caller."""
        if self.task is not None:
            self.interrupted = True
            self.task.cancel()

    def _is_ours(self) -> bool:
        """Tell whether it was we who broke the attempt off, and not the caller who left."""
        return self.interrupted and self.task is not None and self.task.uncancel() <= 0
