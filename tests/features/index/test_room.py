"""Documents are taken out also where no room is left, and their room is given back."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from returns.result import Failure, Result

from tests.features.index.commands import Command
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.features.index.word_folders import drop_index_words, words_bytes, words_folder
from webseam.adapters.stores.sqlite import StoreError
from webseam.ports.errors.stores import StoreProblem

from .shelf import PUMP, shelf, urls, writing

REMOVE = DocumentIndex.remove
ROOM = "webseam: the disk was full: the words folder of the index was deleted to free space"


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> list[StoreProblem]:
    """Let nothing be removed for as long as the words take up the room."""
    problems: list[StoreProblem] = ["full"]

    def remove(index: DocumentIndex, gone: Sequence[str]) -> Result[int, StoreError]:
        path = index._path  # noqa: SLF001  a full disk is hard to come by
        return Failure(INDEX.file_error(problems[0])) if words_bytes(path) else REMOVE(index, gone)

    monkeypatch.setattr(DocumentIndex, "remove", remove)
    return problems


@pytest.mark.parametrize("problem", ["full", "read_only"])
def test_on_a_full_disk_the_words_make_room(
    command: Command,
    notes: Path,
    crowded: list[StoreProblem],
    problem: StoreProblem,
) -> None:
    crowded[0] = problem
    command("index", "add", str(notes))

    removed = command("index", "remove", str(notes / "dogs.txt"))

    assert (removed.code, removed.out) == (0, "1 removed.\n")
    assert ROOM in removed.err
    assert "Nothing found." in command("search", "barks").out
    assert "purrs" in command("search", "purrs").out


def test_full_disk_message_says_what_to_do(
    command: Command,
    notes: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command("index", "add", str(notes))
    full = Failure(INDEX.file_error("full"))
    monkeypatch.setattr(DocumentIndex, "remove", lambda *_: full)

    removed = command("index", "remove", str(notes))

    assert (removed.code, removed.out) == (4, "")
    assert "the disk is full: make room on it, or keep the file on another." in removed.err
    assert "purrs" in command("search", "purrs").out


def test_words_stay_where_something_else_is_wrong(
    command: Command,
    notes: Path,
    tmp_path: Path,
    crowded: list[StoreProblem],
) -> None:
    crowded[0] = "corrupt"
    command("index", "add", str(notes))

    assert command("index", "remove", str(notes)).code == 4
    assert words_bytes(tmp_path / "index.sqlite")


def test_words_stay_where_the_file_may_not_be_written_to(
    command: Command,
    notes: Path,
    tmp_path: Path,
    crowded: list[StoreProblem],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crowded[0] = "read_only"
    command("index", "add", str(notes))
    # As it is for all but root, who runs the tests in some places.
    monkeypatch.setattr(os, "access", lambda *_: False)

    assert command("index", "remove", str(notes)).code == 4
    assert words_bytes(tmp_path / "index.sqlite")


def test_the_room_of_what_is_removed_is_given_back(
    command: Command,
    tmp_path: Path,
) -> None:
    note = tmp_path / "long.txt"
    note.write_text(" ".join(f"word{number}" for number in range(150_000)))
    command("index", "add", str(note))
    index = tmp_path / "index.sqlite"
    large = index.stat().st_size

    command("index", "remove", str(note))

    assert index.stat().st_size < large / 4
    assert words_bytes(index) == 0


def test_removal_holds_when_the_words_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [IndexDocument(url=f"https://{n}.example/", text="about") for n in range(1000)]
    index = shelf(tmp_path, PUMP, *many)
    monkeypatch.setattr(DocumentIndex, "_write_words", lambda *_: Failure(INDEX.file_error("full")))

    assert index.remove([each.url for each in many]).unwrap() == 1000
    assert urls(index, "about") == []


def test_words_that_are_dropped_come_back(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()
    path = tmp_path / "index.sqlite"

    assert [drop_index_words(path), drop_index_words(path)] == [True, False]
    assert not words_folder(path).exists()
    assert urls(writing(path).unwrap(), "warmth") == [PUMP.url]


UNSHARE = shutil.which("unshare") or ""


def _may_mount() -> bool:
    """Tell whether a user may have a small disk of his own."""
    if sys.platform != "linux" or not UNSHARE:
        return False
    tried = [UNSHARE, "-Urm", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _may_mount(), reason="no disk of one's own can be had here")
def test_a_disk_that_is_really_full_is_no_obstacle(tmp_path: Path) -> None:
    script = """
        set -e
        mount -t tmpfs -o size=8m tmpfs "$1/disk"
        export WEBSEAM_INDEX="$1/disk/index.sqlite" HOME="$1"
        "$2" -m webseam.composition.doors.cli index add "$1/notes" > "$1/added"
        dd if=/dev/zero of="$1/disk/filler" bs=1k 2> /dev/null || true
        "$2" -m webseam.composition.doors.cli index remove "$1/notes/a"
        "$2" -m webseam.composition.doors.cli search --backend index purrs
    """
    (tmp_path / "disk").mkdir()
    for name in ("a", "b"):
        (tmp_path / "notes" / name).mkdir(parents=True)
    for number in range(60):
        text = " ".join(f"word{number * 1000 + each}" for each in range(1000))
        (tmp_path / "notes" / "a" / f"{number}.txt").write_text(text)
    (tmp_path / "notes" / "b" / "cat.txt").write_text("A cat purrs.")

    done = subprocess.run(
        [UNSHARE, "-Urm", "sh", "-c", script, "sh", str(tmp_path), sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.startswith("60 removed.\n1. A cat purrs."), done
    assert ROOM in done.stderr
