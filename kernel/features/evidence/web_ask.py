"""Answer a question with sources: search, read, pick passages, and have a model choose claims."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, cast

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports import evidence
from webseam.ports.errors import InvalidQuery, StructuredOutputInvalid, WebError

from ...boundary import attempt_or, attempt_port
from ...laws.field_checks import VALIDATION_ERRORS, first_field_fault
from ...port_answers import port_crash
from ...relevance import rerank
from ...text.display import is_text, one_line, plain_texts
from .answer_prompts import (
    ClaimStream,
    ModelAnswer,
    ModelClaim,
    answer_prompt,
    answer_schema,
    complete_claims,
    read_answer,
    repair_prompt,
)
from .extracts import extract_claims, missing_words
from .gathering import GatheredSources, gather_sources
from .notes import AskDeps, AskNotes, nothing_supported
from .passages import first_passages, pick_passages
from .printing import RULES_VERSION, model_text
from .rendering import Answer
from .shelf import SourceShelf, choose_claims, make_source_shelf

MAX_PASSAGES = 8
_MAX_SUMMARY_CHARS = 1200
_MAX_MODEL_NAME_CHARS = 200
EXTRACTION_METHOD = "extraction"
_MAX_RANKED_PASSAGES = 24
_FIELD_RULES = {
    "question": "must be text that is not blank, of at most 2000 characters",
    "max_pages": "must be a whole number from 1 to 12",
    "include_domains": "must be a list of host names, such as example.com",
    "exclude_domains": "must be a list of host names, such as example.com",
}


class AnswerDraft(msgspec.Struct, frozen=True, kw_only=True):
    """An answer before its check; ``broke_off`` is why it ends early, None if it is complete."""

    answer: ModelAnswer
    broke_off: WebError | None = None


def read_draft(
    written: Result[evidence.ModelText, WebError], early_claims: tuple[ModelClaim, ...], model: str
) -> Result[AnswerDraft, WebError]:
    """Return the model's answer, else its complete or ``early_claims``, else the failure."""
    if isinstance(written, Failure):
        return _broken_draft(early_claims, written.failure())
    text = written.unwrap()
    answer = read_answer(text.text)
    if isinstance(answer, Success):
        return Success(AnswerDraft(answer=answer.unwrap()))
    claims = complete_claims(text.text)
    reason = text.cut or ("it is incomplete" if claims else answer.failure())
    return _broken_draft(claims, StructuredOutputInvalid(reason=reason, backend=model))


def _broken_draft(claims: tuple[ModelClaim, ...], error: WebError) -> Result[AnswerDraft, WebError]:
    if not claims:
        return Failure(error)
    return Success(AnswerDraft(answer=ModelAnswer(claims=claims), broke_off=error))


FailedClaim: TypeAlias = tuple[ModelClaim, str]
CheckedClaim: TypeAlias = Result[tuple[evidence.Claim, ...], str]


def check_ask(fields: object) -> Result[evidence.AskArguments, InvalidQuery]:
    """Return valid arguments, or the field that breaks a rule."""
    values = attempt_or(lambda: _ask_fields(fields), None)
    if values is None:
        return Failure(InvalidQuery(field="question", reason="could not be read"))
    try:
        return Success(msgspec.convert(values, evidence.AskArguments))
    except VALIDATION_ERRORS:
        fault = first_field_fault(values, evidence.AskArguments, _FIELD_RULES)
        return Failure(InvalidQuery(field=fault.field, reason=fault.reason))


def _ask_fields(fields: object) -> dict[object, object]:
    if is_text(fields) or not isinstance(fields, Mapping):
        return {"question": plain_texts(fields)}
    return cast("dict[object, object]", plain_texts(dict(fields)))


async def web_ask(fields: object, deps: AskDeps) -> Result[evidence.AskOutcome, WebError]:
    """Answer a question with quotes from pages that were read, or return why not.

    ``fields`` are those of ``AskArguments``; a text is the question alone. Never raises;
    cancellation passes through.
    """
    checked = check_ask(fields)
    if isinstance(checked, Failure):
        return checked
    return await _attempt_answer(lambda: _answer_from_search(checked.unwrap(), deps))


