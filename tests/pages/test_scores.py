"""Which runs the model is asked for, and what the others get."""

from math import log

import pytest
from turbohtml import parse

from training.columns import NUMBERS
from webseam.adapters.reader import run_model, scores
from webseam.adapters.reader.measures.page_features import (
    MeasuredPage,
    measure_opened,
    open_document,
)

LIKELY, UNLIKELY = 0.9, 0.1
_WORDS = NUMBERS[0].index("log_words")


def cards(sizes: list[int]) -> MeasuredPage:
    items = "".join(f"<li class=card>{'word ' * size}</li>" for size in sizes)
    return measured(f"<h1>Title</h1><ul>{items}</ul>")


def measured(inside: str) -> MeasuredPage:
    document = parse(f"<body>{inside}</body>", positions=False)
    page = measure_opened(open_document(document), "")
    assert page is not None
    return page


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let longer runs be likely, and note for which the model was asked."""
    seen: list[float] = []

    def model_scores(rows: list[scores.FeatureRow]) -> list[float]:
        seen.extend(numbers[0][_WORDS] for numbers, _ in rows)
        chances = [LIKELY if words > log(10) else UNLIKELY for words in seen[-len(rows) :]]
        return [log(chance / (1 - chance)) for chance in chances]

    monkeypatch.setattr(run_model, "scores", model_scores)
    return seen


def test_of_many_runs_of_one_make_every_fourth_is_asked_for(asked: list[float]) -> None:
    lists = "".join(f"<ul class=list{n}>{'<li>One item</li>' * 61}</ul>" for n in range(6))

    likely = scores.score_page(measured(lists)).likely

    assert likely == pytest.approx([UNLIKELY] * 6 * 61)
    assert len(asked) == 6 * 16


def test_of_very_many_it_is_not_asked_for_more(asked: list[float]) -> None:
    likely = scores.score_page(cards([20] * 401)).likely

    assert likely == pytest.approx([UNLIKELY, *[LIKELY] * 401])
    assert len(asked) == 1 + 17


def test_between_two_that_differ_all_are_asked_for(asked: list[float]) -> None:
    sizes = [20] * 130 + [2] * 271

    likely = scores.score_page(cards(sizes)).likely

    assert likely[1:] == pytest.approx([LIKELY if size == 20 else UNLIKELY for size in sizes])
    assert len(asked) == 1 + 17 + 24


def test_on_a_small_page_each_is_asked_for(asked: list[float]) -> None:
    scores.score_page(cards([20] * 200))

    assert len(asked) == 201


def test_of_a_few_runs_of_one_make_each_is_asked_for(asked: list[float]) -> None:
    lists = "".join(f"<ul class=list{n}>{'<li>One item</li>' * 7}</ul>" for n in range(50))

    likely = scores.score_page(measured(lists)).likely

    assert len(asked) == len(likely) == 350
