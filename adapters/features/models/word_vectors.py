"""Reranking and embedding on this machine, with the word vectors that WordLlama ships.

https://github.com/dleemiller/WordLlama (read 2026-11-15): 256 numbers per word, averaged over a
text. They measure the topic of a text, not whether it answers a question.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from returns.result import Result, Success

from webseam.ports.errors import WebError
from webseam.ports.models import Embeddings, RankedDocument, TextRole

LOCAL_MODEL = "wordllama"
_PACKAGE = "wordllama"


class WordVectors(Protocol):
    """A model that scores documents by a query, and embeds texts."""

    def rank(self, query: str, docs: list[str], sort: bool) -> list[tuple[str, float]]:  # noqa: FBT001  as it is there
        """Return each document with its score."""

    def embed(self, texts: list[str]) -> Iterable[Iterable[float]]:
        """Return the vector of each text."""


def is_wordllama_installed() -> bool:
    """Tell whether the package is installed."""
    return find_spec(_PACKAGE) is not None


def load_word_vectors() -> WordVectors:
    """Load the weights from the package's folder; by default it would download them."""
    package = import_module(_PACKAGE)
    folder = Path(str(package.__file__)).parent
    vectors: WordVectors = package.WordLlama.load(cache_dir=folder, disable_download=True)
    return vectors


class _LocalModel:
    """Word vectors that the first call loads, in a thread."""

    def __init__(self, load: Callable[[], WordVectors] = load_word_vectors) -> None:
        self._load = load
        self._vectors: WordVectors | None = None

    def _loaded_vectors(self) -> WordVectors:
        if self._vectors is None:
            self._vectors = self._load()
        return self._vectors

    async def aclose(self) -> None:
        """Release the weights."""
        self._vectors = None


class LocalReranker(_LocalModel):
    """A ``Reranker`` without network."""

    async def __call__(
        self, query: str, documents: Sequence[str], /
    ) -> Result[Sequence[RankedDocument], WebError]:
        """Return each document once, with its similarity to the query."""
        scores = await asyncio.to_thread(self._score_by_word_vectors, query, [*documents])
        return Success([RankedDocument(index=i, score=score) for i, score in enumerate(scores)])

    def _score_by_word_vectors(self, query: str, documents: list[str]) -> list[float]:
        # ``rank`` needs at least two documents.
        pairs = self._loaded_vectors().rank(query, [*documents, query], sort=False)
        return [float(score) for _, score in pairs[: len(documents)]]


class LocalEmbedder(_LocalModel):
    """An ``Embedder`` without network."""

    model = LOCAL_MODEL

    async def __call__(
        self, texts: Sequence[str], role: TextRole, /
    ) -> Result[Embeddings, WebError]:
        """Return one vector for each text, the same for queries and documents."""
        del role
        vectors = await asyncio.to_thread(self._embed_by_word_vectors, [*texts])
        return Success(Embeddings(vectors=vectors, model=self.model))

    def _embed_by_word_vectors(self, texts: list[str]) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(map(float, vector)) for vector in self._loaded_vectors().embed(texts))
