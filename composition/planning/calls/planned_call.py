"""One planned call at work: runs the actions of the fold, and tells it what happens."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Generic, TypeVar, assert_never, cast

from returns.result import Failure

from ....kernel.planner.money import to_micros
from ....kernel.planner.planner_targets import PlannerTarget
from ....kernel.planner.state_machine.call_state import (
    Action,
    AttemptAnswered,
    AttemptFailed,
    CallBegan,
    CallerLeft,
    CancelAttempt,
    Event,
    FinishCall,
    MoneyReserved,
    ParkCall,
    PlannerCall,
    PlannerState,
    ReserveMoney,
    SendAttempt,
    TimeCame,
    WakeAt,
)
from ....kernel.planner.state_machine.transitions import step_planner
from ....ports.attempts import BackendAttempt
from ....ports.errors import DeadlineExceeded, WebError
from ....ports.errors.error_fields import ErrorFields
from ..metering import Meter, start_meter
from ..outcomes import CallEnding, MoneyHold, receipt_line
from .dispatcher import Dispatcher
from .route_requests import RouteRequest, attempt_cost

Value = TypeVar("Value")
Outcome = TypeVar("Outcome")


class PlannedCall(Generic[Value, Outcome]):
    """One call: runs its actions, and feeds back what happens."""

    def __init__(
        self, planner: Dispatcher, call: PlannerCall, errand: RouteRequest[Value, Outcome]
    ) -> None:
        """Run ``call`` for ``planner``."""
        self.call = call
        self._planner = planner
        self._errand = errand
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[FinishCall] = self._loop.create_future()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._breaks: dict[int, Callable[[], None]] = {}
        self._timers: list[asyncio.TimerHandle] = []
        self._holds: dict[int, MoneyHold] = {}
        self._asked: set[int] = set()
        self._costs: dict[int, int] = {}
        self._values: dict[int, Value] = {}
        self._errors: dict[int, WebError] = {}

    async def run(self) -> Outcome:
        """Return how the call ended; one that is cancelled breaks off its attempts."""
        self.feed(CallBegan())
        return await self.rest()

    async def rest(self) -> Outcome:
        """Wait for the end of a call that was begun."""
        try:
            end = await self._end
        except asyncio.CancelledError:
            self.leave()
            raise
        self._stop_timers()
        self._planner.noted()
        return self._outcome(end)

    def leave(self) -> None:
        """Break everything off: the caller went away."""
        self.feed(CallerLeft())
        self._stop_timers()

    def adopt(self, place: int, hold: MoneyHold | None, give_up: Callable[[], None]) -> None:
        """Take over an attempt that somebody else began; ``give_up`` breaks it off."""
        self._asked.add(place)
        self._breaks[place] = give_up
        if hold is not None:
            self._holds[place] = hold
            self._costs[place] = hold.amount

    def feed(self, event: Event) -> None:
        """Tell the fold what happened, and do what it says."""
        planner = self._planner
        state, actions = step_planner(PlannerState(self.call, planner.fleet), event, planner.now())
        self.call, planner.fleet = state.call, state.fleet
        for action in actions:
            self._act(action)
        if planner.waiters and not isinstance(event, CallBegan | MoneyReserved | TimeCame):
            planner.landed()

    def hear(self, place: int, answer: Value | WebError, meter: Meter) -> None:
        """Take the answer to an attempt: settle it, and tell the fold."""
        self._breaks.pop(place, None)
        if not isinstance(answer, ErrorFields):
            self._values[place] = answer
            self._pay(place, meter)
            self.feed(AttemptAnswered(id=place, windows=meter.windows))
            return
        error = cast("WebError", answer)
        self._errors[place] = error
        if error.facts.verdict.billed or meter.cost is not None:
            self._pay(place, meter)
        else:
            self._settle(place, 0)
        chance = random.random()  # noqa: S311  no secret
        self.feed(AttemptFailed(id=place, error=error, chance=chance, windows=meter.windows))

    def at(self, when: float, work: Callable[[], None]) -> None:
        """Do something at a time, unless the call is over by then."""
        late = max(when - self._planner.now(), 0.0)
        self._timers.append(self._loop.call_later(late, work))

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()

    def _act(self, action: Action) -> None:
        match action:
            case ReserveMoney():
                self._reserve(action)
            case SendAttempt():
                self._keep(action.id, self._attempt(action))
            case CancelAttempt():
                self._cancel(action.id)
            case WakeAt() | ParkCall() | FinishCall():
                self._arrange(action)
            case _:
                assert_never(action)

    def _arrange(self, action: WakeAt | ParkCall | FinishCall) -> None:
        match action:
            case WakeAt():
                self.at(action.at, partial(self.feed, action.tick))
            case ParkCall():
                self._planner.waiters.append(self)
            case FinishCall():
                if not self._end.done():
                    self._end.set_result(action)

    def _reserve(self, action: ReserveMoney) -> None:
        planner = self._planner
        terms = planner.terms[action.target]
        target = planner.fleet.targets[action.target]
        amount = 0
        if not terms.free:
            amount = planner.spending.most(target, self._errand.amount(target, None))
            in_call = sum(self._costs.values())
            refused = planner.spending.admit(target, terms, amount, in_call=in_call)
            if refused is not None:
                self._refuse(action.id, refused)
                return
            # Nobody else of this call may have it meanwhile.
            self._costs[action.id] = amount
        if action.probe or (planner.spending.held_in_ledger and not terms.free):
            # It waits for other processes.
            self._keep(action.id, self._reserved(action, target, amount))
            return
        if not terms.free:
            self._holds[action.id] = planner.spending.counted(target, amount)
        self.feed(MoneyReserved(id=action.id))

    async def _reserved(self, action: ReserveMoney, target: PlannerTarget, amount: int) -> None:
        planner, now = self._planner, self._planner.now()
        ends = max(self.call.attempts[action.id].start, now) + planner.fleet.rules.timeout
        if action.probe and not await self._claimed(action.id, target, ends, now):
            self.feed(MoneyReserved(id=action.id, ok=False))
            return
        if not planner.terms[action.target].free:
            held = await planner.hold(target, amount, self.call.deadline)
            if isinstance(held, Failure):
                del self._costs[action.id]
                self._refuse(action.id, held.failure())
                return
            self._holds[action.id] = held.unwrap()
            if self.call.attempts[action.id].over:
                self._settle(action.id, 0)
                return
        self.feed(MoneyReserved(id=action.id))

    async def _claimed(self, place: int, target: PlannerTarget, ends: float, now: float) -> bool:
        """Take the right to probe; without it, the money for that is not needed."""
        planner, claimed = self._planner, False
        try:
            claimed = await asyncio.to_thread(planner.health.claim, target, ends, now)
        finally:
            if not claimed:
                planner.spending.give_back(self._costs.pop(place, 0))
        return claimed

    def _refuse(self, place: int, error: WebError) -> None:
        self._errors[place] = error
        self.feed(MoneyReserved(id=place, ok=False, error=error))

    def _keep(self, place: int, work: Coroutine[object, object, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks[place] = task
        task.add_done_callback(self._look_at)

    def _look_at(self, task: asyncio.Task[None]) -> None:
        """Pass on what an attempt raised: that is a bug of ours, and is not to be waited for."""
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._end.done():
            self._end.set_exception(error)

    async def _attempt(self, action: SendAttempt) -> None:
        planner, place = self._planner, action.id
        wait = action.at - planner.now()
        if wait > 0:
            await asyncio.sleep(wait)
        self._asked.add(place)
        seconds = planner.terms[action.target].seconds
        meter = Meter()
        # The task has a context of its own, which ends with it.
        start_meter(meter)
        answer: Value | WebError
        try:
            async with asyncio.timeout(seconds):
                answer = await self._errand.ask(action.target)
        except TimeoutError:
            backend = planner.fleet.targets[action.target].backend
            answer = DeadlineExceeded(deadline=seconds or 0.0, backend=backend)
        self.hear(place, answer, meter)

    def _cancel(self, place: int) -> None:
        task = self._tasks.pop(place, None)
        if task is not None:
            task.cancel()
        self._breaks.pop(place, _nothing)()
        # What was sent may have been served, and is paid for.
        self._settle(place, None if place in self._asked else 0)

    def _pay(self, place: int, meter: Meter) -> None:
        """Settle with what the replies said, else with all that is held; or leave it for later."""
        hold = self._holds.get(place)
        if hold is None:
            return
        if meter.deferred:
            del self._holds[place]
            self._costs[place] = hold.amount
            meter.settle = partial(self._settle_late, hold)
            return
        target = self._planner.fleet.targets[self.call.attempts[place].target]
        self._settle(place, attempt_cost(self._errand, target, meter))

    def _settle_late(self, hold: MoneyHold, cost: float | None) -> None:
        self._planner.spending.settle(hold, hold.amount if cost is None else to_micros(cost))

    def _settle(self, place: int, cost: int | None) -> None:
        """Settle an attempt, with all that is held for it by default."""
        hold = self._holds.pop(place, None)
        if hold is None:
            return
        amount = hold.amount if cost is None else cost
        self._costs[place] = amount
        self._planner.spending.settle(hold, amount)

    def _outcome(self, end: FinishCall) -> Outcome:
        targets = self._planner.fleet.targets
        attempts = self._receipt()
        if end.winners:
            return self._errand.answered(
                tuple(
                    (targets[self.call.attempts[place].target], self._values[place])
                    for place in end.winners
                ),
                attempts,
            )
        ending = CallEnding(
            call=self.call,
            finish=end,
            targets=targets,
            errors=self._errors,
            attempts=attempts,
            seconds=self._errand.seconds,
            now=self._planner.now(),
        )
        return self._errand.failed(ending.error(), attempts)

    def _receipt(self) -> tuple[BackendAttempt, ...]:
        planner, now = self._planner, self._planner.now()
        return tuple(
            receipt_line(one, planner.fleet.targets[one.target], self._costs.get(one.id, 0), now)
            for one in self.call.attempts
        )


def _nothing() -> None:
    """Break nothing off."""
