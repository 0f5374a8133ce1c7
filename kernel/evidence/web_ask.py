"""An answer with sources: search, read, pick, answer, check, ask once more for what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, StructuredOutputInvalid, WebError
from ...ports.evidence import (
    Answerer,
    AskArguments,
    AskOutcome,
    AskReceipt,
    Claim,
    Hear,
    ModelText,
    SourcePage,
    SupportQuestion,
    UnsupportedClaim,
)
from ..laws.field_checks import VALIDATION_ERRORS, first_fault
from ..relevance import rerank
from ..text.display import one_line
from .answer_prompts import (
    ClaimStream,
    SaidAnswer,
    SaidClaim,
    SaidQuote,
    answer_prompt,
    answer_schema,
    read_answer,
    repair_prompt,
    whole_claims,
)
from .checking import SourceShelf, check_claim_quotes, judge_claims, make_shelf
from .gathering import Gathered, gather_sources
from .notes import AskDeps, AskNotes, nothing_supported
from .passages import find_sentences, pick_passages, score_relevance
from .quotation.normalisation import NORMALISATION_VERSION, normalise_text, readable_text
from .support.claims import LEXICAL
from .support.content_words import claim_stem, content_words


class AnswerDraft(msgspec.Struct, frozen=True, kw_only=True):
    """An answer before its check; ``broke_off`` is why it ends early, None if it is whole."""

    answer: SaidAnswer
    broke_off: WebError | None = None


def read_draft(
    written: Result[ModelText, WebError], early_claims: tuple[SaidClaim, ...], model: str
) -> Result[AnswerDraft, WebError]:
    """Return what was written, else the claims that are whole, else the failure.

    ``early_claims`` are the claims that came before the call of the model failed.
    """
    if isinstance(written, Failure):
        return _broken(early_claims, written.failure())
    text = written.unwrap()
    answer = read_answer(text.text)
    if isinstance(answer, Success):
        return Success(AnswerDraft(answer=answer.unwrap()))
    claims = whole_claims(text.text)
    reason = text.cut or ("it is not whole" if claims else answer.failure())
    return _broken(claims, StructuredOutputInvalid(reason=reason, backend=model))


def _broken(claims: tuple[SaidClaim, ...], error: WebError) -> Result[AnswerDraft, WebError]:
    if not claims:
        return Failure(error)
    return Success(AnswerDraft(answer=SaidAnswer(claims=claims), broke_off=error))


# An answer without a model: the sentences of the pages that have to do with the question.

MAX_SENTENCES = 5
SHORTEST, LONGEST = 40, 300
MAX_PER_HOST = 2
_ALIKE = 0.7


def extract_answer(question: str, shelf: SourceShelf) -> SaidAnswer:
    """Return the best sentences as claims that quote themselves; none that ask, none twice."""
    candidates = list(dict.fromkeys(_candidates(shelf)))
    scores = score_relevance(question, [sentence for _, _, sentence, _ in candidates])
    question_stems = frozenset(map(claim_stem, content_words(question)))
    ranked = sorted(range(len(candidates)), key=lambda at: (-scores[at], at))
    chosen: list[SaidClaim] = []
    hosts: Counter[str] = Counter()
    seen: list[frozenset[str]] = []
    for at in ranked:
        passage, host, sentence, shown = candidates[at]
        words = frozenset(map(claim_stem, content_words(sentence)))
        if (
            not _fits(words & question_stems, question_stems)
            or hosts[host] >= MAX_PER_HOST
            or _known(words, seen)
        ):
            continue
        chosen.append(SaidClaim(quotes=(SaidQuote(passage, sentence),), claim=shown))
        hosts[host] += 1
        seen.append(words)
    # Twice as many as are shown: some may not stand their check.
    return SaidAnswer(claims=tuple(chosen[: 2 * MAX_SENTENCES]))


def _fits(shared: frozenset[str], question_stems: frozenset[str]) -> bool:
    """Tell whether a sentence has enough of the question's words; one of many is chance."""
    return len(shared) >= min(2, len(question_stems)) > 0


def _known(words: frozenset[str], seen: Sequence[frozenset[str]]) -> bool:
    return any(len(words & other) > _ALIKE * min(len(words), len(other)) for other in seen)


