"""One planned call: run the actions of the fold, and feed events back to it."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Generic, TypeVar, assert_never, cast

import msgspec
from returns.result import Failure

from webseam.kernel.planner import call_state
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.kernel.planner.transitions import step_planner
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import DeadlineExceeded, WebError
from webseam.ports.errors.error_fields import ErrorFields

from .attempt_money import attempt_charge, held_amount, reserve_request, settle_deferred
from .dispatcher import Dispatcher
from .metering import Meter, start_meter
from .outcomes import CallEnding, attempt_receipt_line, split_retried_line
from .route_requests import RouteRequest
from .spending import UNASKED, Charge

Value = TypeVar("Value")
Outcome = TypeVar("Outcome")


class PlannedCall(Generic[Value, Outcome]):
    """One call: runs the fold's actions and feeds back the events."""

    def __init__(
        self,
        planner: Dispatcher,
        call: call_state.PlannerCall,
        request: RouteRequest[Value, Outcome],
    ) -> None:
        self.call, self._planner, self._request = call, planner, request
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[call_state.FinishCall] = self._loop.create_future()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._cancellers: dict[int, Callable[[], None]] = {}
        self._timers: list[asyncio.TimerHandle] = []
        self._meters: dict[int, Meter] = {}
        self._sent_ids: set[int] = set()
        self._costs: dict[int, int] = {}
        # The attempts that were paid at a price that nobody stated.
        self._unpriced: set[int] = set()
        self._values: dict[int, Value] = {}
        self._errors: dict[int, WebError] = {}
        self._retried: dict[int, tuple[tuple[str, float], ...]] = {}

    async def run(self) -> Outcome:
        """Return the outcome of the call; cancelling it cancels its attempts."""
        self.feed_event(call_state.CallBegan())
        return await self.wait_for_end()

    async def wait_for_end(self) -> Outcome:
        """Wait for the end of a started call."""
        try:
            end = await self._end
        except asyncio.CancelledError:
            self.cancel_attempts()
            raise
        self._cancel_timers()
        self._planner.write_learned()
        return self._make_outcome(end)

    def cancel_attempts(self) -> None:
        """Cancel all attempts, because the caller left."""
        self.feed_event(call_state.CallerLeft())
        self._cancel_timers()

    def adopt_attempt(self, number: int, give_up: Callable[[], None], meter: Meter) -> None:
        """Take over a running attempt with its meter; ``give_up`` cancels it."""
        self._costs.update(meter.costs)
        meter.costs = self._costs
        self._meters[number] = meter
        self._sent_ids.add(number)
        self._cancellers[number] = give_up
        if meter.holds:
            self._costs[number] = held_amount(meter.holds)

    def feed_event(self, event: call_state.Event) -> None:
        """Feed an event to the fold, and run the actions that it returns."""
        planner = self._planner
        state, actions = step_planner(
            call_state.PlannerState(self.call, planner.fleet), event, planner.now()
        )
        self.call, planner.fleet = state.call, state.fleet
        for action in actions:
            self._run_action(action)
        if planner.waiters and not isinstance(
            event, call_state.CallBegan | call_state.MoneyReserved | call_state.TimeCame
        ):
            planner.hand_out_slots()

    def take_answer(self, number: int, answer: Value | WebError, meter: Meter) -> None:
        """Take the answer to an attempt: settle its cost, and feed it to the fold."""
        self._cancellers.pop(number, None)
        self._retried[number] = meter.retried
        if not isinstance(answer, ErrorFields):
            self._values[number] = answer
            self._settle_answer(number, meter)
            self.feed_event(call_state.AttemptAnswered(id=number, windows=meter.windows))
            return
        error = cast("WebError", answer)
        self._errors[number] = error
        self._settle_attempt(number, self._charge(number, error))
        chance = random.random()  # noqa: S311  no secret
        failed = call_state.AttemptFailed(number, error, chance, meter.windows, len(meter.retried))
        self.feed_event(failed)

    def call_at(self, when: float, work: Callable[[], None]) -> None:
        """Run ``work`` at a time, unless the call is over by then."""
        delay = max(when - self._planner.now(), 0.0)
        self._timers.append(self._loop.call_later(delay, work))

    def _cancel_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()

    def _run_action(self, action: call_state.Action) -> None:
        match action:
            case call_state.ReserveMoney():
                self._reserve_attempt_money(action)
            case call_state.SendAttempt():
                self._start_attempt_task(action.id, self._run_attempt(action))
            case call_state.CancelAttempt():
                self._cancel_attempt(action.id)
            case call_state.WakeAt() | call_state.ParkCall() | call_state.FinishCall():
                self._run_control_action(action)
            case _:
                assert_never(action)

    def _run_control_action(
        self, action: call_state.WakeAt | call_state.ParkCall | call_state.FinishCall
    ) -> None:
        match action:
            case call_state.WakeAt():
                self.call_at(action.at, partial(self.feed_event, action.tick))
            case call_state.ParkCall():
                self._planner.waiters.append(self)
            case call_state.FinishCall():
                if not self._end.done():
                    self._end.set_result(action)

    def _reserve_attempt_money(self, action: call_state.ReserveMoney) -> None:
        planner = self._planner
        terms = planner.terms[action.target]
        target = planner.fleet.targets[action.target]
        amount = 0
        meter = self._meters[action.id] = Meter(number=action.id, costs=self._costs)
        if not terms.free:
            amount = planner.spending.amount_to_hold(target, self._request.call_cost(target, 1))
            in_call = self._request.spent + sum(self._costs.values())
            refusal = planner.spending.admit_attempt(target, terms, amount, in_call=in_call)
            if refusal is not None:
                self._refuse_attempt(action.id, refusal)
                return
            # Count it now, so that other attempts of this call cannot spend it.
            self._costs[action.id] = amount
        if action.probe or (planner.spending.held_in_ledger and not terms.free):
            # A probe lease or a ledger hold waits for other processes.
            self._start_attempt_task(action.id, self._await_money(action, target, amount))
            return
        if not terms.free:
            meter.holds = (planner.spending.make_counted_hold(target, amount),)
        self.feed_event(call_state.MoneyReserved(id=action.id))

    async def _await_money(
        self, action: call_state.ReserveMoney, target: PlannerTarget, amount: int
    ) -> None:
        planner, now = self._planner, self._planner.now()
        ends = max(self.call.attempts[action.id].start, now) + planner.fleet.rules.timeout
        if action.probe and not await self._claim_probe(action.id, target, ends, now):
            self.feed_event(call_state.MoneyReserved(id=action.id, ok=False))
            return
        if not planner.terms[action.target].free:
            outcome = await planner.holds.hold(target, amount, self.call.deadline)
            if isinstance(outcome, Failure):
                del self._costs[action.id]
                self._refuse_attempt(action.id, outcome.failure())
                return
            self._meters[action.id].holds = (outcome.unwrap(),)
            if self.call.attempts[action.id].over:
                self._settle_attempt(action.id, UNASKED)
                return
        self.feed_event(call_state.MoneyReserved(id=action.id))

    async def _claim_probe(
        self, number: int, target: PlannerTarget, ends: float, now: float
    ) -> bool:
        """Claim the right to probe; without it, return the admitted money."""
        planner, is_claimed = self._planner, False
        try:
            is_claimed = await asyncio.to_thread(planner.health.claim_probe, target, ends, now)
        finally:
            if not is_claimed:
                planner.spending.return_money(self._costs.pop(number, 0))
        return is_claimed

    def _refuse_attempt(self, number: int, error: WebError) -> None:
        self._errors[number] = error
        self.feed_event(call_state.MoneyReserved(id=number, ok=False, error=error))

    def _start_attempt_task(self, number: int, work: Coroutine[object, object, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks[number] = task
        task.add_done_callback(self._raise_attempt_error)

    def _raise_attempt_error(self, task: asyncio.Task[None]) -> None:
        """Raise an attempt's exception in the call; otherwise the bug would leave it waiting."""
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._end.done():
            self._end.set_exception(error)

    async def _run_attempt(self, action: call_state.SendAttempt) -> None:
        planner, number = self._planner, action.id
        if (wait := action.at - planner.now()) > 0:
            await asyncio.sleep(wait)
        self._sent_ids.add(number)
        seconds = planner.terms[action.target].seconds
        meter = self._meters[number]
        if seconds is not None:
            meter.ends = self._loop.time() + seconds
        meter.may_retry = self._request.strict
        meter.earlier = self.call.count_tries(action.target) - 1
        if planner.spending.capped and meter.holds:
            target = planner.fleet.targets[action.target]
            meter.spare = self._request.reserved_requests
            meter.reserve = partial(
                reserve_request, planner, self._request, target, meter, self.call.deadline
            )
        # The task has its own context, so the meter ends with it.
        start_meter(meter)
        answer: Value | WebError
        try:
            async with asyncio.timeout(seconds):
                answer = await self._request.ask(action.target)
        except TimeoutError:
            backend = planner.fleet.targets[action.target].backend
            answer = DeadlineExceeded(deadline=seconds or 0.0, backend=backend)
        self.take_answer(number, answer, meter)

    def _cancel_attempt(self, number: int) -> None:
        if (task := self._tasks.pop(number, None)) is not None:
            task.cancel()
        self._cancellers.pop(number, lambda: None)()
        # A sent request may have been served and billed.
        is_sent = number in self._sent_ids
        charge = self._charge(number, is_cancelled=True) if is_sent else UNASKED
        self._settle_attempt(number, charge)

    def _charge(
        self, number: int, error: WebError | None = None, *, is_cancelled: bool = False
    ) -> Charge:
        target = self._planner.fleet.targets[self.call.attempts[number].target]
        meter = self._meters[number]
        return attempt_charge(
            self._request,
            target,
            meter,
            error,
            is_priced=self._planner.terms[target.name].priced,
            is_cancelled=is_cancelled,
        )

    def _settle_answer(self, number: int, meter: Meter) -> None:
        """Settle by the reported cost, else by the price; a deferred answer settles later."""
        if meter.deferred and meter.holds:
            holds, meter.holds = meter.holds, ()
            self._costs[number] = held_amount(holds)
            meter.settle = partial(settle_deferred, self._planner.spending, holds, meter)
            return
        self._settle_attempt(number, self._charge(number))

    def _settle_attempt(self, number: int, charge: Charge) -> None:
        meter = self._meters.get(number)
        if meter is None or not meter.holds:
            return
        holds, meter.holds = meter.holds, ()
        self._costs[number] = charge.cost
        if charge.has_unknown_price:
            self._unpriced.add(number)
        self._planner.spending.settle(holds, charge)

    def _make_outcome(self, end: call_state.FinishCall) -> Outcome:
        targets = self._planner.fleet.targets
        attempts = self._receipt_attempts()
        if end.winners:
            return self._request.answered_outcome(
                tuple(
                    (targets[self.call.attempts[number].target], self._values[number])
                    for number in end.winners
                ),
                attempts,
            )
        ending = CallEnding(
            call=self.call,
            finish=end,
            targets=targets,
            errors=self._errors,
            seconds=self._request.seconds,
            now=self._planner.now(),
            max_tries=self._planner.fleet.rules.tries,
        )
        error = msgspec.structs.replace(ending.make_error(), attempts=attempts)
        return self._request.failed_outcome(error, attempts)

    def _known_cost(self, number: int) -> int | None:
        return None if number in self._unpriced else self._costs.get(number, 0)

    def _receipt_attempts(self) -> tuple[BackendAttempt, ...]:
        targets, now = self._planner.fleet.targets, self._planner.now()
        return tuple(
            line
            for attempt in self.call.attempts
            for line in split_retried_line(
                attempt_receipt_line(
                    attempt, targets[attempt.target], self._known_cost(attempt.id), now
                ),
                self._retried.get(attempt.id, ()),
                attempt.start - self._planner.ahead,
            )
        )
