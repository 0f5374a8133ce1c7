"""Embeddings in OpenAI's words, which most providers and local servers speak.

https://platform.openai.com/docs/api-reference/embeddings
"""

from collections.abc import Sequence

from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload, WebError
from ...ports.models.embeddings import Embeddings, TextRole
from ..values.json import count, listed, mapping, objects, text
from .client.documents import DocumentCalls

PATH = "/embeddings"
# Local servers take few at once; OpenAI itself takes 2,048.
BATCH = 64
# Words that E5 and its kin were trained with stand before the text; OpenAI's models need none.
_PREFIXES: dict[str, dict[TextRole, str]] = {
    "e5": {"query": "query: ", "document": "passage: "},
    "nomic": {"query": "search_query: ", "document": "search_document: "},
}


class ModelEmbedder:
    """An ``Embedder`` over a provider's ``/embeddings``."""

    def __init__(self, calls: DocumentCalls, model: str, dimensions: int | None = None) -> None:
        self._calls = calls
        self._model = model
        self._dimensions = dimensions

    async def __call__(
        self, texts: Sequence[str], role: TextRole, /
    ) -> Result[Embeddings, WebError]:
        """Return one vector for each text, asking for some at a time."""
        vectors: list[tuple[float, ...]] = []
        tokens = 0
        for start in range(0, len(texts), BATCH):
            part = await self._part([*texts[start : start + BATCH]], role)
            if isinstance(part, Failure):
                return part
            vectors += part.unwrap().vectors
            tokens += part.unwrap().tokens
        return Success(Embeddings(vectors=tuple(vectors), model=self._model, tokens=tokens))

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._calls.aclose()

    async def _part(self, texts: list[str], role: TextRole) -> Result[Embeddings, WebError]:
        prefix = _prefix(self._model, role)
        body: dict[str, object] = {
            "model": self._model,
            "input": [prefix + each for each in texts],
            "encoding_format": "float",
        }
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        answer = await self._calls.call(PATH, body, model=self._model)
        embeddings = answer.bind(lambda payload: read_embeddings(payload, len(texts), self._model))
        return embeddings.alt(self._calls.sign)


def _prefix(model: str, role: TextRole) -> str:
    name = model.lower()
    return next((words[role] for part, words in _PREFIXES.items() if part in name), "")


def read_embeddings(payload: object, wanted: int, model: str) -> Result[Embeddings, WebError]:
    """Return the vectors by the index that each carries; servers may send them in any order."""
    places: dict[int, tuple[float, ...]] = {}
    for place, entry in enumerate(objects(mapping(payload).get("data"))):
        index = entry.get("index", place)
        numbers = [each for each in listed(entry.get("embedding")) if _is_number(each)]
        if isinstance(index, int) and len(numbers) == len(listed(entry.get("embedding"))):
            places[index] = tuple(float(str(each)) for each in numbers)
    if sorted(places) != list(range(wanted)):
        detail = f"{len(places)} vectors for {wanted} texts"
        return Failure(BadPayload(problem="shape", path="$.data", detail=detail))
    usage = mapping(mapping(payload).get("usage"))
    return Success(
        Embeddings(
            vectors=tuple(places[place] for place in range(wanted)),
            model=text(mapping(payload).get("model")) or model,
            tokens=count(usage.get("total_tokens") or usage.get("prompt_tokens")),
        )
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
