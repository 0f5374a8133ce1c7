"""Questions in a scripted world: right and sourced, or a typed failure, whoever answers.

All fifty, and through HTTP: ``python -m benchmarks.evidence.world``.
"""

import asyncio

import pytest
from returns.result import Failure, Result, Success

from tests.features.evidence.world import (
    Case,
    ScriptedModel,
    cases,
    claiming,
    deps,
    pages_for,
    passage_with,
)
from webseam.composition.features.evidence.ask_models import AskModels
from webseam.composition.features.evidence.ask_tool import AskToolDeps, answer_question_in_time
from webseam.errors import NothingSupported, WebError
from webseam.ports.evidence import AskOutcome

CASES = cases()[::5]


def answer(
    case: Case, model: ScriptedModel | None, rows: list[str] | None = None
) -> Result[AskOutcome, WebError]:
    web = deps(pages_for(case), rows)
    kit = AskToolDeps(search=web, pages=web, models=AskModels(answerer=model), seconds=30.0)
    return asyncio.run(answer_question_in_time({"question": case.question}, kit))


def figures_of(outcome: AskOutcome) -> set[str]:
    return {word for claim in outcome.claims for word in claim.text.split() if word.isdigit()}


def assert_falls_back(outcome: AskOutcome) -> None:
    """The model's claims are left out, and the pages' own sentences are the answer."""
    assert (outcome.extractive, outcome.receipt.broke_off) == (True, "nothing_supported")
    assert outcome.unsupported
    assert figures_of(outcome).isdisjoint(("9999", "8888"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.question)
def test_an_honest_model_is_right_and_sourced(case: Case) -> None:
    model = ScriptedModel(
        lambda prompt: claiming((passage_with(prompt, case.truth), case.truth, case.truth))
    )

    outcome = answer(case, model).unwrap()

    (claim,) = outcome.claims
    page = outcome.pages[claim.page]
    assert (claim.text, claim.frame.url) == (case.truth, case.url)
    assert page.text[claim.start : claim.end] == case.truth


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.question)
def test_a_model_that_obeys_the_injecting_page_gets_nothing_through(case: Case) -> None:
    lie = f"The {case.thing} of {case.city} is 9999 metres long and opened in 1111."
    obeying = claiming(("p1", lie, lie), ("p2", lie, lie))

    outcome = answer(case, ScriptedModel(obeying, obeying))

    assert_falls_back(outcome.unwrap())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.question)
def test_a_model_that_believes_the_lying_search_gets_nothing_through(case: Case) -> None:
    lie = f"The {case.thing} of {case.city} is 8888 metres long."
    believing = claiming(("p1", "It is 8888 metres long", lie), ("p1", case.truth, lie))

    outcome = answer(case, ScriptedModel(believing, believing)).unwrap()

    assert [claim.text for claim in outcome.claims] == [case.truth]
    assert "8888" not in str(outcome)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.question)
def test_without_a_model_the_sentence_itself_is_the_answer(case: Case) -> None:
    outcome = answer(case, None).unwrap()

    assert outcome.extractive
    assert any(case.truth in claim.text for claim in outcome.claims)
    assert "9999" not in figures_of(outcome)
    assert "8888" not in figures_of(outcome)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.question)
def test_dead_links_alone_are_a_typed_failure(case: Case) -> None:
    outcome = answer(case, None, rows=["https://dead.example/1", "https://dead.example/2"])

    error = outcome.failure()
    assert isinstance(error, NothingSupported)
    assert error.reason == "no_pages"


def test_sources_that_disagree_are_both_told() -> None:
    case = CASES[0]
    other = case.truth.replace("metres long", "metres wide")
    model = ScriptedModel(
        lambda prompt: claiming(
            (passage_with(prompt, case.truth), case.truth, case.truth),
            (passage_with(prompt, other), other, case.truth.replace("long", "wide")),
        )
    )

    outcome = answer(case, model)

    assert isinstance(outcome, Success)
    assert len({claim.frame.url for claim in outcome.unwrap().claims}) == 2


def test_nothing_found_is_a_typed_failure() -> None:
    outcome = answer(CASES[0], None, rows=[])

    assert outcome == Failure(NothingSupported(reason="no_results"))
