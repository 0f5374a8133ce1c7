"""A plan while it is written: its shards and the entries of its lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final, Literal, TypeVar

import msgspec

from webseam.adapters.features.bulk.crawling.duplicate_urls import DuplicateUrls
from webseam.adapters.features.bulk.datasets import warc
from webseam.kernel.features.bulk.cuts import split_into_shards
from webseam.kernel.features.bulk.url_lists import ListEntry, crawl_host, crawl_page_url
from webseam.ports.bulk import Shard, ShardKind
from webseam.ports.errors import CallRefused, InvalidQuery, InvalidUrl

from .options import MAX_URLS_PER_SHARD, BulkOptions
from .sources import Source

ENTRIES: Final = "_inputs.jsonl"
RUN_STOPPED: Final = CallRefused(by="Ctrl-C", reason="the run was stopped")
Value = TypeVar("Value")


class PlanDraft:
    """A plan that is being written; ``is_stopped`` when the run was stopped during that."""

    def __init__(
        self,
        shards: BinaryIO,
        entries: BinaryIO,
        options: BulkOptions,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """Write to two files; when ``is_stopping``, read no further input."""
        self._shards, self._entries = shards, entries
        self._is_stopping = is_stopping
        self.is_stopped = False
        self.options = options
        self.number = self.rows = 0
        self.hosts: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.listed = DuplicateUrls()

    def _take_until_stop(self, items: Iterable[Value]) -> Iterator[Value]:
        for item in items:
            if self._is_stopping():
                self.is_stopped = True
                return
            yield item

    def add_shard(self, kind: ShardKind, source: str, offset: int, rows: int) -> None:
        """Write a shard to the plan."""
        shard = Shard(
            number=self.number, kind=kind, source=source, offset=offset, first=self.rows, rows=rows
        )
        self._shards.write(msgspec.json.encode(shard) + b"\n")
        self.number, self.rows = self.number + 1, self.rows + rows

    def add_warc(self, source: Source) -> None:
        """Write the shards of a WARC file; raises ``OSError``."""

        def skip(kind: str) -> None:
            self.left_out[kind] += 1

        offsets = self._take_until_stop(warc.warc_input_offsets(source.path, skip))
        shard_starts = list(split_into_shards(offsets, self.options.per_shard))
        if all(warc.can_begin_warc_at(source.path, offset) for offset, _ in shard_starts):
            for offset, rows in shard_starts:
                self.add_shard("warc", source.name, offset, rows)
        else:
            self.add_shard("warc", source.name, 0, sum(rows for _, rows in shard_starts))

    def add_entries(self, entries: Iterable[ListEntry], kind: Literal["files", "urls"]) -> None:
        """Write the entries of a list and the shards that they fill."""
        per_shard = self.options.per_shard
        size = min(per_shard, MAX_URLS_PER_SHARD) if kind == "urls" else per_shard
        for offset, rows in split_into_shards(self._write_entries(entries), size):
            self.add_shard(kind, ENTRIES, offset, rows)

    def _write_entries(self, entries: Iterable[ListEntry]) -> Iterator[int]:
        for entry in self._take_until_stop(entries):
            offset = self._entries.tell()
            self._entries.write(msgspec.json.encode(self._apply_host_cap(entry)) + b"\n")
            yield offset

    def _apply_host_cap(self, entry: ListEntry) -> ListEntry:
        """Count a URL for its host; give a URL over the host's cap an error."""
        if entry.url is None or entry.error is not None:
            return _add_entry_location(entry)
        host = crawl_host(entry.url)
        cap = self.options.max_per_host
        if host and cap is not None and self.hosts[host] >= cap:
            error = CallRefused(by="--max-per-host", reason=f"the host has {cap:,} URLs before it")
            return msgspec.structs.replace(entry, error=error)
        self.hosts[host] += 1
        self.listed.add_page(crawl_page_url(entry.url), host)
        return entry


def _add_entry_location(entry: ListEntry) -> ListEntry:
    """Add source and line to the error of an entry without a URL, so its row can be found."""
    error = entry.error
    if entry.url is not None or not isinstance(error, InvalidQuery | InvalidUrl):
        return entry
    reason = f"{error.reason} ({entry.source}:{entry.offset})"
    return msgspec.structs.replace(entry, error=msgspec.structs.replace(error, reason=reason))
