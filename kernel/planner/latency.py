"""Keep latencies in a histogram of 48 bytes that forgets old ones.

Each logarithmic bucket is 1.2 times wider than the last, from 20 ms. All counts are halved when
they sum to 250. A quantile is right within a fifth, and adapts within some 70 calls.
"""

import math
from collections.abc import Iterable

_MIN_SECONDS = 0.02
_BUCKET_GROWTH = 1.2
_BUCKET_COUNT = 48
_MAX_COUNTED_ANSWERS = 250
_MAX_EXACT_ANSWERS = 32
_QUANTILE_REFRESH_ANSWERS = 8
_LOG_BUCKET_GROWTH = math.log(_BUCKET_GROWTH)
_EDGES_SECONDS = tuple(_MIN_SECONDS * _BUCKET_GROWTH ** (i + 1) for i in range(_BUCKET_COUNT))
_HALVED_COUNTS = bytes(count >> 1 for count in range(256))

EMPTY_HISTOGRAM = bytes(_BUCKET_COUNT)


def add_latencies(counts: bytes, latencies: Iterable[float]) -> tuple[bytes, bytes | None]:
    """Add latencies; return the histogram, and the one to compute quantiles from, or None.

    Quantiles are refreshed after every answer at first, then after every eighth; else it is None.
    """
    histogram, total, refreshed = bytearray(counts), sum(counts), None
    for seconds in latencies:
        is_refresh = total < _MAX_EXACT_ANSWERS or not (total + 1) % _QUANTILE_REFRESH_ANSWERS
        ratio = max(seconds / _MIN_SECONDS, 1.0)
        bucket = int(math.log(ratio) / _LOG_BUCKET_GROWTH)
        if total >= _MAX_COUNTED_ANSWERS:
            histogram = histogram.translate(_HALVED_COUNTS)
            total = sum(histogram)
        histogram[bucket if bucket < _BUCKET_COUNT else -1] += 1
        total += 1
        if is_refresh:
            refreshed = bytes(histogram)
    return bytes(histogram), refreshed


def latency_quantile(counts: bytes, share: float) -> float | None:
    """Return the upper edge of the bucket where ``share`` is reached; None when all are empty.

    >>> quantile = latency_quantile(add_latencies(EMPTY_HISTOGRAM, [1.0])[0], 0.5)
    >>> quantile is not None
    True
    >>> round(quantile, 1)
    1.1
    """
    above = sum(counts) * (1 - share)
    for bucket in range(len(counts.rstrip(b"\0")) - 1, -1, -1):
        above -= counts[bucket]
        if above < 0:
            return _EDGES_SECONDS[bucket]
    return None


def is_latency_histogram(counts: object) -> bool:
    """Tell whether an untrusted value is a histogram of this size."""
    return type(counts) is bytes and len(counts) == _BUCKET_COUNT
