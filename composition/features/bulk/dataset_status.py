"""The progress of a run, from the files in its folder alone."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Mapping, Set as AbstractSet
from contextlib import suppress
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.crawling.group_results import scan_spool, spool_piece_numbers
from webseam.adapters.features.bulk.datasets import warc
from webseam.adapters.features.bulk.datasets.folder_lock import is_folder_locked
from webseam.kernel.features.bulk.counts import ShardEntry, Summary, sum_shards
from webseam.ports.bulk import Shard
from webseam.ports.errors import InvalidQuery, WebError

from .items import CRAWL, SPOOLS, shard_spool, shard_warc, warc_folder
from .manifest import load_run_summary, read_written_shards
from .plan import SHARDS, load_run_plan, read_shards

_RATE_WINDOW_SECONDS = 600.0


def unread_page_count(folder: Path, entries: Mapping[int, ShardEntry]) -> int:
    """Return how many fetched pages of a planned run are not read yet."""
    on_cluster = {
        number
        for path in (folder / SPOOLS).glob("round-*/group-*/*.spool")
        for number in _spooled_numbers_if_any(path)
    }
    if not (folder / SHARDS).is_file():
        # A resumed run writes this file again.
        return 0
    unread = (shard for shard in read_shards(folder) if shard.number not in entries)
    waiting = (shard for shard in unread if shard.kind == "urls")
    return sum(_fetched_page_count(shard, folder, on_cluster) for shard in waiting)


def _fetched_page_count(shard: Shard, folder: Path, on_cluster: AbstractSet[int]) -> int:
    if shard_warc(shard, folder).is_file():
        return shard.rows
    rows_fetched = set(_spooled_numbers_if_any(shard_spool(shard, folder)))
    rows_fetched |= {row for row in range(shard.rows) if shard.first + row in on_cluster}
    return len(rows_fetched)


def crawled_page_count(folder: Path) -> int:
    """Return how many pages an unplanned crawl has fetched."""
    rounds = sorted(warc_folder(folder).glob("round-*.warc.gz"))
    spools = (path for path in (folder / SPOOLS).glob("*") if path.is_file())
    spooled = sum(1 for path in spools for _ in _spooled_numbers_if_any(path))
    return sum(1 for path in rounds for _ in warc.warc_input_offsets(path)) + spooled


def fetched_bytes(folder: Path) -> int:
    """Return how many bytes of pages a local run has fetched; raises ``OSError``."""
    size = 0
    for path in sorted(warc_folder(folder).glob("*.warc.gz")):
        with path.open("rb") as stream:
            size += warc.fetched_body_bytes(stream)
    for path in (spool for spool in (folder / SPOOLS).glob("*") if spool.is_file()):
        with path.open("rb") as stream:
            for start, length in scan_spool(stream)[0].values():
                stream.seek(start)
                size += warc.fetched_body_bytes(io.BytesIO(stream.read(length)))
    return size


def _spooled_numbers_if_any(path: Path) -> Iterator[int]:
    # The fetching process may have removed the spool meanwhile.
    with suppress(OSError):
        yield from spool_piece_numbers(path)


class RunStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a run; ``rate`` is recent rows per second, ``left`` is in seconds.

    ``running`` is None where the platform cannot tell. ``fetched`` pages are not read yet. ``lost``
    files are missing or damaged, and not counted. Nothing is planned while a crawl looks for pages.
    A row that worked is a ``noun``: a page, or the answer to a search.
    """

    planned_rows: int = 0
    planned_shards: int = 0
    so_far: Summary
    over: bool = False
    rate: float | None = None
    left: float | None = None
    running: bool | None = None
    fetched: int = 0
    noun: str = "page"
    lost: list[str] = []


def read_run_status(folder: Path, *, check: bool = False) -> Result[RunStatus, WebError]:
    """Return the progress of the run in a folder; ``check`` verifies every byte."""
    plan = load_run_plan(folder)
    # A run that is planning or crawling has no plan yet.
    if plan is None and ((folder / CRAWL).is_file() or is_folder_locked(folder)):
        so_far, running = sum_shards((), 0), is_folder_locked(folder)
        return Success(
            RunStatus(so_far=so_far, running=running, fetched=crawled_page_count(folder))
        )
    if plan is None:
        return Failure(InvalidQuery(field="folder", reason=f"{folder} holds no run"))
    written, _, lost = read_written_shards(folder, check=check)
    entries = {number: entry for number, entry in written.items() if entry.name not in lost}
    so_far = sum_shards(entries.values(), plan.rows)
    rate = _recent_row_rate(list(entries.values()), time.time())
    rest = plan.rows - so_far.rows
    return Success(
        RunStatus(
            planned_rows=plan.rows,
            planned_shards=plan.shards,
            so_far=so_far,
            over=load_run_summary(folder) is not None and not lost,
            rate=rate,
            left=rest / rate if rate else None,
            running=is_folder_locked(folder),
            fetched=unread_page_count(folder, entries) if plan.urls else 0,
            noun=plan.noun,
            lost=lost,
        )
    )


def _recent_row_rate(entries: list[ShardEntry], now: float) -> float | None:
    recent = [
        entry for entry in entries if entry.began + entry.seconds > now - _RATE_WINDOW_SECONDS
    ]
    if not recent:
        return None
    since = max(min(entry.began for entry in recent), now - _RATE_WINDOW_SECONDS)
    until = max(entry.began + entry.seconds for entry in recent)
    return sum(entry.rows for entry in recent) / max(until - since, 0.001)
