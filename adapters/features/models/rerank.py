"""Reranking over the API that Jina, Cohere, vLLM and LiteLLM share.

https://api.jina.ai/redoc, https://docs.cohere.com/reference/rerank
"""

from collections.abc import Sequence

from returns.result import Failure, Result, Success

from webseam.ports.errors import BadPayload, WebError
from webseam.ports.models import RankedDocument

from ...values.json_values import as_mapping, as_objects
from .client.exchange import JsonCalls
from .providers.table import provider_row

RERANK_PATH = "/rerank"

# Providers whose reranking has a base URL of its own; the others use their chat base URL.
RERANKERS = (
    provider_row(
        "jina", "Jina AI", "https://api.jina.ai/v1", "JINA_API_KEY",
        site="https://jina.ai/reranker", model="jina-reranker-v2-base-multilingual",
        url_env="JINA_RERANK_BASE_URL",
    ),
    provider_row(
        "cohere", "Cohere", "https://api.cohere.com/v2", "COHERE_API_KEY CO_API_KEY",
        site="https://docs.cohere.com/reference/rerank", model="rerank-v3.5",
        url_env="COHERE_RERANK_BASE_URL",
    ),
)  # fmt: skip


class ModelReranker:
    """A ``Reranker`` over a provider's ``/rerank``."""

    def __init__(self, calls: JsonCalls, model: str) -> None:
        self._calls = calls
        self._model = model

    async def __call__(
        self, query: str, documents: Sequence[str], /
    ) -> Result[Sequence[RankedDocument], WebError]:
        """Return each document once, best first."""
        texts = {"query": query, "documents": [*documents], "top_n": len(documents)}
        body = {"model": self._model, **texts}
        answer = await self._calls.call_json(RERANK_PATH, body, model=self._model)
        return answer.bind(read_rerank_answer).alt(self._calls.sign_provider_error)

    async def aclose(self) -> None:
        """Close the connections kept for the next call."""
        await self._calls.aclose()


def read_rerank_answer(payload: object) -> Result[Sequence[RankedDocument], WebError]:
    """Return the indices and scores; Voyage calls the list ``data``."""
    body = as_mapping(payload)
    entries = as_objects(body.get("results", body.get("data")))
    ranking = [_read_entry(row.get("index"), row.get("relevance_score")) for row in entries]
    valid = [ranked for ranked in ranking if ranked is not None]
    if not valid or len(valid) != len(ranking):
        return Failure(BadPayload(problem="shape", path="$.results"))
    return Success(valid)


def _read_entry(index: object, score: object) -> RankedDocument | None:
    if type(index) is not int or not isinstance(score, int | float) or isinstance(score, bool):
        return None
    return RankedDocument(index=index, score=float(score))
