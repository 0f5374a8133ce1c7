"""Define the planner's ports: the ledger, prices, rates and timers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from returns.result import Result

from .errors import DeadlineExceeded, WebError


class Purse(NamedTuple):
    """An account: its scope, its period, its cap in micro-dollars, and the setting of the cap."""

    scope: str
    period: str
    cap: int | None = None
    setting: str = ""


class Hold(NamedTuple):
    """Money to hold in every purse for a call that ends by ``until``."""

    amount: int
    purses: tuple[Purse, ...]
    until: float


class Settlement(msgspec.Struct, frozen=True):
    """The final cost of a hold, in micro-dollars; None is the full amount.

    ``calls`` is how many requests were sent for it. Nobody knows whether the service got the
    ``uncertain_calls`` among them; these cost ``uncertain`` of it.
    """

    hold: int
    cost: int | None
    calls: int = 1
    uncertain_calls: int = 0
    uncertain: int = 0


class Booking(msgspec.Struct, frozen=True):
    """Calls without a cap: their total cost and number, and the uncertain part of both."""

    spent: int
    calls: int
    purses: tuple[Purse, ...]
    uncertain_calls: int = 0
    uncertain: int = 0


class Shortage(msgspec.Struct, frozen=True, kw_only=True):
    """The purse that has too little, and what it has left."""

    purse: Purse
    remaining: int


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """The spending of one purse, what is held for calls in flight, and the number of calls.

    Of ``uncertain_calls`` nobody knows whether the service got them: the connection broke, the
    caller left, or the process was killed. Their price ``uncertain`` is part of ``spent``.
    """

    scope: str
    period: str
    spent: int
    held: int
    calls: int
    uncertain_calls: int = 0
    uncertain: int = 0


class TargetMemory(msgspec.Struct, frozen=True, kw_only=True):
    """The stored state of one target: the planner's data as bytes, and two times."""

    name: str
    state: bytes
    open_until: float
    probe_until: float


# Merges a target's state with what other processes wrote meanwhile.
Merge: TypeAlias = Callable[[TargetMemory | None], TargetMemory]


class LedgerStore(Protocol):
    """The ledger that processes share. Its methods block: call them in a thread.

    ``is_near`` means that a call takes microseconds, because the data is on this machine.
    """

    @property
    def is_near(self) -> bool:
        """Whether an event loop may call it directly."""

    def reserve(
        self, holds: Sequence[Hold], /, *, now: float, settled: Sequence[Settlement] = ()
    ) -> Result[list[int | Shortage], WebError]:
        """Hold money for calls in turn: for each a number, or the purse that has too little.

        ``settled`` is written first. All is one transaction: a failure holds nothing.
        """

    def book(
        self, bookings: Sequence[Booking], settled: Sequence[Settlement] = (), /
    ) -> Result[None, WebError]:
        """Book calls without a cap and the costs of holds, in one transaction."""

    def spendings(self, now: float, /) -> Result[list[Spending], WebError]:
        """Return the spending of every purse, after expired holds are charged."""

    def recall(self) -> Result[tuple[list[TargetMemory], float | None], WebError]:
        """Return the stored state of every target, and how many hedges are left."""

    def remember(
        self, merges: Sequence[tuple[str, Merge]], hedges: float, /
    ) -> Result[None, WebError]:
        """Store the state of targets, each merged with what others wrote meanwhile."""

    def claim(self, name: str, /, *, until: float, now: float) -> Result[bool, WebError]:
        """Claim the right to probe a target; only one caller of all processes has it at a time."""

    def is_changed(self) -> bool:
        """Tell whether another process wrote a target's state since the last call."""

    def close(self) -> None:
        """Close the ledger."""


class TokenPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The list price of one model: dollars for a million tokens, and for a call.

    Tokens read from a cache cost ``cached``, written to it ``written``; None equals ``input``.
    ``page`` is the source of the price, ``read`` the date.
    """

    input: float
    output: float
    cached: float | None = None
    written: float | None = None
    call: float = 0.0
    page: str = ""
    read: str = ""


class RateStore(Protocol):
    """A counter of calls by key, shared by several machines."""

    async def take(self, key_id: str, rate: float, /) -> Result[float, WebError]:
        """Count one call of at most ``rate`` a minute.

        Return after how many seconds the call may start, 0 for now.
        """

    async def aclose(self) -> None:
        """Close the store."""


Value = TypeVar("Value")


class Timer(Protocol):
    """A function that awaits work within a time limit."""

    async def __call__(
        self, work: Awaitable[Value], seconds: float, /
    ) -> Result[Value, DeadlineExceeded]:
        """Return the value of ``work``; after ``seconds``, cancel it and return the error.

        Exceptions of the work and outside cancellation pass through.
        """
