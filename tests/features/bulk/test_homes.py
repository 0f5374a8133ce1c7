"""Folders of runs: nothing is left where no run began."""

import gzip
import io
from pathlib import Path

import pytest

from tests.features.bulk.samples import packed, run
from webseam.adapters.features.bulk.datasets.folder_lock import lock_folder
from webseam.composition.doors.cli import main


@pytest.mark.parametrize(
    "words",
    [
        ("pages.warc.gz", "--since", "nowhere"),
        ("nowhere.txt",),
        ("table.csv",),
        ("pages.warc.gz", "list.txt.gz"),
        ("pages.warc.gz", "broken.parquet"),
        ("pages.warc.gz", "sitemap:broken.parquet"),
        ("pages.warc.gz", "--where", "nothing == 1"),
        ("-", "--column", "address"),
    ],
)
@pytest.mark.parametrize("is_there", [False, True])
def test_a_run_that_cannot_begin_leaves_nothing(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_there: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"name,place\na,b\n")))
    Path("pages.warc.gz").write_bytes(packed(1))
    Path("table.csv").write_text("name,place\na,b\n")
    Path("list.txt.gz").write_bytes(gzip.compress(b"https://a.example/\n" * 9)[:-9])
    Path("broken.parquet").write_bytes(b"PAR1")
    if is_there:
        (tmp_path / "deep" / "out").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))

    code = main(["bulk", "extract", *words, "-o", "deep/out", "--workers", "1"])

    assert code != 0
    assert sorted(tmp_path.rglob("*")) == before


def test_searches_of_nobody_leave_nothing_and_may_be_asked_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    for name in ("nobody", "noone"):
        assert main(["bulk", "search", "tides", "-o", out, "--backend", name]) != 0
        assert f"There is no backend '{name}'" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []


def test_files_of_others_stay_in_the_output_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in ("_inputs.jsonl", "mine.txt"):
        (tmp_path / "out" / name).write_text("mine")
    run(tmp_path / "out", tmp_path / "nowhere.txt").failure()

    assert [path.read_text() for path in (tmp_path / "out").iterdir()] == ["mine", "mine"]


def test_a_second_run_takes_nothing_from_the_first(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with lock_folder(tmp_path / "out"):
        draft = tmp_path / "out" / "_shards.jsonl"
        draft.write_text("{}")
        refused = run(tmp_path / "out", tmp_path / "nowhere.txt").failure()

    assert draft.read_text() == "{}"
    assert "another process" in refused.message
