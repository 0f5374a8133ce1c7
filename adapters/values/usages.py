"""The summed usage of several model calls."""

import msgspec

from webseam.ports.receipts import Usage


def add_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    """Return the sum of two usages; a field that only one of them has is taken from it.

    >>> both = add_usage(Usage(input_tokens=1), Usage(input_tokens=2, cost=0.5))
    >>> both is not None
    True
    >>> both.input_tokens
    3
    >>> both.cost
    0.5
    """
    if first is None or second is None:
        return first or second
    counts = msgspec.structs.asdict(first)
    sums = {
        name: count if counts[name] is None else counts[name] + (count or 0)
        for name, count in msgspec.structs.asdict(second).items()
    }
    return Usage(**sums)
