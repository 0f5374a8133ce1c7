"""Files of a run that somebody damaged or took away afterwards: noticed, and written again."""

import json
from pathlib import Path

import pytest

from tests.bulk.samples import digests, packed
from webseam.composition.bulk import library
from webseam.composition.cli import main


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(packed(number) for number in range(6)))
    return path


def parts(out: Path) -> dict[str, str]:
    return {name: digest for name, digest in digests(out).items() if not name.startswith("_")}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def flip(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def test_a_part_of_another_size_or_none_is_told_and_written_again(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["bulk", "extract", str(source), "-o", str(out), "--per-shard", "2"]
    main(command)
    whole = parts(out)
    (out / "part-000000.parquet").unlink()
    cut(out / "part-000002.parquet")
    capsys.readouterr()

    main(["bulk", "status", str(out)])
    status = capsys.readouterr().out
    main(["bulk", "status", str(out), "--json"])
    as_json = json.loads(capsys.readouterr().out)
    again = main(command)
    told = capsys.readouterr().err
    main(["bulk", "status", str(out)])
    mended = capsys.readouterr().out

    assert "done" not in status.splitlines()[0]
    assert "2 files are missing or damaged" in status
    assert "part-000000.parquet, part-000002.parquet" in status
    assert as_json["lost"] == ["part-000000.parquet", "part-000002.parquet"]
    assert as_json["over"] is False
    assert again == 0
    assert "2 files are missing or damaged, and written again" in told
    assert parts(out) == whole
    assert mended.splitlines()[0].endswith(", done")


def test_a_part_of_the_same_size_is_looked_into_when_that_is_asked_for(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["bulk", "extract", str(source), "-o", str(out), "--per-shard", "2"]
    main(command)
    whole = parts(out)
    flip(out / "part-000001.parquet")
    capsys.readouterr()

    main(["bulk", "status", str(out)])
    unseen = capsys.readouterr().out
    main(["bulk", "status", str(out), "--check"])
    seen = capsys.readouterr().out
    main([*command, "--check"])

    assert "damaged" not in unseen
    assert "1 file is missing or damaged" in seen
    assert library.status(out, check=True).lost == []
    assert parts(out) == whole


def test_a_run_whose_plan_is_gone_is_not_mixed_with_another(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, other = tmp_path / "out", tmp_path / "b.warc.gz"
    other.write_bytes(packed(8))
    main(["bulk", "extract", str(source), "-o", str(out)])
    (out / "_plan.json").write_bytes(b"{")

    code = main(["bulk", "extract", str(other), "-o", str(out)])

    assert code == 2
    assert "its plan is gone; take another folder." in capsys.readouterr().err