async def _attempt_answer(
    work: Callable[[], Awaitable[Result[evidence.AskOutcome, WebError]]],
) -> Result[evidence.AskOutcome, WebError]:
    answered = await attempt_port(work)
    if isinstance(answered, Failure):
        return Failure(port_crash(answered.failure(), "web_ask", None))
    return answered.unwrap()


async def _answer_from_search(
    asked: evidence.AskArguments, deps: AskDeps
) -> Result[evidence.AskOutcome, WebError]:
    notes = AskNotes(deps.tell)
    gathered = await gather_sources(asked, deps, notes)
    if isinstance(gathered, Failure):
        return gathered
    return await _AnswerRun(asked.question, deps, notes).answer(gathered.unwrap())


async def answer_from_pages(
    question: str, pages: Sequence[evidence.SourcePage], deps: AskDeps
) -> Result[evidence.AskOutcome, WebError]:
    """Answer another question from pages that were read before, without a search."""
    checked = check_ask(question)
    if isinstance(checked, Failure):
        return checked

    async def answer() -> Result[evidence.AskOutcome, WebError]:
        answering = _AnswerRun(checked.unwrap().question, deps, AskNotes(deps.tell))
        return await answering.answer(GatheredSources(pages=tuple(pages)))

    return await _attempt_answer(answer)


