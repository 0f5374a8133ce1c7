"""Batch the counting of routine calls: count at once, fold into the fleet later.

While a first choice is healthy, one more call or answer changes no decision about the next call. So
a lane in front of the fleet holds a few of them, and they are folded in together: before the fleet
is read, and after 64 answers.
"""

from webseam.kernel.planner import quick_path
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.pacing import Landing, RateWindow
from webseam.kernel.planner.planner_targets import Fleet, PlannerTarget

_MAX_BATCHED_ANSWERS = 64


class StartLane:
    """Calls of one target, the first on its route, that are not in the fleet yet.

    While fewer than ``certain_capacity`` are ``flying``, one more needs no decision; unless the
    lane is ``free``, money must be held for it first.
    """

    __slots__ = ("begun", "flying", "free", "landings", "legs", "room", "target")

    def __init__(
        self, legs: tuple[Leg, ...], target: PlannerTarget, places: float, *, free: bool
    ) -> None:
        """Begin with the target's calls in flight and with the given capacity."""
        self.free, self.legs, self.target, self.room = free, legs, target, places
        self.flying = target.inflight
        self.begun = 0
        self.landings: list[Landing] = []


class FleetLanes:
    """The fleet of a planner, and the lane in front of it."""

    def __init__(self, fleet: Fleet, held: frozenset[str] = frozenset()) -> None:
        """Begin with ``fleet``; ``held`` names the targets that need a money hold."""
        self._fleet, self.held = fleet, held
        self.lane: StartLane | None = None

    def folded_fleet(self) -> Fleet:
        """Fold all counted calls into the fleet and return it."""
        if (lane := self.lane) is not None and (lane.begun or lane.landings):
            name = lane.target.name
            fleet = quick_path.apply_batched_calls(
                self._fleet, lane.legs, name, lane.begun, lane.landings
            )
            self._fleet = fleet
            lane.target = fleet.targets[name]
            lane.begun = 0
            lane.landings = []
        return self._fleet

    def replace_fleet(self, fleet: Fleet) -> None:
        """Replace the fleet after a decision."""
        if fleet is not self._fleet:
            self._fleet = fleet
            self.lane = None

    def undisputed_choice(
        self, legs: tuple[Leg, ...], now: float, *, strict: bool = False
    ) -> PlannerTarget | None:
        """Return the target to ask where nothing is to decide, like ``first_choice_target``."""
        if (lane := self.lane) is not None and lane.legs is legs:
            if lane.flying < lane.room:
                return lane.target
            return quick_path.first_choice_target(self.folded_fleet(), legs, now, strict=strict)
        fleet = self.folded_fleet()
        target = quick_path.first_choice_target(fleet, legs, now, strict=strict)
        if target is not None and quick_path.is_plain_target(target):
            places = quick_path.certain_capacity(target, fleet.rules, strict=strict)
            self.lane = StartLane(legs, target, places, free=target.name not in self.held)
        return target

    def count_start(
        self, legs: tuple[Leg, ...], target: PlannerTarget, now: float
    ) -> StartLane | None:
        """Count the start of a call to its choice; return the lane that counted it."""
        if (lane := self.lane) is None or lane.legs is not legs:
            self.replace_fleet(quick_path.start_quick_call(self.folded_fleet(), target, now))
            return None
        lane.begun += 1
        lane.flying += 1
        return lane

    def count_answer(
        self,
        lane: StartLane | None,
        legs: tuple[Leg, ...],
        start: tuple[str, float],
        windows: tuple[RateWindow, ...],
        now: float,
    ) -> None:
        """Count an answer that came in time; ``start`` is the name of its target and the time."""
        if lane is None or lane is not self.lane or windows:
            self.replace_fleet(
                quick_path.end_quick_call(self.folded_fleet(), legs, start, windows, now)
            )
            return
        lane.landings.append((now - start[1], now, lane.flying))
        lane.flying -= 1
        if len(lane.landings) >= _MAX_BATCHED_ANSWERS:
            self.folded_fleet()
