"""The planner at work: runs the actions of the fold, and tells it what happens."""

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Generic, Protocol, TypeVar, assert_never

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.planner.budgets import MICROS
from ....kernel.planner.calls import (
    Action,
    Answered,
    Attempt,
    Begin,
    Call,
    Cancel,
    Event,
    Failed,
    Finish,
    GaveUp,
    Leg,
    Park,
    Reserve,
    Reserved,
    Send,
    State,
    Tick,
    Wake,
)
from ....kernel.planner.fold import step
from ....kernel.planner.rules import Rules
from ....kernel.planner.targets import Target
from ....kernel.planner.verdicts import judge
from ....ports.attempts import BackendAttempt
from ....ports.errors import DeadlineExceeded, NobodyAnswered, WaitedTooLong, WebError
from .health import SharedHealth
from .spending import Hold, Spending

Value = TypeVar("Value")

_WRITE_EVERY = 1.0
_LOOK_EVERY = 0.25


class Waiter(Protocol):
    """A call that waits for a place."""

    call: Call

    def feed(self, event: Event) -> None:
        """Tell it what happened."""
        ...


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What asking a target takes: ``free`` costs nothing, ``priced`` has a price that is known.

    ``seconds`` is how long one attempt may take; None leaves that to the target.
    """

    free: bool = False
    priced: bool = True
    seconds: float | None = None


class Winner(msgspec.Struct, Generic[Value], frozen=True):
    """One that answered: its target, and what it gave."""

    target: Target
    value: Value


class Planned(msgspec.Struct, Generic[Value], frozen=True, kw_only=True):
    """How a call ended: with winners, in the order of the route, or with an error."""

    winners: tuple[Winner[Value], ...] = ()
    attempts: tuple[BackendAttempt, ...] = ()
    error: WebError | None = None


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
        self._chores: set[asyncio.Task[None]] = set()
        self._ahead: float | None = None
        self._written = self._looked = 0.0

    def now(self) -> float:
        """Return the time: that of the world when this began, and from then on the loop's own."""
        clock = asyncio.get_running_loop().time()
        if self._ahead is None:
            self._ahead = time.time() - clock
        return clock + self._ahead

    async def call(
        self,
        legs: tuple[Leg, ...],
        ask: Callable[[str], Awaitable[Result[Value, WebError]]],
        *,
        seconds: float,
        strict: bool = False,
    ) -> Planned[Value]:
        """Ask along the legs until somebody answers; ``ask`` asks one target, by its name."""
        now = self.now()
        if now - self._looked > _LOOK_EVERY:
            self._looked = now
            self.fleet = self.health.refreshed(self.fleet)
        call = Call(legs=legs, deadline=now + seconds, strict=strict)
        planned = await PlannedCall(self, call, ask, seconds).run()
        if self.health.is_urgent(self.fleet) or now - self._written > _WRITE_EVERY:
            self._written = now
            self.start(asyncio.to_thread(self._write))
        return planned

    def start(self, work: Coroutine[object, object, None]) -> None:
        """Do something beside the calls, which is finished when this is closed."""
        task = asyncio.get_running_loop().create_task(work)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

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
        if self._chores:
            await asyncio.wait(tuple(self._chores), timeout=0.0)
        for chore in tuple(self._chores):
            chore.cancel()
        if self._chores:
            await asyncio.wait(tuple(self._chores))
        await asyncio.to_thread(self._write)

    def _write(self) -> None:
        self.health.write(self.fleet)
        self.spending.write()


