"""The document index as a backend: search and extraction without a network.

A model embeds the query only where the file has vectors; without an embedding, words rank alone.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from returns.result import Failure, Result, Success

from webseam.ports import backends
from webseam.ports.errors import HttpStatus, WebError
from webseam.ports.models import Embeddings
from webseam.ports.receipts import Usage
from webseam.ports.web import WebSearchQuery

from .query import embeddable_text
from .schema import INDEX
from .store import DocumentIndex
from .vector_table import EmbeddingModel

WORDS_ALONE_WARNING = "words alone were compared, not meaning"
_NOT_FOUND_STATUS = 404
_FILTERS: tuple[backends.FilterName, ...] = (
    "include_domains", "exclude_domains", "published_after", "published_before",
)  # fmt: skip


class QueryEmbedder(Protocol):
    """Turn a query into a vector of the model whose vectors a file has."""

    async def __call__(self, text: str, model: EmbeddingModel, /) -> Result[Embeddings, WebError]:
        """Return one vector with the dimensions of the model."""

    async def aclose(self) -> None:
        """Close the model."""


class IndexBackend:
    """A ``WebBackend`` over the document index."""

    def __init__(
        self,
        index: DocumentIndex,
        canonical: Callable[[str], str],
        open_embedder: Callable[[], QueryEmbedder] | None = None,
    ) -> None:
        """Search ``index``; ``canonical`` returns the spelling of a URL that it stores.

        ``open_embedder`` is called where the file has vectors; without it, words rank alone.
        """
        abilities = backends.Abilities(filters=dict.fromkeys(_FILTERS, backends.NATIVE))
        self.about = backends.BackendAbout(name="index", embedded=True, abilities=abilities)
        self._index = index
        self._canonical = canonical
        self._open_embedder = open_embedder
        self._embedder: QueryEmbedder | None = None

    async def search(self, query: WebSearchQuery, /) -> backends.RowsAnswer:
        """Answer from the index. The query may have operators: see ``query``."""
        vector, usage, notes = await self._embed_query(query)
        outcome = await asyncio.to_thread(self._index.answer, query, vector)
        if isinstance(outcome, Failure):
            return outcome
        answer = outcome.unwrap()
        if not answer.rows:
            counts = await asyncio.to_thread(self._index.statistics)
            # An empty index must not look like a search without matches.
            if isinstance(counts, Success) and not counts.unwrap().documents:
                return Failure(INDEX.file_error("missing"))
        warnings = (*answer.warnings, *notes)
        if warnings or usage is not None:
            return Success(backends.Served(answer=answer.rows, warnings=warnings, usage=usage))
        return Success(answer.rows)

    async def _embed_query(
        self, query: WebSearchQuery
    ) -> tuple[tuple[float, ...], Usage | None, tuple[str, ...]]:
        """Return the query's vector, its usage, and a warning if the embedding failed."""
        text = embeddable_text(query.query)
        if self._open_embedder is None or not text:
            return (), None, ()
        model = (await asyncio.to_thread(self._index.model)).value_or(None)
        if model is None:
            return (), None, ()
        self._embedder = self._embedder or self._open_embedder()
        embedded = await self._embedder(text, model)
        if isinstance(embedded, Failure):
            return (), None, (f"{WORDS_ALONE_WARNING}: {embedded.failure().message}",)
        answer = embedded.unwrap()
        usage = Usage(input_tokens=answer.tokens, total_tokens=answer.tokens)
        return answer.vectors[0], usage if answer.tokens else None, ()

    async def extract(self, url: str, /) -> Result[backends.UntrustedRow, WebError]:
        """Return a document that is in the index; any other page is not found."""
        document = await asyncio.to_thread(self._index.page, self._canonical(url))
        if isinstance(document, Failure):
            return document
        page = document.unwrap()
        if page is None:
            return Failure(
                HttpStatus(status=_NOT_FOUND_STATUS, detail="this page is not in the index")
            )
        return Success(page)

    async def aclose(self) -> None:
        """Close the index and the model."""
        self._index.close()
        if self._embedder is not None:
            await self._embedder.aclose()
