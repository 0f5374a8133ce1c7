"""Define the planner's call, its attempts, the events it handles and the actions it returns."""

from typing import Literal, TypeAlias

import msgspec

from webseam.ports.attempts import Why
from webseam.ports.errors import WebError

from .pacing import RateWindow
from .planner_targets import INFINITY, Fleet


class Leg(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a route: a backend with its keys, or several backends that are asked at once.

    ``members`` are the backends, each by the names of its targets. In a ``fuse`` leg, ``quorum``
    answers suffice (None: all), and after ``patience`` seconds one does. In a ``strict`` leg, one
    failed member fails the leg.
    """

    members: tuple[tuple[str, ...], ...]
    fuse: bool = False
    quorum: int | None = None
    patience: float = INFINITY
    strict: bool = False


class Attempt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One request to a target. ``over`` means settled; an ``overdue`` one is still in flight.

    An ``unsent`` one never was: another process probes the target, or the call is ``refused`` by a
    budget or a setting. ``blamed`` means that the backend failed, whatever its key. ``again_at`` is
    when a retry may help. ``retried`` is how often the target's own client sent the request again.
    """

    id: int
    target: str
    leg: int
    why: Why
    start: float
    sent: bool = False
    over: bool = False
    overdue: bool = False
    unreached: bool = False
    blamed: bool = False
    refused: bool = False
    unsent: bool = False
    outcome: str = ""
    ended: float = 0.0
    cooled_until: float = -INFINITY
    again_at: float = INFINITY
    retried: int = 0


class PlannerCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call. A ``strict`` one asks a single target, although its breaker is open or it is full.

    ``owner`` asks, and ``subject`` is a digest of the query; empty where none is compared.
    """

    legs: tuple[Leg, ...]
    deadline: float
    strict: bool = False
    owner: str = ""
    subject: str = ""
    attempts: tuple[Attempt, ...] = ()
    answers: tuple[int, ...] = ()
    waiting: bool = False
    done: bool = False

    def count_tries(self, target: str) -> int:
        """Return how often a target was asked, with the retries of its own client."""
        return sum(1 + made.retried for made in self.attempts if made.target == target)

    def count_retries(self) -> int:
        """Return how often the call asked a target again."""
        return sum(made.why == "again" for made in self.attempts)


class PlannerState(msgspec.Struct, frozen=True):
    """One call, and the state of all targets."""

    call: PlannerCall
    fleet: Fleet


class CallBegan(msgspec.Struct, frozen=True):
    """The call starts."""


class MoneyReserved(msgspec.Struct, frozen=True):
    """The attempt is paid for, or why not; without an ``error`` another process probes."""

    id: int
    ok: bool = True
    error: WebError | None = None


class AttemptAnswered(msgspec.Struct, frozen=True):
    """A valid answer came; ``windows`` are the rate windows that its headers state."""

    id: int
    windows: tuple[RateWindow, ...] = ()


class AttemptFailed(msgspec.Struct, frozen=True):
    """The attempt failed after ``retried`` retries of its own. ``chance`` is drawn from [0, 1)."""

    id: int
    error: WebError
    chance: float = 0.5
    windows: tuple[RateWindow, ...] = ()
    retried: int = 0


class TimeCame(msgspec.Struct, frozen=True):
    """A timer fired, for an attempt (hedge, overdue) or for the call."""

    what: Literal["hedge", "overdue", "slot", "patience", "deadline"]
    id: int = 0


class CallerLeft(msgspec.Struct, frozen=True):
    """The caller cancelled the call."""


Event: TypeAlias = (
    CallBegan | MoneyReserved | AttemptAnswered | AttemptFailed | TimeCame | CallerLeft
)


class ReserveMoney(msgspec.Struct, frozen=True):
    """Reserve the money, and for a probe its lease; then send ``MoneyReserved``."""

    id: int
    target: str
    micros: int
    probe: bool


class SendAttempt(msgspec.Struct, frozen=True):
    """Send the request to the target, not before ``at``."""

    id: int
    target: str
    at: float


class CancelAttempt(msgspec.Struct, frozen=True):
    """Cancel an attempt."""

    id: int


class WakeAt(msgspec.Struct, frozen=True):
    """Send the event ``tick`` at that time."""

    at: float
    tick: TimeCame


class ParkCall(msgspec.Struct, frozen=True):
    """Wake this call when a slot is free; the call that waits longest comes first."""


class FinishCall(msgspec.Struct, frozen=True):
    """The call is over: with the answers of ``winners``, in the order of their route, or without.

    ``cause`` is the attempt whose failure stopped it. ``again_at`` is when a new call may succeed.
    """

    winners: tuple[int, ...] = ()
    why: Literal["answered", "stopped", "nobody", "deadline", "waited", "crowded", "left"] = (
        "answered"
    )
    cause: int | None = None
    again_at: float = INFINITY


Action: TypeAlias = ReserveMoney | SendAttempt | CancelAttempt | WakeAt | ParkCall | FinishCall
