"""Full texts on disk: whole, private, and found again."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from returns.result import Success

from webseam.adapters.stores.text_files import TextFiles
from webseam.composition.settings.file_locations import FileLocations
from webseam.ports import InvalidQuery, StoreFailed

TEXT = "Größe\n\n" * 1000


def test_a_text_comes_back_under_its_handle(tmp_path: Path) -> None:
    texts = TextFiles(tmp_path / "deep" / "texts")

    handle = asyncio.run(texts.save(TEXT)).unwrap()

    assert asyncio.run(texts.load(handle)) == Success(TEXT)
    assert asyncio.run(texts.save(TEXT)) == Success(handle)
    assert len(list((tmp_path / "deep" / "texts").iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_user_can_read_what_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    handle = asyncio.run(TextFiles(folder).save(TEXT)).unwrap()

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / f"{handle}.md").stat().st_mode) == 0o600


@pytest.mark.parametrize("handle", ["", "../../etc/passwd", "A" * 24, "a" * 23, "a" * 25])
def test_invalid_handle_is_refused(tmp_path: Path, handle: str) -> None:
    assert asyncio.run(TextFiles(tmp_path).load(handle)).failure() == InvalidQuery(
        field="handle", reason="is not a handle of a stored text"
    )


def test_a_handle_that_is_not_there_says_so(tmp_path: Path) -> None:
    assert asyncio.run(TextFiles(tmp_path).load("a" * 24)).failure() == InvalidQuery(
        field="handle", reason="no text is stored under it"
    )


def test_a_text_that_was_changed_on_disk_is_not_served(tmp_path: Path) -> None:
    texts = TextFiles(tmp_path)
    handle = asyncio.run(texts.save(TEXT)).unwrap()
    (tmp_path / f"{handle}.md").write_text("tampered")

    assert asyncio.run(texts.load(handle)).failure() == StoreFailed(
        store="texts", reason="the stored text was changed"
    )


def test_a_folder_that_cannot_be_made_is_a_failure_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    texts = TextFiles(tmp_path / "file")

    assert asyncio.run(texts.save(TEXT)).failure() == StoreFailed(
        store="texts", reason="not a directory"
    )


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / f"{'a' * 24}.md").mkdir()

    assert asyncio.run(TextFiles(tmp_path).load("a" * 24)).failure() == StoreFailed(
        store="texts", reason="is a directory"
    )


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    texts = TextFiles(tmp_path)
    handle = asyncio.run(TextFiles(tmp_path / "other").save(TEXT)).unwrap()
    # A folder of that name that is not empty cannot be replaced by a file, nor does it exist as one.
    blocked = tmp_path / f"{handle}.md"
    blocked.symlink_to(tmp_path / "nowhere" / "else")
    (tmp_path / "texts-before").touch()

    saved = asyncio.run(texts.save(TEXT))

    assert saved == Success(handle)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("tmp")]


def test_the_cache_folder_is_the_named_one_or_the_platforms(tmp_path: Path) -> None:
    assert FileLocations({"WEBSEAM_CACHE": str(tmp_path)}).cache_folder == tmp_path
    assert (
        FileLocations(
            {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "c")}
        ).cache_folder.name
        == "webseam"
    )
    assert (
        tmp_path
        in FileLocations(
            {"HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
        ).cache_folder.parents
    )
