"""``webseam.index``: what the command does, from Python."""

from pathlib import Path

import pytest

import webseam
from webseam.ports.errors import SourceUnreadable


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WEBSEAM_INDEX", str(tmp_path / "index.sqlite"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tides.md").write_text("# Tides\n\nThe moon pulls the sea.\n")
    (tmp_path / "docs" / "wind.md").write_text("# Wind\n\nThe sun warms the air.\n")
    monkeypatch.chdir(tmp_path)


def test_folder_is_added_searched_refreshed_and_removed(tmp_path: Path) -> None:
    told: list[str] = []

    added = webseam.index.add("docs", on_document=lambda document: told.append(document.outcome))
    again = webseam.index.add("docs")
    (tmp_path / "docs" / "tides.md").write_text("# Tides\n\nThe moon and the sun pull the sea.\n")
    (tmp_path / "docs" / "wind.md").unlink()
    refreshed = webseam.index.refresh()
    found = webseam.search("moon", backend="index")
    listed = webseam.index.documents()
    counted = webseam.index.statistics()
    removed = webseam.index.remove("docs")

    assert (added.added, added.failed, told) == (2, 0, ["added", "added"])
    assert again.unchanged == 2
    assert (refreshed.updated, refreshed.removed) == (1, 1)
    assert [row.title for row in found] == ["Tides"]
    assert [Path(row.location).name for row in listed] == ["tides.md"]
    assert counted.documents == 1
    assert removed == 1
    assert webseam.index.documents() == []


def test_missing_source_is_a_failure_of_its_own(tmp_path: Path) -> None:
    changed = webseam.index.add("docs", "nowhere.md")

    assert (changed.added, changed.failed) == (2, 1)
    location, error = changed.failures[0]
    assert location == str(tmp_path / "nowhere.md")
    assert isinstance(error, SourceUnreadable)


@pytest.mark.parametrize("call", ["documents", "statistics", "refresh", "remove"])
def test_missing_index_raises_what_to_do(call: str) -> None:
    with pytest.raises(webseam.WebseamError, match="index"):
        getattr(webseam.index, call)(index="other.sqlite")
