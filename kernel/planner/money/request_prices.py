"""What a call may cost at most, known before it is made, and what it came to by its replies."""

from collections.abc import Mapping

import msgspec

from ....ports.backends import FilterName
from ....ports.web import WebSearchQuery
from .budgets import to_micros


class RequestPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The dollars for one request, and what makes a search dearer.

    A search for more rows than ``page`` takes several requests. ``included`` rows come with a
    request, each ``block`` of the others, begun or full, costs ``more``. A filter in ``dearer``
    multiplies the price.
    """

    call: float
    page: int | None = None
    most: int | None = None
    included: int | None = None
    more: float = 0.0
    block: int = 1
    dearer: Mapping[FilterName, float] = {}


def search_amount(tariff: RequestPrice, query: WebSearchQuery) -> int:
    """Return the micro-dollars that a search costs at most.

    >>> search_amount(RequestPrice(call=0.005, page=20), WebSearchQuery(query="q", max_results=50))
    15000
    """
    rows = _rows(tariff, query)
    requests = 1 if tariff.page is None else max(-(-rows // tariff.page), 1)
    return replies_amount(tariff, query, requests)


def replies_amount(tariff: RequestPrice, query: WebSearchQuery, replies: int) -> int:
    """Return the micro-dollars that a search came to which took so many requests."""
    factor = 1.0
    for name, times in tariff.dearer.items():
        factor *= times if getattr(query, name) else 1.0
    beyond = 0
    if tariff.included is not None:
        rows = max(_rows(tariff, query) - tariff.included * replies, 0)
        beyond = -(-rows // tariff.block)
    return to_micros((tariff.call * replies + tariff.more * beyond) * factor)


def _rows(tariff: RequestPrice, query: WebSearchQuery) -> int:
    """Return how many rows are asked for; without a number, what comes with one request."""
    rows = query.max_results or 0
    return rows if tariff.most is None else min(rows, tariff.most)
