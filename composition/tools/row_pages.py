"""Read the pages of the rows of a search, within one time limit for all of them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.call_context import call_seconds_left
from webseam.adapters.stores.text_files import TextFiles
from webseam.adapters.timer import asyncio_timer
from webseam.kernel.deps import WebDeps
from webseam.kernel.row_pages import add_row_pages, row_page_budget
from webseam.ports.errors import DeadlineExceeded, WebError
from webseam.ports.web import SearchOutcome

from ..wiring.backend_choice import ChosenBackend, canonical_backend_name, choose_backend
from ..wiring.backend_rows import Root
from ..wiring.backend_table import find_backend_row
from ..wiring.indexed_documents import IndexedDocuments
from .batch import Documents, Done, ExtractResult, extract_tool_pages

Page = TypeVar("Page")

# A caller's own time limit ends the whole call, and with it the rows: pages end before it.
_SHARE_OF_TIME_LEFT = 0.9


async def read_row_pages(
    outcome: SearchOutcome, deps: WebDeps, documents: Documents | None
) -> SearchOutcome:
    """Return an outcome whose rows have the texts of their pages.

    A page that is not there in time has an error in its row, and the others stay.
    """
    urls = [row.url for row in outcome.rows]
    deps = replace(deps, budget=row_page_budget(len(urls), deps.budget))

    def read(done: Done) -> Awaitable[list[ExtractResult]]:
        return extract_tool_pages(urls, deps, documents=documents, done=done)

    def miss(_url: str, error: DeadlineExceeded) -> ExtractResult:
        return Failure(error)

    pages = await read_pages_in_time(urls, read, miss, deps.deadline)
    return add_row_pages(outcome, pages)


async def read_pages_in_time(
    urls: Sequence[str],
    read: Callable[[Callable[[str, Page], None]], Awaitable[list[Page]]],
    miss: Callable[[str, DeadlineExceeded], Page],
    deadline: float | None,
) -> list[Page]:
    """Return what ``read`` returns: a page for each URL; ``miss`` makes those that were too late.

    ``read`` gets a function to call with each page as soon as it is there.
    """
    in_time: dict[str, Page] = {}

    def keep(url: str, page: Page) -> None:
        in_time.setdefault(url, page)

    seconds = _seconds_for_pages(deadline)
    if seconds is None:
        return await read(keep)
    ended = await asyncio_timer(read(keep), seconds)
    if isinstance(ended, Success):
        pages: list[Page] = ended.unwrap()
        return pages
    late = DeadlineExceeded(deadline=round(seconds, 3))
    return [in_time[url] if url in in_time else miss(url, late) for url in urls]


def _seconds_for_pages(deadline: float | None) -> float | None:
    left = call_seconds_left(time.monotonic())
    if left is None:
        return deadline
    seconds = max(left * _SHARE_OF_TIME_LEFT, 0.0)
    return seconds if deadline is None else min(seconds, deadline)


class RowPageReader:
    """Reads the pages of the rows of one command; it holds connections until it is closed."""

    def __init__(self, chosen: ChosenBackend, root: Root) -> None:
        """Read through a chosen backend, and documents of the index through the index."""
        self._backend = chosen.backend
        self.documents = IndexedDocuments(root)
        self.deps = WebDeps(
            backend=chosen.backend,
            policy=chosen.policy,
            texts=TextFiles(root.files.cache_folder / "texts"),
            deadline=root.settings.deadline,
            timer=asyncio_timer,
            now=root.clock,
        )

    async def aclose(self) -> None:
        """Close the connections and the index."""
        await self.documents.aclose()
        await self._backend.aclose()


def open_row_page_reader(
    root: Root, backend_name: str | None, *, cached: bool
) -> Result[RowPageReader, WebError]:
    """Return a reader over the named backend if it reads pages, else over that of the settings."""
    named = canonical_backend_name(backend_name, root)
    row = find_backend_row(named, root) if named else None
    if row is None or "extract" not in row.candidate.can:
        named = None
    chosen = choose_backend("extract", root, backend_name=named, cached=cached)
    return chosen.map(lambda it: RowPageReader(it, root))
