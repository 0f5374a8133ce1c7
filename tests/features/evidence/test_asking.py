"""The fold of ``web_ask``: what it does with models, judges and rankers that fail or lie."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec
import pytest
from returns.result import Failure, Result, Success

from tests.features.evidence.asking import CASE, GOOD, WRONG, ask, deps, found, page
from tests.features.evidence.world import ScriptedModel, claiming, pages_for
from webseam.errors import (
    InvalidQuery,
    ModelFailed,
    NothingSupported,
    Timeout,
    WebError,
)
from webseam.kernel.features.evidence.content_words import lower_words
from webseam.kernel.features.evidence.passages import pick_passages, score_relevance
from webseam.kernel.features.evidence.rendering import answer_text, ask_envelope
from webseam.kernel.features.evidence.web_ask import answer_from_pages, check_ask, web_ask
from webseam.ports.attempts import BackendAttempt
from webseam.ports.evidence import AskOutcome, AskStep, HearText, ModelText
from webseam.ports.models import RankedDocument
from webseam.ports.receipts import Usage, add_usage
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchQuery

FAILED: Failure[WebError] = Failure(ModelFailed(code="no"))


def test_a_claim_that_fails_is_asked_for_once_more() -> None:
    model = ScriptedModel(WRONG, GOOD)

    outcome = ask(deps(answerer=model)).unwrap()

    assert [claim.text for claim in outcome.claims] == [CASE.truth]
    assert (outcome.receipt.claimed, outcome.receipt.repaired, outcome.unsupported) == (1, 1, ())
    assert "the quote is not in the page" in model.prompts[-1]


def test_marks_of_each_prompt_are_those_that_are_handed_in() -> None:
    model, marks = ScriptedModel(WRONG, GOOD), iter(("first-mark", "second-mark"))

    ask(deps(answerer=model, new_mark=lambda: next(marks))).unwrap()

    # The first prompt plans the queries, without any passage.
    for prompt, mark in zip(model.prompts[1:], ("first-mark", "second-mark"), strict=True):
        lines = [line for line in prompt.splitlines() if line.startswith("===")]
        assert {*lines} == {f"=== {mark} ==="}


def test_claim_that_fails_twice_is_listed_with_its_reason() -> None:
    both = claiming(("p1", CASE.truth, CASE.truth), ("p1", "an invented quote of it", "It is so."))

    outcome = ask(deps(answerer=ScriptedModel(both, both))).unwrap()

    reason = "the quote is not in the page, and no sentence is near to it"
    assert [(it.paraphrase, it.reason) for it in outcome.unsupported] == [("It is so.", reason)]
    assert f"Left out of the model's answer: 1 ({reason})." in answer_text(outcome)
    assert "It is so." not in answer_text(outcome)


def test_withdrawn_claim_is_listed_with_its_first_reason() -> None:
    both = claiming(("p1", CASE.truth, CASE.truth), ("p9", CASE.truth, "It is so."))

    outcome = ask(deps(answerer=ScriptedModel(both, '{"claims": []}'))).unwrap()

    assert [it.reason for it in outcome.unsupported] == ["it quotes a passage that was not given"]


def test_a_repair_that_fails_leaves_the_claims_out() -> None:
    both = claiming(("p1", CASE.truth, CASE.truth), ("p9", CASE.truth, "It is 7 km long."))

    outcome = ask(deps(answerer=ScriptedModel(both, FAILED))).unwrap()

    assert len(outcome.unsupported) == 1
    assert any("not mended" in warning for warning in outcome.receipt.warnings)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (FAILED, "model_failed"),
        (RuntimeError("x"), "backend_crashed"),
        ("The bridge is long.", "structured_output_invalid"),
        ('{"claims": 1}', "structured_output_invalid"),
        ('{"claims": []}', "nothing_supported"),
    ],
)
def test_without_an_answer_of_the_model_the_pages_answer(answer: object, kind: str) -> None:
    outcome = ask(deps(answerer=ScriptedModel(answer))).unwrap()

    assert (outcome.extractive, outcome.receipt.answered_by) == (True, "extraction")
    assert outcome.receipt.broke_off == kind
    assert outcome.claims[0].text.startswith(CASE.truth)
    assert "The model gave no answer that holds: " in answer_text(outcome)


def test_without_a_sentence_that_fits_the_failure_is_the_models() -> None:
    async def read(urls: Sequence[str]) -> list[Result[WebExtractResult, WebError]]:
        return [page(url, "Is the bridge of Alton long?") for url in urls]

    outcome = ask(deps(answerer=ScriptedModel(FAILED), read=read))

    assert isinstance(outcome.failure(), ModelFailed)


def test_an_answer_that_is_no_text_is_refused() -> None:
    class Odd(ScriptedModel):
        async def __call__(self, *_: object, **_more: object) -> Result[ModelText, WebError]:
            return Success(7)  # type: ignore[arg-type]  # that is the point

    outcome = ask(deps(answerer=Odd())).unwrap()

    assert outcome.receipt.broke_off == "bad_payload"


def test_a_claim_without_a_quote_is_left_out() -> None:
    bare = '{"claims": [{"quotes": [], "claim": "It is so."}]}'

    outcome = ask(deps(answerer=ScriptedModel(bare, bare))).unwrap()

    assert [(it.paraphrase, it.reason) for it in outcome.unsupported] == [
        ("It is so.", "it has no quote")
    ]


def test_a_quote_of_another_page_is_put_where_it_belongs() -> None:
    case = CASE
    wrong_page = ScriptedModel(*(claiming((f"p{at}", case.truth, case.truth)) for at in (2, 3)))

    outcome = ask(deps(answerer=wrong_page)).unwrap()

    assert [(claim.frame.url, claim.moved) for claim in outcome.claims] == [(case.url, True)]


def test_searches_that_fail_are_told_and_all_of_them_are_the_failure() -> None:
    late: Result[SearchOutcome, WebError] = Failure(Timeout(phase="body"))

    async def none(queries: Sequence[object]) -> list[Result[SearchOutcome, WebError]]:
        return [late for _ in queries]

    async def one(_queries: Sequence[object]) -> list[Result[SearchOutcome, WebError]]:
        return [found(*pages_for(CASE)), late]

    outcome = ask(deps(search=one, answerer=ScriptedModel(GOOD))).unwrap()

    assert isinstance(ask(deps(search=none)).failure(), Timeout)
    assert len(outcome.receipt.warnings) == 1
    assert outcome.receipt.queries == (CASE.question, "other words")


def test_a_plan_that_fails_leaves_the_question_itself() -> None:
    class NoPlan(ScriptedModel):
        async def __call__(
            self, prompt: str, schema: Mapping[str, object], /, *, hear: HearText | None = None
        ) -> Result[ModelText, WebError]:
            if "queries" in str(schema):
                return FAILED
            return await super().__call__(prompt, schema, hear=hear)

    outcome = ask(deps(answerer=NoPlan(GOOD))).unwrap()

    assert outcome.receipt.queries == (CASE.question,)


def test_pages_without_a_word_of_the_question_are_a_typed_failure() -> None:
    async def read(urls: Sequence[str]) -> list[Result[WebExtractResult, WebError]]:
        return [page(url, "Nothing here.") for url in urls]

    assert ask(deps(read=read)) == Failure(NothingSupported(reason="no_passages"))


class Ranker:
    def __init__(self, *, broken: bool = False, score: float = 0.9) -> None:
        self._broken, self._score = broken, score

    async def __call__(
        self, _query: str, documents: Sequence[str], /
    ) -> Result[Sequence[RankedDocument], WebError]:
        if self._broken:
            return Failure(Timeout(phase="body"))
        return Success(
            [RankedDocument(index=at, score=self._score) for at in range(len(documents))]
        )


@pytest.mark.parametrize("broken", [False, True])
def test_passages_are_ranked_where_a_ranker_is_set(*, broken: bool) -> None:
    outcome = ask(deps(reranker=Ranker(broken=broken))).unwrap()

    assert len(outcome.receipt.warnings) == int(broken)


def test_another_question_is_asked_of_the_same_pages() -> None:
    first = ask(deps()).unwrap()

    again = asyncio.run(
        answer_from_pages(f"When was the {CASE.thing} of {CASE.city} opened?", first.pages, deps())
    )

    assert again.unwrap().pages == first.pages
    assert again.unwrap().receipt.queries == ()
    assert isinstance(
        asyncio.run(answer_from_pages(" ", first.pages, deps())).failure(), InvalidQuery
    )


@pytest.mark.parametrize("fields", [{}, {"question": " "}, {"question": "a", "max_pages": 99}, 7])
def test_invalid_question_is_refused_by_name(fields: object) -> None:
    assert isinstance(check_ask(fields), Failure)
    assert isinstance(ask(deps(), fields).failure(), InvalidQuery)


def test_every_step_is_told() -> None:
    steps: list[AskStep] = []

    ask(deps(answerer=ScriptedModel(WRONG, GOOD), tell=steps.append))

    assert [it.step for it in steps if it.step != "page"] == [
        "plan",
        "search",
        "passages",
        "answer",
        "check",
        "repair",
        "answer",
        "check",
        "claim",
    ]


def test_an_answer_is_rendered_with_footnotes_and_as_an_envelope() -> None:
    question = f"{CASE.question} And how wide is it?"
    outcome = ask(deps(answerer=ScriptedModel(GOOD)), question).unwrap()

    text, envelope = answer_text(outcome), ask_envelope(Success(outcome))

    assert text.startswith(f"Under *Alton*: {CASE.truth} (It was built in stone.) [1]")
    assert f"[1] T, {CASE.url}, read 2026-11-15" in text
    assert "No claim speaks of: wide" in text
    assert str(outcome) == text
    assert str(AskOutcome(**msgspec.structs.asdict(outcome))) == CASE.truth
    assert f"{CASE.truth} (It was built in stone.) [1]</p>" in outcome._repr_html_()  # type: ignore[attr-defined]  # an Answer
    assert envelope["success"] is True
    assert "no model" not in text.lower()
    assert "No model chose these" in answer_text(ask(deps()).unwrap())
    assert ask_envelope(Failure(NothingSupported(reason="no_claims")))["success"] is False


def test_untitled_pages_have_footnotes_too() -> None:
    outcome = ask(deps(answerer=ScriptedModel(GOOD))).unwrap()
    claim = outcome.claims[0]
    untitled = msgspec.structs.replace(claim.frame, title="")
    plain = msgspec.structs.replace(claim, frame=untitled)

    text = answer_text(msgspec.structs.replace(outcome, claims=(plain,)))

    assert f"[1] {CASE.url}, read" in text


def test_usage_is_summed_as_far_as_it_is_known() -> None:
    one, two = Usage(input_tokens=1, cost=0.5), Usage(input_tokens=2)

    assert add_usage(one, two) == Usage(input_tokens=3, cost=0.5)
    assert add_usage(two, two) == Usage(input_tokens=4)
    assert add_usage(None, one) is one
    assert add_usage(one, None) is one


def test_long_blocks_are_cut_between_sentences_and_a_page_gives_only_some() -> None:
    outcome = ask(deps()).unwrap()
    text = " ".join(f"The bridge of Alton is long, says line {at} of it." for at in range(200))
    long = msgspec.structs.replace(outcome.pages[0], text=text)

    passages = pick_passages("bridge of Alton", [long], max_passages=8, max_per_page=3)

    assert len(passages) == 3
    assert all(passage.end - passage.start <= 1200 for passage in passages)
    assert score_relevance("bridge", []) == []
    assert lower_words("\u6771\u4eac\u90fd") == ("\u6771\u4eac", "\u4eac\u90fd")


def test_receipt_has_the_attempts_of_searches_pages_and_models_also_of_failures() -> None:
    searched = BackendAttempt(backend="s", outcome="answered", cost=0.005)
    refused = BackendAttempt(backend="m", outcome="rate_limited")
    usual = deps(answerer=None)
    error = ModelFailed(code="no", attempts=(refused,))

    async def search(queries: Sequence[WebSearchQuery]) -> list[Result[SearchOutcome, WebError]]:
        outcomes = [outcome.unwrap() for outcome in await usual.search(queries)]
        receipts = [
            msgspec.structs.replace(outcome.receipt, attempts=(searched,)) for outcome in outcomes
        ]
        return [
            Success(msgspec.structs.replace(outcome, receipt=receipt))
            for outcome, receipt in zip(outcomes, receipts, strict=True)
        ]

    model = ScriptedModel(Failure(error))
    asked = msgspec.structs.replace(usual, search=search, answerer=model, planner=None)

    receipt = asyncio.run(web_ask(CASE.question, asked)).unwrap().receipt

    assert receipt.answered_by == "extraction"
    assert receipt.attempts == (searched, searched, refused)
