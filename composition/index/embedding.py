"""The passages of the index that have no vector, given one: at ``index add``, and by itself."""

import asyncio

from returns.result import Failure, Result, Success

from ...adapters.index.store import DocumentIndex
from ...ports.errors import WebError
from ..calls.open_backends import close_after
from ..terminal.screen.progress import Progress
from ..wiring.backends.backend_rows import Root
from .index_vectors import EmbeddingCount, embed_index, open_index_embedder


def embed_passages(
    index: DocumentIndex, root: Root, *, anew: bool = False
) -> Result[EmbeddingCount, WebError]:
    """Embed what has no vector; ``anew`` drops those that are there, of whatever model."""
    opened = open_index_embedder(root.settings, transport=root.transport)
    if isinstance(opened, Failure):
        return opened
    embedder = opened.unwrap()
    ready = index.drop_vectors() if anew else Success(None)
    counted = ready.bind(lambda _: index.statistics())
    if isinstance(counted, Failure):
        return counted
    lacking = counted.unwrap().passages - counted.unwrap().vectors
    with Progress("Embedding", lacking) as progress:

        def step(passages: int) -> None:
            for _ in range(passages):
                progress.step("")

        return asyncio.run(close_after(embedder, embed_index(index, embedder, step)))
