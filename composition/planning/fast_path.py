"""The fast path: ask the first choice in the caller's own task.

A late or failed answer is left to the fold: the call becomes a ``PlannedCall`` with its first
attempt in progress.
"""

import asyncio
import math
from collections.abc import Awaitable
from functools import partial
from typing import Generic, TypeVar

from webseam.kernel.planner.call_state import TimeCame
from webseam.kernel.planner.money import MICROS_PER_DOLLAR
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.kernel.planner.quick_path import adopt_quick_call, target_lateness_seconds
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import DeadlineExceeded, WebError
from webseam.ports.errors.error_fields import ErrorFields

from .attempt_money import attempt_charge, held_amount, reserve_request, settle_deferred
from .batched_starts import StartLane
from .dispatcher import Dispatcher
from .metering import Meter, start_meter, stop_meter
from .outcomes import split_retried_line
from .planned_call import PlannedCall
from .route_requests import RouteRequest, begin_planned_call
from .spending import MoneyHold

Value = TypeVar("Value")
Outcome = TypeVar("Outcome")


class FastCall(Meter, Generic[Value, Outcome], eq=False):
    """One call of one target, and the meter of that call.

    It runs in its caller's ``task`` and is counted in ``lane``. It was requested at ``asked``, and
    ``began`` once its money ``hold`` existed; without a hold it is counted at the end.
    """

    planner: Dispatcher
    request: RouteRequest[Value, Outcome]
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
        """When the answer is late, or the time limit is reached."""
        request = self.request
        late = target_lateness_seconds(self.target, self.planner.fleet, strict=request.strict)
        return min(self.began + late, self.asked + request.seconds, self._attempt_end)

    @property
    def _attempt_end(self) -> float:
        seconds = self.planner.terms[self.target.name].seconds
        return math.inf if seconds is None else self.began + seconds

    def end_time(self) -> float:
        """Return the loop time at which the attempt is cancelled."""
        return self._attempt_end - self.planner.ahead

    async def run(self) -> Outcome:
        """Return the outcome of the call."""
        planner = self.planner
        watch = planner.watch
        calls = watch.calls
        calls.add(self)
        if watch.timer is None:
            watch.start_timer(self.due)
        self.may_retry = self.request.strict
        if self.hold is not None:
            self.holds = (self.hold,)
            self.costs = {0: self.hold.amount}
            self.spare = self.request.reserved_requests
            self.reserve = self._reserve_request
        token = start_meter(self)
        try:
            answer = await self.request.ask(self.target.name)
        except asyncio.CancelledError:
            is_own_interrupt = self._was_interrupted_by_us()
            # The attempt is cancelled; cancelling again would hit the caller's next work.
            self.task = None
            if not is_own_interrupt:
                self._take_over().cancel_attempts()
                raise
            return await self._take_over().wait_for_end()
        finally:
            stop_meter(token)
            calls.discard(self)
        if self.planned is None and not isinstance(answer, ErrorFields):
            return self._finish_answered(answer)
        planned = self._take_over()
        planned.take_answer(0, answer, self)
        return await planned.wait_for_end()

    def _finish_answered(self, value: Value) -> Outcome:
        planner, target = self.planner, self.target
        now = planner.clock() + planner.ahead
        planner.fleets.count_answer(
            self.lane, self.request.legs, (target.name, self.began), self.windows, now
        )
        # A page that is free for us may have cost a payment.
        paid = target.name in planner.paid
        cost = self._settle_answer() if paid else self.costs.get(0, 0)
        if planner.waiters:
            planner.hand_out_slots()
        if planner.writer.timer is None:
            planner.writer.write_soon()
        line = BackendAttempt(
            backend=target.backend,
            key=target.key,
            outcome="answered",
            milliseconds=round((now - self.began) * 1000),
            cost=None if cost is None else cost / MICROS_PER_DOLLAR,
        )
        start = self.began - planner.ahead
        lines = split_retried_line(line, self.retried, start) if self.retried else (line,)
        return self.request.answered_outcome(((target, value),), lines)

    def _settle_answer(self) -> int | None:
        """Settle the answer and return its cost; None if it is unknown."""
        spending = self.planner.spending
        if self.deferred:
            holds = self.holds or (self._make_counted_hold(),)
            self.settle = partial(settle_deferred, spending, holds, self)
            return held_amount(holds)
        is_priced = self.planner.terms[self.target.name].priced
        charge = attempt_charge(self.request, self.target, self, is_priced=is_priced)
        if self.holds:
            spending.settle(self.holds, charge)
        else:
            spending.count_call(self.target, charge)
        return charge.known_cost

    def _make_counted_hold(self) -> MoneyHold:
        amount = self.request.call_cost(self.target, 1)
        return self.planner.spending.make_counted_hold(self.target, amount)

    def _reserve_request(self) -> Awaitable[WebError | None]:
        until = self.asked + self.request.seconds
        return reserve_request(self.planner, self.request, self.target, self, until)

    def _take_over(self) -> PlannedCall[Value, Outcome]:
        """Return the planned call that took over, and create it if needed."""
        if self.planned is None:
            self.planned = self._make_planned_call()
        return self.planned

    def _make_planned_call(self) -> PlannedCall[Value, Outcome]:
        name = self.target.name
        call = adopt_quick_call(begin_planned_call(self.request, self.asked), name, self.began)
        planned = PlannedCall(self.planner, call, self.request)
        if not self.holds and name in self.planner.paid:
            self.holds = (self._make_counted_hold(),)
        planned.adopt_attempt(0, self._interrupt_attempt, self)
        planned.call_at(call.deadline, partial(planned.feed_event, TimeCame(what="deadline")))
        return planned

    def handle_late(self) -> None:
        """Let the fold decide about a late answer."""
        planned = self._take_over()
        if self.request.strict:
            planned.feed_event(TimeCame(what="overdue", id=0))
            return
        if (ends := self._attempt_end) <= self.planner.now():
            # Ask another target instead of this one, not beside it.
            self._expire_attempt(planned)
            return
        if ends < math.inf:
            planned.call_at(ends, partial(self._expire_attempt, planned))
        overdue = target_lateness_seconds(self.target, self.planner.fleet, strict=True)
        planned.call_at(
            self.began + overdue, partial(planned.feed_event, TimeCame(what="overdue", id=0))
        )
        planned.feed_event(TimeCame(what="hedge", id=0))

    def _expire_attempt(self, planned: PlannedCall[Value, Outcome]) -> None:
        if not planned.call.attempts[0].over:
            seconds = self.planner.terms[self.target.name].seconds or 0.0
            error = DeadlineExceeded(deadline=seconds, backend=self.target.backend)
            planned.take_answer(0, error, self)
            self._interrupt_attempt()

    def _interrupt_attempt(self) -> None:
        """Cancel the attempt, which runs in the caller's task, but not the caller."""
        if self.task is not None:
            self.interrupted = True
            self.task.cancel()

    def _was_interrupted_by_us(self) -> bool:
        """Return whether we cancelled the attempt, and not the caller."""
        return self.interrupted and self.task is not None and self.task.uncancel() <= 0
