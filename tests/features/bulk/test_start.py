"""What is at hand when a run begins, and what is loaded later."""

import io
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.features.bulk.nodes import FakeNodes
from tests.features.bulk.samples import Here, record, run
from webseam.adapters.features.bulk.datasets.writers import make_row_writer
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.ports.bulk import BulkRow

_LATER = {"httpx", "pyarrow", "pypdfium2", "turbohtml"}


def test_the_process_that_drives_a_run_loads_neither_the_reader_nor_the_network_at_first() -> None:
    code = "import sys, webseam.bulk; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = done.stdout.split()
    assert "webseam.composition.features.bulk.bulk_run" in loaded
    assert not [name for name in loaded if name in _LATER or ".documents.reader." in name]


class Warmed(Here):
    """Notes how many workers were to be at hand."""

    def __init__(self) -> None:
        self.wanted: list[int] = []

    def warm(self, count: int, /) -> None:
        self.wanted.append(count)


@pytest.mark.parametrize(
    ("size", "engine", "wanted"), [(1, "local", [1]), (1_500_000, "local", [2]), (1, "ray", [])]
)
def test_workers_start_while_the_plan_is_made_where_there_are_pages_to_read(
    size: int, engine: str, wanted: list[int], tmp_path: Path
) -> None:
    source = tmp_path / "a.warc"
    source.write_bytes(record(1, b"<p>" + b"word " * (size // 5) + b"</p>"))
    converter = Warmed()

    run(
        tmp_path / "out",
        source,
        engine=engine,
        watch=RunWatch(converter=converter, nodes=FakeNodes()),
    ).unwrap()

    assert converter.wanted == wanted


def test_a_source_without_a_record_makes_a_run_without_a_row(tmp_path: Path) -> None:
    source = tmp_path / "a.warc"
    source.write_bytes(b"")

    end = run(tmp_path / "out", source).unwrap()

    assert end.summary is not None
    assert end.summary.rows == 0


def test_a_file_without_rows_can_be_read() -> None:
    stream = io.BytesIO()

    with make_row_writer("parquet", stream, BulkRow):
        pass

    columns = [name for name in BulkRow.__struct_fields__ if name != "data"]
    assert pq.read_table(io.BytesIO(stream.getvalue())).column_names == columns
