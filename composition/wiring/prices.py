"""What a call costs, and how often it may be made: the user's word, else the service's own."""

import msgspec

from ...adapters.service.declaration import Price
from ...kernel.planner.money import RequestPrice
from ...kernel.planner.selection import Capability
from .backends.backend_rows import BackendRow

# Clocks differ: to stay a little below a limit is to keep it.
_BELOW = 0.95


class CallLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Calls a second, and calls at once; None is without a limit of ours."""

    rate: float | None = None
    concurrency: int | None = None


def backend_price(row: BackendRow, capability: Capability) -> float | None:
    """Return the dollars for one search, or for one page; None when nobody said."""
    tariff = backend_tariff(row, capability)
    return None if tariff is None else tariff.call


def backend_tariff(row: BackendRow, capability: Capability) -> RequestPrice | None:
    """Return what one search, or one page, costs; None when nobody said."""
    if not row.candidate.paid:
        return RequestPrice(call=0.0)
    own = row.numbers.get(f"{capability}_price", row.numbers.get("price"))
    declared = None if row.service is None else row.service.offer.price
    listed = None if declared is None else getattr(declared, capability)
    dollars = listed if own is None else own
    if dollars is None:
        return None
    return _paged(row, dollars, declared) if capability == "search" else RequestPrice(call=dollars)


def _paged(row: BackendRow, dollars: float, declared: Price | None) -> RequestPrice:
    """Return the tariff of a search, which may take several requests."""
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
    at_once = row.numbers.get("concurrency")
    return CallLimits(
        rate=rate * _BELOW if rate else None,
        concurrency=max(int(at_once), 1) if at_once else None,
    )
