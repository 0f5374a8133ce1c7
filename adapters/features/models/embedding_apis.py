"""Embedding APIs: how each takes texts and returns vectors.

https://platform.openai.com/docs/api-reference/embeddings, https://api.jina.ai/redoc,
https://docs.voyageai.com/reference/embeddings-api, https://docs.cohere.com/reference/embed
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import BadPayload, WebError
from webseam.ports.models import Embeddings, TextRole

from ...values.json_values import as_count, as_list, as_mapping, as_objects, text
from .client.exchange import JsonCalls
from .providers.table import provider_row

Body: TypeAlias = dict[str, object]
# Prefixes that these model families were trained with; OpenAI's models need none.
_TEXT_PREFIXES: dict[str, dict[TextRole, str]] = {
    "e5": {"query": "query: ", "document": "passage: "},
    "nomic": {"query": "search_query: ", "document": "search_document: "},
}
# Providers whose embeddings have a base URL of their own; the others use their chat base URL.
EMBEDDERS = (
    provider_row(
        "jina", "Jina AI", "https://api.jina.ai/v1", "JINA_API_KEY", model="jina-embeddings-v3",
        site="https://jina.ai/embeddings", url_env="JINA_EMBEDDINGS_BASE_URL",
    ),
    provider_row(
        "voyage", "Voyage AI", "https://api.voyageai.com/v1", "VOYAGE_API_KEY", model="voyage-3.5",
        site="https://docs.voyageai.com/docs/embeddings", url_env="VOYAGE_EMBEDDINGS_BASE_URL",
    ),
    provider_row(
        "cohere", "Cohere", "https://api.cohere.com/v2", "COHERE_API_KEY CO_API_KEY",
        site="https://docs.cohere.com/reference/embed", model="embed-v4.0",
        url_env="COHERE_EMBEDDINGS_BASE_URL",
    ),
)  # fmt: skip


class EmbeddingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Texts to embed, as queries or documents, and the model."""

    texts: Sequence[str]
    role: TextRole
    model: str
    dimensions: int | None = None


class EmbeddingApi(msgspec.Struct, frozen=True, kw_only=True):
    """An embedding API: its path, its batch size, and how to write requests and read vectors.

    ``dimensions_field`` is the name of the field that asks for shorter vectors.
    """

    write: Callable[[EmbeddingRequest], Body]
    path: str = "/embeddings"
    # Local servers take few texts per call; OpenAI takes 2,048.
    batch_texts: int = 64
    dimensions_field: str = "dimensions"
    read: Callable[[object], tuple[list[tuple[object, object]], int]]

    def embedding_body(self, request: EmbeddingRequest) -> Body:
        """Return the JSON body of a request."""
        fields: Body = {"model": request.model, **self.write(request)}
        return (
            fields
            if request.dimensions is None
            else {**fields, self.dimensions_field: request.dimensions}
        )

    def read_embeddings(
        self, payload: object, request: EmbeddingRequest
    ) -> Result[Embeddings, WebError]:
        """Return the vectors in the order of their indices; servers may send them in any order."""
        entries, tokens = self.read(payload)
        text_count = len(request.texts)
        by_index = {index: vector for index, entry in entries if (vector := _vector(entry))}
        if {*by_index} != {*range(text_count)}:
            detail = f"{len(by_index)} vectors for {text_count} texts"
            return Failure(BadPayload(problem="shape", path="$.data", detail=detail))
        vectors = tuple(by_index[index] for index in range(text_count))
        name = text(as_mapping(payload).get("model")) or request.model
        return Success(Embeddings(vectors=vectors, model=name, tokens=tokens))


def _vector(entry: object) -> tuple[float, ...]:
    """Return a vector, or ``()`` if it holds anything but numbers."""
    numbers = as_list(entry)
    if not all(isinstance(item, int | float) and not isinstance(item, bool) for item in numbers):
        return ()
    return tuple(float(str(item)) for item in numbers)


def _openai_body(request: EmbeddingRequest) -> Body:
    name = request.model.lower()
    prefix = next(
        (prefixes[request.role] for family, prefixes in _TEXT_PREFIXES.items() if family in name),
        "",
    )
    return {"input": [prefix + text for text in request.texts], "encoding_format": "float"}


def _jina_body(request: EmbeddingRequest) -> Body:
    task = {"query": "retrieval.query", "document": "retrieval.passage"}[request.role]
    return {"input": [*request.texts], "task": task, "truncate": True}


def _cohere_body(request: EmbeddingRequest) -> Body:
    kind = {"query": "search_query", "document": "search_document"}[request.role]
    return {"texts": [*request.texts], "input_type": kind, "embedding_types": ["float"]}


def _read_openai(payload: object) -> tuple[list[tuple[object, object]], int]:
    body = as_mapping(payload)
    entries = enumerate(as_objects(body.get("data")))
    usage = as_mapping(body.get("usage"))
    tokens = as_count(usage.get("total_tokens") or usage.get("prompt_tokens"))
    return [(entry.get("index", index), entry.get("embedding")) for index, entry in entries], tokens


def _read_cohere(payload: object) -> tuple[list[tuple[object, object]], int]:
    body = as_mapping(payload)
    vectors = enumerate(as_list(as_mapping(body.get("embeddings")).get("float")))
    billed = as_mapping(as_mapping(body.get("meta")).get("billed_units"))
    return list(vectors), as_count(billed.get("input_tokens"))


OPENAI_API = EmbeddingApi(write=_openai_body, read=_read_openai)
EMBEDDING_APIS: Mapping[str, EmbeddingApi] = {
    "jina": EmbeddingApi(write=_jina_body, read=_read_openai),
    "voyage": EmbeddingApi(
        write=lambda request: {"input": [*request.texts], "input_type": request.role},
        read=_read_openai,
        dimensions_field="output_dimension",
    ),
    "cohere": EmbeddingApi(
        write=_cohere_body,
        read=_read_cohere,
        path="/embed",
        dimensions_field="output_dimension",
    ),
}


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
        return embeddings.alt(self._calls.redact_error)
