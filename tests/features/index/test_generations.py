"""Answers of the index in the cache: none outlives a change of the index, at any door."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.choosing.support import root
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.composition.features.index.backends import index_generation
from webseam.composition.wiring.backend_choice import ChosenBackend, choose_backend
from webseam.kernel import web_search

from .shelf import BOILER, PUMP, lent

Change = Callable[[DocumentIndex], object]

CHANGES: dict[str, Change] = {
    "add": lambda index: index.add([BOILER]),
    "edit": lambda index: index.add([replace(PUMP, text="A heat pump costs 7,000 now.")]),
    "remove": lambda index: index.remove([PUMP.url]),
    "rename": lambda index: (index.remove([PUMP.url]), index.add([_renamed(PUMP)])),
}


def _renamed(document: IndexDocument) -> IndexDocument:
    return replace(document, url="https://heat.example/renamed")


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[ChosenBackend]:
    """A route of the index and a service, behind the cache."""
    opened = root(
        tmp_path,
        "backend: index\nkeyless: false\n",
        BRAVE_API_KEY="k",
        HOME=str(tmp_path),
        WEBSEAM_CACHE=str(tmp_path / "cache"),
        WEBSEAM_INDEX=str(tmp_path / "index.sqlite"),
    )
    lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap()).add([PUMP]).unwrap()
    backend = choose_backend("search", opened, route=("index", "brave")).unwrap()
    yield backend
    asyncio.run(backend.backend.aclose())


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_answer_before_a_change_is_not_served_after_it(
    change: Change, chosen: ChosenBackend, tmp_path: Path
) -> None:
    deps = chosen.web_deps(root(tmp_path))
    index = lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap())
    index.add([replace(PUMP, url="https://stays.example/", text="A pump that stays.")]).unwrap()

    async def ask() -> tuple[bool, list[tuple[str, str]]]:
        outcome = (await web_search("pump", deps)).unwrap()
        return outcome.receipt.cached, [(row.url, row.snippet) for row in outcome.rows]

    async def ask_around_change() -> None:
        first, again = await ask(), await ask()
        change(index)
        changed, changed_again = await ask(), await ask()

        assert (first[0], again[0], changed[0], changed_again[0]) == (False, True, False, True)
        assert first[1] == again[1]
        assert changed[1] != first[1]
        assert changed[1] == changed_again[1]

    asyncio.run(ask_around_change())


def test_generation_stays_while_the_index_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    with closing(DocumentIndex.open_writer(path).unwrap()) as index:
        index.add([PUMP]).unwrap()
    before = index_generation(path)

    for _ in range(2):
        with closing(DocumentIndex.open_reader(path).unwrap()) as index:
            index.documents().unwrap()
            assert index_generation(path) == before

    assert index_generation(path) == before
