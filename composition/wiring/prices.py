"""Prices and rate limits of backends: the user's numbers, else those of the service."""

import msgspec

from webseam.adapters.services.declaration import Price
from webseam.kernel.planner.money import RequestPrice
from webseam.kernel.planner.selection import Capability

from .backend_rows import BackendRow

# Clocks differ, so stay a little below the limit.
_SAFE_RATE_SHARE = 0.95


class CallLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Calls per second, and concurrent calls; None means no limit."""

    rate: float | None = None
    concurrency: int | None = None


def backend_price(row: BackendRow, capability: Capability) -> float | None:
    """Return the dollars for one search, or for one page; None if unknown."""
    tariff = backend_tariff(row, capability)
    return None if tariff is None else tariff.call


def backend_tariff(row: BackendRow, capability: Capability) -> RequestPrice | None:
    """Return what one search, or one page, costs; None if unknown."""
    if row.service is not None and row.settings is None:
        # Its settings cannot be read, so nobody knows whether it has a key.
        return None
    if not row.candidate.paid:
        return RequestPrice(call=0.0)
    user_price = row.numbers.get(f"{capability}_price", row.numbers.get("price"))
    declared = None if row.service is None else row.service.offer.price
    listed_price = None if declared is None else getattr(declared, capability)
    dollars = listed_price if user_price is None else user_price
    if dollars is None:
        return None
    if capability == "search":
        return _search_price(row, dollars, declared)
    return RequestPrice(call=dollars)


def _search_price(row: BackendRow, dollars: float, declared: Price | None) -> RequestPrice:
    service = row.service
    operation = None if service is None else service.search
    paging = None if operation is None else operation.paging
    tariff = RequestPrice(
        call=dollars,
        page=None if paging is None else paging.size,
        most=None if service is None else service.abilities.max_results,
    )
    if declared is None:
        return tariff
    return msgspec.structs.replace(
        tariff,
        included=declared.included,
        more=declared.more,
        block=declared.block,
        dearer=declared.dearer,
    )


def backend_limits(row: BackendRow) -> CallLimits:
    """Return how often a backend may be asked with one key."""
    declared = None if row.service is None else row.service.offer.rate
    rate = row.numbers.get("rate", declared)
    concurrency = row.numbers.get("concurrency")
    return CallLimits(
        rate=rate * _SAFE_RATE_SHARE if rate else None,
        concurrency=max(int(concurrency), 1) if concurrency else None,
    )
