"""Budgets: which purses a call is paid from, and what may be in each. Whole micro-dollars."""

from collections.abc import Iterable
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from ....ports.planning.ledger import Purse

MICROS = 1_000_000
Dollars: TypeAlias = Annotated[float, Meta(ge=0, le=1_000_000)]
# Whose purse it is, where several share the budgets; and what sets the cap of one.
OWNER_PREFIX = "owner:"
KEY_BUDGET = "the budget of this key (webseam keys)"
# What floats lose on the way.
_LOST = 1e-6


class Budgets(msgspec.Struct, frozen=True, kw_only=True):
    """Caps in dollars; None is without one. Those of keys and tools hold for each of them."""

    call: Dollars | None = None
    session: Dollars | None = None
    day: Dollars | None = None
    month: Dollars | None = None
    key_day: Dollars | None = None
    key_month: Dollars | None = None
    tool_day: Dollars | None = None
    tool_month: Dollars | None = None


class SpendingAllowance(msgspec.Struct, frozen=True, kw_only=True):
    """What one of several who share the budgets may spend, beside what holds for all."""

    owner: str
    day: Dollars | None = None
    month: Dollars | None = None


class SpendingOccasion(msgspec.Struct, frozen=True, kw_only=True):
    """Who spends: which tool, with which backend and key, on which day (2026-01-31, in UTC)."""

    tool: str
    backend: str
    key: int
    day: str


def to_micros(dollars: float) -> int:
    """Return dollars as whole micro-dollars, rounded up: a price is never taken for less.

    >>> to_micros(0.005), to_micros(0.0000001)
    (5000, 1)
    """
    whole = round(dollars * MICROS)
    exact = abs(whole - dollars * MICROS) < _LOST
    return whole if exact else int(dollars * MICROS) + 1


def is_capped(budgets: Budgets, allowance: SpendingAllowance | None = None) -> bool:
    """Tell whether any cap is set."""
    own = () if allowance is None else (allowance.day, allowance.month)
    return any(cap is not None for cap in (*msgspec.structs.astuple(budgets), *own))


def call_purses(
    budgets: Budgets, occasion: SpendingOccasion, allowance: SpendingAllowance | None = None
) -> tuple[Purse, ...]:
    """Return the purses that a call is paid from, with a cap or without.

    One without is counted all the same: a budget that is set later knows what was spent before it.
    Those of the call and of the session are not among them: one process knows all about both.
    """
    month = occasion.day[:7]
    key = f"key:{occasion.backend}#{occasion.key}"
    every = (
        ("day", "all", occasion.day),
        ("month", "all", month),
        ("key_day", key, occasion.day),
        ("key_month", key, month),
        ("tool_day", f"tool:{occasion.tool}", occasion.day),
        ("tool_month", f"tool:{occasion.tool}", month),
    )
    counted = [Purse(f"backend:{occasion.backend}", occasion.day)]
    for name, scope, period in every:
        cap = getattr(budgets, name)
        most = None if cap is None else cap_micros(cap)
        counted.append(Purse(scope, period, most, f"budgets.{name}"))
    return (*counted, *_own_purses(allowance, occasion.day))


def _own_purses(allowance: SpendingAllowance | None, day: str) -> tuple[Purse, ...]:
    if allowance is None:
        return ()
    caps = ((day, allowance.day), (day[:7], allowance.month))
    scope = f"{OWNER_PREFIX}{allowance.owner}"
    return tuple(
        Purse(scope, period, cap_micros(cap), KEY_BUDGET) for period, cap in caps if cap is not None
    )


def cap_micros(dollars: float) -> int:
    """Return a cap as whole micro-dollars, rounded down: it is never taken for more."""
    return int(dollars * MICROS + _LOST)


def purse_words(purse: Purse) -> str:
    """Say what a purse is for.

    >>> purse_words(Purse("all", "2026-01")), purse_words(Purse("tool:search", "2026-01-31"))
    ('2026-01', 'search on 2026-01-31')
    >>> purse_words(Purse("key:brave#2", "2026-01"))
    'key 2 of brave in 2026-01'
    """
    kind, _, name = purse.scope.partition(":")
    if not name:
        return purse.period
    if kind == "key":
        backend, _, place = name.rpartition("#")
        name = f"key {place} of {backend}"
    when = "in" if len(purse.period) == len("2026-01") else "on"
    return f"{name} {when} {purse.period}"


def capped_purses(budgets: Budgets, scopes: Iterable[str], day: str) -> tuple[Purse, ...]:
    """Return the purses of a day and its month that have a cap: of all, and of ``scopes``."""
    own = sorted(set(scopes))
    keys = [scope for scope in own if scope.startswith("key:")]
    tools = [scope for scope in own if scope.startswith("tool:")]
    caps = (
        (("all",), "day", budgets.day),
        (("all",), "month", budgets.month),
        (keys, "key_day", budgets.key_day),
        (keys, "key_month", budgets.key_month),
        (tools, "tool_day", budgets.tool_day),
        (tools, "tool_month", budgets.tool_month),
    )
    return tuple(
        Purse(scope, day if name.endswith("day") else day[:7], cap_micros(cap), f"budgets.{name}")
        for those, name, cap in caps
        if cap is not None
        for scope in those
    )
