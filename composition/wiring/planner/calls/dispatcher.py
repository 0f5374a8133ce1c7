"""What a call needs of the planner it runs for: who is known, what is spent, what time it is."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from returns.result import Result

from .....kernel.planner.planner_targets import Fleet, PlannerTarget
from .....kernel.planner.state_machine.call_state import Event, PlannerCall
from .....ports.errors import WebError
from ..health import SharedHealth
from ..outcomes import TargetTerms
from ..spending import MoneyHold, TaskSpending
from ..writing import LedgerWriter
from .batched_starts import FleetLanes
from .due_timer import DueTimer

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
