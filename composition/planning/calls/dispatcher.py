"""What a call needs of the planner it runs for: who is known, what is spent, what time it is."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from returns.result import Result

from ....kernel.planner.planner_targets import Fleet, PlannerTarget
from ....kernel.planner.state_machine.call_state import Event, PlannerCall
from ....ports.errors import WebError
from ..health import LedgerWriter, SharedHealth
from ..outcomes import TargetTerms
from ..spending import MoneyHold, TaskSpending
from .batched_starts import FleetLanes


class TimedCall(Protocol):
    """A call that is late when its answer has not come by ``due``."""

    @property
    def due(self) -> float:
        """The time."""
        ...

    def late(self) -> None:
        """Do something about it."""
        ...


class DueTimer:
    """Looks when the first of the calls under way is due, and then when the next one is.

    A call that comes meanwhile costs no timer: it began later, and so is due later. Whoever counts
    every step puts a call into ``calls``, and begins to look where there is no ``timer`` yet.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        """Watch by the clock ``now``."""
        self._now = now
        self.calls: set[TimedCall] = set()
        self.timer: asyncio.TimerHandle | None = None

    def begin(self, call: TimedCall) -> None:
        """Look when ``call`` is due."""
        self._set(call.due)

    def close(self) -> None:
        """Stop looking."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def forget(self) -> None:
        """Begin anew in another loop: the timer of the old one never rings."""
        self.timer = None
        self.calls.clear()

    def _set(self, at: float) -> None:
        late = max(at - self._now(), 0.0)
        self.timer = asyncio.get_running_loop().call_later(late, self._look)

    def _look(self) -> None:
        self.timer = None
        now = self._now()
        for call in [one for one in self.calls if one.due <= now]:
            self.calls.discard(call)
            call.late()
        if self.calls:
            self._set(min(one.due for one in self.calls))


# What a call needs of the planner it runs for: who is known, what is spent, what time it is.

Held: TypeAlias = Result[MoneyHold, WebError]
Holding: TypeAlias = asyncio.Future[Held]


class Waiter(Protocol):
    """A call that waits for a place."""

    call: PlannerCall

    def feed(self, event: Event) -> None:
        """Tell it what happened."""
        ...


class Dispatcher(Protocol):
    """The planner, as the calls on their way see it."""

    terms: Mapping[str, TargetTerms]
    paid: frozenset[str]
    health: SharedHealth
    spending: TaskSpending
    fleets: FleetLanes
    waiters: deque[Waiter]
    watch: DueTimer
    writer: LedgerWriter
    clock: Callable[[], float]
    ahead: float

    @property
    def fleet(self) -> Fleet:
        """All that is known of everybody."""
        ...

    @fleet.setter
    def fleet(self, fleet: Fleet) -> None: ...

    def now(self) -> float:
        """Return the time, which never jumps amid a call."""
        ...

    def noted(self) -> None:
        """Write what a call taught."""
        ...

    async def hold(self, target: PlannerTarget, amount: int, until: float) -> Held:
        """Hold money that was admitted."""
        ...

    def landed(self) -> None:
        """Hand free places to those who wait."""
        ...
