"""The index as a backend: it searches and reads what was put into it, and needs no network."""

import asyncio
from collections.abc import Callable

from returns.result import Failure, Result, Success

from ...ports.backends import (
    NATIVE,
    Abilities,
    BackendAbout,
    FilterName,
    RowsAnswer,
    Served,
    UntrustedRow,
)
from ...ports.errors import HttpStatus, WebError
from ...ports.web import WebSearchQuery
from .store import DocumentIndex

_NOT_FOUND = 404
_FILTERS: tuple[FilterName, ...] = (
    "include_domains",
    "exclude_domains",
    "published_after",
    "published_before",
)


class IndexBackend:
    """A ``WebBackend`` over the document index."""

    def __init__(self, index: DocumentIndex, canonical: Callable[[str], str]) -> None:
        """Search ``index``; ``canonical`` gives the one spelling of a URL that it is kept under."""
        abilities = Abilities(filters=dict.fromkeys(_FILTERS, NATIVE))
        self.about = BackendAbout(name="index", embedded=True, abilities=abilities)
        self._index = index
        self._canonical = canonical

    async def search(self, query: WebSearchQuery, /) -> RowsAnswer:
        """Answer from the index. The words of the query may carry operators: see ``query``."""
        outcome = await asyncio.to_thread(self._index.answer, query)
        if isinstance(outcome, Failure):
            return outcome
        answer = outcome.unwrap()
        notice = (self._index.notice,) if self._index.notice else ()
        if notice or answer.warnings:
            return Success(Served(answer=answer.rows, warnings=(*notice, *answer.warnings)))
        return Success(answer.rows)

    async def extract(self, url: str, /) -> Result[UntrustedRow, WebError]:
        """Return a document that is in the index; any other page is not found."""
        document = await asyncio.to_thread(self._index.page, self._canonical(url))
        if isinstance(document, Failure):
            return document
        page = document.unwrap()
        if page is None:
            return Failure(HttpStatus(status=_NOT_FOUND, detail="this page is not in the index"))
        return Success(page)

    async def aclose(self) -> None:
        """Let go of the file."""
        self._index.close()
