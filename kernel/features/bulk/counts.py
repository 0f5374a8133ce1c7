"""Count the results of shards: every input is a page or an error, and the sum must agree."""

from collections import Counter
from collections.abc import Iterable

import msgspec

LATENCY_BOUNDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


class ShardEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A written shard: a line of the manifest.

    ``errors`` counts rows by error kind and ``hosts`` failed rows by host. ``latencies`` counts
    rows by duration, up to each of ``LATENCY_BOUNDS`` and beyond. ``unsure`` rows hit the
    wall-clock limit, and the next run tries them again. ``left_out`` rows are over the byte limit.
    The file has ``size`` bytes.
    """

    shard: int
    name: str
    rows: int
    ok: int
    kept: int
    errors: dict[str, int]
    hosts: dict[str, int]
    languages: dict[str, int]
    bytes: int
    characters: int
    sha256: str
    unsure: int
    began: float
    seconds: float
    latencies: list[int]
    size: int | None = None
    left_out: int = 0


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The totals of all shards; the same for the same input."""

    inputs: int
    rows: int
    ok: int
    failed: int
    kept: int
    errors: dict[str, int]
    languages: dict[str, int]
    bytes: int
    characters: int
    shards: int


def sum_shards(entries: Iterable[ShardEntry], inputs: int) -> Summary:
    """Return the totals of all shards."""
    shards = list(entries)
    errors: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    for entry in shards:
        errors.update(entry.errors)
        languages.update(entry.languages)
    return Summary(
        inputs=inputs,
        rows=sum(entry.rows for entry in shards),
        ok=sum(entry.ok for entry in shards),
        failed=sum(entry.rows - entry.ok for entry in shards),
        kept=sum(entry.kept for entry in shards),
        errors=dict(sorted(errors.items())),
        languages=dict(sorted(languages.items())),
        bytes=sum(entry.bytes for entry in shards),
        characters=sum(entry.characters for entry in shards),
        shards=len(shards),
    )


def is_count_complete(summary: Summary) -> bool:
    """Tell whether the totals agree: a row for every input, each a page or a counted error."""
    counted = summary.ok + sum(summary.errors.values())
    return summary.rows == summary.inputs and counted == summary.rows


def shard_latency_bucket(seconds: float) -> int:
    """Return the index of the latency count that a row belongs to.

    >>> shard_latency_bucket(0.02)
    1
    >>> shard_latency_bucket(100)
    8
    """
    return sum(seconds > bound for bound in LATENCY_BOUNDS)
