"""Folders of pages, with names and files in them that are none."""

import os
import sys
from pathlib import Path

import pytest

from tests.bulk.samples import digests, html, run
from tests.bulk.test_extract import rows
from webseam.composition.cli.screen.bulk import left_out_lines


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
        "2 files left out: not of a kind that is read from folders (a file that is named is)",
        "1 file left out: links that lead out of their folder",
    ]
