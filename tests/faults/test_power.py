"""Power that goes at any moment: what was said to be kept is there, and nothing is torn."""

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from webseam.adapters.features.index import store
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.files import write_file
from webseam.adapters.stores.cache_table import CacheStore
from webseam.ports import WebSearchQuery
from webseam.ports.stores import CachedAnswer

from .disk import Note, after_cut, kept, noted

WORKLOADS = 10
CUTS = 100
WORDS_EVERY = 20


def document(number: int) -> IndexDocument:
    text = f"Tide {number} comes in.\n\n" * (1 + number % 5 * 40)
    return IndexDocument(url=f"https://a.example/{number}", title=f"Tide {number}", text=text)


def index_workload(folder: Path, chance: random.Random) -> list[Note]:
    """Add, replace and remove documents, with the file opened anew now and then."""
    with noted() as notes:
        for _ in range(3):
            with closing(DocumentIndex.open_writer(folder / "index.sqlite").unwrap()) as index:
                for _ in range(3):
                    number = chance.randrange(40)
                    index.add([document(number)]).unwrap()
                    kept(f"https://a.example/{number}")
    return list(notes)


def put_on_disk(files: dict[str, bytes], folder: Path) -> None:
    folder.mkdir()
    for name, content in files.items():
        # Shared memory is made anew by whoever comes first.
        if not name.endswith("-shm"):
            (folder / name).write_bytes(content)


@pytest.mark.parametrize("seed", range(WORKLOADS))
def test_no_document_that_was_said_to_be_kept_is_lost_to_a_power_cut(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)  # noqa: S311  chance that can be had again
    (tmp_path / "live").mkdir()
    notes = index_workload(tmp_path / "live", chance)
    for cut in range(CUTS):
        end = chance.randrange(len(notes) + 1)
        folder = tmp_path / str(cut)
        put_on_disk(after_cut(notes[:end], chance), folder)
        promised = {note.file for note in notes[:end] if note.kind == "kept"}

        with closing(DocumentIndex.open_writer(folder / "index.sqlite").unwrap()) as index:
            held = {each.url for each in index.documents().unwrap()}
            assert promised <= held, (cut, end)
            # The words did not survive; to make them anew takes longer than all the rest.
            if cut % WORDS_EVERY == 0:
                index.check().unwrap()
                rows = index.search(WebSearchQuery(query="tide", max_results=50)).unwrap()
                assert {row["url"] for row in rows} == held, (cut, end)
        with closing(sqlite3.connect(folder / "index.sqlite")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_this_disk_notices_a_store_that_does_not_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    careless = msgspec.structs.replace(INDEX, synchronous="NORMAL")
    monkeypatch.setattr(store, "INDEX", careless)
    chance = random.Random(0)  # noqa: S311  chance that can be had again
    (tmp_path / "live").mkdir()
    notes = index_workload(tmp_path / "live", chance)

    put_on_disk(after_cut(notes[: _last_kept(notes) + 1], chance), tmp_path / "cut")
    with closing(DocumentIndex.open_writer(tmp_path / "cut" / "index.sqlite").unwrap()) as index:
        held = {each.url for each in index.documents().unwrap()}

    assert not {note.file for note in notes if note.kind == "kept"} <= held


def _last_kept(notes: list[Note]) -> int:
    return max(at for at, note in enumerate(notes) if note.kind == "kept")


@pytest.mark.parametrize("seed", range(3))
def test_an_answer_in_the_cache_is_whole_or_not_there_after_a_power_cut(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)  # noqa: S311  chance that can be had again
    (tmp_path / "live").mkdir()
    answers = [
        CachedAnswer(
            key=bytes([number]) * 16,
            operation="search",
            backend="b",
            payload=bytes([number]) * 3000,
            stored_at=0.0,
            expires_at=1e12,
        )
        for number in range(9)
    ]
    with noted() as notes, closing(CacheStore(tmp_path / "live" / "answers.sqlite")) as cache:
        for answer in answers:
            cache.keep(answer).unwrap()
    done = list(notes)
    for cut in range(40):
        folder = tmp_path / str(cut)
        put_on_disk(after_cut(done[: chance.randrange(len(done) + 1)], chance), folder)

        with closing(CacheStore(folder / "answers.sqlite")) as cache:
            payloads = [cache.look_up(answer.key).unwrap() for answer in answers]

        assert all(
            each in (None, answer.payload) for each, answer in zip(payloads, answers, strict=True)
        )


def test_a_file_is_the_old_one_or_the_new_one_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    order: list[str] = []
    for name in ("write", "fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, _noting(order, name, real))

    assert write_file(path, b"new")

    # On the disk before it has its name; the name on the disk before anybody is told.
    assert order == ["write", "fsync", "replace", "fsync"]


def _noting(order: list[str], name: str, real: Callable[..., object]) -> Callable[..., object]:
    def call(*arguments: object) -> object:
        order.append(name)
        return real(*arguments)

    return call
