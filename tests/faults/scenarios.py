"""What is done while each of its calls to the system fails in turn: a process of its own.

Descriptors are those of a whole process. Among other tests, a thread that one of them left behind,
such as that of ``webseam.search`` with its open stores, may open a file at any time.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
from returns.result import Result, Success

from tests.fetch.support import always, opening
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.pages.workers.pool import Workers
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.text_files import LastResponse, TextFiles
from webseam.composition.plugins.plugin_choice import read_plugin_choices, write_plugin_choices
from webseam.composition.plugins.report import PluginChoices
from webseam.composition.settings.changes import change_settings_file
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.wiring.cache import with_cache
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.kernel import WebDeps, web_search
from webseam.ports import WebError
from webseam.testing import FakeBackend

from .injection import descriptors, injected

SETTINGS = "# mine\nbackend: tavily # for now\n"
CHANGED = SETTINGS.replace("tavily", "exa")
OLD = IndexDocument(url="https://a.example/old", text="An old tide.")
NEW = IndexDocument(url="https://a.example/new", text="A new tide.")
ROW = {"title": "A", "url": "https://a.example/", "snippet": "s"}
PAGE = b"<html><body><main><p>The tide is high today, and the harbour is full.</p></main>"


class Scenario(msgspec.Struct, frozen=True):
    """What is there before, what is done, and what may be there after it succeeded or failed."""

    prepare: Callable[[Path], object]
    act: Callable[[Path], Result[object, object]]
    kept: Callable[[Path], object]
    before: object
    after: object


def nothing(_: Path) -> None:
    """Have nothing there before."""


def edit_settings(folder: Path) -> Result[object, object]:
    return change_settings_file(folder / "config.yaml", {("backend",): "exa"})


def add_to_index(folder: Path, document: IndexDocument = NEW) -> Result[object, object]:
    opened = DocumentIndex.open_writer(folder / "index.sqlite")
    if not isinstance(opened, Success):
        return opened
    with closing(opened.unwrap()) as index:
        added: Result[object, object] = index.add([document])
        return added


def indexed(folder: Path) -> object:
    with closing(DocumentIndex.open_reader(folder / "index.sqlite").unwrap()) as index:
        index.check().unwrap()
        return tuple(each.url for each in index.documents().unwrap())


def search_with_cache(folder: Path) -> Result[object, object]:
    async def search() -> Result[object, object]:
        with closing(CacheStore(folder / "answers.sqlite")) as store:
            backend = with_cache(FakeBackend(rows=[ROW]), store, now=lambda: 1e9)
            return await web_search({"query": "tide"}, WebDeps(backend=backend))

    return asyncio.run(search())


def cached(folder: Path) -> object:
    with closing(CacheStore(folder / "answers.sqlite")) as store:
        return store.statistics().unwrap().answers in (0, 1)


def locations(folder: Path) -> FileLocations:
    return FileLocations({"WEBSEAM_CONFIG": str(folder / "config.yaml")})


def convert_in_worker(_: Path) -> Result[object, object]:
    workers = Workers()
    try:
        return asyncio.run(workers.convert(PAGE, "text/html", "https://a.example/"))
    finally:
        workers.close()


def fetch_page(_: Path) -> Result[object, object]:
    async def serve_and_fetch() -> Result[object, object]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                % (len(PAGE), PAGE)
            )
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            fetcher = wire_page_fetcher(
                opening(f"127.0.0.1/32:{port}"), resolve=always("127.0.0.1")
            )
            return await fetcher.fetch(f"http://127.0.0.1:{port}/")
        finally:
            server.close()
            await server.wait_closed()

    return asyncio.run(serve_and_fetch())


SCENARIOS = {
    "a settings edit": Scenario(
        prepare=lambda folder: (folder / "config.yaml").write_text(SETTINGS),
        act=edit_settings,
        kept=lambda folder: (folder / "config.yaml").read_text(),
        before=SETTINGS,
        after=CHANGED,
    ),
    "the last response": Scenario(
        prepare=lambda folder: LastResponse(folder / "last").save("id-1").unwrap(),
        act=lambda folder: LastResponse(folder / "last").save("id-2"),
        kept=lambda folder: LastResponse(folder / "last").load().unwrap(),
        before="id-1",
        after="id-2",
    ),
    "a first response": Scenario(
        prepare=nothing,
        act=lambda folder: LastResponse(folder / "deep" / "last").save("id-1"),
        kept=lambda folder: LastResponse(folder / "deep" / "last").load().unwrap(),
        before=None,
        after="id-1",
    ),
    "a page's text": Scenario(
        prepare=nothing,
        act=lambda folder: asyncio.run(TextFiles(folder / "texts").save("tide")),
        kept=lambda folder: [each.read_text() for each in (folder / "texts").glob("*")],
        before=[],
        after=["tide"],
    ),
    "the choice of plugins": Scenario(
        prepare=lambda folder: write_plugin_choices(PluginChoices(), locations(folder)).unwrap(),
        act=lambda folder: write_plugin_choices(PluginChoices(enabled=("a",)), locations(folder)),
        kept=lambda folder: read_plugin_choices(locations(folder)).unwrap().enabled,
        before=(),
        after=("a",),
    ),
    "a first document": Scenario(
        prepare=nothing,
        act=lambda folder: add_to_index(folder, OLD),
        kept=lambda folder: add_to_index(folder, OLD).unwrap() and indexed(folder),
        before=(OLD.url,),
        after=(OLD.url,),
    ),
    "a second document": Scenario(
        prepare=lambda folder: add_to_index(folder, OLD).unwrap(),
        act=add_to_index,
        kept=indexed,
        before=(OLD.url,),
        after=(NEW.url, OLD.url),
    ),
    "a search with a cache": Scenario(
        prepare=nothing, act=search_with_cache, kept=cached, before=True, after=True
    ),
    "a page in a worker": Scenario(
        prepare=nothing, act=convert_in_worker, kept=os.listdir, before=[], after=[]
    ),
    "a page from a server": Scenario(
        prepare=nothing, act=fetch_page, kept=os.listdir, before=[], after=[]
    ),
}


def counted(scenario: Scenario, folder: Path) -> list[str]:
    """Return the calls of a scenario in which none fails."""
    folder.mkdir()
    scenario.prepare(folder)
    with injected() as injection:
        assert isinstance(scenario.act(folder), Success)
    assert scenario.kept(folder) == scenario.after
    return injection.calls


def failing(scenario: Scenario, folder: Path, number: int, call: str) -> None:
    """Have one call fail, and look at what comes of it."""
    folder.mkdir()
    scenario.prepare(folder)
    gc.collect()
    open_before = descriptors()

    with injected(number) as injection:
        outcome = scenario.act(folder)

    assert injection.calls[number - 1] == call, injection.calls
    gc.collect()
    open_after = descriptors()
    assert len(open_after) <= len(open_before), (open_before, open_after)
    assert isinstance(outcome, Success) or isinstance(outcome.failure(), WebError), outcome
    content = scenario.kept(folder)
    assert content in (scenario.before, scenario.after), content
    assert content == scenario.after or not isinstance(outcome, Success), content
    assert list(folder.rglob(".webseam-*")) == []


def main(folder: Path) -> None:
    """Run each scenario once for each of its calls."""
    for name, scenario in SCENARIOS.items():
        own = folder / name
        own.mkdir()
        calls = counted(scenario, own / "none")
        assert calls
        for number, call in enumerate(calls, 1):
            try:
                failing(scenario, own / str(number), number, call)
            except AssertionError as error:
                error.add_note(f"{name}, call {number} of {len(calls)}: {call}")
                raise


if __name__ == "__main__":
    main(Path(sys.argv[1]))
