"""Folders of pages, with names and files in them that are none."""

import os
import sys
from pathlib import Path

import pytest

import webseam.bulk
from tests.features.bulk.samples import digests, html, rows, run
from webseam.composition.doors.cli import main
from webseam.composition.features.bulk.plan import load_run_plan
from webseam.composition.features.bulk.report_lines import left_out_lines


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_a_page_is_read_whatever_its_name_is_made_of(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a%ff.html").write_bytes(html("Bread"))
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9%.html")).write_bytes(html("Wine"))

    run(tmp_path / "out", folder)
    run(tmp_path / "again", folder)

    made = [(row["source"], row["title"]) for row in rows(tmp_path / "out")]
    assert made == [("a%ff.html", "Bread"), ("caf\\xe9%.html", "Wine")]
    assert digests(tmp_path / "out") == digests(tmp_path / "again")


def test_files_that_are_no_input_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_bytes(html("Bread"))
    (folder / "crawl.warc.gz").write_bytes(b"")
    (folder / "page.php").write_bytes(html("Wine"))
    (folder / "away.html").symlink_to(tmp_path)

    end = run(tmp_path / "out", folder).unwrap()

    assert end.plan.left_out == {"kinds": 2, "links": 1}
    assert left_out_lines(end.plan) == [
        "2 files left out: of a kind that is read only when it is named",
        "1 file left out: links that lead out of their folder",
    ]


@pytest.mark.parametrize("place", ["run.html", "sub/run.HTML", "out/run.html"])
def test_files_of_earlier_runs_are_no_pages_of_a_folder(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pages"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.html").write_bytes(html("Bread"))
    command = ["bulk", "extract", "pages", "--format", "jsonl", "--workers", "1", "-o"]
    report = ["--report", f"pages/{place}"]

    first = main([*command, "pages/out", *report])
    (folder / "out" / "_stdin.txt").write_text("https://a.example/")
    again = main([*command, "pages/out", *report])
    beside = main([*command, "pages/two"])

    assert (first, again, beside) == (0, 0, 0)
    assert len(list(webseam.bulk.rows("pages/two"))) == 1
    assert load_run_plan(folder / "two") is not None


def test_a_folder_of_a_run_that_is_named_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_bytes(html("Bread"))
    (folder / "_plan.json").write_text("{}")

    assert run(tmp_path / "out", folder).unwrap().plan.rows == 1


def test_files_in_the_folder_of_the_run_are_not_counted(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    (folder / "out").mkdir(parents=True)
    (folder / "a.html").write_bytes(html("Bread"))
    (folder / "out" / "notes.php").write_text("x")

    end = run(folder / "out", folder, "-", stdin=b"").unwrap()

    assert (end.plan.rows, end.plan.left_out) == (1, {})


@pytest.mark.parametrize("name", ["pages", "pages/closed"])
def test_a_folder_that_cannot_be_looked_into_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, closed = tmp_path / "pages", tmp_path / name
    (folder / "closed").mkdir(parents=True)
    for place in ("a.html", "closed/b.html"):
        (folder / place).write_bytes(html("Bread"))
    scandir = os.scandir

    def look(path: str) -> object:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", look)
    end = run(tmp_path / "out", folder)
    if closed == folder:
        assert "permission denied" in end.failure().message.lower()
    else:
        assert end.unwrap().plan.rows == 1
        assert left_out_lines(end.unwrap().plan) == ["1 folder left out: cannot be opened"]
