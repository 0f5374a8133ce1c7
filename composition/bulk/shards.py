"""One shard: its inputs read, converted some at a time, and written in their order."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from returns.result import Result

from ...adapters.datasets.cursors import TableCursors
from ...adapters.datasets.parts import digest_of, whole_file
from ...adapters.datasets.writers import RowWriter, writer_of
from ...adapters.threads import to_its_end
from ...kernel.bulk.counts import LATENCY_BOUNDS, ShardEntry, latency_place
from ...kernel.bulk.lists import host_of
from ...kernel.bulk.rows import RowRules, is_left_out, is_of_machine, row_of
from ...ports.bulk import BulkItem, BulkRow, Shard
from ...ports.errors import WebError
from ...ports.pages import ReadPage
from .conversion import Converter
from .inputs.items import items_of
from .inputs.vigil import SourceChangedError, Vigil
from .options import BulkOptions

ROWS_PER_GROUP: Final = 1000
CHARACTERS_PER_GROUP: Final = 16_000_000
_AHEAD_PER_WORKER: Final = 3
_BYTES_AHEAD: Final = 48 * 1024 * 1024

OnRow = Callable[[BulkRow], None]


class Workshop(msgspec.Struct, frozen=True, kw_only=True):
    """What all shards of a run are made with; names of sources begin at ``base``."""

    folder: Path
    options: BulkOptions
    conversion: Converter
    rules: RowRules
    on_row: OnRow = lambda _row: None
    base: Path = Path()
    cursors: TableCursors = msgspec.field(default_factory=TableCursors)
    vigil: Vigil = msgspec.field(default_factory=Vigil)


class _Converted(NamedTuple):
    item: BulkItem
    outcome: Result[ReadPage, WebError]
    seconds: float


async def run_shard(shard: Shard, shop: Workshop) -> ShardEntry:
    """Write a shard and return its line for the manifest. Twice is harmless: the bytes are equal.

    Raises ``OSError`` when a source is gone or the disk is full, and then leaves no file.
    """
    began, start = time.time(), time.monotonic()
    path = shop.folder / f"{shard.name}.{shop.options.form}"
    tally = _Tally()
    with whole_file(path) as stream:
        check = partial(shop.vigil.check, shard, shop.folder, shop.base)
        try:
            with writer_of(shop.options.form, stream, BulkRow) as writer:
                await _write(shard, shop, writer, tally)
        except OSError:
            # A source that has changed explains it.
            await asyncio.to_thread(check)
            raise
        await asyncio.to_thread(check)
        if tally.rows != shard.rows:
            raise SourceChangedError(shard.source)
    digest = await asyncio.to_thread(digest_of, path)
    entry = tally.entry(shard, path.name, digest, began, time.monotonic() - start)
    return msgspec.structs.replace(entry, size=path.stat().st_size)


async def _write(shard: Shard, shop: Workshop, writer: RowWriter, tally: _Tally) -> None:
    group: list[BulkRow] = []
    characters = 0
    async for converted in _converted(shard, shop):
        row = row_of(shard.first + tally.rows, converted.item, converted.outcome, shop.rules)
        tally.count(row, converted)
        shop.on_row(row)
        group.append(row)
        characters += len(row.content or "")
        if len(group) == ROWS_PER_GROUP or characters >= CHARACTERS_PER_GROUP:
            await to_its_end(partial(writer.write, group))
            group, characters = [], 0
    if group:
        await to_its_end(partial(writer.write, group))


async def _converted(shard: Shard, shop: Workshop) -> AsyncIterator[_Converted]:
    """Yield what comes of each input, in their order, a few conversions ahead of it."""
    ahead = shop.conversion.count * _AHEAD_PER_WORKER
    waiting: deque[tuple[int, asyncio.Task[_Converted]]] = deque()
    size = 0
    try:
        for item in items_of(shard, shop.folder, shop.options, shop.base, shop.cursors):
            waiting.append((len(item.body), asyncio.ensure_future(_convert(item, shop))))
            size += len(item.body)
            while len(waiting) >= ahead or size > _BYTES_AHEAD:
                bytes_, task = waiting.popleft()
                yield await task
                size -= bytes_
        while waiting:
            yield await waiting.popleft()[1]
    finally:
        for _, task in waiting:
            task.cancel()


async def _convert(item: BulkItem, shop: Workshop) -> _Converted:
    start = time.monotonic()
    outcome = await shop.conversion.convert(item)
    return _Converted(item, outcome, time.monotonic() - start)


class _Tally:
    """The counts of a shard."""

    def __init__(self) -> None:
        self.rows = self._ok = self._kept = self._bytes = self._characters = self._unsure = 0
        self._left_out = 0
        self._errors: Counter[str] = Counter()
        self._hosts: Counter[str] = Counter()
        self._languages: Counter[str] = Counter()
        self._latencies = [0] * (len(LATENCY_BOUNDS) + 1)

    def count(self, row: BulkRow, converted: _Converted) -> None:
        self.rows += 1
        self._kept += row.kept is not False
        self._bytes += row.body_bytes
        self._characters += len(row.content or "")
        self._unsure += is_of_machine(converted.outcome)
        self._left_out += is_left_out(converted.item.error)
        self._latencies[latency_place(converted.seconds)] += 1
        if row.error is None:
            self._ok += 1
            self._languages[row.language or "unknown"] += 1
        else:
            self._errors[row.error] += 1
            self._hosts[host_of(row.url or "")] += 1

    def entry(
        self, shard: Shard, name: str, digest: str, began: float, seconds: float
    ) -> ShardEntry:
        return ShardEntry(
            shard=shard.number,
            name=name,
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
            # Of WARC files of others nothing more can be fetched.
            left_out=self._left_out if shard.kind == "urls" else 0,
            began=began,
            seconds=seconds,
            latencies=self._latencies,
        )
