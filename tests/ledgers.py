"""A ledger, one hold at a time."""

from collections.abc import Sequence

from returns.result import Result

from webseam.ports.errors import WebError
from webseam.ports.planning import Hold, LedgerStore, Purse, Settlement, Shortage


def reserve_one(
    ledger: LedgerStore,
    amount: int,
    purses: Sequence[Purse],
    *,
    until: float,
    now: float,
    settled: Sequence[Settlement] = (),
) -> Result[int | Shortage, WebError]:
    """Hold money for one call."""
    requests = [Hold(amount, tuple(purses), until)]
    return ledger.reserve(requests, now=now, settled=settled).map(lambda holds: holds[0])
