"""What is named to ``index add`` is read again by ``refresh``, but only what ever gave something."""

from pathlib import Path

import pytest

from tests.features.index.commands import Command
from webseam.adapters.features.index.store import DocumentIndex


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    path = tmp_path / "empty.md"
    path.touch()
    return path


def test_a_file_that_gave_nothing_is_not_looked_for_again(
    command: Command,
    notes: Path,
    empty: Path,
) -> None:
    added = command("index", "add", str(notes), str(empty))
    refreshed = command("index", "refresh")

    assert added.code == 2
    assert added.out.endswith(
        f"Left out: {empty}. Add it again when it can be read; refresh does not look for it.\n"
    )
    assert (refreshed.code, refreshed.err) == (0, "")


def test_a_file_that_gave_nothing_can_be_added_later(
    command: Command,
    empty: Path,
) -> None:
    command("index", "add", str(empty))
    empty.write_text("A dog barks.")
    command("index", "add", str(empty))
    empty.write_text("A dog howls.")

    assert "1 updated" in command("index", "refresh").out


def test_a_named_file_that_was_damaged_later_is_still_looked_for(
    command: Command,
    tmp_path: Path,
) -> None:
    page = tmp_path / "page.txt"
    page.write_text("A dog barks.")
    command("index", "add", str(page))
    page.write_bytes(bytes(range(256)) * 4)

    added = command("index", "add", str(page))

    assert (added.code, "Left out" in added.out) == (2, False)
    page.write_text("A dog howls.")
    assert "1 updated" in command("index", "refresh").out


def test_a_file_that_the_index_has_nothing_of_any_more_can_be_forgotten(
    command: Command,
    tmp_path: Path,
) -> None:
    page = tmp_path / "page.txt"
    page.write_text("A dog barks.")
    command("index", "add", str(page))
    page.write_text("")

    refreshed = command("index", "refresh")
    again = command("index", "refresh")

    for ran in (refreshed, again):
        assert (ran.code, ran.out.splitlines()[-1]) == (
            2,
            f"The index has nothing of {page}. webseam index remove forgets it.",
        )
    assert command("index", "remove", str(page)).out == (
        "0 removed. 1 source forgotten: refresh does not look for it.\n"
    )
    assert command("index", "refresh").code == 0


def test_a_source_that_an_older_version_remembers_is_said_to_be_one(
    command: Command,
    tmp_path: Path,
    empty: Path,
) -> None:
    index = DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap()
    index.remember_sources([str(empty)]).unwrap()
    index.close()

    assert f"The index has nothing of {empty}." in command("index", "refresh").out


def test_one_file_of_a_folder_can_be_refreshed(
    command: Command,
    notes: Path,
) -> None:
    one, other = notes / "one.txt", notes / "other.txt"
    one.write_text("A cat purrs.")
    other.write_text("A dog barks.")
    (notes / "empty.csv").touch()
    command("index", "add", str(notes))
    one.write_text("A wolf howls.")
    other.write_text("An owl hoots.")

    refreshed = command("index", "refresh", str(one))

    assert refreshed.code == 0
    assert refreshed.out.splitlines() == [
        f"updated {one}",
        "0 added, 1 updated, 0 unchanged, 0 removed, 0 failed.",
    ]
    assert "Nothing found." in command("search", "owl").out
    one.unlink()
    assert "1 removed" in command("index", "refresh", str(one)).out
    assert "1 updated" in command("index", "refresh", str(notes.parent)).out


def test_linked_file_stays_when_it_is_refreshed_by_name(
    command: Command,
    notes: Path,
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "owl.md").write_text("An owl hoots.")
    (notes / "link").symlink_to(elsewhere)
    command("index", "add", str(notes), "--follow-links")

    refreshed = command("index", "refresh", str(notes / "link" / "owl.md"))

    assert refreshed.code == 0
    assert "0 removed" in refreshed.out
    assert "hoots" in command("search", "owl").out


def test_refresh_of_an_unknown_path_is_refused(
    command: Command,
    notes: Path,
    empty: Path,
) -> None:
    command("index", "add", str(notes))

    refreshed = command("index", "refresh", str(empty), str(notes), str(notes / "typo.md"))

    assert refreshed.code == 2
    assert refreshed.err == "".join(
        f"webseam: {each}: Not readable: it was never added; add it with: webseam index add.\n"
        for each in (empty, notes / "typo.md")
    )
    assert "2 unchanged" in refreshed.out
