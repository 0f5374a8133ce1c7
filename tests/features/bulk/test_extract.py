"""Files of many pages into a dataset: a row for every input, and the same bytes twice."""

import errno
import gzip
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from returns.result import Failure, Result

from tests.features.bulk.samples import Here, digests, html, packed, record, rows, run
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.ports.bulk import BulkItem
from webseam.ports.errors import InvalidQuery, ParseFailed, StoreFailed, WebError
from webseam.ports.pages import ReadPage

BAD = packed(2)[:40] + b"\xff\xff\xff" + packed(2)[43:]


def test_every_record_is_a_row_in_its_order_and_the_counts_add_up(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1) + packed(2, status=404) + packed(3, b"<p></p>") + packed(4))

    end = run(tmp_path / "out", source, per_shard=3).unwrap()
    made = rows(tmp_path / "out")

    assert [(row["row"], row["url"], row["error"]) for row in made] == [
        (0, "https://example.com/1", None),
        (1, "https://example.com/2", "http_status"),
        (2, "https://example.com/3", "empty_content"),
        (3, "https://example.com/4", None),
    ]
    assert made[0]["title"] == "Page 1"
    assert made[0]["language"] == "en"
    assert end.summary is not None
    assert (end.summary.inputs, end.summary.ok, end.summary.failed, end.summary.shards) == (
        4,
        2,
        2,
        2,
    )
    assert end.summary.errors == {"empty_content": 1, "http_status": 1}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (packed(1) + BAD + packed(3), ["1", None, "3"]),
        (packed(1) + BAD + BAD + packed(3), ["1", None, "3"]),
        (packed(1) + b"garbage" + packed(3), ["1", None, "3"]),
        (packed(1) + packed(2, b"<p>word</p>" * 500)[:-20], ["1", "2"]),
        (packed(1) + packed(2)[:40], ["1", None]),
        (packed(1) + gzip.compress(b"") + b"\r\n", ["1"]),
        (packed(1) + gzip.compress(b"") * 2 + packed(2) + packed(3), ["1", "2", "3"]),
        (packed(1) + packed(2)[:-8] + bytes(8), ["1", None]),
        (packed(1)[:40], [None]),
        (record(1) + record(2)[:3], ["1", None]),
        (record(1) + record(2)[:25], ["1", None]),
        (b"<html>nothing</html>", [None]),
        (record(1) + record(2, length=30) + record(3), ["1", "2", "3"]),
    ],
    ids=[
        "corrupt",
        "twice",
        "garbage",
        "cut",
        "cut-head",
        "blank-end",
        "blank-between",
        "wrong-sum",
        "cut-first",
        "cut-mark",
        "cut-plain",
        "no-warc",
        "short",
    ],
)
def test_a_broken_stretch_is_a_row_and_the_rest_is_read(
    content: bytes, expected: list[str | None], tmp_path: Path
) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(content)

    end = run(tmp_path / "out", source, form="jsonl").unwrap()
    made = [
        row["url"] and str(row["url"]).rpartition("/")[2] for row in json_rows(tmp_path / "out")
    ]

    assert made == expected
    assert end.summary is not None
    assert end.summary.rows == len(expected)


def json_rows(folder: Path) -> list[dict[str, object]]:
    import msgspec  # noqa: PLC0415

    decoder = msgspec.json.Decoder(dict[str, object])
    return [
        row
        for path in sorted(folder.glob("part-*.jsonl"))
        for row in decoder.decode_lines(path.read_bytes())
    ]


def test_a_run_that_was_ended_goes_on_and_gives_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(b"".join(packed(number) for number in range(8)))
    seen = 0

    def count(_: object) -> None:
        nonlocal seen
        seen += 1

    # With workers of their own, whose answers come in any order.
    whole = run(tmp_path / "whole", source, per_shard=2, watch=RunWatch()).unwrap()
    stopped = run(
        tmp_path / "parts",
        source,
        per_shard=2,
        watch=RunWatch(on_row=count, converter=Here(), is_stopping=lambda: seen > 0),
    ).unwrap()
    (tmp_path / "parts" / ".part-000003.parquet.0.tmp").write_bytes(b"left by one that was killed")
    with (tmp_path / "parts" / "_manifest.jsonl").open("ab") as manifest:
        manifest.write(b'{"shard": 3, "na')
    gone_on = run(tmp_path / "parts", source, per_shard=2).unwrap()

    assert stopped.summary is None
    assert whole.summary == gone_on.summary
    assert digests(tmp_path / "whole") == digests(tmp_path / "parts")
    assert not list((tmp_path / "parts").glob(".*"))


@pytest.mark.parametrize("name", ["a.warc.gz", "urls.txt", "http://10.0.0.1/"])
def test_a_stop_while_inputs_are_counted_leaves_no_plan(name: str, tmp_path: Path) -> None:
    source = tmp_path / name
    if not name.startswith("http"):
        source.write_bytes(b"".join(packed(number) for number in range(8)))

    watch = RunWatch(converter=Here(), is_stopping=lambda: True)
    words = name if name.startswith("http") else source
    stopped = run(tmp_path / "out", words, watch=watch).unwrap()

    assert stopped.summary is None
    assert not (tmp_path / "out" / "_plan.json").exists()
    assert run(tmp_path / "out", words).unwrap().summary is not None


