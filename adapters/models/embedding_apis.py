"""How texts are handed to a service that embeds, and vectors are read: OpenAI's way, and others.

https://platform.openai.com/docs/api-reference/embeddings, https://api.jina.ai/redoc,
https://docs.voyageai.com/reference/embeddings-api, https://docs.cohere.com/reference/embed
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload, WebError
from ...ports.models.embeddings import Embeddings, TextRole
from ..values.json_values import as_count, as_list, as_mapping, as_objects, text
from .declaration.provider import Login, Provider

Body: TypeAlias = dict[str, object]
# Words that E5 and its kin were trained with stand before the text; OpenAI's models need none.
_PREFIXES: dict[str, dict[TextRole, str]] = {
    "e5": {"query": "query: ", "document": "passage: "},
    "nomic": {"query": "search_query: ", "document": "search_document: "},
}

# Where embedding is another address than talking to a model; others are reached where they talk.
EMBEDDERS: tuple[Provider, ...] = (
    Provider(
        name="jina",
        title="Jina AI",
        site="https://jina.ai/embeddings",
        model="jina-embeddings-v3",
        login=Login(
            env=("JINA_API_KEY",),
            base_url="https://api.jina.ai/v1",
            base_url_env="JINA_EMBEDDINGS_BASE_URL",
        ),
    ),
    Provider(
        name="voyage",
        title="Voyage AI",
        site="https://docs.voyageai.com/docs/embeddings",
        model="voyage-3.5",
        login=Login(
            env=("VOYAGE_API_KEY",),
            base_url="https://api.voyageai.com/v1",
            base_url_env="VOYAGE_EMBEDDINGS_BASE_URL",
        ),
    ),
    Provider(
        name="cohere",
        title="Cohere",
        site="https://docs.cohere.com/reference/embed",
        model="embed-v4.0",
        login=Login(
            env=("COHERE_API_KEY", "CO_API_KEY"),
            base_url="https://api.cohere.com/v2",
            base_url_env="COHERE_EMBEDDINGS_BASE_URL",
        ),
    ),
)


class EmbeddingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Texts that are to be embedded, as what, and by which model."""

    texts: Sequence[str]
    role: TextRole
    model: str
    dimensions: int | None = None


class EmbeddingApi(msgspec.Struct, frozen=True, kw_only=True):
    """One way to ask: where, how many texts at once, what is sent, and how vectors are read.

    ``length`` is what the field is called that asks for shorter vectors.
    """

    write: Callable[[EmbeddingRequest], Body]
    path: str = "/embeddings"
    # Local servers take few at once; OpenAI itself takes 2,048.
    batch: int = 64
    length: str = "dimensions"
    read: Callable[[object], tuple[list[tuple[object, object]], int]]

    def body(self, wish: EmbeddingRequest) -> Body:
        """Return what is sent."""
        fields: Body = {"model": wish.model, **self.write(wish)}
        return fields if wish.dimensions is None else {**fields, self.length: wish.dimensions}

    def embeddings(self, payload: object, wish: EmbeddingRequest) -> Result[Embeddings, WebError]:
        """Return the vectors by the index that each carries; servers may send them in any order."""
        entries, tokens = self.read(payload)
        wanted = len(wish.texts)
        places = {index: numbers for index, entry in entries if (numbers := _numbers(entry))}
        if {*places} != {*range(wanted)}:
            detail = f"{len(places)} vectors for {wanted} texts"
            return Failure(BadPayload(problem="shape", path="$.data", detail=detail))
        vectors = tuple(places[place] for place in range(wanted))
        name = text(as_mapping(payload).get("model")) or wish.model
        return Success(Embeddings(vectors=vectors, model=name, tokens=tokens))


def _numbers(entry: object) -> tuple[float, ...]:
    """Return a vector, or nothing where something in it is no number."""
    numbers = as_list(entry)
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers):
        return ()
    return tuple(float(str(each)) for each in numbers)


def _like_openai(wish: EmbeddingRequest) -> Body:
    name = wish.model.lower()
    prefix = next((words[wish.role] for part, words in _PREFIXES.items() if part in name), "")
    return {"input": [prefix + each for each in wish.texts], "encoding_format": "float"}


def _like_jina(wish: EmbeddingRequest) -> Body:
    task = {"query": "retrieval.query", "document": "retrieval.passage"}[wish.role]
    return {"input": [*wish.texts], "task": task, "truncate": True}


def _like_voyage(wish: EmbeddingRequest) -> Body:
    return {"input": [*wish.texts], "input_type": wish.role}


def _like_cohere(wish: EmbeddingRequest) -> Body:
    kind = {"query": "search_query", "document": "search_document"}[wish.role]
    return {"texts": [*wish.texts], "input_type": kind, "embedding_types": ["float"]}


def _of_openai(payload: object) -> tuple[list[tuple[object, object]], int]:
    body = as_mapping(payload)
    entries = enumerate(as_objects(body.get("data")))
    usage = as_mapping(body.get("usage"))
    tokens = as_count(usage.get("total_tokens") or usage.get("prompt_tokens"))
    return [(entry.get("index", at), entry.get("embedding")) for at, entry in entries], tokens


def _of_cohere(payload: object) -> tuple[list[tuple[object, object]], int]:
    body = as_mapping(payload)
    vectors = enumerate(as_list(as_mapping(body.get("embeddings")).get("float")))
    billed = as_mapping(as_mapping(body.get("meta")).get("billed_units"))
    return list(vectors), as_count(billed.get("input_tokens"))


OPENAI_API = EmbeddingApi(write=_like_openai, read=_of_openai)
EMBEDDING_APIS: Mapping[str, EmbeddingApi] = {
    "jina": EmbeddingApi(write=_like_jina, read=_of_openai),
    "voyage": EmbeddingApi(write=_like_voyage, read=_of_openai, length="output_dimension"),
    "cohere": EmbeddingApi(
        write=_like_cohere, read=_of_cohere, path="/embed", length="output_dimension"
    ),
}
