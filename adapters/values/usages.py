"""The summed usage of several model calls."""

import msgspec

from webseam.ports.receipts import Usage


def add_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    """Return the sum of two usages; a field that only one of them has is taken from it."""
    if first is None or second is None:
        return first or second
    counts = msgspec.structs.asdict(first)
    sums = {
        name: count if counts[name] is None else counts[name] + (count or 0)
        for name, count in msgspec.structs.asdict(second).items()
    }
    return Usage(**sums)
