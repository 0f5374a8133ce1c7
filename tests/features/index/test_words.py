"""The words beside the file: whatever becomes of them, what is in the file is found."""

import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from returns.result import Failure

from webseam.adapters.features.index.documents import IndexDocument, prepare_document_batch
from webseam.adapters.features.index.index_words import WORDS_EDITION, IndexWords
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.features.index.updates import store_documents
from webseam.adapters.features.index.word_folders import words_folder
from webseam.adapters.stores.sqlite import open_for_writing, run_transaction

from .shelf import BOILER, BREAD, PUMP, reading, shelf, urls, writing

ALL = [PUMP.url, BOILER.url]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    shelf(tmp_path, PUMP, BOILER, BREAD).close()
    return tmp_path / "index.sqlite"


def _words(path: Path) -> Path:
    [folder] = words_folder(path).iterdir()
    return folder


def _each(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        for file in folder.iterdir():
            if file.suffix != ".lock":
                file.write_bytes(change(file.read_bytes()))

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": shutil.rmtree,
    "emptied": _each(lambda _: b""),
    "cut": _each(lambda content: content[: len(content) // 2]),
    "overwritten": _each(lambda content: bytes(len(content))),
    "no list": lambda folder: (folder / "meta.json").unlink(),
    "another list": lambda folder: (folder / "meta.json").write_text("{}"),
}


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("opened", [reading, writing])
def test_words_that_are_damaged_are_made_anew(
    path: Path, name: str, opened: Callable[[Path], object]
) -> None:
    DAMAGES[name](_words(path))

    assert urls(opened(path).unwrap(), "heat pump") == ALL  # type: ignore[attr-defined]
    assert urls(reading(path).unwrap(), "rye") == [BREAD.url]


@pytest.mark.parametrize("seed", range(12))
def test_no_damage_to_the_words_ever_raises(path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  not a secret
    for file in sorted(_words(path).iterdir()):
        content = bytearray(file.read_bytes())
        for _ in range(len(content) and 3):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        file.write_bytes(content)

    index = writing(path).unwrap()

    assert set(urls(index, "heat pump rye")) <= {*ALL, BREAD.url}
    assert index.add([msgspec.structs.replace(BREAD, text="A zebra.")]).unwrap() == ("updated",)
    assert urls(index, "zebra") == [BREAD.url]


def test_a_file_that_was_copied_alone_is_searched(path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    copy = Path(shutil.copy(path, tmp_path / "elsewhere"))

    assert urls(reading(copy).unwrap(), "heat pump") == ALL


def test_a_file_that_is_older_than_its_words_is_searched_as_it_is(path: Path) -> None:
    older = path.read_bytes()
    index = writing(path).unwrap()
    index.add([msgspec.structs.replace(PUMP, text="A zebra.", title="")]).unwrap()
    index.tidy().unwrap()
    index.close()

    path.write_bytes(older)

    assert urls(reading(path).unwrap(), "heat pump") == ALL
    assert urls(reading(path).unwrap(), "zebra") == []


def test_words_of_another_edition_are_made_anew(path: Path) -> None:
    with closing(open_for_writing(path, INDEX).unwrap()) as connection:
        connection.execute("UPDATE totals SET words = '0-' || substr(words, 3)")
    shutil.move(_words(path), _words(path).with_name("0" + _words(path).name[1:]))

    assert urls(reading(path).unwrap(), "heat pump") == ALL
    assert _words(path).name.startswith(f"{WORDS_EDITION}-")


def test_a_transaction_that_fails_after_its_words_were_kept_leaves_nothing(path: Path) -> None:
    zebra = IndexDocument(url="https://zebra.example/", text="A zebra.")

    with closing(open_for_writing(path, INDEX).unwrap()) as connection:

        def fail() -> None:
            with IndexWords(path, is_reader=False).open_writer(connection) as pen:
                store_documents(connection, pen, prepare_document_batch([zebra]), 0.0)
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            run_transaction(connection, fail)

    assert urls(reading(path).unwrap(), "zebra") == []
    index = writing(path).unwrap()
    index.add([msgspec.structs.replace(zebra, text="A giraffe.")]).unwrap()
    assert (urls(index, "zebra giraffe"), urls(index, "pump")) == ([zebra.url], ALL)
    assert index.check().unwrap() is None


def test_a_reader_needs_no_room_in_the_folder(path: Path) -> None:
    # Where the engine would make the file that it locks, nothing can be made.
    lock = _words(path) / ".tantivy-meta.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    before = sorted(_words(path).iterdir())

    index = reading(path).unwrap()

    assert urls(index, "heat pump") == ALL
    assert sorted(_words(path).iterdir()) == before


def test_search_without_a_words_folder_builds_its_own(path: Path) -> None:
    shutil.rmtree(words_folder(path))
    words_folder(path).write_text("in the way")

    index = writing(path).unwrap()

    assert urls(index, "heat pump") == ALL
    assert isinstance(index.add([msgspec.structs.replace(BREAD, text="new")]), Failure)
    assert index.remove([PUMP.url]).unwrap() == 1
    assert urls(index, "heat pump") == [BOILER.url]
    assert words_folder(path).read_text() == "in the way"


def test_document_removed_by_another_process_is_not_found(path: Path) -> None:
    reader = reading(path).unwrap()
    assert urls(reader, "pump") == ALL
    writer = writing(path).unwrap()

    writer.remove([PUMP.url]).unwrap()
    assert urls(reader, "pump") == [BOILER.url]
    writer.tidy().unwrap()
    assert urls(reader, "pump") == [BOILER.url]
    assert writer.check().unwrap() is None


def test_much_that_was_removed_does_not_hide_the_rest(tmp_path: Path) -> None:
    many = [IndexDocument(url=f"https://{n}.example/", text="gas") for n in range(1500)]
    index = shelf(tmp_path, *many, BOILER)

    index.remove([each.url for each in many[:900]]).unwrap()
    assert BOILER.url in urls(index, "gas boiler")
    index.remove([each.url for each in many[900:]]).unwrap()
    assert urls(index, "gas") == [BOILER.url]


def test_the_folder_is_for_its_owner_alone(path: Path) -> None:
    assert words_folder(path).stat().st_mode & 0o777 == 0o700


def test_the_size_that_is_told_is_with_the_words(path: Path) -> None:
    files = [each for each in words_folder(path).rglob("*") if each.is_file()]

    told = reading(path).unwrap().statistics().unwrap().bytes

    assert told >= path.stat().st_size + sum(each.stat().st_size for each in files)