def test_a_folder_of_pages_and_an_unreadable_file(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.html").write_bytes(html("Bread"))
    (folder / "deep" / "a.md").write_text("# Wine\n\nSome words about wine.")
    (folder / "gone.html").symlink_to(folder / "missing.html")

    run(tmp_path / "out", folder)

    assert [(row["source"], row["title"], row["error"]) for row in rows(tmp_path / "out")] == [
        ("b.html", "Bread", None),
        ("gone.html", None, "source_unreadable"),
        ("deep/a.md", "Wine", None),
    ]


@pytest.mark.parametrize("column", ["url", None])
def test_pages_in_a_column_of_parquet(column: str | None, tmp_path: Path) -> None:
    source = tmp_path / "pages.parquet"
    cells = [html("One").decode(), None, html("Three").decode()]
    pq.write_table(
        pa.table({"html": cells, "url": ["https://a.example/1", "https://a.example/2", None]}),
        source,
    )

    run(tmp_path / "out", source, content_column="html", column=column, per_shard=2)

    assert [(row["url"], row["title"], row["error"]) for row in rows(tmp_path / "out")] == [
        ("https://a.example/1", "One", None),
        ("https://a.example/2", None, "source_unreadable"),
        (None, "Three", None),
    ]


def test_a_column_that_is_missing_stops_before_anything_is_read(tmp_path: Path) -> None:
    source = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"html": ["x"]}), source)

    ended = run(tmp_path / "out", source, content_column="body")

    assert isinstance(ended, Failure)
    assert "no column 'body'; its columns: html;" in ended.failure().message


def test_other_inputs_or_options_do_not_go_into_the_folder_of_a_run(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1))
    run(tmp_path / "out", source)

    other = run(tmp_path / "out", source, form="jsonl")
    source.write_bytes(packed(2))
    changed = run(tmp_path / "out", source)

    assert isinstance(other, Failure)
    assert "other options (--format)" in other.failure().message
    assert isinstance(changed, Failure)
    assert f"other inputs ({source} has changed);" in changed.failure().message


def test_a_warc_file_that_is_packed_as_one_piece_is_one_shard(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(gzip.compress(record(1) + record(2) + record(3), mtime=0))

    end = run(tmp_path / "out", source, per_shard=1).unwrap()

    assert [row["title"] for row in rows(tmp_path / "out")] == ["Page 1", "Page 2", "Page 3"]
    assert end.summary is not None
    assert end.summary.shards == 1


def test_rows_are_marked_by_a_filter_and_none_is_dropped(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1) + packed(2, html("Short", "The end of that.")))

    end = run(tmp_path / "out", source, where='language == "en" and gopher_words > 20').unwrap()

    assert [row["kept"] for row in rows(tmp_path / "out")] == [True, False]
    assert end.summary is not None
    assert (end.summary.rows, end.summary.kept) == (2, 1)


def test_rows_hold_what_answers_an_instruction_beside_the_whole_page(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc.gz"
    words = [
        f"<p>Ship {number} waits in the harbour for {number} days.</p>" for number in range(60)
    ]
    words[30] = "<p>The tide is highest at noon.</p>"
    page = html("Tides", "".join(words))
    source.write_bytes(packed(1, page) + packed(2))

    run(tmp_path / "out", source, compress=500, instruction="When is the tide highest?").unwrap()
    long, short = rows(tmp_path / "out")

    assert "highest at noon" in str(long["compressed"])
    assert len(str(long["compressed"])) <= 500 < len(str(long["content"]))
    assert short["compressed"] == short["content"]


def test_missing_input_is_refused_before_the_run(tmp_path: Path) -> None:
    assert run(tmp_path / "out", tmp_path / "gone.warc").failure() == InvalidQuery(
        field="input", reason=f"there is no file, folder or address {str(tmp_path / 'gone.warc')!r}"
    )


def test_a_full_disk_stops_the_run_and_what_is_written_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(b"".join(packed(number) for number in range(6)))
    out, sync, synced = tmp_path / "out", os.fsync, 0

    def full(handle: int) -> None:
        nonlocal synced
        synced += bool(list(out.glob(".part-*")))
        if synced > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        stopped = run(out, source, per_shard=2)
    left = [path.name for path in out.iterdir() if path.name.startswith((".", "part"))]
    gone_on = run(out, source, per_shard=2).unwrap()
    run(tmp_path / "whole", source, per_shard=2)

    assert isinstance(stopped, Failure)
    assert isinstance(stopped.failure(), StoreFailed)
    assert "No space left" in stopped.failure().message
    assert all(name.startswith("part") for name in left)
    assert gone_on.summary is not None
    assert digests(out) == digests(tmp_path / "whole")


def test_a_source_that_changes_under_way_stops_the_run(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1) + packed(2))

    def change(*_: object) -> None:
        source.write_bytes(packed(1))

    ended = run(tmp_path / "out", source, watch=RunWatch(converter=Here(), on_plan=change))

    assert isinstance(ended, Failure)
    assert "has changed since the run was planned" in ended.failure().message
    assert not list((tmp_path / "out").glob("part-*"))


class Busy(Here):
    """Too busy for every page."""

    async def convert(self, item: BulkItem, /) -> Result[ReadPage, WebError]:
        return Failure(ParseFailed(reason="out_of_time", by_machine=True, url=item.url))


def test_a_row_that_hit_the_clock_says_so_and_is_tried_again(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1))

    run(tmp_path / "out", source, watch=RunWatch(converter=Busy()))
    before = rows(tmp_path / "out")
    run(tmp_path / "out", source)

    assert before[0]["error"] == "parse_failed"
    assert '"by_machine":true' in str(before[0]["error_json"])
    assert rows(tmp_path / "out")[0]["title"] == "Page 1"
