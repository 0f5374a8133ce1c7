"""Vectors and rankings are believed only when they are whole."""

import asyncio
from collections.abc import Sequence

import pytest
from returns.result import Failure, Result, Success

from tests.doors.cli.screens import ROWS, outcome
from webseam.kernel.relevance import MAX_TEXT_CHARS, MAX_TEXTS, embed, rerank, rerank_outcome
from webseam.ports.errors import BadPayload, RateLimited, WebError
from webseam.ports.models import Embeddings, RankedDocument, TextRole


class FakeEmbedder:
    """Gives ``answer`` every time; ``asked`` holds what it saw."""

    def __init__(self, answer: object) -> None:
        self.asked: list[tuple[str, ...]] = []
        self._answer = answer

    async def __call__(
        self, texts: Sequence[str], role: TextRole, /
    ) -> Result[Embeddings, WebError]:
        assert role == "query"
        self.asked.append(tuple(texts))
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer  # type: ignore[return-value]


class FakeReranker:
    """Gives ``answer`` every time."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    async def __call__(
        self, query: str, documents: Sequence[str], /
    ) -> Result[Sequence[RankedDocument], WebError]:
        assert query == "q" or documents
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer  # type: ignore[return-value]


def vectors(*each: tuple[float, ...]) -> Success[Embeddings]:
    return Success(Embeddings(vectors=each, model="m"))


def ranking(*pairs: tuple[int, float]) -> Success[list[RankedDocument]]:
    return Success([RankedDocument(index=index, score=score) for index, score in pairs])


def test_each_text_has_its_vector() -> None:
    answer = vectors((1.0, 0.0), (0.0, 1.0))

    assert asyncio.run(embed(("a", "b"), FakeEmbedder(answer), "query")) == answer


def test_no_text_asks_nobody() -> None:
    embedder = FakeEmbedder(ValueError())

    assert asyncio.run(embed((), embedder, "query")).unwrap().vectors == ()
    assert embedder.asked == []


@pytest.mark.parametrize(
    "answer",
    [
        vectors((1.0,)),
        vectors((1.0,), (1.0, 2.0)),
        vectors((), ()),
        vectors((1.0,), (float("nan"),)),
        Success("nonsense"),
        Success(Embeddings(vectors=(("x",), ("y",)), model="m")),  # type: ignore[arg-type]
    ],
)
def test_vectors_that_are_not_whole_are_refused(answer: object) -> None:
    failed = asyncio.run(embed(("a", "b"), FakeEmbedder(answer), "query")).failure()

    assert isinstance(failed, BadPayload)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RuntimeError("secret"), "backend_crashed"),
        (Failure(RateLimited()), "rate_limited"),
        (5, "backend_crashed"),
    ],
)
def test_trouble_on_the_other_side_is_a_value(answer: object, kind: str) -> None:
    embedded = asyncio.run(embed(("a",), FakeEmbedder(answer), "query")).failure()
    ranked = asyncio.run(rerank("q", ("a",), FakeReranker(answer))).failure()

    assert embedded.kind == ranked.kind == kind
    assert "secret" not in embedded.message


@pytest.mark.parametrize(
    "texts", [(" ",), ("\ud800",), ("x" * (MAX_TEXT_CHARS + 1),), ("x",) * (MAX_TEXTS + 1)]
)
def test_texts_that_cannot_be_sent_are_refused_first(texts: tuple[str, ...]) -> None:
    embedder = FakeEmbedder(vectors((1.0,)))

    assert asyncio.run(embed(texts, embedder, "query")).failure().kind == "invalid_query"
    assert asyncio.run(rerank("q", texts, FakeReranker(5))).failure().kind == "invalid_query"
    assert embedder.asked == []


def test_a_ranking_is_best_first_and_equals_keep_their_order() -> None:
    answer = ranking((2, 0.5), (0, 0.5), (1, 0.9))

    ranked = asyncio.run(rerank("q", ("a", "b", "c"), FakeReranker(answer))).unwrap()

    assert [each.index for each in ranked] == [1, 0, 2]


def test_nothing_to_rank_asks_nobody() -> None:
    assert asyncio.run(rerank("q", (), FakeReranker(ValueError()))) == Success(())


@pytest.mark.parametrize(
    "answer",
    [
        ranking((0, 0.5)),
        ranking((0, 0.5), (0, 0.4)),
        ranking((0, 0.5), (7, 0.4)),
        ranking((0, 0.5), (1, float("inf"))),
        Success("nonsense"),
    ],
)
def test_a_ranking_that_lacks_or_repeats_a_document_is_refused(answer: object) -> None:
    failed = asyncio.run(rerank("q", ("a", "b"), FakeReranker(answer))).failure()

    assert isinstance(failed, BadPayload)


def test_rows_are_put_in_the_order_of_the_ranking_and_numbered_anew() -> None:
    answer = ranking((0, 0.1), (1, 0.9))

    sorted_rows = asyncio.run(rerank_outcome(outcome(*ROWS), FakeReranker(answer))).unwrap().rows

    assert [row.url for row in sorted_rows] == [ROWS[1].url, ROWS[0].url]
    assert [(row.position, row.score) for row in sorted_rows] == [(1, 0.9), (2, 0.1)]
