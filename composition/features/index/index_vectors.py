"""Vectors of the index: embed its passages and queries with a model."""

import asyncio
from collections.abc import Callable
from importlib.util import find_spec

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.features.index.vector_table import EmbeddingModel, UnembeddedPassage
from webseam.kernel.relevance import embed
from webseam.ports.errors import NotConfigured, WebError
from webseam.ports.models import Embeddings

from ...settings.settings_root import SettingsRoot
from ..models.relevance import OpenEmbedder, open_embedder

# One transaction stores a batch; a killed process loses at most one.
_BATCH_PASSAGES = 256
# A search by words takes a thousandth of this, so do not wait longer for the vector.
_QUERY_TIMEOUT_SECONDS = 5.0


class EmbeddingCount(msgspec.Struct, frozen=True, kw_only=True):
    """The number of embedded passages, the tokens used and the model."""

    passages: int = 0
    tokens: int = 0
    model: str = ""


def open_index_embedder(
    root: SettingsRoot, seconds: float | None = None
) -> Result[OpenEmbedder, WebError]:
    """Return the embedder of the index, or an error without numpy."""
    if find_spec("numpy") is None:
        reason = "Comparing vectors needs a package that is not installed"
        return Failure(NotConfigured(reason=reason, remedy="Run: pip install 'webseam[semantic]'"))
    return open_embedder(root, seconds=seconds)


def embedding_model_mismatch(
    stored_model: EmbeddingModel, name: str, dimensions: int | None = None
) -> WebError | None:
    """Return an error if the stored vectors are of another model, else None."""
    if name == stored_model.name and dimensions in (None, stored_model.dimensions):
        return None
    requested = name if name != stored_model.name else f"{dimensions} numbers"
    return NotConfigured(
        settings=("embeddings.provider", "embeddings.model", "embeddings.dimensions"),
        reason=f"The index has vectors of {stored_model.name} with {stored_model.dimensions} "
        f"numbers, and the settings ask for {requested}",
        remedy="Set the model that the index has, or run: webseam index embed --anew",
    )


def explain_unsearchable_vectors(root: SettingsRoot, model: str) -> str | None:
    """Return why vectors of ``model`` cannot be searched; None if they can."""
    opened = open_index_embedder(root)
    if isinstance(opened, Failure):
        reason: str = opened.failure().message
        return reason.rstrip(".")
    if opened.unwrap().model == model:
        return None
    return f"its vectors are of {model}, and the settings name {opened.unwrap().model}"


async def embed_index(
    index: DocumentIndex, embedder: OpenEmbedder, report: Callable[[int], None]
) -> Result[EmbeddingCount, WebError]:
    """Embed every passage without a vector; a failure keeps finished batches."""
    fits = await asyncio.to_thread(_check_model, index, embedder)
    if isinstance(fits, Failure):
        return fits
    done = EmbeddingCount(model=embedder.model)
    while True:
        lacking = await asyncio.to_thread(index.passages_without_vectors, _BATCH_PASSAGES)
        if isinstance(lacking, Failure):
            return lacking
        if not lacking.unwrap():
            return Success(done)
        tokens = await _embed_batch(index, embedder, lacking.unwrap())
        if isinstance(tokens, Failure):
            return tokens
        count = len(lacking.unwrap())
        done = msgspec.structs.replace(
            done, passages=done.passages + count, tokens=done.tokens + tokens.unwrap()
        )
        report(count)


def _check_model(index: DocumentIndex, embedder: OpenEmbedder) -> Result[None, WebError]:
    stored = index.model()
    if isinstance(stored, Failure):
        return stored
    model = stored.unwrap()
    mismatch = None if model is None else embedding_model_mismatch(model, embedder.model)
    return Success(None) if mismatch is None else Failure(mismatch)


async def _embed_batch(
    index: DocumentIndex, embedder: OpenEmbedder, passages: list[UnembeddedPassage]
) -> Result[int, WebError]:
    """Embed passages, store their vectors, and return the tokens used."""
    answer = await embed([passage.text for passage in passages], embedder)
    if isinstance(answer, Failure):
        return answer
    vectors = answer.unwrap().vectors
    model = EmbeddingModel(embedder.model, len(vectors[0]))
    numbers = [passage.number for passage in passages]
    stored = await asyncio.to_thread(index.store_vectors, model, numbers, vectors)
    if isinstance(stored, Failure):
        return stored
    mismatch = embedding_model_mismatch(stored.unwrap(), model.name, model.dimensions)
    return Success(answer.unwrap().tokens) if mismatch is None else Failure(mismatch)


class SettingsEmbedder:
    """Embeds queries with the model of the settings; opens it on first use."""

    def __init__(self, root: SettingsRoot) -> None:
        self._root = root
        self._opened: OpenEmbedder | None = None

    async def __call__(self, text: str, model: EmbeddingModel, /) -> Result[Embeddings, WebError]:
        """Return the query's vector, or an error if the index has another model."""
        opened = self._open_embedder()
        if isinstance(opened, Failure):
            return opened
        embedder = opened.unwrap()
        mismatch = embedding_model_mismatch(model, embedder.model)
        if mismatch is not None:
            return Failure(mismatch)
        answer = await embed([text], embedder, "query")
        if isinstance(answer, Failure):
            return answer
        mismatch = embedding_model_mismatch(model, embedder.model, len(answer.unwrap().vectors[0]))
        return answer if mismatch is None else Failure(mismatch)

    def _open_embedder(self) -> Result[OpenEmbedder, WebError]:
        if self._opened is not None:
            return Success(self._opened)
        opened = open_index_embedder(self._root, _QUERY_TIMEOUT_SECONDS)
        self._opened = opened.value_or(None)
        return opened

    async def aclose(self) -> None:
        """Close the connections to the model."""
        if self._opened is not None:
            await self._opened.aclose()