class PlannedCall(Generic[Value]):
    """One call: runs its actions, and feeds back what happens."""

    def __init__(
        self,
        planner: Planner,
        call: Call,
        ask: Callable[[str], Awaitable[Result[Value, WebError]]],
        seconds: float,
    ) -> None:
        """Ask through ``ask``, for ``seconds`` in all."""
        self.call = call
        self._planner = planner
        self._ask = ask
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[Finish] = self._loop.create_future()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._timers: list[asyncio.TimerHandle] = []
        self._holds: dict[int, Hold] = {}
        self._asked: set[int] = set()
        self._costs: dict[int, int] = {}
        self._values: dict[int, Value] = {}
        self._errors: dict[int, WebError] = {}

    async def run(self) -> Planned[Value]:
        """Return how the call ended; one that is cancelled breaks off its attempts."""
        self.feed(Begin())
        try:
            end = await self._end
        except asyncio.CancelledError:
            self.feed(GaveUp())
            raise
        finally:
            for timer in self._timers:
                timer.cancel()
        winners = tuple(
            Winner(
                self._planner.fleet.targets[self.call.attempts[place].target], self._values[place]
            )
            for place in end.winners
        )
        error = None if winners else self._error(end)
        return Planned(winners=winners, attempts=self._attempts(), error=error)

    def feed(self, event: Event) -> None:
        """Tell the fold what happened, and do what it says."""
        planner = self._planner
        state, actions = step(State(self.call, planner.fleet), event, planner.now())
        self.call, planner.fleet = state.call, state.fleet
        for action in actions:
            self._act(action)
        if planner.waiters and not isinstance(event, Begin | Reserved | Tick):
            planner.landed()

    def _act(self, action: Action) -> None:
        match action:
            case Reserve():
                self._reserve(action)
            case Send():
                self._send(action)
            case Cancel():
                self._cancel(action.id)
            case Wake() | Park() | Finish():
                self._arrange(action)
            case _:
                assert_never(action)

    def _arrange(self, action: Wake | Park | Finish) -> None:
        match action:
            case Wake():
                late = max(action.at - self._planner.now(), 0.0)
                self._timers.append(self._loop.call_later(late, self.feed, action.tick))
            case Park():
                self._planner.waiters.append(self)
            case Finish():
                if not self._end.done():
                    self._end.set_result(action)

    def _reserve(self, action: Reserve) -> None:
        planner = self._planner
        terms = planner.terms[action.target]
        target = planner.fleet.targets[action.target]
        if not terms.free:
            in_call = sum(self._costs.values()) + sum(hold.amount for hold in self._holds.values())
            refused = planner.spending.refusal(target, priced=terms.priced, in_call=in_call)
            if refused is not None:
                self._refuse(action.id, refused)
                return
        if action.probe or (planner.spending.capped and not terms.free):
            # It waits for other processes.
            self._keep(action.id, self._reserved(action, target))
            return
        if not terms.free:
            self._holds[action.id] = planner.spending.hold(target, 0.0).unwrap()
        self.feed(Reserved(id=action.id))

    async def _reserved(self, action: Reserve, target: Target) -> None:
        planner = self._planner
        if action.probe and not await asyncio.to_thread(
            planner.health.claim, target, planner.fleet.rules.timeout, planner.now()
        ):
            self.feed(Reserved(id=action.id, ok=False))
            return
        if not planner.terms[action.target].free:
            held = await asyncio.to_thread(planner.spending.hold, target, self.call.deadline)
            if isinstance(held, Failure):
                self._refuse(action.id, held.failure())
                return
            self._holds[action.id] = held.unwrap()
            if self.call.attempts[action.id].over:
                self._settle(action.id, 0)
                return
        self.feed(Reserved(id=action.id))

    def _refuse(self, place: int, error: WebError) -> None:
        self._errors[place] = error
        self.feed(Reserved(id=place, ok=False, error=error))

    def _send(self, action: Send) -> None:
        self._keep(action.id, self._attempt(action))

    def _keep(self, place: int, work: Coroutine[object, object, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks[place] = task
        task.add_done_callback(self._look_at)

    def _look_at(self, task: asyncio.Task[None]) -> None:
        """Pass on what an attempt raised: that is a bug of ours, and is not to be waited for."""
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._end.done():
            self._end.set_exception(error)

    async def _attempt(self, action: Send) -> None:
        planner, place = self._planner, action.id
        wait = action.at - planner.now()
        if wait > 0:
            await asyncio.sleep(wait)
        self._asked.add(place)
        seconds = planner.terms[action.target].seconds
        answer: Result[Value, WebError]
        try:
            async with asyncio.timeout(seconds):
                answer = await self._ask(action.target)
        except TimeoutError:
            backend = planner.fleet.targets[action.target].backend
            answer = Failure(DeadlineExceeded(deadline=seconds or 0.0, backend=backend))
        if isinstance(answer, Success):
            self._values[place] = answer.unwrap()
            self._settle(place, None)
            self.feed(Answered(id=place))
            return
        error = answer.failure()
        self._errors[place] = error
        self._settle(place, None if judge(error).billed else 0)
        self.feed(Failed(id=place, error=error, chance=random.random()))  # noqa: S311  no secret

    def _cancel(self, place: int) -> None:
        task = self._tasks.pop(place, None)
        if task is not None:
            task.cancel()
        # What was sent may have been served, and is paid for.
        self._settle(place, None if place in self._asked else 0)

    def _settle(self, place: int, cost: int | None) -> None:
        """Settle an attempt, with all that is held for it by default."""
        hold = self._holds.pop(place, None)
        if hold is None:
            return
        amount = hold.amount if cost is None else cost
        self._costs[place] = amount
        if hold.number is None:
            self._planner.spending.settle(hold, amount)
        else:
            settle = partial(self._planner.spending.settle, hold, amount)
            self._planner.start(asyncio.to_thread(settle))

    def _attempts(self) -> tuple[BackendAttempt, ...]:
        return tuple(self._told(attempt) for attempt in self.call.attempts)

    def _told(self, attempt: Attempt) -> BackendAttempt:
        target, now = self._planner.fleet.targets[attempt.target], self._planner.now()
        ended = attempt.ended if attempt.over else now
        cooled = attempt.cooled_until
        return BackendAttempt(
            backend=target.backend,
            key=target.key,
            why=attempt.why,
            outcome=attempt.outcome or "unfinished",
            milliseconds=max(round((ended - attempt.start) * 1000), 0),
            cost=self._costs.get(attempt.id, 0) / MICROS,
            cooled_until=round(cooled, 3) if now < cooled < float("inf") else None,
        )

    def _error(self, end: Finish) -> WebError:
        """Say why nobody answered: one failure as it is, several as a list."""
        if end.cause is not None:
            return self._errors[end.cause]
        if end.why in ("waited", "crowded"):
            return WaitedTooLong(waited=self._seconds if end.why == "waited" else 0.0)
        known = [self._errors[each.id] for each in self.call.attempts if each.id in self._errors]
        resting = self._resting()
        if end.why == "deadline" and not known:
            who = self.call.attempts[-1].target
            backend = self._planner.fleet.targets[who].backend
            return DeadlineExceeded(deadline=self._seconds, backend=backend)
        if known and not resting and len({error.backend for error in known}) == 1:
            return known[-1]
        again_in = max(end.again_at - self._planner.now(), 0.0)
        return NobodyAnswered(
            attempts=self._attempts(),
            resting=resting,
            again_in=round(again_in, 1) if again_in < float("inf") else None,
        )

    def _resting(self) -> tuple[str, ...]:
        asked = {attempt.target for attempt in self.call.attempts}
        names = [name for leg in self.call.legs for member in leg.members for name in member]
        targets = [self._planner.fleet.targets[name] for name in names if name not in asked]
        return tuple(dict.fromkeys(target.backend for target in targets))
