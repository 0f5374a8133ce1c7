"""The usual case, lean: the first choice is asked in the caller's own task, and answers in time.

Whatever else happens (it is late, fails, or takes too long) is the fold's to decide: the call is
handed over to a ``PlannedCall`` with its first attempt under way.
"""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from ....kernel.planner.fold.calls import Tick
from ....kernel.planner.fold.quick import adopted, late_after
from ....kernel.planner.money.budgets import MICROS, micros
from ....kernel.planner.targets import Target
from ....ports.errors import DeadlineExceeded
from ....ports.errors.trouble import Trouble
from ....ports.planning.attempts import BackendAttempt
from .execution import Errand, PlannedCall
from .lanes import Lane
from .metering import Meter, start_meter, stop_meter
from .outcomes import Planned, Winner
from .spending import Hold

if TYPE_CHECKING:
    from .driver import Planner

Value = TypeVar("Value")


class UsualCall(Meter, Generic[Value]):
    """One call of one target, with the fold at hand. It is its own meter: every call has one."""

    _handed_over: PlannedCall[Value] | None = None
    _interrupted = False
    # What is held for it; a call that money is only counted for counts it when it begins.
    hold: Hold | None = None
    _task: asyncio.Task[object] | None = None

    def __init__(
        self,
        planner: "Planner",
        errand: Errand[Value],
        target: Target,
        now: float,
        lane: Lane | None,
    ) -> None:
        """Ask ``target`` at ``now``; the call is counted in ``lane``."""
        self._planner = planner
        self._errand = errand
        self._target = target
        self._began = now
        self._lane = lane

    @property
    def due(self) -> float:
        """When its answer is late."""
        late = late_after(self._target, self._planner.fleet, strict=self._errand.strict)
        return self._began + min(late, self._errand.seconds)

    async def run(self) -> Planned[Value]:
        """Return how the call ended."""
        planner, target, errand = self._planner, self._target, self._errand
        if self.hold is None and target.name in planner.paid:
            self.hold = planner.spending.counted(target, errand.amount(target, None))
        self._task = asyncio.current_task(planner.loop)
        watch = planner.watch
        calls = watch.calls
        calls.add(self)
        if watch.timer is None:
            watch.begin(self)
        token = start_meter(self)
        try:
            answer = await errand.ask(target.name)
        except asyncio.CancelledError:
            if not self._is_ours():
                (self._handed_over or self._hand_over()).leave()
                raise
            return await (self._handed_over or self._hand_over()).rest()
        finally:
            stop_meter(token)
            calls.discard(self)
        if self._handed_over is None and not isinstance(answer, Trouble):
            return self._ended(answer)
        planned = self._handed_over or self._hand_over()
        planned.hear(0, answer, self)
        return await planned.rest()

    def _ended(self, value: Value) -> Planned[Value]:
        """Take a valid answer that came in time."""
        planner, target = self._planner, self._target
        now = planner.clock() + planner.ahead
        call = (self._errand.legs, target.name, self._began)
        planner.fleets.land(self._lane, call, self.windows, now)
        cost = 0 if self.hold is None else self._paid(self.hold)
        if planner.waiters:
            planner.landed()
        if planner.writer.timer is None:
            planner.writer.write_soon()
        line = BackendAttempt(
            backend=target.backend,
            key=target.key,
            outcome="answered",
            milliseconds=round((now - self._began) * 1000),
            cost=cost / MICROS if cost else 0.0,
        )
        return Planned(winners=(Winner(target, value),), attempts=(line,))

    def _paid(self, hold: Hold) -> int:
        if self.deferred:
            self.settle = lambda cost: self._planner.spending.settle(
                hold, hold.amount if cost is None else micros(cost)
            )
            return hold.amount
        amount = self._errand.cost(self._target, self)
        self._planner.spending.settle(hold, amount)
        return amount

    def _hand_over(self) -> PlannedCall[Value]:
        call = adopted(self._errand.begun(self._began), self._target.name, self._began)
        planned = PlannedCall(self._planner, call, self._errand)
        planned.adopt(0, self.hold, self._interrupt)
        planned.at(call.deadline, partial(planned.feed, Tick(what="deadline")))
        self._handed_over = planned
        return planned

    def late(self) -> None:
        """Let the fold decide about an answer that is late."""
        planned = self._hand_over()
        if self._errand.strict:
            planned.feed(Tick(what="overdue", id=0))
            return
        seconds = self._planner.terms[self._target.name].seconds
        if seconds is not None:
            planned.at(self._began + seconds, partial(self._expire, seconds))
        overdue = late_after(self._target, self._planner.fleet, strict=True)
        planned.at(self._began + overdue, partial(planned.feed, Tick(what="overdue", id=0)))
        planned.feed(Tick(what="hedge", id=0))

    def _expire(self, seconds: float) -> None:
        """End an attempt that has had its time."""
        planned = self._handed_over
        if planned is not None and not planned.call.attempts[0].over:
            late = DeadlineExceeded(deadline=seconds, backend=self._target.backend)
            planned.hear(0, late, self)
            self._interrupt()

    def _interrupt(self) -> None:
        """Break off the attempt, which runs in the caller's task, but not the caller."""
        if self._task is not None:
            self._interrupted = True
            self._task.cancel()

    def _is_ours(self) -> bool:
        """Tell whether it was we who broke the attempt off, and not the caller who left."""
        return self._interrupted and self._task is not None and self._task.uncancel() <= 0
