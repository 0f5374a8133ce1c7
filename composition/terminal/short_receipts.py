"""Leave out of a printed receipt what holds its default: that is most of it, in most calls.

Each default says that nothing happened: nothing was cached, left out or warned of. So a warning, a
refusal or a count above 0 is always printed, and so is a null or a 0 that is no default.
"""

from collections.abc import Mapping

import msgspec

from webseam.ports.attempts import BackendAttempt
from webseam.ports.receipts import ExtractReceipt, Usage

# The values inside a receipt that are of a kind of their own.
_KINDS: Mapping[str, type[msgspec.Struct]] = {
    "pages": ExtractReceipt,
    "attempts": BackendAttempt,
    "compressor_attempts": BackendAttempt,
    "usage": Usage,
    "compressor_usage": Usage,
}


def short_receipt(receipt: object, kind: type[msgspec.Struct]) -> object:
    """Return a receipt of ``kind`` without its defaults; what a plugin put there stays.

    >>> short_receipt({"backend": "brave", "key": 1, "cost": None}, BackendAttempt)
    {'backend': 'brave', 'cost': None}
    """
    if isinstance(receipt, list | tuple):
        return [short_receipt(entry, kind) for entry in receipt]
    if not isinstance(receipt, dict):
        return receipt
    defaults = {field.name: field.default for field in msgspec.structs.fields(kind)}
    short: dict[str, object] = {}
    for name, value in receipt.items():
        # JSON that a plugin changed has lists.
        if name in defaults and (tuple(value) if value == [] else value) == defaults[name]:
            continue
        short[name] = short_receipt(value, _KINDS[name]) if name in _KINDS else value
    return short
