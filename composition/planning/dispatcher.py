"""What a call needs from the planner that runs it: targets, spending and the clock."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from webseam.kernel.planner.call_state import Event, PlannerCall
from webseam.kernel.planner.planner_targets import Fleet, PlannerTarget

from .batched_starts import FleetLanes
from .grouped_holds import HoldGroups
from .spending import TargetTerms, TaskSpending


class TimedCall(Protocol):
    """A call that is late when it has no answer by ``due``."""

    @property
    def due(self) -> float:
        """When the call becomes late."""

    def handle_late(self) -> None:
        """Handle the delay."""


class DueTimer:
    """One timer for the earliest due call, then for the next one.

    A later call needs no timer of its own, because it is due later. For speed, callers add to
    ``calls`` directly, and call ``start_timer`` only where no ``timer`` runs.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.calls: set[TimedCall] = set()
        self.timer: asyncio.TimerHandle | None = None

    def start_timer(self, due: float) -> None:
        """Start the timer for a call that is due at ``due``."""
        delay = max(due - self._now(), 0.0)
        self.timer = asyncio.get_running_loop().call_later(delay, self._handle_due_calls)

    def close(self) -> None:
        """Stop the timer."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def forget_loop(self) -> None:
        """Start over in another loop, where the timer of the old loop never fires."""
        self.timer = None
        self.calls.clear()

    def _handle_due_calls(self) -> None:
        self.timer = None
        now = self._now()
        for call in [timed_call for timed_call in self.calls if timed_call.due <= now]:
            self.calls.discard(call)
            call.handle_late()
        if self.calls:
            self.start_timer(min(timed_call.due for timed_call in self.calls))


class Waiter(Protocol):
    """A call that waits for a slot."""

    call: PlannerCall

    def feed_event(self, event: Event) -> None:
        """Feed an event to the call."""


class ProbeClaims(Protocol):
    """Claims of the right to probe a resting target, among all processes."""

    def claim_probe(self, target: PlannerTarget, until: float, now: float) -> bool:
        """Claim the probe until a time; False where another process has it."""


class SoonWriter(Protocol):
    """Writes to the ledger a little later; ``timer`` is set while it waits."""

    timer: asyncio.TimerHandle | None

    def write_soon(self) -> None:
        """Start the timer."""


class Dispatcher(Protocol):
    """The planner as its calls see it."""

    terms: Mapping[str, TargetTerms]
    paid: frozenset[str]
    fleets: FleetLanes
    waiters: deque[Waiter]
    watch: DueTimer
    clock: Callable[[], float]
    ahead: float
    spending: TaskSpending
    holds: HoldGroups

    @property
    def health(self) -> ProbeClaims:
        """The health of the targets, which other processes share."""

    @property
    def writer(self) -> SoonWriter:
        """The writer of the ledger."""

    @property
    def fleet(self) -> Fleet:
        """The current state of all targets."""

    @fleet.setter
    def fleet(self, fleet: Fleet) -> None: ...

    def now(self) -> float:
        """Return the time; it never jumps during a call."""

    def write_learned(self) -> None:
        """Write what a call taught."""

    def hand_out_slots(self) -> None:
        """Give free slots to waiting calls."""
