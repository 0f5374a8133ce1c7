"""WARC records whose fields are named in another case: any will do."""

import gzip
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.features.bulk.samples import record, rows, run
from webseam.adapters.features.bulk.datasets import warc


def _small(content: bytes) -> bytes:
    """Return a record with small letters in the names of its fields, but not in those of HTTP."""
    head, blank, block = content.partition(b"\r\n\r\n")
    return re.sub(rb"\r\n[\w-]+:", lambda name: name[0].lower(), head) + blank + block


def _typed(content: bytes) -> bytes:
    return content.replace(b"WARC-Type:", b"WARC-TYPE:", 1)


def _same(content: bytes) -> bytes:
    return content


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    "cases",
    [
        (_small, _small, _small),
        (_typed, _typed, _typed),
        (_same, _small, _same),
        (_small, _same, _typed),
        (_same, _typed, _small),
    ],
)
@pytest.mark.parametrize("per_shard", [1, 9])
def test_names_of_fields_are_known_in_any_case(
    pack: Callable[[bytes], bytes],
    cases: tuple[Callable[[bytes], bytes], ...],
    per_shard: int,
    tmp_path: Path,
) -> None:
    source = tmp_path / "pages.warc"
    source.write_bytes(b"".join(pack(write(record(number))) for number, write in enumerate(cases)))
    run(tmp_path / "out", source, per_shard=per_shard).unwrap()

    assert [(row["title"], row["error"]) for row in rows(tmp_path / "out")] == [
        (f"Page {number}", None) for number in range(3)
    ]
    assert [row["offset"] for row in rows(tmp_path / "out")] == list(
        warc.warc_input_offsets(source)
    )


def test_broken_records_among_renamed_fields_are_rows_with_errors(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc"
    pieces = [gzip.compress(_small(record(number)), mtime=0) for number in range(3)]
    source.write_bytes(pieces[0] + b"nothing" + pieces[1] + pieces[2][:-40])
    run(tmp_path / "out", source).unwrap()

    assert [(row["title"], row["error"]) for row in rows(tmp_path / "out")] == [
        ("Page 0", None),
        (None, "source_unreadable"),
        ("Page 1", None),
        (None, "source_unreadable"),
    ]


def test_a_record_that_cannot_be_packed_smaller_is_whole(tmp_path: Path) -> None:
    noise = hashlib.shake_256(b"").digest(400_000)
    source = tmp_path / "pages.warc.gz"
    source.write_bytes(gzip.compress(_small(record(0, noise)), mtime=0))

    (item,) = warc.read_warc_inputs(source, 0, "pages.warc.gz")

    assert (item.error, item.body) == (None, noise)
