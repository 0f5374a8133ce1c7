"""Read the inputs of a shard, convert several at a time, and write rows in input order."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from returns.result import Result, Success

from webseam.adapters.features.bulk.datasets.atomic_files import file_sha256, open_atomic_file
from webseam.adapters.features.bulk.datasets.parquet_tables import TableCursors
from webseam.adapters.features.bulk.datasets.writers import RowWriter, make_row_writer
from webseam.adapters.threads import run_thread_to_end
from webseam.kernel.features.bulk import bulk_rows
from webseam.kernel.features.bulk.counts import LATENCY_BOUNDS, ShardEntry, shard_latency_bucket
from webseam.kernel.features.bulk.url_lists import crawl_host
from webseam.ports.bulk import BulkItem, BulkRow, Shard
from webseam.ports.errors import WebError
from webseam.ports.pages import ReadPage

from .conversion import Converter
from .items import shard_items
from .options import BulkOptions
from .source_watch import SourceChangedError, SourceWatch

if TYPE_CHECKING:
    from .row_data import RowData

MAX_GROUP_ROWS: Final = 1000
MAX_GROUP_CHARS: Final = 16_000_000
_CONVERSIONS_AHEAD_PER_WORKER: Final = 3
_MAX_BYTES_AHEAD: Final = 48 * 1024 * 1024

OnRow = Callable[[BulkRow], None]


class ShardDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Collaborators of all shards of a run; source names are relative to ``base``."""

    folder: Path
    options: BulkOptions
    conversion: Converter
    rules: bulk_rows.RowRules
    row_data: RowData | None = None
    on_row: OnRow = lambda _row: None
    is_stopping: Callable[[], bool] = lambda: False
    base: Path = Path()
    cursors: TableCursors = msgspec.field(default_factory=TableCursors)
    source_watch: SourceWatch = msgspec.field(default_factory=SourceWatch)


class _ConvertedItem(NamedTuple):
    item: BulkItem
    outcome: Result[ReadPage, WebError]
    data: dict[str, Any] | None
    seconds: float


class ShardStoppedError(Exception):
    """The run stops, so the file of an open shard is not written."""


async def run_shard(shard: Shard, deps: ShardDeps) -> ShardEntry:
    """Write a shard and return its manifest entry; running it again gives equal bytes.

    Raises ``ShardStoppedError`` when the run stops, and ``OSError`` when a source is gone or the
    disk is full; then it leaves no file.
    """
    began, start = time.time(), time.monotonic()
    path = deps.folder / f"{shard.name}.{deps.options.form}"
    tally = _ShardTally()
    with open_atomic_file(path) as stream:
        check = partial(deps.source_watch.check, shard, deps.folder, deps.base)
        try:
            wanted = None if deps.row_data is None else deps.row_data.schema
            with make_row_writer(deps.options.form, stream, BulkRow, wanted) as writer:
                await _write_rows(shard, deps, writer, tally)
        except OSError:
            # A changed source explains the error better.
            await asyncio.to_thread(check)
            raise
        await asyncio.to_thread(check)
        if tally.rows != shard.rows:
            raise SourceChangedError(shard.source)
    digest = await asyncio.to_thread(file_sha256, path)
    return tally.make_entry(shard, path, digest, began, time.monotonic() - start)


async def _write_rows(shard: Shard, deps: ShardDeps, writer: RowWriter, tally: _ShardTally) -> None:
    group: list[BulkRow] = []
    characters = 0
    async for converted in _convert_items(shard, deps):
        if deps.is_stopping():
            raise ShardStoppedError
        number = shard.first + tally.rows
        row = bulk_rows.make_bulk_row(number, converted.item, converted.outcome, deps.rules)
        if converted.data is not None and row.error is None:
            row = msgspec.structs.replace(row, data=converted.data)
        tally.count_row(row, converted)
        deps.on_row(row)
        group.append(row)
        characters += len(row.content or "")
        if len(group) == MAX_GROUP_ROWS or characters >= MAX_GROUP_CHARS:
            await run_thread_to_end(partial(writer.write, group))
            group, characters = [], 0
    if group:
        await run_thread_to_end(partial(writer.write, group))


async def _convert_items(shard: Shard, deps: ShardDeps) -> AsyncIterator[_ConvertedItem]:
    """Yield the outcome of each input in order, and convert a few inputs ahead."""
    max_waiting = deps.conversion.count * _CONVERSIONS_AHEAD_PER_WORKER
    waiting: deque[tuple[int, asyncio.Task[_ConvertedItem]]] = deque()
    waiting_bytes = 0
    try:
        for item in shard_items(shard, deps.folder, deps.options, deps.base, deps.cursors):
            waiting.append((len(item.body), asyncio.ensure_future(_convert_timed_item(item, deps))))
            waiting_bytes += len(item.body)
            while len(waiting) >= max_waiting or waiting_bytes > _MAX_BYTES_AHEAD:
                body_bytes, task = waiting.popleft()
                yield await task
                waiting_bytes -= body_bytes
        while waiting:
            yield await waiting.popleft()[1]
    finally:
        for _, task in waiting:
            task.cancel()


async def _convert_timed_item(item: BulkItem, deps: ShardDeps) -> _ConvertedItem:
    start = time.monotonic()
    outcome = await deps.conversion.convert(item)
    data = None
    if deps.row_data is not None and isinstance(outcome, Success):
        data = await deps.row_data.prove(item)
    return _ConvertedItem(item, outcome, data, time.monotonic() - start)


class _ShardTally:
    def __init__(self) -> None:
        self.rows = self._ok = self._kept = self._bytes = self._characters = self._unsure = 0
        self._left_out = 0
        self._errors: Counter[str] = Counter()
        self._hosts: Counter[str] = Counter()
        self._languages: Counter[str] = Counter()
        self._latencies = [0] * (len(LATENCY_BOUNDS) + 1)

    def count_row(self, row: BulkRow, converted: _ConvertedItem) -> None:
        self.rows += 1
        self._kept += row.kept is not False
        self._bytes += row.body_bytes
        self._characters += len(row.content or "")
        self._unsure += bulk_rows.is_bulk_machine_overload(converted.outcome)
        self._left_out += bulk_rows.is_over_bulk_byte_limit(converted.item.error)
        self._latencies[shard_latency_bucket(converted.seconds)] += 1
        if row.error is None:
            self._ok += 1
            self._languages[row.language or "unknown"] += 1
        else:
            self._errors[row.error] += 1
            self._hosts[crawl_host(row.url or "")] += 1

    def make_entry(
        self, shard: Shard, path: Path, digest: str, began: float, seconds: float
    ) -> ShardEntry:
        return ShardEntry(
            shard=shard.number,
            name=path.name,
            rows=self.rows,
            ok=self._ok,
            kept=self._kept,
            errors=dict(self._errors),
            hosts=dict(self._hosts.most_common(20)),
            languages=dict(self._languages),
            bytes=self._bytes,
            characters=self._characters,
            sha256=digest,
            unsure=self._unsure,
            # Only shards of URLs can fetch more pages later.
            left_out=self._left_out if shard.kind == "urls" else 0,
            began=began,
            seconds=seconds,
            latencies=self._latencies,
            size=path.stat().st_size,
        )
