"""One call on its way: its route, its attempts, what can happen to it, and what is to be done."""

from typing import Literal, TypeAlias

import msgspec

from ....ports.attempts import Why
from ....ports.errors import WebError
from ..health.pacing import RateWindow
from ..planner_targets import INFINITY, Fleet


class Leg(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a route: a backend with its keys, or several backends that are asked at once.

    ``members`` are the backends, each by the names of its targets. Of a ``fuse`` leg, ``quorum``
    answers are enough (None: all), and after ``patience`` seconds one is. One member that fails
    fails a ``strict`` leg.
    """

    members: tuple[tuple[str, ...], ...]
    fuse: bool = False
    quorum: int | None = None
    patience: float = INFINITY
    strict: bool = False


class Attempt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One target that was asked. ``over`` ones are settled; an ``overdue`` one still flies.

    A ``refused`` one was not sent: money or a setting lacks.
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
    refused: bool = False
    outcome: str = ""
    ended: float = 0.0
    cooled_until: float = -INFINITY


class PlannerCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call. A ``strict`` one was for this backend alone: its health is noted, not heeded."""

    legs: tuple[Leg, ...]
    deadline: float
    strict: bool = False
    attempts: tuple[Attempt, ...] = ()
    answers: tuple[int, ...] = ()
    waiting: bool = False
    done: bool = False


class PlannerState(msgspec.Struct, frozen=True):
    """What the planner goes by: one call, and what is known of everybody."""

    call: PlannerCall
    fleet: Fleet


class CallBegan(msgspec.Struct, frozen=True):
    """The caller came."""


class MoneyReserved(msgspec.Struct, frozen=True):
    """The attempt may be paid for and made, or why not; without an ``error`` another one probes."""

    id: int
    ok: bool = True
    error: WebError | None = None


class AttemptAnswered(msgspec.Struct, frozen=True):
    """A valid answer came; ``windows`` are what its headers say of calls that are left."""

    id: int
    windows: tuple[RateWindow, ...] = ()


class AttemptFailed(msgspec.Struct, frozen=True):
    """The attempt failed. ``chance`` is drawn from [0, 1)."""

    id: int
    error: WebError
    chance: float = 0.5
    windows: tuple[RateWindow, ...] = ()


class TimeCame(msgspec.Struct, frozen=True):
    """A time has come: of an attempt (hedge, overdue), or of the call."""

    what: Literal["hedge", "overdue", "slot", "patience", "deadline"]
    id: int = 0


class CallerLeft(msgspec.Struct, frozen=True):
    """The caller went away."""


Event: TypeAlias = (
    CallBegan | MoneyReserved | AttemptAnswered | AttemptFailed | TimeCame | CallerLeft
)


class ReserveMoney(msgspec.Struct, frozen=True):
    """Hold the money, and of a probe the right to it; then say ``MoneyReserved``."""

    id: int
    target: str
    micros: int
    probe: bool


class SendAttempt(msgspec.Struct, frozen=True):
    """Ask the target, not before ``at``."""

    id: int
    target: str
    at: float


class CancelAttempt(msgspec.Struct, frozen=True):
    """Break an attempt off."""

    id: int


class WakeAt(msgspec.Struct, frozen=True):
    """Say ``tick`` at that time."""

    at: float
    tick: TimeCame


class ParkCall(msgspec.Struct, frozen=True):
    """Say that a slot is free when one is, first to whoever waits longest."""


class FinishCall(msgspec.Struct, frozen=True):
    """The call is over: with the answers of ``winners``, in the order of their route, or without.

    ``cause`` is the attempt whose failure stopped it. ``again_at`` is when asking again may help.
    """

    winners: tuple[int, ...] = ()
    why: Literal["answered", "stopped", "nobody", "deadline", "waited", "crowded", "left"] = (
        "answered"
    )
    cause: int | None = None
    again_at: float = INFINITY


Action: TypeAlias = ReserveMoney | SendAttempt | CancelAttempt | WakeAt | ParkCall | FinishCall
