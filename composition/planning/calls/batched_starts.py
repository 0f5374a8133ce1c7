"""Calls for which nothing is to be decided are counted when they happen, and folded later.

As long as a first choice is well, one call more of it, and one answer more, change nothing that the
next call goes by. So a few of them are kept in a lane in front of the fleet, and folded into it
together: before anybody looks at the fleet, and after sixty-four answers.
"""

from typing import Protocol

from ....kernel.planner.health.pacing import Landing, RateWindow
from ....kernel.planner.planner_targets import Fleet, PlannerTarget
from ....kernel.planner.state_machine.call_state import Leg
from ....kernel.planner.state_machine.quick_path import (
    apply_batched,
    certain_capacity,
    end_call,
    first_choice_target,
    is_plain_target,
    start_call,
)

_TOGETHER = 64


class StartLane:
    """Calls of one target, first on its route, that the fleet does not know of yet.

    While fewer than ``certain_capacity`` are ``flying``, one more needs nobody's word; but money,
    if it is not ``free`` of that, has to be held for it.
    """

    __slots__ = ("begun", "flying", "free", "landings", "legs", "room", "target")

    def __init__(
        self, legs: tuple[Leg, ...], target: PlannerTarget, places: float, *, free: bool
    ) -> None:
        """Begin with the calls that are under way, and with room for so many."""
        self.free = free
        self.legs = legs
        self.target = target
        self.room = places
        self.flying = target.inflight
        self.begun = 0
        self.landings: list[Landing] = []


class RoutedRequest(Protocol):
    """What is asked along legs."""

    @property
    def legs(self) -> tuple[Leg, ...]:
        """Whom to ask, one leg after the other."""
        ...


class CountedCall(Protocol):
    """A call that was counted when it began, in a ``lane`` if it has one."""

    @property
    def errand(self) -> RoutedRequest:
        """What it asks."""
        ...

    @property
    def target(self) -> PlannerTarget:
        """Whom."""
        ...

    @property
    def began(self) -> float:
        """Since when."""
        ...

    @property
    def lane(self) -> StartLane | None:
        """Where it was counted."""
        ...

    @property
    def windows(self) -> tuple[RateWindow, ...]:
        """What the answer said of the calls that are left."""
        ...


class FleetLanes:
    """The fleet of a planner, and the lane in front of it."""

    def __init__(self, fleet: Fleet, held: frozenset[str] = frozenset()) -> None:
        """Begin with ``fleet``; ``held`` names the targets for which money is held first."""
        self._fleet = fleet
        self.held = held
        self.lane: StartLane | None = None

    def known(self) -> Fleet:
        """Return the fleet with everything that was counted."""
        lane = self.lane
        if lane is not None and (lane.begun or lane.landings):
            name = lane.target.name
            fleet = apply_batched(self._fleet, lane.legs, name, lane.begun, lane.landings)
            self._fleet = fleet
            lane.target = fleet.targets[name]
            lane.begun = 0
            lane.landings = []
        return self._fleet

    def put(self, fleet: Fleet) -> None:
        """Take a fleet about which something was decided."""
        if fleet is not self._fleet:
            self._fleet = fleet
            self.lane = None

    def choice(self, legs: tuple[Leg, ...], now: float) -> PlannerTarget | None:
        """Return whom to ask where there is nothing to decide, as ``first_choice_target`` does."""
        lane = self.lane
        if lane is not None and lane.legs is legs:
            if lane.flying < lane.room:
                return lane.target
            return first_choice_target(self.known(), legs, now)
        fleet = self.known()
        target = first_choice_target(fleet, legs, now)
        if target is not None and is_plain_target(target):
            free = target.name not in self.held
            self.lane = StartLane(legs, target, certain_capacity(target, fleet.rules), free=free)
        return target

    def begin(self, legs: tuple[Leg, ...], target: PlannerTarget, now: float) -> StartLane | None:
        """Count a call that begins with its ``choice``; return the lane that it is counted in."""
        lane = self.lane
        if lane is None or lane.legs is not legs:
            self.put(start_call(self.known(), target, now))
            return None
        lane.begun += 1
        lane.flying += 1
        return lane

    def land(self, flight: CountedCall, now: float) -> None:
        """Count a valid answer, which came in time."""
        lane, began = flight.lane, flight.began
        if lane is None or lane is not self.lane or flight.windows:
            begun = flight.target.name, began
            self.put(end_call(self.known(), flight.errand.legs, begun, flight.windows, now))
            return
        lane.landings.append((now - began, now, lane.flying))
        lane.flying -= 1
        if len(lane.landings) >= _TOGETHER:
            self.known()
