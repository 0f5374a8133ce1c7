"""Laws of vectors in a byte a number, and of their part in a score."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from webseam.adapters.features.index.search import VECTOR_WEIGHT, PassageScores, fuse_scores

matrices = pytest.importorskip(
    "webseam.adapters.features.index.vector_matrix", reason="needs an extra", exc_type=ImportError
)
Matrix, pack, packed_size = matrices.Matrix, matrices.pack_vectors, matrices.packed_vector_bytes
DIMENSIONS = 6
numbers = st.floats(-1e6, 1e6, allow_nan=False)
vectors = st.lists(numbers, min_size=DIMENSIONS, max_size=DIMENSIONS)
several = st.lists(vectors, min_size=1, max_size=12)


def cosine(one: list[float], other: list[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


@given(several)
def test_a_packed_vector_is_as_long_as_it_must_be(many: list[list[float]]) -> None:
    assert {len(packed) for packed in pack(many)} == {packed_size(DIMENSIONS)}


@given(several, vectors)
def test_the_nearest_is_nearly_the_nearest(many: list[list[float]], query: list[float]) -> None:
    matrix = Matrix(list(enumerate(pack(many))), DIMENSIONS)
    nearest = matrix.nearness(query).nearest_passages(1)

    best = max(cosine(each, query) for each in many)
    # Half a step of 127 for each number.
    off = DIMENSIONS / 127
    for number in nearest:
        assert cosine(many[number], query) >= best - off


@given(several, vectors, st.integers(1, 20))
def test_the_nearest_come_first_and_each_once(
    many: list[list[float]], query: list[float], most: int
) -> None:
    near = Matrix(list(enumerate(pack(many))), DIMENSIONS).nearness(query)
    found = near.nearest_passages(most)

    assert len(found) <= most
    assert len({*found}) == len(found)
    shares = [near.passage_nearness(number) for number in found]
    assert shares == sorted(shares, reverse=True)
    assert all(0 < share <= 1 + 1e-6 for share in shares)


rankings = st.lists(
    st.builds(
        PassageScores,
        document=st.sampled_from("abcde"),
        words=st.floats(0, 100),
        near=st.floats(-1, 1),
    ),
    max_size=12,
)


@given(rankings)
def test_each_document_is_ranked_once_the_best_first(passages: list[PassageScores]) -> None:
    order = fuse_scores(passages)

    documents = [passages[at].document for at, _ in order]
    assert sorted(documents) == sorted({each.document for each in passages})
    assert [score for _, score in order] == sorted((score for _, score in order), reverse=True)


@given(rankings)
def test_equally_near_passages_are_ranked_by_words(passages: list[PassageScores]) -> None:
    level = [
        PassageScores(document=str(at), words=each.words, near=0.5)
        for at, each in enumerate(passages)
    ]

    words = [level[at].words for at, _ in fuse_scores(level)]

    most = max(words, default=1.0) or 1.0
    assert all(one >= other - 1e-9 * most for one, other in pairwise(words))


@given(rankings)
def test_meaning_overtakes_no_more_words_than_its_share(passages: list[PassageScores]) -> None:
    alone = [
        PassageScores(document=str(at), words=e.words, near=max(0.0, e.near))
        for at, e in enumerate(passages)
    ]
    most = max((each.words for each in alone), default=0.0) or 1.0

    order = [alone[at] for at, _ in fuse_scores(alone)]

    for before, after in pairwise(order):
        assert after.words / most - before.words / most <= VECTOR_WEIGHT + 1e-9
