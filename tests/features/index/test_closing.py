"""An index that is closed says so, whoever asks it for what; no call raises, and none is cut off."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from returns.result import Failure, Result, Success

from webseam.adapters.features.index.backend import IndexBackend
from webseam.adapters.features.index.documents import prepare_document
from webseam.adapters.features.index.ingestion import IngestItem, ingest_items
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.features.index.store import DocumentIndex
from webseam.ports import WebSearchQuery

from .shelf import BREAD, PUMP, reading, shelf

CLOSED = Failure(INDEX.file_error("closed"))
QUERY = WebSearchQuery(query="pump")
CALLS: dict[str, Callable[[DocumentIndex], Result[object, object]]] = {
    "search": lambda index: index.search(QUERY),
    "answer": lambda index: index.answer(QUERY, (1.0,)),
    "add": lambda index: index.add([BREAD]),
    "put": lambda index: index.put([prepare_document(BREAD)]),
    "remove": lambda index: index.remove([PUMP.url]),
    "tidy": lambda index: index.tidy(),
    "remember_sources": lambda index: index.remember_sources(["a"]),
    "forget_sources": lambda index: index.forget_sources(["a"]),
    "digests": lambda index: index.digests([PUMP.url]),
    "documents": lambda index: index.documents(),
    "sources": lambda index: index.sources(),
    "statistics": lambda index: index.statistics(),
    "check": lambda index: index.check(),
    "page": lambda index: index.page(PUMP.url),
    "model": lambda index: index.model(),
    "passages_without_vectors": lambda index: index.passages_without_vectors(1),
    "drop_vectors": lambda index: index.drop_vectors(),
    "take_in": lambda index: ingest_items(
        index,
        [IngestItem(location="a", url="https://a.example/", source="a")],
        lambda _, __: Success(PUMP),
        lambda _: None,
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_closed_index_says_so(
    tmp_path: Path, call: Callable[[DocumentIndex], Result[object, object]]
) -> None:
    index = shelf(tmp_path, PUMP)
    index.search(QUERY).unwrap()
    index.close()

    assert call(index) == CLOSED


def test_an_index_that_was_never_used_says_so_too(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()
    index = reading(tmp_path / "index.sqlite").unwrap()
    index.close()

    assert index.search(QUERY) == CLOSED


def test_to_close_twice_and_to_give_back_room_afterwards_is_nothing(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP)
    index.close()

    index.close()
    index.release_space()
    index.empty_log()

    assert "was closed" in INDEX.file_error("closed").message


def test_a_backend_that_is_closed_gives_an_error(tmp_path: Path) -> None:
    backend = IndexBackend(shelf(tmp_path, PUMP), str)

    async def use() -> tuple[object, object]:
        await backend.aclose()
        return await backend.search(QUERY), await backend.extract(PUMP.url)

    assert asyncio.run(use()) == (CLOSED, CLOSED)


def test_threads_that_use_it_while_it_is_closed_get_a_whole_answer_or_that_it_is_closed(
    tmp_path: Path,
) -> None:
    index = shelf(tmp_path, PUMP)
    whole = index.search(QUERY)
    began = threading.Barrier(4)

    def use(call: Callable[[DocumentIndex], Result[object, object]]) -> list[object]:
        began.wait()
        return [*iter(lambda: call(index), CLOSED)]

    with ThreadPoolExecutor(3) as threads:
        used = [threads.submit(use, CALLS[name]) for name in ("search", "search", "statistics")]
        began.wait()
        index.close()
    searched = [answer for each in used[:2] for answer in each.result()]

    assert all(answer == whole for answer in searched)
    assert index.search(QUERY) == CLOSED
