"""Pages that have been fetched and wait to be read, counted from the files that keep them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Set as AbstractSet
from contextlib import suppress
from pathlib import Path

from ....adapters.crawling.spool import scan_spool, spooled_numbers
from ....adapters.datasets import warc
from ....kernel.bulk.counts import ShardEntry
from ....ports.bulk import Shard
from ..inputs.items import SPOOLS, shard_spool, shard_warc, warc_folder
from ..inputs.plan import SHARDS, read_shards


def waiting_pages(folder: Path, entries: Mapping[int, ShardEntry]) -> int:
    """Return how many pages of a planned run are fetched, without those of shards that are read."""
    on_cluster = {
        number
        for path in (folder / SPOOLS).glob("round-*/group-*/*.spool")
        for number in _numbers(path)
    }
    if not (folder / SHARDS).is_file():
        # The run makes it again when it goes on.
        return 0
    waiting = (
        shard
        for shard in read_shards(folder)
        if shard.number not in entries and shard.kind == "urls"
    )
    return sum(_fetched(shard, folder, on_cluster) for shard in waiting)


def _fetched(shard: Shard, folder: Path, on_cluster: AbstractSet[int]) -> int:
    if shard_warc(shard, folder).is_file():
        return shard.rows
    own = set(_numbers(shard_spool(shard, folder)))
    own |= {row for row in range(shard.rows) if shard.first + row in on_cluster}
    return len(own)


def crawled_pages(folder: Path) -> int:
    """Return how many pages a crawl has fetched that is not planned yet."""
    rounds = sorted(warc_folder(folder).glob("round-*.warc.gz"))
    return sum(1 for path in rounds for _ in warc.input_offsets(path)) + _spooled(folder)


def fetched_bytes(folder: Path) -> int:
    """Return how many bytes of pages a run on one machine has fetched; raises ``OSError``."""
    size = 0
    for path in sorted(warc_folder(folder).glob("*.warc.gz")):
        with path.open("rb") as stream:
            size += warc.fetched_bytes(stream)
    for path in (each for each in (folder / SPOOLS).glob("*") if each.is_file()):
        with path.open("rb") as stream:
            for start, length in scan_spool(stream)[0].values():
                stream.seek(start)
                size += warc.fetched_bytes(io.BytesIO(stream.read(length)))
    return size


def _spooled(folder: Path) -> int:
    files = (path for path in (folder / SPOOLS).glob("*") if path.is_file())
    return sum(1 for path in files for _ in _numbers(path))


def _numbers(path: Path) -> Iterator[int]:
    # Whoever fetches may have put it away meanwhile.
    with suppress(OSError):
        yield from spooled_numbers(path)
