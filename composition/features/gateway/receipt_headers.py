"""The headers that say of a receipt what the forms of vendors have no field for."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from webseam.ports.receipts import ExtractReceipt, SearchReceipt

_MAX_NAMES = 20
_MAX_NAME_CHARS = 60


def receipt_headers(
    receipts: Sequence[SearchReceipt | ExtractReceipt],
) -> tuple[tuple[str, str], ...]:
    """Return the headers for all receipts of a call; one without anything to say is left out."""
    searches = [receipt for receipt in receipts if isinstance(receipt, SearchReceipt)]
    verified = [set(receipt.verified) for receipt in searches]
    values = {
        "sent": _join(name for receipt in searches for name in receipt.sent),
        # Only what was verified on the rows of every search.
        "verified": _join(sorted(set.intersection(*verified)) if verified else ()),
        "filtered": _count(receipt.filtered for receipt in searches),
        "undated": _count(receipt.undated for receipt in searches),
        "unread": _join(name for receipt in receipts for name in receipt.unread),
    }
    return tuple((f"x-webseam-{name}", value) for name, value in values.items() if value)


def _join(names: Iterable[str]) -> str:
    shown = [quote(name[:_MAX_NAME_CHARS], safe="[]") for name in dict.fromkeys(names)]
    return ", ".join(shown[:_MAX_NAMES])


def _count(counts: Iterable[int]) -> str:
    total = sum(counts)
    return str(total) if total else ""
