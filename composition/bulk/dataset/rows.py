"""The rows of a run, read back one group at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ....adapters.datasets.tables import all_rows
from ....ports.bulk import BulkRow

_ROW = msgspec.json.Decoder(BulkRow)


def read_rows(folder: Path) -> Iterator[BulkRow]:
    """Yield the rows of a folder in their order; raises ``OSError`` and what pyarrow raises."""
    for path in sorted((*folder.glob("part-*.parquet"), *folder.glob("part-*.jsonl"))):
        yield from rows_in(path)


def rows_in(path: Path) -> Iterator[BulkRow]:
    """Yield the rows of one part; likewise."""
    if path.suffix == ".parquet":
        for row in all_rows(path):
            yield msgspec.convert(row, BulkRow)
        return
    with path.open("rb") as lines:
        for line in lines:
            yield _ROW.decode(line)
