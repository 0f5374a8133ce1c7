"""Vectors and rankings: asked for, and believed only when they are whole. Never raises."""

import math
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result, Success

from ..ports.errors import BadPayload, InvalidQuery, WebError
from ..ports.models.embeddings import Embedder, Embeddings, TextRole
from ..ports.models.rerank import RankedDocument, Reranker
from ..ports.web import SearchOutcome
from .boundary import attempt_call, attempt_port
from .port_answers import crash_error, open_answer
from .text.display import is_plain

MAX_TEXTS = 10_000
MAX_TEXT_CHARS = 1_000_000


async def embed(
    texts: Sequence[str], embedder: Embedder, role: TextRole = "document"
) -> Result[Embeddings, WebError]:
    """Return one vector for each text, all of one length, all numbers finite, or a failure."""
    fault = _text_fault(texts, "texts")
    if fault is not None:
        return Failure(fault)
    if not texts:
        return Success(Embeddings(vectors=(), model=""))
    answered = await attempt_port(lambda: embedder(tuple(texts), role))
    if isinstance(answered, Failure):
        return Failure(crash_error(answered.failure(), "embeddings", None))
    opened = open_answer(answered.unwrap(), "embeddings", None)
    return opened.bind(lambda answer: _checked_vectors(answer, len(texts)))


def _checked_vectors(answer: object, count: int) -> Result[Embeddings, WebError]:
    checked = attempt_call(lambda: msgspec.convert(msgspec.to_builtins(answer), Embeddings))
    if isinstance(checked, Failure):
        return _refuse("$", "no vectors came")
    embeddings = checked.unwrap()
    vectors = embeddings.vectors
    if len(vectors) != count:
        return _refuse("$.vectors", f"{len(vectors)} vectors came for {count} texts")
    if len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
        return _refuse("$.vectors", "the vectors differ in length, or are empty")
    if not all(math.isfinite(number) for vector in vectors for number in vector):
        return _refuse("$.vectors", "a number in a vector is not finite")
    return Success(embeddings)


async def rerank(
    query: str, documents: Sequence[str], reranker: Reranker
) -> Result[tuple[RankedDocument, ...], WebError]:
    """Return each document once, best first; a ranking that lacks or repeats one is a failure."""
    fault = _text_fault((query,), "query") or _text_fault(documents, "documents")
    if fault is not None:
        return Failure(fault)
    if not documents:
        return Success(())
    answered = await attempt_port(lambda: reranker(query, tuple(documents)))
    if isinstance(answered, Failure):
        return Failure(crash_error(answered.failure(), "rerank", None))
    opened = open_answer(answered.unwrap(), "rerank", None)
    return opened.bind(lambda answer: _checked_ranking(answer, len(documents)))


def _checked_ranking(answer: object, count: int) -> Result[tuple[RankedDocument, ...], WebError]:
    wanted = tuple[RankedDocument, ...]
    checked = attempt_call(lambda: msgspec.convert(msgspec.to_builtins(answer), wanted))
    if isinstance(checked, Failure):
        return _refuse("$", "no ranking came")
    ranking: tuple[RankedDocument, ...] = checked.unwrap()
    if sorted(each.index for each in ranking) != list(range(count)):
        return _refuse("$.index", "the ranking does not name each document once")
    if not all(math.isfinite(each.score) for each in ranking):
        return _refuse("$.score", "a score is not finite")
    # Equal scores keep the order in which the documents were sent.
    return Success(tuple(sorted(ranking, key=lambda each: (-each.score, each.index))))


async def rerank_outcome(
    outcome: SearchOutcome, reranker: Reranker
) -> Result[SearchOutcome, WebError]:
    """Return a search's rows in the order of how well they answer it; scores are the ranking's."""
    rows = outcome.rows
    documents = [f"{row.title}\n{row.snippet}".strip() or row.url for row in rows]
    ranking = await rerank(outcome.receipt.query, documents, reranker)
    return ranking.map(
        lambda places: msgspec.structs.replace(
            outcome,
            rows=tuple(
                msgspec.structs.replace(rows[each.index], position=place, score=each.score)
                for place, each in enumerate(places, start=1)
            ),
        )
    )


def _text_fault(texts: Sequence[str], field: str) -> InvalidQuery | None:
    if len(texts) > MAX_TEXTS:
        return InvalidQuery(field=field, reason=f"are more than {MAX_TEXTS}")
    for text in texts:
        if not is_plain(text) or not text.strip():
            return InvalidQuery(field=field, reason="must be text that is not blank")
        if len(text) > MAX_TEXT_CHARS:
            reason = f"must not be longer than {MAX_TEXT_CHARS} characters"
            return InvalidQuery(field=field, reason=reason)
    return None


def _refuse(path: str, detail: str) -> Failure[WebError]:
    return Failure(BadPayload(problem="shape", path=path, detail=detail))
