"""Get embeddings and rankings, and check that they are complete. Never raises."""

import math
from collections.abc import Sequence

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import BadPayload, InvalidQuery, WebError
from webseam.ports.models import Embedder, Embeddings, RankedDocument, Reranker, TextRole
from webseam.ports.web import SearchOutcome

from .boundary import rebuild_value
from .port_answers import ask_port
from .text.display import is_plain_text

MAX_TEXTS = 10_000
MAX_TEXT_CHARS = 1_000_000


async def embed(
    texts: Sequence[str], embedder: Embedder, role: TextRole = "document"
) -> Result[Embeddings, WebError]:
    """Return one vector for each text, all finite and of one length, or a failure."""
    fault = _check_rank_texts(texts, "texts")
    if fault is not None:
        return Failure(fault)
    if not texts:
        return Success(Embeddings(vectors=(), model=""))
    opened = await ask_port(lambda: embedder(tuple(texts), role), "embeddings")
    return opened.bind(lambda answer: _check_embeddings(answer, len(texts)))


def _check_embeddings(answer: object, count: int) -> Result[Embeddings, WebError]:
    checked = rebuild_value(answer, Embeddings)
    if isinstance(checked, Failure):
        return _bad_answer("$", "no vectors came")
    embeddings = checked.unwrap()
    vectors = embeddings.vectors
    if len(vectors) != count:
        return _bad_answer("$.vectors", f"{len(vectors)} vectors came for {count} texts")
    if len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
        return _bad_answer("$.vectors", "the vectors differ in length, or are empty")
    if not all(math.isfinite(number) for vector in vectors for number in vector):
        return _bad_answer("$.vectors", "a number in a vector is not finite")
    return Success(embeddings)


async def rerank(
    query: str, documents: Sequence[str], reranker: Reranker
) -> Result[tuple[RankedDocument, ...], WebError]:
    """Return each document once, best first; a ranking that lacks or repeats one is a failure."""
    fault = _check_rank_texts((query,), "query") or _check_rank_texts(documents, "documents")
    if fault is not None:
        return Failure(fault)
    if not documents:
        return Success(())
    opened = await ask_port(lambda: reranker(query, tuple(documents)), "rerank")
    return opened.bind(lambda answer: _check_reranking(answer, len(documents)))


def _check_reranking(answer: object, count: int) -> Result[tuple[RankedDocument, ...], WebError]:
    checked = rebuild_value(answer, tuple[RankedDocument, ...])
    if isinstance(checked, Failure):
        return _bad_answer("$", "no ranking came")
    ranking = checked.unwrap()
    if sorted(document.index for document in ranking) != list(range(count)):
        return _bad_answer("$.index", "the ranking does not name each document once")
    if not all(math.isfinite(document.score) for document in ranking):
        return _bad_answer("$.score", "a score is not finite")
    # Equal scores keep the order in which the documents were sent.
    return Success(tuple(sorted(ranking, key=lambda document: (-document.score, document.index))))


async def rerank_outcome(
    outcome: SearchOutcome, reranker: Reranker
) -> Result[SearchOutcome, WebError]:
    """Return the rows of a search in the order of the ranking, with its scores."""
    rows = outcome.rows
    documents = [f"{row.title}\n{row.snippet}".strip() or row.url for row in rows]
    ranking = await rerank(outcome.receipt.query, documents, reranker)
    return ranking.map(
        lambda ranked: replace(
            outcome,
            rows=tuple(
                replace(rows[document.index], position=position, score=document.score)
                for position, document in enumerate(ranked, start=1)
            ),
        )
    )


def _check_rank_texts(texts: Sequence[str], field: str) -> InvalidQuery | None:
    if len(texts) > MAX_TEXTS:
        return InvalidQuery(field=field, reason=f"are more than {MAX_TEXTS}")
    for text in texts:
        if not is_plain_text(text) or not text.strip():
            return InvalidQuery(field=field, reason="must be text that is not blank")
        if len(text) > MAX_TEXT_CHARS:
            reason = f"must not be longer than {MAX_TEXT_CHARS} characters"
            return InvalidQuery(field=field, reason=reason)
    return None


def _bad_answer(path: str, detail: str) -> Failure[WebError]:
    return Failure(BadPayload(problem="shape", path=path, detail=detail))
