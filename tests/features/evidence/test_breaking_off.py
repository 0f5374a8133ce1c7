"""A model that breaks off: the claims it had finished, and that stand their check, are the answer."""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace

import pytest
from returns.result import Failure, Result, Success

from tests.features.evidence.asking import CASE, GOOD, WRONG, ask, deps
from tests.features.evidence.world import ScriptedModel, claiming, deps as web, pages_for
from webseam.composition.features.evidence import ask_tool as answer_deadline
from webseam.composition.features.evidence.ask_models import AskModels
from webseam.composition.features.evidence.ask_tool import (
    AnswerClock,
    AskToolDeps,
    TimedAnswerer,
    answer_question_in_time as ask_tool,
)
from webseam.composition.tools.ask_context import AskContext, tool_ask_context
from webseam.errors import DeadlineExceeded, ModelFailed, WebError
from webseam.kernel.features.evidence.rendering import answer_text, ask_envelope
from webseam.ports.evidence import AskStep, HearText, ModelText

CUT = claiming(("p1", CASE.truth, CASE.truth), ("p1", CASE.truth, "It is 7 km long."))[:-30]
BROKEN: Failure[WebError] = Failure(ModelFailed(code="overloaded", detail="the stream ended"))


class Breaking:
    """A model that writes ``words`` and then ends as ``ending`` says, or never."""

    name = "breaking"

    def __init__(self, words: str, ending: Result[ModelText, WebError] | None) -> None:
        self.calls = 0
        self._words = words
        self._ending = ending

    async def __call__(
        self, _prompt: str, schema: Mapping[str, object], /, *, hear: HearText | None = None
    ) -> Result[ModelText, WebError]:
        if "queries" in str(schema):
            return Success(ModelText(text="{}"))
        self.calls += 1
        if hear is not None:
            hear(self._words)
        if self._ending is None:
            await asyncio.Event().wait()
        return self._ending or BROKEN


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        (BROKEN, "model_failed"),
        (Success(ModelText(text=CUT)), "structured_output_invalid"),
        (Success(ModelText(text=CUT, cut="the model was cut off")), "structured_output_invalid"),
    ],
)
def test_checked_claims_stand_and_the_receipt_tells_of_the_failure(
    ending: Result[ModelText, WebError], kind: str
) -> None:
    steps: list[AskStep] = []
    model = Breaking(CUT, ending)

    outcome = ask(deps(answerer=model, tell=steps.append)).unwrap()

    told = [step.claim for step in steps if step.claim is not None]
    assert tuple(told) == outcome.claims
    assert [claim.text for claim in outcome.claims] == [CASE.truth]
    assert outcome.receipt.broke_off == kind
    assert outcome.receipt.warnings[0].startswith("The model broke off: ")
    assert "these are the claims that it had finished" in answer_text(outcome)
    assert model.calls == 1


def test_a_cut_answer_counts_also_where_nobody_listens() -> None:
    cut = ModelText(text=CUT, cut="the model was cut off")

    outcome = ask(deps(answerer=Breaking("", Success(cut)))).unwrap()

    assert [claim.text for claim in outcome.claims] == [CASE.truth]
    assert outcome.receipt.broke_off == "structured_output_invalid"
    assert ask_envelope(Success(outcome))["receipt"]["broke_off"] == outcome.receipt.broke_off  # type: ignore[index]  # an object


@pytest.mark.parametrize("words", ["", "{", WRONG[:-2]])
def test_without_a_claim_that_stands_the_pages_answer(words: str) -> None:
    outcome = ask(deps(answerer=Breaking(words, BROKEN), tell=lambda _: None)).unwrap()

    assert (outcome.extractive, outcome.receipt.broke_off) == (True, "model_failed")


def test_failed_claim_of_a_broken_answer_is_left_out() -> None:
    cut = WRONG.replace("]}", "," + CUT.removeprefix('{"claims":['))
    model = Breaking(cut, BROKEN)

    outcome = ask(deps(answerer=model, tell=lambda _: None)).unwrap()

    assert [claim.text for claim in outcome.claims] == [CASE.truth]
    assert [it.reason for it in outcome.unsupported] == [
        "the quote is not in the page, and no sentence is near to it"
    ]
    assert model.calls == 1


def test_a_cut_answer_that_is_no_answer_says_why() -> None:
    cut = ModelText(text="I think that", cut="the model was cut off")

    outcome = ask(deps(answerer=Breaking("", Success(cut)))).unwrap()

    assert outcome.receipt.broke_off == "structured_output_invalid"
    assert "the model was cut off" in outcome.receipt.warnings[-1]


class Mute:
    """A model that never says a word."""

    name = "mute"

    async def __call__(
        self, _prompt: str, _schema: Mapping[str, object], /, *, hear: HearText | None = None
    ) -> Result[ModelText, WebError]:
        await asyncio.Event().wait()
        return Success(ModelText(text=str(hear)))


def over() -> AnswerClock:
    """Return a clock whose time has passed."""
    return AnswerClock(0.0)


def test_a_model_that_is_late_keeps_what_it_told() -> None:
    model = TimedAnswerer(Breaking(CUT, None), over().run_in_time)

    outcome = ask(deps(answerer=model, tell=lambda _: None)).unwrap()

    assert model.name == "breaking"
    assert [claim.text for claim in outcome.claims] == [CASE.truth]
    assert outcome.receipt.broke_off == "deadline_exceeded"


def test_deadline_error_names_the_provider() -> None:
    model = TimedAnswerer(Mute(), AnswerClock(0.0, "mistral").run_in_time)

    late = asyncio.run(model("p", {}))

    assert late == Failure(DeadlineExceeded(deadline=0.0, backend="mistral"))


def test_answer_in_time_is_passed_on() -> None:
    answer = Success(ModelText(text="{}"))
    clock = AnswerClock(60.0)

    assert asyncio.run(TimedAnswerer(Breaking("", answer), clock.run_in_time)("p", {})) == answer
    assert 0 < clock.reading_seconds() <= 30


def test_a_model_that_is_late_with_its_plan_leaves_the_question_to_search_for() -> None:
    planner = TimedAnswerer(Mute(), over().run_planning)

    outcome = ask(deps(planner=planner, answerer=ScriptedModel(GOOD))).unwrap()

    assert outcome.receipt.queries == (CASE.question,)
    assert [claim.text for claim in outcome.claims] == [CASE.truth]
    assert "No queries were planned" in outcome.receipt.warnings[0]


def test_reading_has_half_of_what_planning_and_searching_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(answer_deadline, "time", SimpleNamespace(monotonic=lambda: now[0]))
    clock = AnswerClock(60.0)
    now[0] += 49

    assert clock.reading_seconds() == 5.0


def test_the_tool_has_its_models_end_before_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No time is left for models, and plenty for the whole: nothing here waits.
    monkeypatch.setattr(
        "webseam.composition.features.evidence.ask_tool.AnswerClock", lambda *_: over()
    )
    models = AskModels(answerer=Breaking(CUT, None))
    backends = web(pages_for(CASE))
    kit = AskToolDeps(search=backends, pages=backends, models=models, seconds=60.0)
    pages = ask(deps()).unwrap().pages

    with tool_ask_context(AskContext(tell=lambda _: None, pages=pages)):
        outcome = asyncio.run(ask_tool({"question": CASE.question}, kit))

    assert outcome.unwrap().receipt.broke_off == "deadline_exceeded"
