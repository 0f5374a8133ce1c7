"""webseam's own fold in the simulated world: what its driver does, without a loop."""

import math
from collections import deque
from functools import partial

from webseam.kernel.planner.call_state import (
    Action,
    AttemptAnswered,
    AttemptFailed,
    CallBegan,
    CancelAttempt,
    Event,
    FinishCall,
    Leg,
    MoneyReserved,
    ParkCall,
    PlannerCall,
    PlannerState,
    ReserveMoney,
    SendAttempt,
    TimeCame,
    WakeAt,
)
from webseam.kernel.planner.planner_targets import Fleet, PlannerRules, PlannerTarget
from webseam.kernel.planner.transitions import step_planner
from webseam.ports.errors import BudgetExceeded, WebError

from .world import DEADLINE, TIMEOUT, World

_NO_MONEY = BudgetExceeded(budget="all", cap=0, remaining=0, price=0, setting="")


class Fold:
    """One fleet for all calls."""

    def __init__(
        self, world: World, rules: PlannerRules | None = None, rate: float | None = None
    ) -> None:
        self.world = world
        targets = {
            name: PlannerTarget(name=name, backend=name, price=backend.price)
            for name, backend in world.backends.items()
        }
        if rate is not None:
            first = targets["a"]
            targets["a"] = PlannerTarget(name="a", backend="a", price=first.price, rate=rate)
        self.fleet = Fleet(targets=targets, rules=rules or PlannerRules(timeout=TIMEOUT))
        self.legs = tuple(Leg(members=((name,),)) for name in targets)
        self.waiters: deque[Driven] = deque()
        self.settled = 0

    def call(self) -> None:
        Driven(self).feed(CallBegan())

    def wake(self) -> None:
        """Hand free places to those who wait, the longest first, until one finds none."""
        while self.waiters:
            first = self.waiters.popleft()
            if not first.state.waiting:
                continue
            first.feed(TimeCame(what="slot"))
            if first.state.waiting:
                # It has parked again, at the end; it was first, and still is.
                self.waiters.appendleft(self.waiters.pop())
                return


class Driven:
    """One call: runs the actions, and feeds back what happens."""

    def __init__(self, planner: Fold) -> None:
        self.planner, self.world = planner, planner.world
        self.began = self.world.clock.now
        self.state = PlannerCall(legs=planner.legs, deadline=self.began + DEADLINE)
        self.gone: dict[int, tuple[list[bool], int]] = {}

    def tick(self, event: TimeCame) -> None:
        """Say that a time has come, unless the call is over: then its timers are stopped."""
        if not self.state.done:
            self.feed(event)

    def feed(self, event: Event) -> None:
        planner = self.planner
        state, actions = step_planner(
            PlannerState(self.state, planner.fleet), event, self.world.clock.now
        )
        self.state, planner.fleet = state.call, state.fleet
        for action in actions:
            self.act(action)
        if not isinstance(event, CallBegan | MoneyReserved | TimeCame):
            planner.wake()

    def act(self, action: Action) -> None:
        match action:
            case ReserveMoney():
                self._reserve(action)
            case SendAttempt():
                self._count_probe(action.target)
                price = self.world.backends[action.target].price
                heard = partial(self._heard, action.id, price)
                self.gone[action.id] = (self.world.send(action.target, heard, action.at), price)
            case CancelAttempt():
                self._cancel(action.id)
            case WakeAt():
                self.world.clock.at(action.at, partial(self.tick, action.tick))
            case ParkCall():
                self.planner.waiters.append(self)
            case FinishCall():
                who = self.state.attempts[action.winners[0]].target if action.winners else ""
                self.world.end(self.began, who)

    def _count_probe(self, name: str) -> None:
        """Count who asks one whose breaker is open, by the cooldown that this ends."""
        target = self.planner.fleet.targets[name]
        if target.open_until > -math.inf:
            self.world.probes[name, target.opened_at] += 1

    def _reserve(self, action: ReserveMoney) -> None:
        world = self.world
        room = None if world.budget is None else world.budget - self.planner.settled - world.held
        if room is not None and 0 < action.micros > room:
            self.feed(MoneyReserved(id=action.id, ok=False, error=_NO_MONEY))
            return
        world.held += action.micros
        self.feed(MoneyReserved(id=action.id))

    def _heard(self, place: int, price: int, error: WebError | None) -> None:
        self._settle(price if error is None or error.facts.verdict.billed else 0, price)
        if error is None:
            self.feed(AttemptAnswered(id=place))
        else:
            self.feed(AttemptFailed(id=place, error=error, chance=self.world.random.random()))

    def _cancel(self, place: int) -> None:
        gone, price = self.gone.get(place, ([True], 0))
        if not gone[0]:
            gone[0] = True
            # It may have been served.
            self._settle(price, price)

    def _settle(self, cost: int, held: int) -> None:
        self.world.held -= held
        self.planner.settled += cost
