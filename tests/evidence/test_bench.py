"""``webseam bench``: measures, intervals, tests, recordings and their replay."""

import json
from pathlib import Path

import msgspec
import pytest

from benchmarks.evidence.collections import (
    PUBLISHED,
    PUBLISHED_MEANS,
    made,
    ours,
    published,
    read_judgments,
    read_run,
    recording,
)
from benchmarks.evidence.statistics import samples
from tests.cli.run import webseam
from webseam.composition.doors.cli.commands.demo import running_demo_api
from webseam.composition.features.evidence.commands.bench import read_bench_questions
from webseam.kernel.features.evidence.bench_comparison import (
    MeasureDepth,
    answer_found,
    answer_in_pages,
    bootstrap_mean,
    compare_routes,
    hit_rate,
    holm_correction,
    ndcg,
    paired_test,
    percentile,
    resample_count,
    sign_test,
    wilson_share,
)
from webseam.kernel.features.evidence.bench_report import report_html, report_text
from webseam.ports.bench import BenchQuestion, BenchReply, BenchRow, Recording

EXAMPLES = Path(__file__).parents[2] / "examples" / "questions.jsonl"


def reply(*urls: str, route: str = "a", question: int = 0, **fields: object) -> BenchReply:
    rows = tuple(BenchRow(url=url, title="T", snippet="In Bern, of course.") for url in urls)
    return BenchReply(route=route, question=question, seconds=0.1, rows=rows, **fields)  # type: ignore[arg-type]  # a table


A, B, C = (f"https://{name}.example/" for name in "abc")
TEN, FIVE, ONE = MeasureDepth(most=10), MeasureDepth(most=5), MeasureDepth(most=1)
GRADED = BenchQuestion(question="q", judgments={A: 3, B: 2, C: 0})


@pytest.mark.parametrize(
    ("urls", "value"),
    [
        # By hand: gains 3, 2, 0; the ideal is 3 + 2 / log2(3) = 4.262.
        ((A, B, C), 1.0),
        ((B, A), (2 + 3 / 1.584962500721156) / (3 + 2 / 1.584962500721156)),
        ((C, A), (3 / 1.584962500721156) / (3 + 2 / 1.584962500721156)),
        ((A, A, B), 1.0),
        ((), 0.0),
    ],
)
def test_ndcg_is_the_share_of_the_best_gain(urls: tuple[str, ...], value: float) -> None:
    assert ndcg(GRADED, reply(*urls), TEN) == pytest.approx(value, abs=1e-12)


def test_what_a_question_does_not_tell_is_not_measured() -> None:
    bare = BenchQuestion(question="q")
    on_host = BenchQuestion(question="q", domains=("a.example",), answers=("BERN",))

    assert (hit_rate(bare, reply(A), FIVE), ndcg(bare, reply(A), FIVE)) == (None, None)
    assert answer_found(bare, reply(A), FIVE) is None
    assert (hit_rate(on_host, reply(A), FIVE), hit_rate(on_host, reply(B), FIVE)) == (
        1.0,
        0.0,
    )
    assert (
        answer_found(on_host, reply(A), FIVE),
        answer_found(on_host, reply(), FIVE),
    ) == (
        1.0,
        0.0,
    )
    assert ndcg(BenchQuestion(question="q", urls=(A,)), reply(B, A), ONE) == 0.0
    assert (wilson_share([]), bootstrap_mean([]), percentile([], 0.5)) == (
        None,
        None,
        0.0,
    )


def test_a_difference_says_when_it_may_be_chance() -> None:
    questions = tuple(BenchQuestion(question=str(at), urls=(A,)) for at in range(10))
    good = [reply(A, route="good", question=at, cost=0.001) for at in range(10)]
    bad = [reply(B, route="bad", question=at) for at in range(9)]
    failing = BenchReply(route="bad", question=9, seconds=2.0, failure="timeout")
    whole = Recording(questions=questions, routes=("good", "bad"), replies=(*good, *bad, failing))

    both = compare_routes(whole, 10)
    alone = compare_routes(msgspec.structs.replace(whole, routes=("good",)), 10)
    text, page = report_text(both), report_html(both)

    assert {pair.measure for pair in both.pairs} == {"hit", "ndcg"}
    assert not any(pair.is_noise for pair in both.pairs)
    assert both.routes[1].failures == {"timeout": 1}
    # One of 1024 ways is as good, and one as bad; twice that, for two tests.
    assert "good - bad is +1.000 [+1.000, +1.000], better on 10, worse on 0 of 10" in text
    assert "hardly chance (p = 0.004)" in text
    assert "p is for 2 tests at once" in text
    assert "<svg" in page
    assert "There is one route" in report_html(alone)
    assert sign_test(5, 3) > 0.05


def test_a_small_difference_is_called_noise() -> None:
    questions = tuple(BenchQuestion(question=str(at), urls=(A,)) for at in range(10))
    one = [reply(A if at else B, route="one", question=at) for at in range(10)]
    two = [reply(A if at > 1 else B, route="two", question=at) for at in range(10)]
    whole = Recording(questions=questions, routes=("one", "two"), replies=(*one, *two))

    assert report_text(compare_routes(whole, 1)).count(": noise (p = 1.000)") == 2


