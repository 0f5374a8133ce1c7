"""WARC records whose heads tell another length than they have: a broken row, and on with the next."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bulk.samples import record, run
from tests.bulk.test_extract import rows

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
        assert "its head tells another length" in str(read[1]["error_json"])


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
