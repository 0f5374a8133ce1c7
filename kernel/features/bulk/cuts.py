"""Split an input by its number of rows, never by time, memory or the number of workers."""

from collections.abc import Iterable, Iterator


def split_into_shards(offsets: Iterable[int], per_shard: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the row count of each shard.

    Rows that share an offset with the previous row cannot start a shard, so they stay with it.

    >>> list(split_into_shards([0, 10, 20, 30, 40], 2))
    [(0, 2), (20, 2), (40, 1)]
    >>> list(split_into_shards([0, 10, 10, 30], 2))
    [(0, 3), (30, 1)]
    """
    start = count = 0
    last: int | None = None
    for offset in offsets:
        if count >= per_shard and offset != last:
            yield start, count
            count = 0
        start = start if count else offset
        last = offset
        count += 1
    if count:
        yield start, count
