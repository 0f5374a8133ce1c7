"""The state while one event is handled: changed in place here, and handed out as a new value."""

from collections.abc import Callable

import msgspec

from ....ports.errors.facts import Verdict
from ..health.breakers import count_failure
from ..planner_targets import Fleet, PlannerTarget
from .call_state import Action, Attempt, PlannerCall, PlannerState

replace = msgspec.structs.replace


class WorkingState:
    """A copy of a state to work on, the time, and the actions that come of it."""

    def __init__(self, state: PlannerState, now: float) -> None:
        """Begin with ``state``, which is never changed."""
        self.call: PlannerCall = state.call
        self.hedges = state.fleet.hedges
        self.waiting = state.fleet.waiting
        self.now = now
        self.rules = state.fleet.rules
        self.actions: list[Action] = []
        self._fleet = state.fleet
        self._changed: dict[str, PlannerTarget] = {}

    def target(self, name: str) -> PlannerTarget:
        """Return a target as it is now."""
        return self._changed.get(name) or self._fleet.targets[name]

    def put(self, target: PlannerTarget) -> None:
        """Keep a target as it is now."""
        self._changed[target.name] = target

    def change(self, name: str, change: Callable[[PlannerTarget], PlannerTarget]) -> None:
        """Replace a target by what ``change`` makes of it."""
        self.put(change(self.target(name)))

    def mark(self, attempt: Attempt, **changes: object) -> Attempt:
        """Return an attempt with changes, which is kept in its place."""
        attempts = list(self.call.attempts)
        changed = attempts[attempt.id] = replace(attempts[attempt.id], **changes)
        self.call = replace(self.call, attempts=tuple(attempts))
        return changed

    def land(self, attempt: Attempt) -> None:
        """Take an attempt from those that run."""
        self.change(attempt.target, lambda one: replace(one, inflight=one.inflight - 1))

    def blame(self, name: str, verdict: Verdict, weight: float = 1.0) -> None:
        """Count a failure against a target."""
        self.change(name, lambda one: count_failure(one, verdict, self.rules, self.now, weight))

    def flying(self) -> list[Attempt]:
        """Return the attempts under way."""
        return [attempt for attempt in self.call.attempts if not attempt.over]

    def result(self) -> tuple[PlannerState, tuple[Action, ...]]:
        """Return the new state, and what is to be done."""
        fleet = self._fleet
        targets = {**fleet.targets, **self._changed} if self._changed else fleet.targets
        grown = Fleet(targets=targets, rules=self.rules, hedges=self.hedges, waiting=self.waiting)
        return PlannerState(self.call, grown), tuple(self.actions)
