"""Check every claim of an answer: its quotes must be in the pages, and must support it."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports import errors, evidence

from ...boundary import attempt_call, attempt_port
from ...port_answers import open_port_answer, port_crash
from . import answer_prompts, normalisation, page_view
from .claims import LEXICAL_JUDGE, check_claim, combine_verdicts
from .passages import block_around, has_orders
from .quotes import PageText, find_quote, searchable_page

_QUOTE_FAULT_REASONS: dict[evidence.QuoteFault, str] = {
    "too_long": "the quote is longer than 1,200 characters",
    "too_short": "the quote is shorter than 12 characters or two words",
    "parts": "the quote has too many or too short parts between its ellipses",
    "not_in_page": "the quote is not in the page",
}
_CLAIM_FAULT_REASONS: dict[evidence.ClaimFault, str] = {
    "figure": "a figure of the claim is not in the quoted sentence",
    "name": "a name of the claim is not in the quoted sentence or its passage",
    "negation": "the claim denies what the quoted sentence does not, or the other way round",
    "question": "the quoted sentence is a question",
    "unrelated": "the claim shares too few words with the quoted sentence",
    "judged": "the judge finds that the quote does not carry the claim",
}


class SourceShelf(msgspec.Struct, frozen=True, kw_only=True):
    """The pages that were read, prepared for checks, and the passages shown to the model."""

    pages: tuple[evidence.SourcePage, ...]
    texts: tuple[PageText, ...]
    views: tuple[page_view.PageView, ...]
    passages: tuple[evidence.Passage, ...]

    def find_passage(self, name: str) -> evidence.Passage | None:
        """Return the passage with that id, or None."""
        return next((passage for passage in self.passages if passage.id == name), None)

    def passage_text(self, passage: evidence.Passage) -> str:
        """Return the text of a passage."""
        return self.pages[passage.page].text[passage.start : passage.end]


class _PlacedQuote(msgspec.Struct, frozen=True, kw_only=True):
    """A quote that was found, the sentences that it touches, and the passage around them."""

    quote: evidence.Quote
    context: page_view.QuoteContext
    passage: str


def make_source_shelf(
    pages: Sequence[evidence.SourcePage], passages: Sequence[evidence.Passage]
) -> SourceShelf:
    """Return pages and passages for checks; prepare each page once."""
    return SourceShelf(
        pages=tuple(pages),
        texts=tuple(searchable_page(page.text) for page in pages),
        views=tuple(page_view.view_page(page.text) for page in pages),
        passages=tuple(passages),
    )


def check_claim_quotes(
    raw: answer_prompts.ModelClaim, shelf: SourceShelf
) -> Result[tuple[evidence.Claim, evidence.SupportQuestion], str]:
    """Return the claim with its quotes as the pages have them, or why it is rejected.

    A weak claim that is close to a sentence of the page is replaced by that sentence.
    """
    if not raw.quotes:
        return Failure("it has no quote")
    placed = [_place_quote(quote, shelf) for quote in raw.quotes]
    failure = next((quote.failure() for quote in placed if isinstance(quote, Failure)), None)
    if failure is not None:
        return Failure(failure)
    placements = [placed_quote.unwrap() for placed_quote in placed]
    question = evidence.SupportQuestion(
        claim=raw.claim,
        quote="\n".join(placed_quote.quote.text for placed_quote in placements),
        passage="\n".join(placed_quote.passage for placed_quote in placements),
    )
    verdict = check_claim(raw.claim, [placed.context for placed in placements], question.passage)
    if verdict.support.verdict == "refused":
        return Failure(_fault_reasons(verdict.support))
    quotes = tuple(placed_quote.quote for placed_quote in placements)
    if not verdict.sentence:
        claim = evidence.Claim(text=raw.claim, quotes=quotes, support=verdict.support)
        return Success((claim, question))
    support = evidence.Support(verdict="supported", by=LEXICAL_JUDGE, score=1.0)
    sentence = normalisation.readable_text(verdict.sentence)
    claim = evidence.Claim(text=sentence, quotes=quotes, support=support, written=raw.claim)
    return Success((claim, replace(question, claim=sentence)))


def _fault_reasons(support: evidence.Support) -> str:
    return "; ".join(_CLAIM_FAULT_REASONS[fault] for fault in support.faults)


def _place_quote(raw: answer_prompts.ModelQuote, shelf: SourceShelf) -> Result[_PlacedQuote, str]:
    passage = shelf.find_passage(raw.passage)
    if passage is None:
        return Failure("it quotes a passage that was not given")
    span = find_quote(shelf.texts[passage.page], raw.quote)
    if isinstance(span, Success):
        return _make_placed_quote(shelf, passage.page, span.unwrap(), shelf.passage_text(passage))
    moved = [
        (page, span.unwrap())
        for page, text in enumerate(shelf.texts)
        if page != passage.page and isinstance(span := find_quote(text, raw.quote), Success)
    ]
    if len(moved) != 1:
        return Failure(_QUOTE_FAULT_REASONS[span.failure()])
    page, span = moved[0]
    return _make_placed_quote(shelf, page, span, None)


def _make_placed_quote(
    shelf: SourceShelf, page: int, span: evidence.QuoteSpan, passage: str | None
) -> Result[_PlacedQuote, str]:
    source = shelf.pages[page]
    block = block_around(source.text, span.start, span.end)
    if has_orders(block):
        return Failure("the page gives orders to models where it is quoted")
    quote = evidence.Quote(
        url=source.final_url,
        title=source.title,
        text=source.text[span.start : span.end],
        start=span.start,
        end=span.end,
        sha256=source.sha256,
        read_on=source.read_on,
        page=page,
        moved=passage is None,
    )
    context = shelf.views[page].quote_context(span.start, span.end)
    shown = block if passage is None else passage
    return Success(_PlacedQuote(quote=quote, context=context, passage=shown))


async def judge_claims(
    checked: Sequence[tuple[evidence.Claim, evidence.SupportQuestion]],
    checker: evidence.SupportChecker,
) -> Result[tuple[Result[evidence.Claim, str], ...], errors.WebError]:
    """Return the claims after ``checker`` judged those that the lexical check left open."""
    open_claims = [question for claim, question in checked if claim.support.verdict == "weak"]
    if not open_claims:
        return Success(tuple(Success(claim) for claim, _ in checked))
    scores = await _ask_judge_scores(open_claims, checker)
    if isinstance(scores, Failure):
        return scores
    judge_scores = iter(scores.unwrap())
    return Success(
        tuple(
            Success(claim)
            if claim.support.verdict != "weak"
            else _judge_claim(claim, next(judge_scores), checker.name)
            for claim, _ in checked
        )
    )


def _judge_claim(claim: evidence.Claim, score: float, judge: str) -> Result[evidence.Claim, str]:
    support = combine_verdicts(claim.support, score, judge)
    if support.verdict == "refused":
        return Failure(_fault_reasons(support))
    return Success(replace(claim, support=support))


async def _ask_judge_scores(
    questions: Sequence[evidence.SupportQuestion], checker: evidence.SupportChecker
) -> Result[tuple[float, ...], errors.WebError]:
    answered = await attempt_port(lambda: checker(questions))
    if isinstance(answered, Failure):
        return Failure(port_crash(answered.failure(), "support", None))
    opened = open_port_answer(answered.unwrap(), "support", None)
    return opened.bind(lambda answer: _check_judge_scores(answer, len(questions)))


def _check_judge_scores(answer: object, count: int) -> Result[tuple[float, ...], errors.WebError]:
    kind = tuple[Annotated[float, Meta(ge=0, le=1)], ...]
    scores = attempt_call(lambda: msgspec.convert(msgspec.to_builtins(answer), kind)).value_or(())
    if len(scores) == count:
        return Success(scores)
    detail = f"no {count} numbers from 0 to 1 came"
    return Failure(errors.BadPayload(problem="shape", detail=detail, backend="support"))
