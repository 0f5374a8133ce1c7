"""What a call needs of the planner it runs for: who is known, what is spent, what time it is."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from returns.result import Result

from .....kernel.planner.fold.calls import Call, Event
from .....kernel.planner.targets import Fleet, Target
from .....ports.errors import WebError
from ..health import SharedHealth
from ..outcomes import Terms
from ..spending import Hold, Spending
from ..writing import Writer
from .lanes import Fleets
from .watch import Watch

Held: TypeAlias = Result[Hold, WebError]
Holding: TypeAlias = asyncio.Future[Held]


class Waiter(Protocol):
    """A call that waits for a place."""

    call: Call

    def feed(self, event: Event) -> None:
        """Tell it what happened."""
        ...


class Dispatcher(Protocol):
    """The planner, as the calls on their way see it."""

    terms: Mapping[str, Terms]
    paid: frozenset[str]
    health: SharedHealth
    spending: Spending
    fleets: Fleets
    waiters: deque[Waiter]
    watch: Watch
    writer: Writer
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

    async def hold(self, target: Target, amount: int, until: float) -> Held:
        """Hold money that was admitted."""
        ...

    def landed(self) -> None:
        """Hand free places to those who wait."""
        ...
