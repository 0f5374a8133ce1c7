"""Lists as people have them: packed, in other encodings, with odd words in them."""

import gzip
import os
from pathlib import Path

import pytest

from tests.features.bulk.samples import rows, run

URLS = ["http://10.0.0.1/a", "http://10.0.0.2/b"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("urls.txt.gz", gzip.compress("\n".join(URLS).encode())),
        (
            "urls.csv.gz",
            gzip.compress(("\ufeffid;url\n" + "".join(f"1;{u}\n" for u in URLS)).encode()),
        ),
        ("urls.jsonl.gz", gzip.compress("".join(f'{{"url": "{u}"}}\n' for u in URLS).encode())),
        ("excel.txt", "\r\n".join(URLS).encode("utf-16")),
        ("excel.csv", ("url\ttitle\r\n" + "".join(f"{u}\tx\r\n" for u in URLS)).encode("utf-16")),
        ("wide.list", "\n".join(URLS).encode("utf-32")),
        ("big.list", "\n".join(["\ufeff" + URLS[0], *URLS[1:]]).encode("utf-16-be")),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_list_may_be_packed_or_in_another_encoding(
    name: str, content: bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)

    run(tmp_path / "out", tmp_path / name)
    run(tmp_path / "piped", "-", stdin=content, column="url" if ".csv" in name else None)

    assert [row["url"] for row in rows(tmp_path / "out")] == URLS
    assert [row["url"] for row in rows(tmp_path / "piped")] == URLS


_WHOLE = gzip.compress(b"http://10.0.0.1/" + os.urandom(50_000).hex().encode())


@pytest.mark.parametrize(
    "content", [_WHOLE[:-20_000], _WHOLE[:10] + b"\xff" * 1000], ids=["cut off", "damaged"]
)
def test_a_packed_list_that_is_cut_off_or_damaged_stops_the_run_before_it_begins(
    content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "urls.txt.gz").write_bytes(content)

    error = run(tmp_path / "out", tmp_path / "urls.txt.gz").failure()

    assert "urls.txt.gz cannot be read" in error.message
    assert "cut off" in error.message
    assert not (tmp_path / "out" / "_plan.json").exists()


def test_an_address_stands_in_its_row_as_it_was_typed_however_odd_it_is(tmp_path: Path) -> None:
    long = "data:image/png;base64," + "A" * 100_000
    wide = "http://10.0.0.1/" + "\u6771" * 8000
    listed = tmp_path / "urls.txt"
    lines = ["http://10.0.0.1/a b", long, long, wide, "http://10.0.0.1/\0"]
    listed.write_text("\n".join(lines))

    end = run(tmp_path / "out", listed).unwrap()
    made = rows(tmp_path / "out")

    assert end.summary is not None
    assert end.summary.rows == 5
    assert [str(row["url"])[:30] for row in made] == [line[:30] for line in lines]
    assert "source_unreadable" not in {row["error"] for row in made}


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("http://10.0.0.1/\udcff", "http://10.0.0.1/\\xff is not written in UTF-8"),
        ("\udcff.html", "\\xff.html is not written in UTF-8"),
        ("a" * 5000, "cannot be opened"),
        ("feed:" + "a" * 5000, "cannot be opened"),
    ],
    ids=["address", "file", "long", "long feed"],
)
def test_an_input_that_can_be_nothing_is_refused(word: str, said: str, tmp_path: Path) -> None:
    error = run(tmp_path / "out", word).failure()

    assert said in error.message


def test_an_address_of_the_command_line_that_is_none_is_a_row(tmp_path: Path) -> None:
    run(tmp_path / "out", "http://[x", "HTTP://10.0.0.1/A")

    made = [(row["url"], row["error"]) for row in rows(tmp_path / "out")]
    assert made == [("http://[x", "invalid_url"), ("HTTP://10.0.0.1/A", "url_denied")]


def _made(folder: Path) -> list[tuple[object, object]]:
    return [(row["url"], row["error"]) for row in rows(folder)]


@pytest.mark.parametrize("ending", ["txt", "csv", "jsonl"])
def test_an_address_that_is_not_in_utf_8_is_not_asked_for(ending: str, tmp_path: Path) -> None:
    cells = [b"http://10.0.0.1/\xe9", b"http://10.0.0.1/b"]
    lines = [b'{"url": "%s"}' % cell for cell in cells] if ending == "jsonl" else cells
    (tmp_path / f"urls.{ending}").write_bytes(b"\n".join(lines))

    run(tmp_path / "out", tmp_path / f"urls.{ending}").unwrap()

    read = rows(tmp_path / "out")
    assert [row["error"] for row in read] == ["invalid_url", "url_denied"]
    assert "not written in UTF-8" in str(read[0]["error_json"])


def test_a_quotation_mark_that_is_not_closed_does_not_swallow_rows_silently(tmp_path: Path) -> None:
    lines = ["url,note", f'{URLS[0]},"two\nlines"', f'{URLS[1]},"open', *URLS]
    (tmp_path / "urls.csv").write_text("\n".join(lines))

    run(tmp_path / "out", tmp_path / "urls.csv").unwrap()

    assert _made(tmp_path / "out") == [
        (URLS[0], "url_denied"),
        (URLS[1], "url_denied"),
        (None, "invalid_url"),
    ]
    assert "2 lines" in str(rows(tmp_path / "out")[2]["error_json"])


def test_a_cell_without_end_says_how_many_lines_it_took(tmp_path: Path) -> None:
    lines = ["url,note", f'{URLS[0]},"open', *["x" * 1000] * 300, f'"{URLS[1]}",x']
    (tmp_path / "urls.csv").write_text("\n".join(lines))

    run(tmp_path / "out", tmp_path / "urls.csv").unwrap()

    assert "it takes 132 lines" in str(rows(tmp_path / "out")[0]["error_json"])


def test_marks_in_cells_that_are_not_quoted_are_letters(tmp_path: Path) -> None:
    lines = ["url,note", f'{URLS[0]},5" wide', f'{URLS[1]},6" wide']
    (tmp_path / "urls.csv").write_text("\n".join(lines))

    run(tmp_path / "out", tmp_path / "urls.csv").unwrap()

    assert _made(tmp_path / "out") == [(url, "url_denied") for url in URLS]


def test_a_line_without_an_address_is_told_by_its_place(tmp_path: Path) -> None:
    listed = tmp_path / "urls.jsonl"
    listed.write_text('\n{"url": null}\n\n[1]\n')
    run(tmp_path / "out", listed).unwrap()

    told = [str(row["error_json"]) for row in rows(tmp_path / "out")]
    assert [f"urls.jsonl:{line})" in each for line, each in zip((2, 4), told, strict=True)] == [
        True,
        True,
    ]
