"""What is asked along a route: of whom, within which time, and what is made of the answers."""

from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec

from ....kernel.planner.money import to_micros
from ....kernel.planner.planner_targets import PlannerTarget
from ....kernel.planner.state_machine.call_state import Leg, PlannerCall
from ....ports.attempts import BackendAttempt
from ....ports.errors import WebError
from ..metering import Meter
from ..outcomes import PlannedOutcome, Winners

Value = TypeVar("Value")
Outcome_co = TypeVar("Outcome_co", covariant=True)
Attempts: TypeAlias = tuple[BackendAttempt, ...]


class RouteRequest(Protocol[Value, Outcome_co]):
    """What is asked along which legs, in how many seconds; a ``strict`` one asks one target alone.

    Every call has one, so it makes the outcome that its caller wants itself.
    """

    @property
    def legs(self) -> tuple[Leg, ...]:
        """Whom to ask, one leg after the other."""
        ...

    @property
    def seconds(self) -> float:
        """How long all of it may take."""
        ...

    @property
    def strict(self) -> bool:
        """Whether it asks one alone."""
        ...

    def ask(self, name: str, /) -> Awaitable[Value | WebError]:
        """Ask one target."""
        ...

    def amount(self, target: PlannerTarget, replies: int | None, /) -> int:
        """Say what that may cost at most, in micro-dollars; after so many replies, what it did."""
        ...

    def answered(self, winners: Winners[Value], attempts: Attempts, /) -> Outcome_co:
        """Return what comes of the answers, which are in the order of the route."""
        ...

    def failed(self, error: WebError, attempts: Attempts, /) -> Outcome_co:
        """Return what comes of it when nobody answered."""
        ...


class FunctionRequest(msgspec.Struct, Generic[Value], frozen=True, kw_only=True):
    """An errand by functions, whose outcome says how it ended and no more."""

    legs: tuple[Leg, ...]
    ask: Callable[[str], Awaitable[Value | WebError]]
    seconds: float
    amount: Callable[[PlannerTarget, int | None], int]
    strict: bool = False

    def answered(self, winners: Winners[Value], attempts: Attempts, /) -> PlannedOutcome[Value]:
        """Return who answered."""
        return PlannedOutcome(winners=winners, attempts=attempts)

    def failed(self, error: WebError, attempts: Attempts, /) -> PlannedOutcome[Value]:
        """Return why nobody did."""
        return PlannedOutcome(attempts=attempts, error=error)


def begin_call(errand: RouteRequest[Value, Outcome_co], asked_at: float) -> PlannerCall:
    """Return the call as it begins, for one who asked at a time."""
    return PlannerCall(legs=errand.legs, deadline=asked_at + errand.seconds, strict=errand.strict)


def attempt_cost(
    errand: RouteRequest[Value, Outcome_co], target: PlannerTarget, meter: Meter
) -> int:
    """Return what an attempt came to: what its replies say, else by their number."""
    if meter.cost is not None:
        return to_micros(meter.cost)
    return errand.amount(target, meter.replies or None)
