"""WARC records whose heads tell another length than they have, and lines that end without CR."""

import gzip
import hashlib
from base64 import b32encode
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.features.bulk.samples import html, record, rows, run

_LENGTH = len(record(1).partition(b"\r\n\r\n")[2]) - 4
_WRONG = [_LENGTH + 9, _LENGTH + 300, _LENGTH * 2 + 90, 10**5, 10**12, _LENGTH - 100, 5]


def _plain(content: bytes) -> bytes:
    return content


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


@pytest.mark.parametrize("length", _WRONG)
@pytest.mark.parametrize(("ending", "pack"), [(".warc", _plain), (".warc.gz", _packed)])
def test_a_wrong_length_breaks_its_own_row_alone(
    ending: str, pack: Callable[[bytes], bytes], length: int, tmp_path: Path
) -> None:
    records = [record(number) for number in range(5)]
    records[1] = record(1, length=length)
    source = tmp_path / f"pages{ending}"
    source.write_bytes(b"".join(map(pack, records)))
    for name, size in (("out", 1000), ("single", 1)):
        run(tmp_path / name, source, per_shard=size).unwrap()
        read = rows(tmp_path / name)

        assert [row["url"] for row in read] == [f"https://example.com/{n}" for n in range(5)]
        assert [row["error"] for row in read] == [None, "source_unreadable", None, None, None]
        assert "its head states a wrong length" in str(read[1]["error_json"])


def test_a_record_that_holds_records_is_one(tmp_path: Path) -> None:
    inner = record(7) + record(8)
    source = tmp_path / "pages.warc"
    source.write_bytes(record(0) + record(1, inner) + record(2))
    run(tmp_path / "out", source).unwrap()

    assert [row["url"] for row in rows(tmp_path / "out")] == [
        "https://example.com/0",
        "https://example.com/1",
        "https://example.com/2",
    ]


def test_a_last_record_that_is_cut_off_says_how_much_of_it_is_there(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc"
    source.write_bytes(record(0) + record(1)[:-100])
    run(tmp_path / "out", source).unwrap()

    read = rows(tmp_path / "out")
    assert [row["error"] for row in read] == [None, "source_unreadable"]
    assert "bytes are there" in str(read[1]["error_json"])


@pytest.mark.parametrize("word", ["http", "payload", "none"])
@pytest.mark.parametrize("kind", ["response", "resource"])
@pytest.mark.parametrize("pack", [_plain, _packed])
def test_a_length_that_ends_with_the_next_record_is_told_by_what_the_first_says_of_itself(
    word: str, kind: str, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    body, after = html("Page 1"), record(2)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    if word == "http":
        head += b"Content-Length: %d\r\n" % len(body)
    block = head + b"\r\n" + body if kind == "response" else body
    digest = f"sha1:{b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()}"
    fields = [
        f"WARC-Type: {kind}",
        "WARC-Target-URI: https://example.com/1",
        *([f"WARC-Payload-Digest: {digest}"] if word == "payload" else []),
        f"Content-Length: {len(block) + len(after)}",
    ]
    first = "\r\n".join(["WARC/1.1", *fields, "", ""]).encode() + block + b"\r\n\r\n"
    source = tmp_path / "pages.warc"
    source.write_bytes(pack(record(0)) + pack(first) + pack(after) + pack(record(3)))
    run(tmp_path / "out", source).unwrap()

    read = rows(tmp_path / "out")
    is_told = word == "payload" or (word == "http" and kind == "response")
    assert [row["url"] for row in read] == [f"https://example.com/{n}" for n in (0, 1, 3)]
    assert [row["error"] for row in read] == [None, "source_unreadable" if is_told else None, None]


def _without_cr(content: bytes) -> bytes:
    head, _, block = content.partition(b"\r\n\r\n")
    return head.replace(b"\r\n", b"\n") + b"\n\n" + block


@pytest.mark.parametrize("length", [None, *_WRONG])
@pytest.mark.parametrize(("ending", "pack"), [(".warc", _plain), (".warc.gz", _packed)])
@pytest.mark.parametrize("first", [0, 1, 3])
def test_lines_of_a_head_may_end_without_cr(
    ending: str, pack: Callable[[bytes], bytes], length: int | None, first: int, tmp_path: Path
) -> None:
    records = [record(number) for number in range(5)]
    records[1] = record(1, length=length)
    records[first:] = map(_without_cr, records[first:])
    source = tmp_path / f"pages{ending}"
    source.write_bytes(b"".join(map(pack, records)))
    broken = None if length is None else "source_unreadable"
    for name, size in (("out", 1000), ("single", 1)):
        run(tmp_path / name, source, per_shard=size).unwrap()
        read = rows(tmp_path / name)

        assert [row["url"] for row in read] == [f"https://example.com/{n}" for n in range(5)]
        assert [row["error"] for row in read] == [None, broken, None, None, None]


@pytest.mark.parametrize("size", [25, 180, -100])
@pytest.mark.parametrize("pack", [_plain, _packed])
def test_a_last_record_of_such_lines_that_is_cut_off_is_a_row(
    size: int, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    source = tmp_path / "pages.warc"
    last = _without_cr(record(1, html("Page", "<p>word</p>" * 500)))
    source.write_bytes(pack(_without_cr(record(0))) + pack(last[:size]))
    run(tmp_path / "out", source).unwrap()

    assert [row["error"] for row in rows(tmp_path / "out")] == [None, "source_unreadable"]
