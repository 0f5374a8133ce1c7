"""The benchmark of the index, small enough to run each time, so that it never rots."""

from benchmarks.index.__main__ import measure, ndcg
from benchmarks.index.collection import make


def test_the_index_finds_what_a_made_up_question_is_about() -> None:
    figures = measure("webseam", make(300, queries=20))

    assert figures["ndcg_at_10"] > 0.8


def test_ndcg_is_one_for_the_best_order_and_less_for_others() -> None:
    relevant = {"a": 2, "b": 1}

    assert ndcg(["a", "b", "c"], relevant) == 1.0
    assert 0 < ndcg(["c", "b", "a"], relevant) < 1
    assert ndcg(["c"], relevant) == 0.0
    assert ndcg(["c"], {}) == 0.0