def _candidates(shelf: SourceShelf) -> list[tuple[str, str, str, str]]:
    """Return sentences: the passage and the host of each, to be quoted, and to be read."""
    candidates = []
    for passage in shelf.passages:
        page = shelf.pages[passage.page]
        host = urlsplit(page.final_url).netloc
        for stretch in find_sentences(page.text, passage.start, passage.end):
            written = page.text[stretch.start : stretch.end]
            sentence = normalise_text(written).text.strip()
            if SHORTEST <= len(sentence) <= LONGEST and not sentence.endswith("?"):
                candidates.append((passage.id, host, sentence, readable_text(written)))
    return candidates


# An answer with sources: search, read, pick, answer, check, ask once more for what failed.

MAX_PASSAGES = 8
EXTRACTION_METHOD = "extraction"
_RANKED_PASSAGES = 24
_RULES = {
    "question": "must be text that is not blank, of at most 2000 characters",
    "max_pages": "must be a whole number from 1 to 12",
    "include_domains": "must be a list of host names, such as example.com",
    "exclude_domains": "must be a list of host names, such as example.com",
}
Failed: TypeAlias = tuple[SaidClaim, str]
Checked: TypeAlias = Result[tuple[Claim, SupportQuestion], str]


def check_ask(fields: object) -> Result[AskArguments, InvalidQuery]:
    """Return a question that can be asked, or the field that breaks a rule."""
    mapping = fields if isinstance(fields, Mapping) else {"question": fields}
    values: dict[object, object] = dict(mapping.items())
    try:
        return Success(msgspec.convert(values, AskArguments))
    except VALIDATION_ERRORS:
        fault = first_fault(values, AskArguments, _RULES)
        return Failure(InvalidQuery(field=fault.field, reason=fault.reason))


async def web_ask(fields: object, deps: AskDeps) -> Result[AskOutcome, WebError]:
    """Answer a question with quotes that stand in pages which were read, or say why there is none.

    ``fields`` are those of ``AskArguments``; a text is the question alone.
    """
    checked = check_ask(fields)
    if isinstance(checked, Failure):
        return checked
    notes = AskNotes(deps.tell)
    gathered = await gather_sources(checked.unwrap(), deps, notes)
    if isinstance(gathered, Failure):
        return gathered
    return await _Answering(checked.unwrap().question, deps, notes).answer(gathered.unwrap())


async def answer_from_pages(
    question: str, pages: Sequence[SourcePage], deps: AskDeps
) -> Result[AskOutcome, WebError]:
    """Answer another question from pages that were read before; nobody searches."""
    checked = check_ask(question)
    if isinstance(checked, Failure):
        return checked
    answering = _Answering(checked.unwrap().question, deps, AskNotes(deps.tell))
    return await answering.answer(Gathered(pages=tuple(pages)))


