"""The figures of ``benchmarks.evidence``: measures, intervals and tests, as others compute them."""

import pytest

from benchmarks.evidence.collections import (
    PUBLISHED,
    PUBLISHED_MEANS,
    made_up_runs,
    published_run,
    rankings,
    read_judgments,
    read_run,
    route_means,
)
from benchmarks.evidence.comparison import (
    bootstrap_mean,
    compare,
    hit_rate,
    holm_correction,
    ndcg,
    paired_test,
    report_text,
    sign_test,
    wilson_share,
)
from benchmarks.evidence.statistics import samples

GRADED = {"A": 3, "B": 2, "C": 0, "D": -1}


@pytest.mark.parametrize(
    ("documents", "value"),
    [
        # By hand: gains 3, 2, 0; the ideal is 3 + 2 / log2(3) = 4.262.
        ("ABC", 1.0),
        ("BA", (2 + 3 / 1.584962500721156) / (3 + 2 / 1.584962500721156)),
        ("CA", (3 / 1.584962500721156) / (3 + 2 / 1.584962500721156)),
        ("DX", 0.0),
        ("", 0.0),
    ],
)
def test_ndcg_is_the_share_of_the_best_gain(documents: str, value: float) -> None:
    assert ndcg(GRADED, documents, 10) == pytest.approx(value, abs=1e-12)


def test_topic_without_a_useful_document_has_no_ndcg() -> None:
    assert (hit_rate({}, "A"), hit_rate({"A": 0}, "A")) == (None, 0.0)
    assert (ndcg({}, "A", 10), ndcg({"A": 0}, "A", 10)) == (None, None)


def test_large_difference_is_hardly_chance() -> None:
    topics = [str(number) for number in range(10)]
    grades = {topic: {"A": 1} for topic in topics}

    text = report_text(
        compare(grades, {"good": dict.fromkeys(topics, "A"), "bad": dict.fromkeys(topics, "B")}, 10)
    )

    # One of 1024 ways is as good, and one as bad; twice that, for two tests.
    assert "good - bad is +1.000 [+1.000, +1.000], better on 10, worse on 0 of 10" in text
    assert text.count("hardly chance (p = 0.004)") == 2
    assert "p is for 2 tests at once" in text


def test_small_difference_is_noise() -> None:
    topics = [str(number) for number in range(10)]
    one = {topic: "B" if topic == "0" else "A" for topic in topics}
    two = {topic: "B" if topic in "01" else "A" for topic in topics}

    comparison = compare({topic: {"A": 1} for topic in topics}, {"one": one, "two": two}, 1)

    assert report_text(comparison).count(": noise (p = 1.000)") == 2


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        # By hand: of 8 ways to flip the signs, two are as far from 0 as 0.6.
        ([0.1, 0.2, 0.3], 0.25),
        ([1.0] * 9 + [-1.0], 0.021484375),
    ],
)
def test_paired_test_counts_the_ways_to_be_as_far_apart(differences: list[float], p: float) -> None:
    assert paired_test(differences) == pytest.approx(p)


# By python -m benchmarks.evidence.statistics with scipy 1.17.1: low, high, p.
SCIPY = (
    (-0.08025, 0.12501, 0.66406),
    (-0.04600, 0.14573, 0.34277),
    (-0.01923, 0.10293, 0.20080),
    (0.02017, 0.09281, 0.00300),
    (0.00355, 0.04386, 0.02320),
)


def test_intervals_and_tests_are_those_of_scipy() -> None:
    for (one, two), (low, high, p) in zip(samples(), SCIPY, strict=True):
        by = [first - second for first, second in zip(one, two, strict=True)]
        own = bootstrap_mean(by)

        assert own is not None
        # Both draw: twice as many draws would move them as much.
        assert (own.low, own.high) == pytest.approx((low, high), abs=0.01)
        assert paired_test(by) == pytest.approx(p, abs=0.02)


def test_shares_signs_and_corrections_are_those_of_the_papers() -> None:
    share = wilson_share([1.0, 1.0, 0.0, 1.0])

    assert share is not None
    assert share[:3] == pytest.approx((0.75, 0.3006, 0.9544), abs=5e-5)
    assert (sign_test(9, 1), sign_test(3, 3)) == (0.021484375, 1.0)
    assert holm_correction([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert (wilson_share([]), bootstrap_mean([])) == (None, None)


def test_public_collection_is_measured_as_trec_eval_does() -> None:
    judgments = read_judgments(["1 0 A 2", "1 0 B 1", "1 0 C 0", "2 0 D 1", "2 0 E 3", "3 0 F 1"])
    run = read_run(
        [
            "1 Q0 C 1 9.0 r",
            "1 Q0 B 2 8.0 r",
            "1 Q0 A 3 8.0 r",
            "2 Q0 X 1 5.0 r",
            "2 Q0 E 2 4.5 r",
            "3 Q0 Y 1 1.0 r",
        ]
    )

    figures = route_means(compare(judgments, rankings(judgments, {"r": run}), 10))

    # By hand: B stands before A, whose score it shares; gains 0, 1, 2 of 2, 1, and 0, 3 of 3, 1.
    assert figures == [pytest.approx((2 / 3, 0.380400754), abs=1e-9)]


def test_hits_and_ndcg_are_those_of_pytrec_eval() -> None:
    judgments, runs = made_up_runs()

    figures = route_means(compare(judgments, rankings(judgments, runs), 10))

    # By python -m benchmarks.evidence.collections with pytrec_eval-terrier 0.5.11.
    assert figures == [
        pytest.approx((1.0, 0.2086), abs=5e-5),
        pytest.approx((1.0, 0.2053), abs=5e-5),
    ]


@pytest.mark.parametrize("rows", [5, 10])
def test_hits_and_ndcg_are_those_that_trec_eval_publishes(rows: int) -> None:
    judgments, run = published_run()
    (figures,) = route_means(compare(judgments, rankings(judgments, {"STANDARD": run}), rows))
    assert figures == pytest.approx(PUBLISHED_MEANS[rows], abs=5e-5)

    for topic in PUBLISHED:
        judgments, run = published_run([topic])
        (figures,) = route_means(compare(judgments, rankings(judgments, {"STANDARD": run}), rows))
        assert figures == pytest.approx((topic.success[rows], topic.ndcg[rows]), abs=5e-5)
