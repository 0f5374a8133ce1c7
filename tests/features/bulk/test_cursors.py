"""Shards of one large group of rows: read on from where the last one ended."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from webseam.adapters.features.bulk.datasets.parquet_tables import (
    PageColumns,
    TableCursors,
    read_table_pages,
)
from webseam.ports.bulk import BulkItem

COLUMNS = ("html", None)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "a.parquet"
    rows = pa.table({"html": [f"<p>{number}</p>" for number in range(100)]})
    pq.write_table(rows, path, row_group_size=100)
    return path


class Reading:
    def __init__(self) -> None:
        self.begun: list[int] = []
        self.read = 0

    def __call__(
        self, path: Path, columns: PageColumns, start: int, name: str
    ) -> Iterator[BulkItem]:
        self.begun.append(start)
        for item in read_table_pages(path, columns, start, name):
            self.read += 1
            yield item


def test_shards_in_their_order_read_a_group_once(table: Path) -> None:
    reading = Reading()
    cursors = TableCursors(reading)

    made = [
        item.offset
        for start in range(0, 100, 10)
        for item in cursors.read_pages(table, COLUMNS, range(start, start + 10), "a")
    ]

    assert made == list(range(100))
    assert (reading.begun, reading.read) == ([0], 100)


def test_two_shards_at_a_time_read_it_twice_at_most(table: Path) -> None:
    reading = Reading()
    cursors = TableCursors(reading)
    one = cursors.read_pages(table, COLUMNS, range(10), "a")
    other = cursors.read_pages(table, COLUMNS, range(10, 20), "a")
    offsets = [next(one).offset, next(other).offset]
    offsets += [item.offset for shard in (other, one) for item in shard]
    for start in range(20, 100, 10):
        shard = cursors.read_pages(table, COLUMNS, range(start, start + 10), "a")
        offsets += [item.offset for item in shard]

    assert sorted(offsets) == list(range(100))
    assert (reading.begun, reading.read) == ([0, 10], 100)


def test_rows_before_or_far_behind_and_other_tables_begin_anew(table: Path) -> None:
    reading = Reading()
    cursors = TableCursors(reading)
    for rows, columns in (
        (range(50, 51), COLUMNS),
        (range(2), COLUMNS),
        (range(70, 71), COLUMNS),
        (range(71, 72), ("html", "html")),
    ):
        list(cursors.read_pages(table, columns, rows, "a"))
    pq.write_table(pq.read_table(table).slice(0, 80), table)
    list(cursors.read_pages(table, COLUMNS, range(71, 73), "a"))

    assert reading.begun == [50, 0, 71, 71]
