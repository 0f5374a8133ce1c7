"""How long answers take: a histogram of 48 bytes that forgets.

Logarithmic buckets, 20 ms times 1.2 for each; all are halved when they hold 250. So a quantile is
right within a fifth, and follows a backend that becomes slower within some seventy calls.
"""

import math
from collections.abc import Iterable

_LOWEST_LATENCY_SECONDS = 0.02
_GROWTH = 1.2
_BUCKETS = 48
_HALVE_AT = 250
_EXACT_UNTIL = 32
_QUANTILE_REFRESH_ANSWERS = 8
_LOG = math.log(_GROWTH)
_EDGES = tuple(_LOWEST_LATENCY_SECONDS * _GROWTH ** (place + 1) for place in range(_BUCKETS))
_HALF = bytes(count >> 1 for count in range(256))

EMPTY_HISTOGRAM = bytes(_BUCKETS)


def add_latency(counts: bytes, seconds: float) -> bytes:
    """Add one latency. A call that was cancelled counts with the time it had: it needed more."""
    return add_latencies(counts, (seconds,))[0]


def add_latencies(counts: bytes, latencies: Iterable[float]) -> tuple[bytes, bytes | None]:
    """Add latencies; return also the histogram that quantiles are to be looked up in.

    That is done after every answer at first, then after every eighth: None where it is not.
    """
    growing, seen, told = bytearray(counts), sum(counts), None
    for seconds in latencies:
        telling = seen < _EXACT_UNTIL or not (seen + 1) % _QUANTILE_REFRESH_ANSWERS
        place = (
            int(math.log(seconds / _LOWEST_LATENCY_SECONDS) / _LOG)
            if seconds > _LOWEST_LATENCY_SECONDS
            else 0
        )
        if seen >= _HALVE_AT:
            growing = growing.translate(_HALF)
            seen = sum(growing)
        growing[place if place < _BUCKETS else -1] += 1
        seen += 1
        if telling:
            told = bytes(growing)
    return bytes(growing), told


def quantile(counts: bytes, share: float) -> float | None:
    """Return the upper edge of the bucket where ``share`` is reached; None when all are empty.

    >>> round(quantile(add_latency(EMPTY_HISTOGRAM, 1.0), 0.5), 1)
    1.1
    """
    above = sum(counts) * (1 - share)
    for place in range(len(counts.rstrip(b"\0")) - 1, -1, -1):
        above -= counts[place]
        if above < 0:
            return _EDGES[place]
    return None


def is_histogram(counts: object) -> bool:
    """Tell whether some bytes are a histogram, wherever they come from."""
    return type(counts) is bytes and len(counts) == _BUCKETS
