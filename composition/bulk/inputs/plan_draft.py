"""A plan while it is written: its shards and the entries of its lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final, Literal, TypeVar

import msgspec

from ....adapters.bulk.crawling.duplicate_urls import DuplicateUrls
from ....adapters.bulk.datasets import warc
from ....kernel.bulk.cuts import split_into_shards
from ....kernel.bulk.url_lists import ListEntry, host_spelling, page_spelling
from ....ports.bulk import Shard, ShardKind
from ....ports.errors import CallRefused, InvalidQuery, InvalidUrl
from ..options import URLS_PER_SHARD, BulkOptions
from .sources import Source

ENTRIES: Final = "_inputs.jsonl"
STOPPED: Final = CallRefused(by="Ctrl-C", reason="the run was stopped")
Value = TypeVar("Value")


class PlanDraft:
    """A plan that is being written; ``is_stopped`` when nobody waits for the rest of it."""

    def __init__(
        self,
        shards: BinaryIO,
        entries: BinaryIO,
        options: BulkOptions,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """Write to two files; when ``is_stopping``, no further input is looked at."""
        self._shards, self._entries = shards, entries
        self._is_stopping = is_stopping
        self.is_stopped = False
        self.options = options
        self.number = self.rows = 0
        self.hosts: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.listed = DuplicateUrls()

    def _until_stop(self, things: Iterable[Value]) -> Iterator[Value]:
        for thing in things:
            if self._is_stopping():
                self.is_stopped = True
                return
            yield thing

    def add(self, kind: ShardKind, source: str, offset: int, rows: int) -> None:
        """Note a shard."""
        shard = Shard(
            number=self.number, kind=kind, source=source, offset=offset, first=self.rows, rows=rows
        )
        self._shards.write(msgspec.json.encode(shard) + b"\n")
        self.number, self.rows = self.number + 1, self.rows + rows

    def add_warc(self, source: Source) -> None:
        """Note the shards of a WARC file; raises ``OSError``."""

        def skip(kind: str) -> None:
            self.left_out[kind] += 1

        offsets = self._until_stop(warc.input_offsets(source.path, skip))
        cuts = list(split_into_shards(offsets, self.options.per_shard))
        if all(warc.can_begin_at(source.path, offset) for offset, _ in cuts):
            for offset, rows in cuts:
                self.add("warc", source.name, offset, rows)
        else:
            self.add("warc", source.name, 0, sum(rows for _, rows in cuts))

    def add_entries(self, entries: Iterable[ListEntry], kind: Literal["files", "urls"]) -> None:
        """Note the entries of a list, and the shards that they make up."""
        most = self.options.per_shard
        size = min(most, URLS_PER_SHARD) if kind == "urls" else most
        for offset, rows in split_into_shards(self._written(entries), size):
            self.add(kind, ENTRIES, offset, rows)

    def _written(self, entries: Iterable[ListEntry]) -> Iterator[int]:
        for entry in self._until_stop(entries):
            offset = self._entries.tell()
            self._entries.write(msgspec.json.encode(self._within_cap(entry)) + b"\n")
            yield offset

    def _within_cap(self, entry: ListEntry) -> ListEntry:
        """Count an address for its host; what is over the host's cap is not asked for."""
        if entry.url is None or entry.error is not None:
            return _placed(entry)
        host = host_spelling(entry.url)
        cap = self.options.max_per_host
        if host and cap is not None and self.hosts[host] >= cap:
            error = CallRefused(by="--max-per-host", reason=f"the host has {cap:,} URLs before it")
            return msgspec.structs.replace(entry, error=error)
        self.hosts[host] += 1
        self.listed.add_page(page_spelling(entry.url))
        return entry


def _placed(entry: ListEntry) -> ListEntry:
    """Return an entry whose error says where it stands: its row has no address to tell it by."""
    error = entry.error
    if entry.url is not None or not isinstance(error, InvalidQuery | InvalidUrl):
        return entry
    reason = f"{error.reason} ({entry.source}:{entry.offset})"
    return msgspec.structs.replace(entry, error=msgspec.structs.replace(error, reason=reason))
