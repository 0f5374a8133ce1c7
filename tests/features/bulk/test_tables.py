"""Parquet files of others: damaged, of bytes, of one large group."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.features.bulk.samples import digests, html, rows, run
from webseam.adapters.features.bulk.datasets import parquet_tables


def damaged(path: Path, table: pa.Table, column: int, group: int) -> None:
    """Write a table in groups of two rows, and break a page of one of them."""
    pq.write_table(table, path, row_group_size=2, use_dictionary=False)
    chunk = pq.ParquetFile(path).metadata.row_group(group).column(column)
    content = bytearray(path.read_bytes())
    start = chunk.data_page_offset
    content[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(content)


def test_a_stretch_that_is_damaged_is_rows_that_say_so(tmp_path: Path) -> None:
    pages = [html(f"Page {number}").decode() for number in range(6)]
    damaged(tmp_path / "a.parquet", pa.table({"html": pages}), 0, 1)

    end = run(tmp_path / "out", tmp_path / "a.parquet", content_column="html", per_shard=3).unwrap()
    whole = run(tmp_path / "one", tmp_path / "a.parquet", content_column="html").unwrap()

    made = [(row["title"], row["error"]) for row in rows(tmp_path / "out")]
    assert made == [
        ("Page 0", None),
        ("Page 1", None),
        (None, "source_unreadable"),
        (None, "source_unreadable"),
        ("Page 4", None),
        ("Page 5", None),
    ]
    assert rows(tmp_path / "one") == rows(tmp_path / "out")
    assert end.summary is not None
    assert whole.summary is not None
    assert end.summary.errors == whole.summary.errors


def test_urls_of_a_damaged_stretch_are_rows_too(tmp_path: Path) -> None:
    damaged(tmp_path / "a.parquet", pa.table({"url": ["http://10.0.0.1/"] * 4}), 0, 1)

    run(tmp_path / "out", tmp_path / "a.parquet")

    errors = [row["error"] for row in rows(tmp_path / "out")]
    assert errors == ["url_denied", "url_denied", "source_unreadable", "source_unreadable"]


def test_a_disk_that_fails_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"url": ["http://10.0.0.1/"] * 4}), tmp_path / "a.parquet")

    def fail(*_: object, **__: object) -> Iterator[object]:
        yield from ()
        raise OSError(errno.EIO, "the disk is gone")

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", fail)

    with pytest.raises(OSError, match="gone"):
        list(parquet_tables.read_column_urls(tmp_path / "a.parquet", "url"))


def test_a_column_of_bytes_may_hold_urls_and_one_of_text_what_is_none(tmp_path: Path) -> None:
    pages = pa.array([html("Bread"), "<title>Caf\xe9</title><p>Wine</p>".encode("latin-1")])
    no_text = pa.StringArray.from_buffers(2, pages.buffers()[1], pages.buffers()[2])
    urls = pa.array([b"http://10.0.0.1/a", b"\xff"])
    pq.write_table(pa.table({"url": urls, "html": no_text}), tmp_path / "a.parquet")

    run(tmp_path / "urls", tmp_path / "a.parquet")
    run(tmp_path / "pages", tmp_path / "a.parquet", column="url", content_column="html")

    made = [(row["url"], row["error"]) for row in rows(tmp_path / "urls")]
    assert made == [("http://10.0.0.1/a", "url_denied"), (None, "invalid_url")]
    made = [(row["url"], row["title"]) for row in rows(tmp_path / "pages")]
    assert made == [("http://10.0.0.1/a", "Bread"), (None, "Caf\xe9")]


@pytest.mark.parametrize(
    ("content_column", "said"),
    [
        (None, "has no column 'url'; its columns: link, html; name the one to take with --column."),
        ("page", "its columns: link, html; name the one to take with --content-column."),
    ],
)
def test_a_missing_column_is_named_with_those_that_are_there(
    content_column: str | None, said: str, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"link": ["x"], "html": ["y"]}), tmp_path / "a.parquet")

    ended = run(tmp_path / "out", tmp_path / "a.parquet", content_column=content_column)

    assert ended.failure().message.endswith(said)


def test_rows_are_the_same_from_wherever_reading_begins(tmp_path: Path) -> None:
    pages = [html(f"Page {number}").decode() for number in range(200)]
    table = pa.table({"html": pages})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=90)

    for start in (0, 1, 63, 64, 89, 90, 91, 199, 200):
        found = parquet_tables.read_table_pages(tmp_path / "a.parquet", ("html", None), start, "a")
        assert [item.offset for item in found] == list(range(start, 200))
    run(tmp_path / "a", tmp_path / "a.parquet", content_column="html", per_shard=70)
    run(tmp_path / "b", tmp_path / "a.parquet", content_column="html", per_shard=70)
    assert digests(tmp_path / "a") == digests(tmp_path / "b")


def test_a_column_is_found_in_any_case_unless_two_would_do(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pages = [html(f"Page {number}").decode() for number in range(2)]
    pq.write_table(pa.table({"URL": ["http://10.0.0.1/"] * 2, "Html": pages}), path)
    two = tmp_path / "b.parquet"
    pq.write_table(pa.table({"URL": ["http://10.0.0.1/"], "Url": ["http://10.0.0.2/"]}), two)

    urls = run(tmp_path / "urls", path).unwrap()
    read = run(tmp_path / "read", path, content_column="html", column="url", per_shard=1).unwrap()
    unsure = run(tmp_path / "unsure", two).failure()

    assert [row["url"] for row in rows(tmp_path / "urls")] == ["http://10.0.0.1/"] * 2
    assert [row["title"] for row in rows(tmp_path / "read")] == ["Page 0", "Page 1"]
    assert rows(tmp_path / "read")[1]["url"] == "http://10.0.0.1/"
    assert urls.summary is not None
    assert read.summary is not None
    assert "has no column 'url'" in unsure.message


def test_an_address_may_have_blanks_around_it(tmp_path: Path) -> None:
    source = tmp_path / "urls.parquet"
    pq.write_table(pa.table({"url": [" http://10.0.0.1/a\n", "  "]}), source)
    run(tmp_path / "out", source).unwrap()

    assert [(row["url"], row["error"]) for row in rows(tmp_path / "out")] == [
        ("http://10.0.0.1/a", "url_denied"),
        (None, "invalid_url"),
    ]


def test_a_cell_without_an_address_is_the_same_row_in_every_kind_of_list(tmp_path: Path) -> None:
    pq.write_table(pa.table({"url": [None, "", "http://10.0.0.1/"]}), tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text('url,x\n,1\n"",2\nhttp://10.0.0.1/,3\n')
    (tmp_path / "a.jsonl").write_text('{"url": ""}\n{"url": " "}\n{"url": "http://10.0.0.1/"}\n')
    told = {}
    for name in ("a.parquet", "a.csv", "a.jsonl"):
        run(tmp_path / f"{name}-out", tmp_path / name).unwrap()
        made = rows(tmp_path / f"{name}-out")
        told[name] = [(row["error"], row["url"]) for row in made]
        assert all("the cell is empty" in str(row["error_json"]) for row in made[:2])

    assert set(map(tuple, told.values())) == {
        (("invalid_url", None), ("invalid_url", None), ("url_denied", "http://10.0.0.1/"))
    }