def test_an_answer_is_looked_for_in_the_pages_of_the_first_rows() -> None:
    question = BenchQuestion(question="q", answers=("forty-two",))
    sight = MeasureDepth(most=10, page_rows=1, pages={A: "it is forty two today", B: ""})

    assert answer_in_pages(question, reply(A, B), sight) == 1.0
    assert answer_in_pages(question, reply(B, A), sight) == 0.0
    assert answer_in_pages(question, reply(A), TEN) is None
    assert answer_in_pages(BenchQuestion(question="q"), reply(A), sight) is None


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
def test_a_paired_test_counts_the_ways_to_be_as_far_apart(
    differences: list[float], p: float
) -> None:
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


def test_many_tests_count_together_and_draws_have_an_end() -> None:
    assert holm_correction([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert (resample_count(10), resample_count(4_000), resample_count(10**6)) == (
        2000,
        500,
        200,
    )


def test_a_public_collection_is_measured_as_trec_eval_does() -> None:
    judgments = read_judgments(["1 0 A 2", "1 0 B 1", "1 0 C 0", "2 0 D 1", "2 0 E 3", "3 0 F 1"])
    run = read_run(
        [
            "1 Q0 C 1 9.0 r", "1 Q0 B 2 8.0 r", "1 Q0 A 3 8.0 r",
            "2 Q0 X 1 5.0 r", "2 Q0 E 2 4.5 r", "3 Q0 Y 1 1.0 r",
        ]
    )  # fmt: skip

    figures = ours(compare_routes(recording(judgments, {"r": run}), 10))

    # By hand: B stands before A, whose score it shares; gains 0, 1, 2 of 2, 1, and 0, 3 of 3, 1.
    assert figures == [pytest.approx((2 / 3, 0.380400754), abs=1e-9)]


def test_hits_and_ndcg_are_those_of_pytrec_eval() -> None:
    judgments, runs = made()

    figures = ours(compare_routes(recording(judgments, runs), 10))

    # By python -m benchmarks.evidence.collections with pytrec_eval-terrier 0.5.11.
    assert figures == [
        pytest.approx((1.0, 0.2086), abs=5e-5),
        pytest.approx((1.0, 0.2053), abs=5e-5),
    ]


@pytest.mark.parametrize("rows", [5, 10])
def test_hits_and_ndcg_are_those_that_trec_eval_publishes(rows: int) -> None:
    judgments, run = published()
    (figures,) = ours(compare_routes(recording(judgments, {"STANDARD": run}), rows))
    assert figures == pytest.approx(PUBLISHED_MEANS[rows], abs=5e-5)

    for topic in PUBLISHED:
        judgments, run = published([topic])
        (figures,) = ours(compare_routes(recording(judgments, {"STANDARD": run}), rows))
        assert figures == pytest.approx((topic.success[rows], topic.ndcg[rows]), abs=5e-5)


def test_a_comparison_is_recorded_and_replayed(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        '{"question": "every row", "urls": ["https://webseam.example/rows"], "answers": ["checked again"]}\n\n'
    )
    kept, page = str(tmp_path / "kept.json"), tmp_path / "report.html"
    with running_demo_api() as api:
        ran = webseam(
            "bench", str(questions), "--over", "json", "--record", kept, "--html", str(page),
            "--pages", "2",
            WEBSEAM_JSON_SEARCH_URL=api.url("search"), WEBSEAM_JSON_EXTRACT_URL=api.url("extract"),
        )  # fmt: skip
    replayed = webseam("bench", kept, "--replay")
    as_json = webseam("bench", kept, "--replay", "--json", "-k", "3")

    assert (ran.code, replayed.code) == (0, 0), ran.err
    assert ran.out == replayed.out
    assert "hit@10 1.000" in ran.out
    assert "answer in pages@10 1.000" in ran.out
    assert json.loads(as_json.out)["data"]["routes"][0]["answer"]["mean"] == 1.0
    assert page.read_text().startswith("<!doctype html>")


def test_a_route_that_fails_is_counted_by_kind(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question": "every row", "domains": ["a.example"]}')
    with running_demo_api() as api:
        ran = webseam(
            "bench", str(questions), "--over", "json", WEBSEAM_JSON_SEARCH_URL=api.url("lying")
        )

    assert "1 " in ran.out
    assert "none failed" not in ran.out


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ("{}", ("--over", "json")),
        ("", ("--over", "json")),
        ('{"question": "a"}', ()),
        ("{}", ("--replay",)),
        ('{"questions": [], "routes": [], "replies": [{"route": "a", "question": 3, "seconds": 1}]}', ("--replay",)),
        ('{"question": "a"}', ("-k", "99")),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(
    content: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text(content)

    assert webseam("bench", str(file), *arguments).code == 2


def test_files_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    odd = tmp_path / "odd"
    odd.write_bytes(b"\xff")
    kept = tmp_path / "kept"
    kept.write_text('{"questions": [], "routes": [], "replies": []}')

    assert webseam("bench", str(tmp_path / "none"), "--over", "json").code == 2
    assert webseam("bench", str(odd), "--replay").code == 2
    assert webseam("bench", str(kept), "--replay", "--html", str(tmp_path / "no" / "x")).code == 2


def test_the_sample_has_a_hundred_questions_that_can_be_judged() -> None:
    questions = read_bench_questions(str(EXAMPLES)).unwrap()

    assert len({question.question for question in questions}) == 100
    assert all(question.answers and question.domains for question in questions)