class _Answering:
    """One answer on its way from the pages to claims that stand their check."""

    def __init__(self, question: str, deps: AskDeps, notes: AskNotes) -> None:
        self._question = one_line(question, 2000)
        self._deps = deps
        self._notes = notes
        self._claimed = 0
        self._repaired = 0
        self._broke_off = ""
        self._checks: dict[SaidClaim, Checked] = {}
        self._told: set[SaidClaim] = set()

    async def answer(self, gathered: Gathered) -> Result[AskOutcome, WebError]:
        """Answer from pages, with what stands its check."""
        shelf = await self._shelf(gathered.pages)
        self._notes.step("passages", str(len(shelf.passages)))
        if not shelf.passages:
            return nothing_supported("no_passages")
        answerer = self._deps.answerer
        if answerer is None:
            return self._outcome(gathered, shelf, self._extracted(shelf))
        prompt = answer_prompt(self._question, shelf.passages, shelf.pages)
        draft = await self._draft(answerer, prompt, shelf, self._arrivals())
        if isinstance(draft, Failure):
            return draft
        return await self._checked_outcome(draft.unwrap(), answerer, gathered, shelf)

    async def _checked_outcome(
        self, draft: AnswerDraft, answerer: Answerer, gathered: Gathered, shelf: SourceShelf
    ) -> Result[AskOutcome, WebError]:
        """Return what of a draft stands its check; a model that broke off is not asked again."""
        self._claimed = len(draft.answer.claims)
        standing, failed = await self._checked(draft.answer.claims, shelf)
        if draft.broke_off is not None:
            if not standing:
                return Failure(draft.broke_off)
            self._broke_off = draft.broke_off.kind
            self._notes.warnings.append(f"The model broke off: {draft.broke_off.message}")
        elif failed:
            mended, failed = await self._repair(answerer, failed, shelf, standing)
            standing = (*standing, *mended)
        return self._outcome(gathered, shelf, standing, failed, draft.answer.missing)

    async def _shelf(self, pages: tuple[SourcePage, ...]) -> SourceShelf:
        """Return the pages and the passages that fit the question best."""
        reranker = self._deps.reranker
        most = MAX_PASSAGES if reranker is None else _RANKED_PASSAGES
        shelf = make_shelf(
            pages, pick_passages(self._question, pages, max_passages=most, max_per_page=most // 2)
        )
        if reranker is None:
            return shelf
        texts = [shelf.text_of(passage) for passage in shelf.passages]
        ranking = await rerank(self._question, texts, reranker)
        if isinstance(ranking, Failure):
            self._notes.warnings.append(f"Passages were not ranked: {ranking.failure().message}")
        order = ranking.map(lambda places: [each.index for each in places])
        best = [shelf.passages[at] for at in order.value_or([*range(len(texts))])[:MAX_PASSAGES]]
        named = [msgspec.structs.replace(each, id=f"p{at}") for at, each in enumerate(best, 1)]
        return msgspec.structs.replace(shelf, passages=tuple(named))

    def _extracted(self, shelf: SourceShelf) -> tuple[Claim, ...]:
        checked = [
            check_claim_quotes(raw, shelf) for raw in extract_answer(self._question, shelf).claims
        ]
        # A sentence that does not stand its check is nobody's claim: the next takes its place.
        standing = [each.unwrap()[0] for each in checked if isinstance(each, Success)][
            :MAX_SENTENCES
        ]
        for claim in standing:
            self._notes.step("claim", claim.text, claim)
        self._claimed = len(standing)
        return tuple(standing)

    async def _draft(
        self,
        answerer: Answerer,
        prompt: str,
        shelf: SourceShelf,
        arrivals: ClaimStream | None = None,
    ) -> Result[AnswerDraft, WebError]:
        """Return what the model writes; of an answer that breaks off, the claims that are whole."""
        self._notes.step("answer")
        hear = None if arrivals is None else self._hearing(arrivals, shelf)
        text = await self._notes.ask(answerer, prompt, answer_schema(shelf.passages), hear)
        return read_draft(text, () if arrivals is None else arrivals.claims, answerer.name)

    def _arrivals(self) -> ClaimStream | None:
        return ClaimStream() if self._notes.told else None

    def _hearing(self, arrivals: ClaimStream, shelf: SourceShelf) -> Hear:
        """Return what checks and tells each claim of an answer that is still being written.

        Where a judge has the last word, claims are told when it has spoken.
        """

        def hear(piece: str) -> None:
            for raw in arrivals.feed(piece):
                result = self._check(raw, shelf)
                if isinstance(result, Success) and self._deps.checker is None:
                    self._tell(raw, result.unwrap()[0])

        return hear

    def _check(self, raw: SaidClaim, shelf: SourceShelf) -> Checked:
        if raw not in self._checks:
            self._checks[raw] = check_claim_quotes(raw, shelf)
        return self._checks[raw]

    def _tell(self, raw: SaidClaim, claim: Claim) -> None:
        if raw not in self._told:
            self._told.add(raw)
            self._notes.step("claim", claim.text, claim)

    async def _checked(
        self, claims: Sequence[SaidClaim], shelf: SourceShelf
    ) -> tuple[tuple[Claim, ...], list[Failed]]:
        """Return the claims that stand their check, and the others with the reason."""
        self._notes.step("check", str(len(claims)))
        failed: list[Failed] = []
        passed: list[tuple[SaidClaim, tuple[Claim, SupportQuestion]]] = []
        for raw in claims:
            result = self._check(raw, shelf)
            if isinstance(result, Failure):
                failed.append((raw, result.failure()))
            else:
                passed.append((raw, result.unwrap()))
        standing: list[Claim] = []
        verdicts = await self._judged([pair for _, pair in passed])
        for (raw, _), verdict in zip(passed, verdicts, strict=True):
            if isinstance(verdict, Failure):
                failed.append((raw, verdict.failure()))
            else:
                standing.append(verdict.unwrap())
                self._tell(raw, verdict.unwrap())
        return tuple(standing), failed

    async def _judged(
        self, checked: Sequence[tuple[Claim, SupportQuestion]]
    ) -> Sequence[Result[Claim, str]]:
        own: list[Result[Claim, str]] = [Success(claim) for claim, _ in checked]
        if self._deps.checker is None:
            return own
        verdicts = await judge_claims(checked, self._deps.checker)
        if isinstance(verdicts, Failure):
            self._notes.warnings.append(f"Words alone judged: {verdicts.failure().message}")
            return own
        return verdicts.unwrap()

    async def _repair(
        self, answerer: Answerer, failed: list[Failed], shelf: SourceShelf, known: tuple[Claim, ...]
    ) -> tuple[tuple[Claim, ...], list[Failed]]:
        """Ask once more for the claims that failed; all that are not mended are left out."""
        self._notes.step("repair", str(len(failed)))
        prompt = repair_prompt(self._question, failed, shelf.passages, shelf.pages)
        draft = await self._draft(answerer, prompt, shelf)
        if isinstance(draft, Failure):
            self._notes.warnings.append(f"Claims were not mended: {draft.failure().message}")
            return (), failed
        # A model may say all of its answer again.
        texts = {claim.text for claim in known}
        fresh = [claim for claim in draft.unwrap().answer.claims if claim.claim not in texts]
        standing, failed_again = await self._checked(fresh[: len(failed)], shelf)
        self._repaired = len(standing)
        missing = len(failed) - len(standing) - len(failed_again)
        named = {claim.claim for claim, _ in failed_again} | {claim.text for claim in standing}
        # The model gave these up; they failed for their first reason.
        given_up = [each for each in failed if each[0].claim not in named]
        return standing, [*failed_again, *given_up[:missing]]

    def _outcome(
        self,
        gathered: Gathered,
        shelf: SourceShelf,
        claims: tuple[Claim, ...],
        failed: Sequence[Failed] = (),
        missing: str = "",
    ) -> Result[AskOutcome, WebError]:
        unsupported = tuple(_unsupported(claim, reason) for claim, reason in failed)
        if not claims:
            details = tuple(f"{each.text} ({each.reason})" for each in unsupported)
            return nothing_supported(
                "unsupported" if unsupported else "no_claims", unsupported=details
            )
        return Success(
            AskOutcome(
                question=self._question,
                claims=claims,
                unsupported=unsupported,
                missing=missing,
                extractive=self._deps.answerer is None,
                pages=shelf.pages,
                passages=shelf.passages,
                receipt=self._receipt(gathered, shelf),
            )
        )

    def _receipt(self, gathered: Gathered, shelf: SourceShelf) -> AskReceipt:
        answerer, checker = self._deps.answerer, self._deps.checker
        return AskReceipt(
            queries=gathered.queries,
            searches=gathered.searches,
            pages=gathered.readings,
            passages=len(shelf.passages),
            answered_by=EXTRACTION_METHOD if answerer is None else answerer.name,
            checked_by=LEXICAL if checker is None else f"{LEXICAL}, {checker.name}",
            normalisation=NORMALISATION_VERSION,
            claimed=self._claimed,
            repaired=self._repaired,
            broke_off=self._broke_off,
            usage=self._notes.usage,
            warnings=tuple(self._notes.warnings),
        )


def _unsupported(claim: SaidClaim, reason: str) -> UnsupportedClaim:
    quotes = tuple(one_line(quote.quote) for quote in claim.quotes)
    return UnsupportedClaim(text=claim.claim, reason=reason, quotes=quotes)
