"""What came of the shards, counted: every input is a page or an error, and the sum says so."""

from collections import Counter
from collections.abc import Iterable

import msgspec

LATENCY_BOUNDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


class ShardEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A shard that is written: a line of the manifest.

    ``errors`` counts rows by their error's kind and ``hosts`` failed rows by host. ``latencies``
    counts rows by how long each took, up to each of ``LATENCY_BOUNDS`` and beyond. Rows ``unsure``
    hit the clock on the wall, and are tried again by the next run. Rows ``left_out`` are over the
    bytes that may be fetched. The file is of ``size`` bytes.
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
    """All shards together; the same for the same input."""

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


def sum_entries(entries: Iterable[ShardEntry], inputs: int) -> Summary:
    """Return the counts of all shards."""
    totals: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    for entry in entries:
        totals.update(
            rows=entry.rows,
            ok=entry.ok,
            kept=entry.kept,
            bytes=entry.bytes,
            characters=entry.characters,
            shards=1,
        )
        errors.update(entry.errors)
        languages.update(entry.languages)
    return Summary(
        inputs=inputs,
        rows=totals["rows"],
        ok=totals["ok"],
        failed=totals["rows"] - totals["ok"],
        kept=totals["kept"],
        errors=dict(sorted(errors.items())),
        languages=dict(sorted(languages.items())),
        bytes=totals["bytes"],
        characters=totals["characters"],
        shards=totals["shards"],
    )


def is_complete(summary: Summary) -> bool:
    """Tell whether it adds up: a row for every input, and each a page or a counted error."""
    counted = summary.ok + sum(summary.errors.values())
    return summary.rows == summary.inputs and counted == summary.rows


def latency_bucket(seconds: float) -> int:
    """Return which of the counts of latencies a row belongs to.

    >>> latency_bucket(0.02), latency_bucket(100)
    (1, 8)
    """
    return sum(seconds > bound for bound in LATENCY_BOUNDS)
