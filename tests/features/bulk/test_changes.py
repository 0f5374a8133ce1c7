"""Files that are changed between two runs of the same command, though they look the same."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from returns.result import Result

from tests.features.bulk.nodes import FakeNodes
from tests.features.bulk.samples import html, record, rows, run
from webseam.composition.features.bulk.bulk_run import RunEnd
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.composition.features.bulk.source_changes import changed_sources, source_marks
from webseam.composition.features.bulk.sources import Source
from webseam.ports.errors import SourceUnreadable, WebError


def _padding(name: str) -> bytes:
    """Return a record that is no input, longer than what is looked at in any case."""
    block = b"x" * 1_100_000
    return (
        (
            f"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:{name}>\r\n"
            f"Content-Type: text/plain\r\nContent-Length: {len(block)}\r\n\r\n"
        ).encode()
        + block
        + b"\r\n\r\n"
    )


def _write(path: Path, content: bytes, when: int) -> None:
    path.write_bytes(content)
    os.utime(path, (when, when))


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_change_in_the_middle_is_noticed_and_one_of_the_time_alone_is_none(
    tmp_path: Path, *, is_folder: bool
) -> None:
    one, other = (
        html(title) if is_folder else _padding("a") + record(1, html(title)) + _padding("b")
        for title in ("Page 1", "Page 2")
    )
    assert len(one) == len(other)
    source = tmp_path / "pages" if is_folder else tmp_path / "pages.warc"
    path = source / "a.html" if is_folder else source
    path.parent.mkdir(exist_ok=True)
    _write(path, one, when=1)
    run(tmp_path / "out", source).unwrap()
    next((tmp_path / "out").glob("part-*")).unlink()

    _write(path, other, when=2)
    refused = run(tmp_path / "out", source).failure()
    _write(path, one, when=3)
    run(tmp_path / "out", source).unwrap()

    assert f"other inputs ({source} has changed);" in refused.message
    assert [row["title"] for row in rows(tmp_path / "out")] == ["Page 1"]


@pytest.mark.parametrize("is_folder", [False, True])
def test_more_than_can_be_looked_at_in_a_moment_is_known_by_its_sizes_and_ends(
    tmp_path: Path, *, is_folder: bool
) -> None:
    path = tmp_path / "pages" / "a.html"
    path.parent.mkdir()
    with path.open("wb") as stream:
        stream.truncate(2**29)
    name = str(path.parent if is_folder else path)
    sources = [Source(kind="folder" if is_folder else "file", name=name)]

    marks = source_marks(sources, tmp_path / "out")
    os.utime(path, (1, 1))

    assert [mark and mark.content for mark in marks] == [""]
    assert changed_sources(marks, sources, tmp_path / "out") == []


def _table(path: Path, titles: list[str], when: int) -> None:
    pq.write_table(pa.table({"html": [html(title) for title in titles]}), path)
    os.utime(path, (when, when))


def _warc(path: Path, titles: list[str], when: int) -> None:
    _write(path, b"".join(record(at, html(title)) for at, title in enumerate(titles)), when)


@pytest.mark.parametrize("engine", ["local", "ray"])
@pytest.mark.parametrize(("name", "write"), [("a.warc", _warc), ("a.parquet", _table)])
def test_a_source_that_is_rewritten_while_it_is_read_stops_the_run(
    tmp_path: Path, name: str, write: Callable[[Path, list[str], int], None], engine: str
) -> None:
    source, out = tmp_path / name, tmp_path / "out"
    old, new = ([f"{word} {number}" for number in range(4)] for word in ("Old", "New"))
    write(source, old, 1)

    def again(rewrite: Callable[[], None] = lambda: None) -> Result[RunEnd, WebError]:
        nodes = FakeNodes(processors=1) if engine == "ray" else None
        watch = RunWatch(
            nodes=nodes, on_row=lambda _row: rewrite(), on_shard=lambda _entry: rewrite()
        )
        return run(out, source, watch=watch, per_shard=1, engine=engine, content_column="html")

    stopped = again(lambda: write(source, new, 2)).failure()
    refused = again().failure()
    write(source, old, 3)
    whole = again(lambda: os.utime(source, (4, 4))).unwrap()

    assert isinstance(stopped, SourceUnreadable)
    assert f"{source} has changed since the run was planned; restore it" in stopped.message
    assert "has changed" in refused.message
    assert whole.summary is not None
    assert [row["title"] for row in rows(out)] == old


def test_a_node_forgets_a_plan_whose_folder_was_removed(tmp_path: Path) -> None:
    source, out = tmp_path / "a.warc", tmp_path / "out"

    def titles(told: list[str], when: int) -> list[object]:
        _warc(source, told, when)
        run(out, source, watch=RunWatch(nodes=FakeNodes(processors=1)), engine="ray").unwrap()
        return [row["title"] for row in rows(out)]

    assert titles(["Old"], 1) == ["Old"]
    shutil.rmtree(out)
    assert titles(["New", "Newer"], 2) == ["New", "Newer"]


@pytest.mark.parametrize("name", ["a.warc", "urls.txt", "urls.csv"])
def test_a_source_that_is_rewritten_while_a_run_is_planned_is_told(
    tmp_path: Path, name: str
) -> None:
    source, when = tmp_path / name, iter(range(10))
    content = record(1) if name == "a.warc" else b"http://10.0.0.1/\nhttp://10.0.0.1/b\n"

    def is_stopping() -> bool:
        _write(source, content, next(when))
        return False

    is_stopping()
    refused = run(tmp_path / "out", source, watch=RunWatch(is_stopping=is_stopping)).failure()
    begun = run(tmp_path / "out", source).unwrap()

    assert isinstance(refused, SourceUnreadable)
    assert f"{source} was changed while it was read; start again" in refused.message
    assert begun.summary is not None


def test_a_plan_of_before_goes_on(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc"
    _write(source, record(1), when=1)
    run(tmp_path / "out", source).unwrap()
    place = tmp_path / "out" / "_plan.json"
    plan = msgspec.json.decode(place.read_bytes())
    del plan["marks"]
    place.write_bytes(msgspec.json.encode(plan))
    _write(source, record(1), when=2)

    assert run(tmp_path / "out", source).unwrap().summary is not None


def test_a_long_list_on_standard_input_is_known_by_all_of_it(tmp_path: Path) -> None:
    lines = [f"#{number:>99}\n".encode() for number in range(30_000)]
    run(tmp_path / "out", "-", stdin=b"".join(lines)).unwrap()
    lines[15_000:15_001] = [b"# another\n", b"# and another\n"]
    refused = run(tmp_path / "out", "-", stdin=b"".join(lines)).failure()

    assert "other inputs" in refused.message
