"""``webseam bench``: measures, intervals, tests, recordings and their replay."""

import json
from pathlib import Path

import pytest

from tests.cli.run import webseam
from webseam.composition.cli.comparing import read_questions
from webseam.composition.cli.demo_api import running_demo_api
from webseam.kernel.bench.comparison import mean, pairings, percentile, score, share, sign_test
from webseam.kernel.bench.measures import answer_found, hit, ndcg
from webseam.kernel.bench.report import report_html, report_text
from webseam.ports.bench import BenchQuestion, BenchReply, BenchRow, Recording

EXAMPLES = Path(__file__).parents[2] / "examples" / "questions.jsonl"


def reply(*urls: str, route: str = "a", question: int = 0, **fields: object) -> BenchReply:
    rows = tuple(BenchRow(url=url, title="T", snippet="In Bern, of course.") for url in urls)
    return BenchReply(route=route, question=question, seconds=0.1, rows=rows, **fields)  # type: ignore[arg-type]  # a table


A, B, C = (f"https://{name}.example/" for name in "abc")
GRADED = BenchQuestion(question="q", judgments={A: 3, B: 2, C: 0})


@pytest.mark.parametrize(
    ("urls", "value"),
    [
        # By hand: gains 7, 3, 0; the ideal is 7 + 3 / log2(3) = 8.893.
        ((A, B, C), 1.0),
        ((B, A), (3 + 7 / 1.584962500721156) / (7 + 3 / 1.584962500721156)),
        ((C, A), (7 / 1.584962500721156) / (7 + 3 / 1.584962500721156)),
        ((A, A, B), 1.0),
        ((), 0.0),
    ],
)
def test_ndcg_is_the_share_of_the_best_gain(urls: tuple[str, ...], value: float) -> None:
    assert ndcg(GRADED, reply(*urls), 10) == pytest.approx(value, abs=1e-12)


def test_what_a_question_does_not_tell_is_not_measured() -> None:
    bare = BenchQuestion(question="q")
    on_host = BenchQuestion(question="q", domains=("a.example",), answers=("BERN",))

    assert (hit(bare, reply(A), 5), ndcg(bare, reply(A), 5)) == (None, None)
    assert answer_found(bare, reply(A), 5) is None
    assert (hit(on_host, reply(A), 5), hit(on_host, reply(B), 5)) == (1.0, 0.0)
    assert (answer_found(on_host, reply(A), 5), answer_found(on_host, reply(), 5)) == (1.0, 0.0)
    assert ndcg(BenchQuestion(question="q", urls=(A,)), reply(B, A), 1) == 0.0
    assert (share([]), mean([]), percentile([], 0.5)) == (None, None, 0.0)


def test_a_difference_says_when_it_may_be_chance() -> None:
    questions = tuple(BenchQuestion(question=str(at), urls=(A,)) for at in range(10))
    good = [reply(A, route="good", question=at, cost=0.001) for at in range(10)]
    bad = [reply(B, route="bad", question=at) for at in range(9)]
    failing = BenchReply(route="bad", question=9, seconds=2.0, failure="timeout")
    whole = Recording(questions=questions, routes=("good", "bad"), replies=(*good, *bad, failing))

    pairs = pairings(whole, 10)
    scores = [score(whole, route, 10) for route in whole.routes]
    text, page = report_text(scores, pairs, 10), report_html(scores, pairs, 10)

    assert {pair.measure for pair in pairs} == {"hit", "ndcg"}
    assert not any(pair.is_noise for pair in pairs)
    assert scores[1].failures == {"timeout": 1}
    assert "hardly chance (p = 0.002)" in text
    assert "<svg" in page
    assert "There is one route" in report_html(scores[:1], (), 10)
    assert sign_test(5, 3) > 0.05


def test_a_comparison_is_recorded_and_replayed(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        '{"question": "every row", "urls": ["https://webseam.example/rows"], "answers": ["checked again"]}\n\n'
    )
    kept, page = str(tmp_path / "kept.json"), tmp_path / "report.html"
    with running_demo_api() as api:
        ran = webseam(
            "bench", str(questions), "--over", "json", "--record", kept, "--html", str(page),
            WEBSEAM_JSON_SEARCH_URL=api.url("search"),
        )  # fmt: skip
    replayed = webseam("bench", kept, "--replay")
    as_json = webseam("bench", kept, "--replay", "--json", "-k", "3")

    assert (ran.code, replayed.code) == (0, 0), ran.err
    assert ran.out == replayed.out
    assert "hit@10 1.000" in ran.out
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
    questions = read_questions(str(EXAMPLES)).unwrap()

    assert len({question.question for question in questions}) == 100
    assert all(question.answers and question.domains for question in questions)
