"""Files and folders of ours: for their owner alone, whatever the umask says."""

import asyncio
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.doors.cli.run import webseam
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.files import make_private_folder, open_to_append, write_file
from webseam.adapters.plugins.observers.counter import UseCounter
from webseam.adapters.plugins.observers.json_lines import JsonLines
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.text_files import LastResponse, TextFiles
from webseam.composition.plugins.plugin_choice import write_plugin_choices
from webseam.composition.plugins.report import PluginChoices
from webseam.composition.settings.changes import write_settings_file
from webseam.composition.settings.file_locations import FileLocations

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


def index(folder: Path) -> None:
    with closing(DocumentIndex.open_writer(folder / "index.sqlite").unwrap()) as opened:
        opened.add([IndexDocument(url="https://a.example/", text="tides")]).unwrap()


def cache(folder: Path) -> None:
    with closing(CacheStore(folder / "answers.sqlite")) as opened:
        opened.statistics().unwrap()


WRITERS: dict[str, Callable[[Path], object]] = {
    "index": index,
    "cache": cache,
    "texts": lambda folder: asyncio.run(TextFiles(folder).save("tides")).unwrap(),
    "last response": lambda folder: LastResponse(folder / "last").save("id-1").unwrap(),
    "settings": lambda folder: write_settings_file(
        folder / "config.yaml", b"a: 1\n", None
    ).unwrap(),
    "plugins": lambda folder: write_plugin_choices(
        PluginChoices(), FileLocations({"WEBSEAM_CONFIG": str(folder / "config.yaml")})
    ).unwrap(),
    "uses": lambda folder: UseCounter(folder / "uses.sqlite", lambda: 0.0).take(("a",), 1, 1.0),
    "lines": lambda folder: JsonLines(folder / "lines").append({"a": 1}),
}


@pytest.fixture
def umask(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    # Under some of them pytest itself could not enter the folder that it makes.
    assert tmp_path.is_dir()
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> set[tuple[bool, str]]:
    return {(each.is_dir(), oct(stat.S_IMODE(each.stat().st_mode))) for each in folder.rglob("*")}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o177], indirect=True, ids=oct)
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.usefixtures("umask")
def test_every_folder_and_file_that_is_made_is_private(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / "above" / "webseam" / "inside")

    assert modes(tmp_path) == {(True, "0o700"), (False, "0o600")}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_others_can_read_is_mended(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "webseam"
    WRITERS[name](folder)
    files = [each for each in folder.rglob("*") if each.is_file()]
    for each in files:
        each.chmod(0o644)
        # What is saved by its content is left alone; another text is another file.
        if name == "texts":
            each.unlink()
    if name == "settings":
        (folder / "config.yaml").unlink()

    WRITERS[name](folder)

    assert {mode for is_folder, mode in modes(folder) if not is_folder} == {"0o600"}


def test_a_folder_of_texts_that_others_can_read_is_mended(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    asyncio.run(TextFiles(tmp_path).save("tides")).unwrap()

    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "texts"])
def test_a_folder_of_our_name_that_others_can_read_is_mended(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "webseam"
    folder.mkdir()
    folder.chmod(0o755)

    WRITERS[name](folder)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_another_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    make_private_folder(tmp_path)
    os.close(open_to_append(tmp_path / "file"))

    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_file_that_is_not_wanted_any_more_is_not_written(tmp_path: Path) -> None:
    assert write_file(tmp_path / "file", b"new", lambda: False) is False
    assert list(tmp_path.iterdir()) == []


def test_texts_make_room_by_age_and_by_size(tmp_path: Path) -> None:
    clock = [0.0]
    texts = TextFiles(tmp_path, now=lambda: clock[0], max_bytes=3000)
    handles = [asyncio.run(texts.save(letter * 1000)).unwrap() for letter in "abcde"]
    for age, handle in enumerate(handles):
        os.utime(tmp_path / f"{handle}.md", (age, age))

    asyncio.run(TextFiles(tmp_path, now=lambda: 10.0, max_bytes=3000).save("e" * 1000))
    by_size = {each.stem for each in tmp_path.iterdir()}
    asyncio.run(TextFiles(tmp_path, now=lambda: 31 * 86400.0).save("f"))
    by_age = {each.stem for each in tmp_path.iterdir()}

    assert by_size == set(handles[2:])
    assert by_age.isdisjoint(handles[2:4])


def test_clearing_the_cache_clears_the_texts_too(tmp_path: Path) -> None:
    texts = TextFiles(tmp_path / "texts")
    asyncio.run(texts.save("tides")).unwrap()
    (tmp_path / "texts" / "mine.txt").write_text("not a text of ours")

    ran = webseam("cache", "clear", WEBSEAM_CACHE=str(tmp_path))

    assert (ran.code, ran.out) == (0, "cleared  0\ntexts    1\n")
    assert [each.name for each in (tmp_path / "texts").iterdir()] == ["mine.txt"]
