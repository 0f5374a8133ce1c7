"""Readers of tables that stand where one shard ended, so that the next one goes on from there.

A group of rows can only be read from its beginning: without them, a group of a million rows would
be read through once for each of its thousand shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from ...ports.bulk import BulkItem
from .parquet_tables import read_table_pages

Columns: TypeAlias = tuple[str, str | None]
Read: TypeAlias = Callable[[Path, Columns, int, str], Iterator[BulkItem]]
_MAX_PARKED_READERS: Final = 4
# A reader is worth going on with for so many times what is wanted of it.
_FARTHEST: Final = 64


class TableCursors:
    """The readers of a run; each is used by one shard at a time."""

    def __init__(self, read: Read = read_table_pages) -> None:
        """Open nothing yet."""
        self._read = read
        self._parked: list[tuple[object, int, Iterator[BulkItem]]] = []

    def pages(self, path: Path, columns: Columns, rows: range, source: str) -> Iterator[BulkItem]:
        """Yield the pages that stand in some rows of a table; raises ``OSError``."""
        changed = path.stat()
        key = (path, columns, source, changed.st_size, changed.st_mtime_ns)
        place, pages = self._nearest(key, rows) or (
            rows.start,
            self._read(path, columns, rows.start, source),
        )
        yield from islice(pages, rows.start - place, rows.stop - place)
        self._parked = [*self._parked, (key, rows.stop, pages)][-_MAX_PARKED_READERS:]

    def _nearest(self, key: object, rows: range) -> tuple[int, Iterator[BulkItem]] | None:
        """Take the reader that stands closest before some rows, None where none is near."""
        reach = rows.start - _FARTHEST * len(rows)
        near = [each for each in self._parked if each[0] == key and reach <= each[1] <= rows.start]
        if not near:
            return None
        best = max(near, key=lambda each: each[1])
        self._parked.remove(best)
        return best[1], best[2]
