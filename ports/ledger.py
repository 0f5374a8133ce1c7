"""What the ledger keeps for all processes: money, and how every backend is."""

from typing import NamedTuple

import msgspec


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