class _AnswerRun:
    """One answer on its way from the pages to checked claims."""

    def __init__(self, question: str, deps: AskDeps, notes: AskNotes) -> None:
        self._question = one_line(question, 2000)
        self._deps = deps
        self._notes = notes
        self._claim_count = 0
        self._repaired_count = 0
        self._broke_off = ""
        self._checks: dict[ModelClaim, CheckedClaim] = {}
        self._chosen: list[evidence.Claim] = []
        self._summary = ""
        self._writers: list[str] = []

    async def answer(self, gathered: GatheredSources) -> Result[evidence.AskOutcome, WebError]:
        """Answer from pages, with the claims that pass the check."""
        shelf = await self._make_shelf(gathered.pages)
        self._notes.report_step("passages", str(len(shelf.passages)))
        if not shelf.passages:
            return nothing_supported("no_passages")
        answerer = self._deps.answerer
        if answerer is None:
            return self._extractive_outcome(gathered, shelf)
        prompt = answer_prompt(
            self._question,
            shelf.passages,
            shelf.pages,
            self._deps.new_mark(),
            summary=self._deps.summary,
        )
        arrivals = ClaimStream() if self._notes.is_observed else None
        draft = await self._draft_answer(answerer, prompt, shelf, arrivals)
        if isinstance(draft, Failure):
            return self._fall_back(draft.failure(), gathered, shelf)
        return await self._checked_outcome(draft.unwrap(), answerer, gathered, shelf)

    def _fall_back(
        self,
        error: WebError,
        gathered: GatheredSources,
        shelf: SourceShelf,
        failed: Sequence[FailedClaim] = (),
    ) -> Result[evidence.AskOutcome, WebError]:
        """Answer with sentences of the pages, and say why; without any, return the error."""
        self._warn(f"The model gave no answer that holds: {error.message}")
        self._broke_off = error.kind
        outcome = self._extractive_outcome(gathered, shelf, failed)
        return outcome if isinstance(outcome, Success) else Failure(error)

    def _extractive_outcome(
        self, gathered: GatheredSources, shelf: SourceShelf, failed: Sequence[FailedClaim] = ()
    ) -> Result[evidence.AskOutcome, WebError]:
        claims = extract_claims(self._question, shelf.views, shelf.pages)
        for claim in claims:
            self._notes.report_step("claim", claim.text, claim)
        self._claim_count = len(claims)
        return self._make_outcome(gathered, shelf, claims, failed, is_extractive=True)

    async def _checked_outcome(
        self,
        draft: AnswerDraft,
        answerer: evidence.Answerer,
        gathered: GatheredSources,
        shelf: SourceShelf,
    ) -> Result[evidence.AskOutcome, WebError]:
        """Return the claims of a draft that stand; do not ask a model again that broke off."""
        self._claim_count = len(draft.answer.claims)
        failed = self._check_claims(draft.answer.claims, shelf)
        if self._deps.summary:
            self._summary = model_text(draft.answer.summary, _MAX_SUMMARY_CHARS)
        if draft.broke_off is not None:
            if not self._chosen:
                return self._fall_back(draft.broke_off, gathered, shelf, failed)
            self._broke_off = draft.broke_off.kind
            self._warn(f"The model broke off: {draft.broke_off.message}")
        elif failed:
            failed = await self._repair_claims(answerer, failed, shelf)
        outcome = self._make_outcome(gathered, shelf, tuple(self._chosen), failed)
        if isinstance(outcome, Success):
            return outcome
        return self._fall_back(outcome.failure(), gathered, shelf, failed)

    def _warn(self, text: str) -> None:
        # An error may quote what a model wrote.
        self._notes.warnings.append(model_text(text))

    async def _make_shelf(self, pages: tuple[evidence.SourcePage, ...]) -> SourceShelf:
        """Return the pages and the passages that fit the question best."""
        reranker = self._deps.reranker
        limit = MAX_PASSAGES if reranker is None else _MAX_RANKED_PASSAGES
        passages = pick_passages(self._question, pages, max_passages=limit, max_per_page=limit // 2)
        if not passages and self._deps.answerer is not None:
            # A model reads also what shares no word with the question: other languages, short rows.
            passages = first_passages(pages, limit)
        shelf = make_source_shelf(pages, passages)
        if reranker is None:
            return shelf
        texts = [shelf.passage_text(passage) for passage in shelf.passages]
        ranking = await rerank(self._question, texts, reranker)
        if isinstance(ranking, Failure):
            self._warn(f"Passages were not ranked: {ranking.failure().message}")
        order = ranking.map(lambda ranks: [rank.index for rank in ranks])
        best = [shelf.passages[n] for n in order.value_or([*range(len(texts))])[:MAX_PASSAGES]]
        numbered = [replace(passage, id=f"p{number}") for number, passage in enumerate(best, 1)]
        return replace(shelf, passages=tuple(numbered))

    async def _draft_answer(
        self,
        answerer: evidence.Answerer,
        prompt: str,
        shelf: SourceShelf,
        arrivals: ClaimStream | None = None,
    ) -> Result[AnswerDraft, WebError]:
        """Return the model's answer; if it breaks off, the complete claims."""
        self._notes.report_step("answer")
        hear = None if arrivals is None else self._claim_listener(arrivals, shelf)
        schema = answer_schema(shelf.passages, summary=self._deps.summary)
        text = await self._notes.ask_model(answerer, prompt, schema, hear)
        name = _writer_name(text, answerer)
        draft = read_draft(text, () if arrivals is None else arrivals.claims, name)
        if isinstance(draft, Success):
            self._writers.append(name)
        return draft

    def _claim_listener(self, arrivals: ClaimStream, shelf: SourceShelf) -> evidence.HearText:
        """Return a callback that reports the claims that a streamed one chooses."""

        def hear(piece: str) -> None:
            for raw in arrivals.feed(piece):
                self._choose(raw, shelf)

        return hear

    def _choose(self, raw: ModelClaim, shelf: SourceShelf) -> CheckedClaim:
        """Return what a model's claim chooses; report what is not in the answer yet."""
        if raw not in self._checks:
            self._checks[raw] = choose_claims(raw, shelf)
            for claim in self._checks[raw].value_or(()):
                if not any(_is_within(claim, earlier) for earlier in self._chosen):
                    self._chosen.append(claim)
                    self._notes.report_step("claim", claim.text, claim)
        return self._checks[raw]

    def _check_claims(self, claims: Sequence[ModelClaim], shelf: SourceShelf) -> list[FailedClaim]:
        """Choose what stands, and return the others with the reason."""
        self._notes.report_step("check", str(len(claims)))
        chosen = [(raw, self._choose(raw, shelf)) for raw in claims]
        return [(raw, it.failure()) for raw, it in chosen if isinstance(it, Failure)]

    async def _repair_claims(
        self, answerer: evidence.Answerer, failed: list[FailedClaim], shelf: SourceShelf
    ) -> list[FailedClaim]:
        """Ask again for the claims that failed; return those that fail again or are given up."""
        self._notes.report_step("repair", str(len(failed)))
        mark = self._deps.new_mark()
        prompt = repair_prompt(self._question, failed, shelf.passages, shelf.pages, mark)
        draft = await self._draft_answer(answerer, prompt, shelf)
        if isinstance(draft, Failure):
            self._warn(f"Claims were not mended: {draft.failure().message}")
            return failed
        # A model may repeat its whole answer.
        fresh = [claim for claim in draft.unwrap().answer.claims if not self._is_standing(claim)]
        fresh = fresh[: len(failed)]
        failed_again = self._check_claims(fresh, shelf)
        self._repaired_count = len(fresh) - len(failed_again)
        missing = len(failed) - len(fresh)
        retried = {claim.claim for claim in fresh}
        # The model gave these up, so their first reason stands.
        given_up = [pair for pair in failed if pair[0].claim not in retried]
        return [*failed_again, *given_up[:missing]]

    def _is_standing(self, claim: ModelClaim) -> bool:
        return isinstance(self._checks.get(claim), Success)

    def _make_outcome(
        self,
        gathered: GatheredSources,
        shelf: SourceShelf,
        claims: tuple[evidence.Claim, ...],
        failed: Sequence[FailedClaim] = (),
        *,
        is_extractive: bool = False,
    ) -> Result[evidence.AskOutcome, WebError]:
        unsupported = tuple(_unsupported_claim(claim, reason) for claim, reason in failed)
        if not claims:
            reasons = tuple(dict.fromkeys(claim.reason for claim in unsupported))
            return nothing_supported(
                "unsupported" if unsupported else "no_claims", unsupported=reasons
            )
        texts = [text for claim in claims for text in (claim.text, *claim.frame.headings)]
        return Success(
            Answer(
                question=self._question,
                claims=claims,
                unsupported=unsupported,
                missing=", ".join(missing_words(self._question, texts)),
                extractive=is_extractive,
                pages=shelf.pages,
                passages=shelf.passages,
                summary="" if is_extractive else self._summary,
                receipt=self._make_receipt(gathered, shelf, is_extractive=is_extractive),
            )
        )

    def _make_receipt(
        self, gathered: GatheredSources, shelf: SourceShelf, *, is_extractive: bool
    ) -> evidence.AskReceipt:
        writers = [EXTRACTION_METHOD] if is_extractive else dict.fromkeys(self._writers)
        return evidence.AskReceipt(
            queries=gathered.queries,
            searches=gathered.searches,
            pages=gathered.readings,
            passages=len(shelf.passages),
            answered_by="+".join(writers),
            rules=RULES_VERSION,
            claimed=self._claim_count,
            repaired=self._repaired_count,
            broke_off=self._broke_off,
            usage=self._notes.usage,
            attempts=tuple(self._notes.attempts),
            warnings=tuple(self._notes.warnings),
        )


def _writer_name(text: Result[evidence.ModelText, WebError], answerer: evidence.Answerer) -> str:
    """Return the model that wrote a text: an answerer may ask another model if its own fails."""
    named = text.map(lambda written: one_line(written.model, _MAX_MODEL_NAME_CHARS)).value_or("")
    return named or answerer.name


def _is_within(claim: evidence.Claim, other: evidence.Claim) -> bool:
    return claim.page == other.page and other.start <= claim.start and claim.end <= other.end


def _unsupported_claim(claim: ModelClaim, reason: str) -> evidence.UnsupportedClaim:
    quotes = tuple(model_text(quote.quote) for quote in claim.quotes)
    paraphrase = model_text(claim.claim)
    return evidence.UnsupportedClaim(paraphrase=paraphrase, reason=reason, quotes=quotes)
