"""Requests along a route: the legs, the time limit, and the outcome for the caller."""

import math
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec

from webseam.adapters.call_context import CALL_OWNER
from webseam.kernel.planner.call_state import Leg, PlannerCall
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import WebError

from .outcomes import PlannedOutcome, Winners

Value = TypeVar("Value")
Outcome_co = TypeVar("Outcome_co", covariant=True)
Attempts: TypeAlias = tuple[BackendAttempt, ...]


class RouteRequest(Protocol[Value, Outcome_co]):
    """A request along legs within ``seconds``, with its own type of outcome."""

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The targets to ask, one leg after the other."""

    @property
    def seconds(self) -> float:
        """The time limit of the call."""

    @property
    def strict(self) -> bool:
        """Whether it asks a single target."""

    def ask(self, name: str, /) -> Awaitable[Value | WebError]:
        """Ask one target."""

    @property
    def spent(self) -> int:
        """The micro-dollars that an earlier part of the call has spent."""

    @property
    def subject(self) -> str:
        """A digest of the query; empty for what says nothing about other queries."""

    @property
    def reserved_requests(self) -> float:
        """How many requests to a target ``call_cost`` pays for: one of a search, all of others."""

    def call_cost(self, target: PlannerTarget, requests: int, /) -> int:
        """Return the most micro-dollars that so many requests to a target cost."""

    def answered_outcome(self, winners: Winners[Value], attempts: Attempts, /) -> Outcome_co:
        """Return the outcome of the answers, which are in route order."""

    def failed_outcome(self, error: WebError, attempts: Attempts, /) -> Outcome_co:
        """Return the outcome when no target answered."""


class FunctionRequest(msgspec.Struct, Generic[Value], frozen=True, kw_only=True):
    """A request made of functions, with a plain ``PlannedOutcome``."""

    legs: tuple[Leg, ...]
    ask: Callable[[str], Awaitable[Value | WebError]]
    seconds: float
    call_cost: Callable[[PlannerTarget, int], int]
    strict: bool = False
    spent: int = 0
    subject: str = ""
    reserved_requests: float = math.inf

    def answered_outcome(
        self, winners: Winners[Value], attempts: Attempts, /
    ) -> PlannedOutcome[Value]:
        """Return the winners."""
        return PlannedOutcome(winners=winners, attempts=attempts)

    def failed_outcome(self, error: WebError, attempts: Attempts, /) -> PlannedOutcome[Value]:
        """Return the error."""
        return PlannedOutcome(attempts=attempts, error=error)


def begin_planned_call(request: RouteRequest[Value, Outcome_co], asked_at: float) -> PlannerCall:
    """Return the initial state of a call that was requested at ``asked_at``."""
    deadline = asked_at + request.seconds
    return PlannerCall(
        legs=request.legs,
        deadline=deadline,
        strict=request.strict,
        owner=CALL_OWNER.get(),
        subject=request.subject,
    )
