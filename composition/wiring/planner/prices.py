"""What a call costs, and how often it may be made: the user's word, else the service's own."""

import msgspec

from ....kernel.planner.selection import Capability
from ..rows import BackendRow

# Clocks differ: to stay a little below a limit is to keep it.
_BELOW = 0.95


class CallLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Calls a second, and calls at once; None is without a limit of ours."""

    rate: float | None = None
    concurrency: int | None = None


def price_of(row: BackendRow, capability: Capability) -> float | None:
    """Return the dollars for one search, or for one page; None when nobody said."""
    if not row.candidate.paid:
        return 0.0
    own = row.numbers.get(f"{capability}_price", row.numbers.get("price"))
    declared = None if row.service is None else row.service.offer.price
    if own is not None or declared is None:
        return own
    return declared.search if capability == "search" else declared.extract


def limits_of(row: BackendRow) -> CallLimits:
    """Return how often a backend may be asked with one key."""
    declared = None if row.service is None else row.service.offer.rate
    rate = row.numbers.get("rate", declared)
    at_once = row.numbers.get("concurrency")
    return CallLimits(
        rate=rate * _BELOW if rate else None,
        concurrency=max(int(at_once), 1) if at_once else None,
    )
