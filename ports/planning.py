"""What the planner asks of the outside: the ledger, prices, rates, timers; and its attempts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from returns.result import Result

from .errors import DeadlineExceeded, WebError


class Purse(NamedTuple):
    """Where money is counted: for whom, in which period, with which cap in micro-dollars.

    ``setting`` is what sets the cap.
    """

    scope: str
    period: str
    cap: int | None = None
    setting: str = ""


class Settlement(NamedTuple):
    """What a hold came to, in micro-dollars; None is all of it."""

    hold: int
    cost: int | None


class Booking(NamedTuple):
    """Calls that no cap stood before: what they came to together, and how many there were."""

    spent: int
    calls: int
    purses: tuple[Purse, ...]


class Shortage(msgspec.Struct, frozen=True, kw_only=True):
    """The purse that has too little, and what is left in it."""

    purse: Purse
    remaining: int


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """What was spent from one purse, what is held for calls under way, and how many calls."""

    scope: str
    period: str
    spent: int
    held: int
    calls: int


class TargetMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of one target: what the planner makes of it, as bytes, and two times."""

    name: str
    state: bytes
    open_until: float
    probe_until: float


# What to write of a target, given what others wrote of it meanwhile.
Merge: TypeAlias = Callable[[TargetMemory | None], TargetMemory]


class LedgerStore(Protocol):
    """The ledger that processes share. Its methods wait: they are for a thread, not for a loop.

    ``is_near`` says that a look takes microseconds, because what it looks at is on this machine.
    """

    @property
    def is_near(self) -> bool:
        """Whether a loop may look for itself."""
        ...

    def reserve(
        self,
        amount: int,
        purses: Sequence[Purse],
        /,
        *,
        until: float,
        now: float,
        settled: Sequence[Settlement] = (),
    ) -> Result[int | Shortage, WebError]:
        """Hold money for a call that ends by ``until``, or name the purse that has too little.

        What was ``settled`` is written first, in the same step. A failure has held nothing.
        """
        ...

    def book(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement] = (), /
    ) -> Result[None, WebError]:
        """Book calls that no cap stood before, and what holds came to: all of it, and once."""
        ...

    def spendings(self, now: float, /) -> Result[list[Spending], WebError]:
        """Return every purse, after the lost holds were charged."""
        ...

    def recall(self) -> Result[tuple[list[TargetMemory], float | None], WebError]:
        """Return what is remembered of every target, and how many hedges are left."""
        ...

    def remember(
        self, merges: Sequence[tuple[str, Merge]], hedges: float, /
    ) -> Result[None, WebError]:
        """Write what is known of targets, each merged with what others wrote meanwhile."""
        ...

    def claim(self, name: str, /, *, until: float, now: float) -> Result[bool, WebError]:
        """Take the right to probe a target; only one caller of all processes has it at a time."""
        ...

    def is_changed(self) -> bool:
        """Tell whether somebody else wrote of a target since this was last asked."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


# What the tokens of a model cost.


class TokenPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The list price of one model: dollars for a million tokens, and for a call, however long.

    Tokens out of a cache cost ``cached``, into it ``written``; None is as much as ``input``.
    ``page`` is where that was read, ``read`` when.
    """

    input: float
    output: float
    cached: float | None = None
    written: float | None = None
    call: float = 0.0
    page: str = ""
    read: str = ""


# How many calls each key may still make.


class RateStore(Protocol):
    """Something that counts calls of keys, for all machines that share it."""

    async def take(self, key_id: str, rate: float, /) -> Result[float, WebError]:
        """Count one call of at most ``rate`` a minute.

        Returns in how many seconds there is room for it, 0 when there is now.
        """
        ...

    async def aclose(self) -> None:
        """Let go of it."""
        ...


# Time limits, for those who may not look at a clock.

Value = TypeVar("Value")


class Timer(Protocol):
    """Something that waits for work, and not forever."""

    async def __call__(
        self, work: Awaitable[Value], seconds: float, /
    ) -> Result[Value, DeadlineExceeded]:
        """Return what ``work`` gives; when the time is up, cancel it and say so.

        What the work raises is raised here, and so is a cancellation from outside.
        """
        ...
