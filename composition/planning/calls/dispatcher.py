"""What a call needs of the planner it runs for: who is known, what is spent, what time it is."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from returns.result import Result

from ....kernel.planner.planner_targets import Fleet, PlannerTarget
from ....kernel.planner.state_machine.call_state import Event, PlannerCall
from ....ports.errors import WebError
from ..outcomes import MoneyHold, TargetTerms
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


class ProbeClaims(Protocol):
    """Who among all processes may probe a target that rests."""

    def claim(self, target: PlannerTarget, until: float, now: float) -> bool:
        """Claim the probe until a time; False where another process has it."""
        ...


class CallSpending(Protocol):
    """The money of a task, as its calls spend it."""

    @property
    def capped(self) -> bool:
        """Whether any budget is set."""
        ...

    @property
    def held_in_ledger(self) -> bool:
        """Whether money is held in the ledger before a call."""
        ...

    def admit(
        self, target: PlannerTarget, terms: TargetTerms, amount: int, *, in_call: int
    ) -> WebError | None:
        """Take the money for an attempt, or return why it may not be paid for."""
        ...

    def most(self, target: PlannerTarget, amount: int) -> int:
        """Return how much to hold for a call."""
        ...

    def give_back(self, amount: int) -> None:
        """Return money that was admitted and is not needed."""
        ...

    def counted(self, target: PlannerTarget, amount: int) -> MoneyHold:
        """Return a hold outside the ledger."""
        ...

    def settle(self, hold: MoneyHold, cost: int) -> None:
        """Replace a hold by the cost."""
        ...

    def count(self, target: PlannerTarget, cost: int) -> None:
        """Count a call without a hold."""
        ...


class SoonWriter(Protocol):
    """Writes to the ledger a little later; ``timer`` is set while it waits."""

    @property
    def timer(self) -> asyncio.TimerHandle | None:
        """The timer of the next write."""
        ...

    def write_soon(self) -> None:
        """Start the timer."""
        ...


class Dispatcher(Protocol):
    """The planner, as the calls on their way see it."""

    terms: Mapping[str, TargetTerms]
    paid: frozenset[str]
    fleets: FleetLanes
    waiters: deque[Waiter]
    watch: DueTimer
    clock: Callable[[], float]
    ahead: float

    @property
    def health(self) -> ProbeClaims:
        """Who may probe."""
        ...

    @property
    def spending(self) -> CallSpending:
        """The money of this task."""
        ...

    @property
    def writer(self) -> SoonWriter:
        """What writes to the ledger."""
        ...

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
