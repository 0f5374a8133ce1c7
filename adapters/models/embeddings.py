"""Embeddings of a provider: in OpenAI's words, which most speak, or in its own."""

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
        way: EmbeddingApi = OPENAI_API,
    ) -> None:
        self.model = model
        self._calls = calls
        self._dimensions = dimensions
        self._way = way

    async def __call__(
        self, texts: Sequence[str], role: TextRole, /
    ) -> Result[Embeddings, WebError]:
        """Return one vector for each text, asking for some at a time."""
        whole = EmbeddingRequest(
            texts=texts, role=role, model=self.model, dimensions=self._dimensions
        )
        vectors: list[tuple[float, ...]] = []
        tokens = 0
        for start in range(0, len(texts), self._way.batch):
            some = texts[start : start + self._way.batch]
            part = await self._part(msgspec.structs.replace(whole, texts=some))
            if isinstance(part, Failure):
                return part
            vectors += part.unwrap().vectors
            tokens += part.unwrap().tokens
        return Success(Embeddings(vectors=tuple(vectors), model=self.model, tokens=tokens))

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._calls.aclose()

    async def _part(self, wish: EmbeddingRequest) -> Result[Embeddings, WebError]:
        answer = await self._calls.call(self._way.path, self._way.body(wish), model=self.model)
        embeddings = answer.bind(lambda payload: self._way.embeddings(payload, wish))
        return embeddings.alt(self._calls.sign)
