"""What is in a folder beside documents: each has its place in the count, and little is a failure."""

import json
import os
import sys
from pathlib import Path

import pytest
from returns.result import Failure, Success

from tests.features.index.commands import Command
from webseam.adapters.features.index.ingestion import IngestItem, SkippedDocument
from webseam.adapters.folder_files import Admission, find_documents
from webseam.composition.features.index import ingest_work
from webseam.composition.features.index.document_readers import (
    ReaderDeps,
    index_items,
    read_index_item,
)
from webseam.ports import SourceUnreadable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "cat.md").write_text("# Cat\n\nA cat purrs.")
    return folder


def _added(command: Command, *arguments: str) -> dict[str, object]:
    document: dict[str, object] = json.loads(command("index", *arguments, "--json").out)["data"]
    return document


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.md", b""),
        ("blank.txt", b" \n\t\n"),
        ("front.md", b"---\ntitle: x\n---\n"),
        ("empty.pdf", b""),
        ("empty.html", b"<html><body></body></html>"),
        (
            "shell.html",
            b"<html><body><div id=root></div><script src=app.js></script></body></html>",
        ),
    ],
)
def test_a_file_without_text_is_named_and_counted_and_fails_nothing(
    command: Command,
    folder: Path,
    name: str,
    content: bytes,
) -> None:
    (folder / name).write_bytes(content)

    for action in (("add", str(folder)), ("refresh",)):
        ran = command("index", *action)

        assert (ran.code, ran.err) == (0, "")
        assert f"skipped {folder / name} (it has no text)\n" in ran.out
        assert ran.out.endswith("Skipped: 1 that have no text.\n")


def test_a_file_without_text_that_is_named_is_a_failure(
    command: Command,
    folder: Path,
) -> None:
    (folder / "empty.md").touch()

    ran = command("index", "add", str(folder / "empty.md"))

    assert ran.code == 2
    assert ran.err == f"webseam: {folder / 'empty.md'}: Not readable: it has no text.\n"


def test_a_file_that_has_lost_its_text_leaves_the_index(
    command: Command,
    folder: Path,
) -> None:
    command("index", "add", str(folder))
    (folder / "cat.md").write_text("")

    refreshed = command("index", "refresh")

    assert refreshed.code == 0
    assert "0 unchanged, 1 removed, 0 failed." in refreshed.out
    assert "There are no indexed documents yet." in command("search", "purrs").err


def test_a_damaged_file_says_why_and_keeps_what_the_index_has_of_it(
    command: Command,
    folder: Path,
) -> None:
    page = folder / "page.txt"
    page.write_text("A dog barks at the moon.")
    command("index", "add", str(folder))
    page.write_bytes(bytes(range(256)) * 4)

    refreshed = command("index", "refresh")
    as_json = _added(command, "refresh")

    assert refreshed.code == 0
    assert refreshed.err.startswith(f"webseam: {page}: Not readable: it is not text.")
    assert refreshed.out.endswith(
        "Skipped: 1 that cannot be read (damaged, with a password, too large).\n"
    )
    [unread] = as_json["unreadable"]  # type: ignore[misc]
    assert unread["location"] == str(page)  # type: ignore[has-type]
    assert "barks" in command("search", "barks").out


def test_a_damaged_file_that_is_named_is_a_failure(
    command: Command,
    folder: Path,
) -> None:
    (folder / "page.pdf").write_bytes(bytes(range(256)) * 4)

    assert command("index", "add", str(folder / "page.pdf")).code != 0


def test_links_to_nothing_and_in_circles_fail_nothing(
    command: Command,
    folder: Path,
) -> None:
    (folder / "nothing.md").symlink_to(folder / "nowhere.md")
    (folder / "circle.md").symlink_to(folder / "circle.md")

    added = command("index", "add", str(folder))

    assert (added.code, added.err) == (0, "")
    assert added.out.endswith("Skipped: 2 that are broken links or were just deleted.\n")


def test_a_file_that_goes_between_the_list_and_the_reading_leaves_the_index(
    command: Command,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command("index", "add", str(folder))

    def list_and_remove(*arguments: object) -> list[IngestItem]:
        items = index_items(*arguments)  # type: ignore[arg-type]
        (folder / "cat.md").unlink()
        return items

    monkeypatch.setattr(ingest_work, "index_items", list_and_remove)

    refreshed = command("index", "refresh")

    assert refreshed.code == 0
    assert "0 unchanged, 1 removed, 0 failed." in refreshed.out


@pytest.fixture
def closed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that cannot be looked into, whoever runs the tests."""
    inner = folder / "inner"
    inner.mkdir()
    (inner / "dog.md").write_text("A dog barks.")
    walk = os.walk

    def refuse(top: Path, *, onerror: object, followlinks: bool) -> object:
        for path, folders, names in walk(top, followlinks=followlinks):
            if Path(path) == inner and not (inner / ".open").exists():
                onerror(PermissionError(13, "Permission denied", path))  # type: ignore[operator]
                continue
            yield path, folders, names

    monkeypatch.setattr(os, "walk", refuse)
    return inner


def test_a_folder_that_cannot_be_looked_into_is_said_and_loses_nothing(
    command: Command,
    folder: Path,
    closed: Path,
) -> None:
    (closed / ".open").touch()
    command("index", "add", str(folder))
    (closed / ".open").unlink()

    refreshed = command("index", "refresh")

    assert refreshed.code == 2
    assert refreshed.err == f"webseam: {closed}: Not readable: permission denied.\n"
    assert "1 unchanged, 0 removed, 1 failed." in refreshed.out
    assert "barks" in command("search", "barks").out


def test_a_folder_that_cannot_be_looked_into_is_passed_over_where_nobody_asks(
    folder: Path, closed: Path
) -> None:
    names = find_documents(folder, Admission(), lambda *_: None)

    assert [path.name for path in names] == ["cat.md"]
    assert closed.is_dir()


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="everything is open to this user"
)
def test_a_folder_whose_files_may_not_be_looked_at_names_them(
    command: Command,
    folder: Path,
) -> None:
    folder.chmod(0o444)

    added = command("index", "add", str(folder))
    folder.chmod(0o755)

    assert added.code == 2
    assert added.err == f"webseam: {folder / 'cat.md'}: Not readable: permission denied.\n"


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (2, Success(SkippedDocument(reason="gone", error=SourceUnreadable(reason="x")))),
        (13, Failure(SourceUnreadable(reason="x"))),
        (5, Failure(SourceUnreadable(reason="x"))),
    ],
)
def test_missing_file_is_told_from_an_unreadable_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: object
) -> None:
    def refuse(path: Path) -> object:
        raise OSError(number, "X", str(path))

    monkeypatch.setattr("webseam.adapters.folder_files.open_regular_file", refuse)
    url = f"http://file.localhost{folder}/cat.md"
    item = IngestItem(location=str(folder / "cat.md"), url=url, source=str(folder))
    nobody: object = None

    found = read_index_item(item, None, ReaderDeps(read_page=nobody, convert=nobody))  # type: ignore[arg-type]

    assert found == expected
