"""An embedder over a provider's API."""

from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.models.embeddings import Embeddings, TextRole
from .client.exchange import JsonCalls
from .embedding_apis import OPENAI_API, EmbeddingApi, EmbeddingRequest


class ModelEmbedder:
    """An ``Embedder`` over a provider's ``/embeddings``."""

    def __init__(
        self,
        calls: JsonCalls,
        model: str,
        dimensions: int | None = None,
        api: EmbeddingApi = OPENAI_API,
    ) -> None:
        self.model = model
        self._calls = calls
        self._dimensions = dimensions
        self._api = api

    async def __call__(
        self, texts: Sequence[str], role: TextRole, /
    ) -> Result[Embeddings, WebError]:
        """Return one vector for each text, in batches."""
        request = EmbeddingRequest(
            texts=texts, role=role, model=self.model, dimensions=self._dimensions
        )
        vectors: list[tuple[float, ...]] = []
        tokens = 0
        for start in range(0, len(texts), self._api.batch_texts):
            batch = texts[start : start + self._api.batch_texts]
            embeddings = await self._embed_batch(msgspec.structs.replace(request, texts=batch))
            if isinstance(embeddings, Failure):
                return embeddings
            vectors += embeddings.unwrap().vectors
            tokens += embeddings.unwrap().tokens
        return Success(Embeddings(vectors=tuple(vectors), model=self.model, tokens=tokens))

    async def aclose(self) -> None:
        """Close the connections kept for the next call."""
        await self._calls.aclose()

    async def _embed_batch(self, request: EmbeddingRequest) -> Result[Embeddings, WebError]:
        answer = await self._calls.call_json(
            self._api.path, self._api.embedding_body(request), model=self.model
        )
        embeddings = answer.bind(lambda payload: self._api.read_embeddings(payload, request))
        return embeddings.alt(self._calls.sign_error)
