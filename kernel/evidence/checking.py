"""Every claim of an answer, checked: the quotes are in pages that were read, and carry it."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload, WebError
from ...ports.evidence import (
    Claim,
    Passage,
    Quote,
    QuoteFault,
    QuoteSpan,
    SourcePage,
    Support,
    SupportChecker,
    SupportQuestion,
)
from ..boundary import attempt_call, attempt_port
from ..port_answers import crash_error, open_answer
from .answer_prompts import SaidClaim, SaidQuote
from .passages import block_around, gives_orders
from .quotation.quotes import PageText, find_quote, searchable_page
from .support.claims import check_claim, combine_verdicts

_QUOTE_FAULTS: dict[QuoteFault, str] = {
    "too_long": "the quote is longer than 1,200 characters",
    "too_short": "the quote is shorter than 12 characters or two words",
    "parts": "the quote has too many or too short parts between its ellipses",
    "not_in_page": "the quote is not in the page",
}
_CLAIM_FAULTS = {
    "figure": "a figure of the claim is not in the quote",
    "unit": "a unit of the claim is not that of the quote",
    "date": "a date of the claim is not in the quote",
    "name": "a name of the claim is not in the quote or its passage",
    "negation": "the claim denies what the quote does not, or the other way round",
    "opposite": "the claim says the opposite of the quote",
    "word": "the claim has a word that the quote has not",
    "question": "the quote is a question",
    "denied": "the page denies what is quoted",
    "judged": "the judge finds that the quote does not carry the claim",
}


class SourceShelf(msgspec.Struct, frozen=True, kw_only=True):
    """The pages that were read, ready to be searched, and the passages a model was shown."""

    pages: tuple[SourcePage, ...]
    texts: tuple[PageText, ...]
    passages: tuple[Passage, ...]

    def passage(self, name: str) -> Passage | None:
        """Return the passage of that name."""
        return next((each for each in self.passages if each.id == name), None)

    def text_of(self, passage: Passage) -> str:
        """Return the words of a passage."""
        return self.pages[passage.page].text[passage.start : passage.end]


class _Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A quote that was found, its span, and the passage around it."""

    quote: Quote
    span: QuoteSpan
    around: str


def make_shelf(pages: Sequence[SourcePage], passages: Sequence[Passage]) -> SourceShelf:
    """Return pages and passages for checks; each page is normalised once."""
    texts = tuple(searchable_page(page.text) for page in pages)
    return SourceShelf(pages=tuple(pages), texts=texts, passages=tuple(passages))


def check_claim_quotes(
    raw: SaidClaim, shelf: SourceShelf
) -> Result[tuple[Claim, SupportQuestion], str]:
    """Return the claim with what stands in the pages, or why it is left out."""
    if not raw.quotes:
        return Failure("it has no quote")
    placed = [_placed(quote, shelf) for quote in raw.quotes]
    failure = next((each.failure() for each in placed if isinstance(each, Failure)), None)
    if failure is not None:
        return Failure(failure)
    placements = [each.unwrap() for each in placed]
    question = SupportQuestion(
        claim=raw.claim,
        quote="\n".join(each.quote.text for each in placements),
        passage="\n".join(each.around for each in placements),
    )
    support = _support(question, placements)
    if support.verdict == "refused":
        return Failure(_reason(support))
    quotes = tuple(each.quote for each in placements)
    return Success((Claim(text=raw.claim, quotes=quotes, support=support), question))


def _support(question: SupportQuestion, placements: Sequence[_Placed]) -> Support:
    support = check_claim(question)
    if any(each.span.asks for each in placements):
        return msgspec.structs.replace(support, verdict="refused", faults=("question",))
    if any(each.span.denied for each in placements):
        return msgspec.structs.replace(support, verdict="refused", faults=("denied",))
    return support


def _reason(support: Support) -> str:
    return "; ".join(_CLAIM_FAULTS[fault] for fault in support.faults)


def _placed(raw: SaidQuote, shelf: SourceShelf) -> Result[_Placed, str]:
    passage = shelf.passage(raw.passage)
    if passage is None:
        return Failure("it quotes a passage that was not given")
    own = find_quote(shelf.texts[passage.page], raw.quote)
    if isinstance(own, Success):
        return _beside_no_order(shelf, passage.page, own.unwrap(), shelf.text_of(passage))
    elsewhere = [
        (page, span.unwrap())
        for page, text in enumerate(shelf.texts)
        if page != passage.page and isinstance(span := find_quote(text, raw.quote), Success)
    ]
    if len(elsewhere) != 1:
        return Failure(_QUOTE_FAULTS[own.failure()])
    page, span = elsewhere[0]
    return _beside_no_order(shelf, page, span, None)


def _beside_no_order(
    shelf: SourceShelf, page: int, span: QuoteSpan, around: str | None
) -> Result[_Placed, str]:
    source = shelf.pages[page]
    block = block_around(source.text, span.start, span.end)
    if gives_orders(block):
        return Failure("the page gives orders to models where it is quoted")
    quote = Quote(
        url=source.final_url,
        title=source.title,
        text=source.text[span.start : span.end],
        start=span.start,
        end=span.end,
        sha256=source.sha256,
        read_on=source.read_on,
        page=page,
        moved=around is None,
    )
    return Success(_Placed(quote=quote, span=span, around=block if around is None else around))


async def judge_claims(
    checked: Sequence[tuple[Claim, SupportQuestion]], checker: SupportChecker
) -> Result[tuple[Result[Claim, str], ...], WebError]:
    """Return the claims with a judge's word on those that words alone leave open."""
    open_claims = [question for claim, question in checked if claim.support.verdict == "weak"]
    if not open_claims:
        return Success(tuple(Success(claim) for claim, _ in checked))
    scores = await _scores(open_claims, checker)
    if isinstance(scores, Failure):
        return scores
    rest = iter(scores.unwrap())
    return Success(
        tuple(
            Success(claim)
            if claim.support.verdict != "weak"
            else _judged(claim, next(rest), checker.name)
            for claim, _ in checked
        )
    )


def _judged(claim: Claim, score: float, by: str) -> Result[Claim, str]:
    support = combine_verdicts(claim.support, score, by)
    if support.verdict == "refused":
        return Failure(_reason(support))
    return Success(msgspec.structs.replace(claim, support=support))


async def _scores(
    questions: Sequence[SupportQuestion], checker: SupportChecker
) -> Result[tuple[float, ...], WebError]:
    answered = await attempt_port(lambda: checker(questions))
    if isinstance(answered, Failure):
        return Failure(crash_error(answered.failure(), "support", None))
    opened = open_answer(answered.unwrap(), "support", None)
    return opened.bind(lambda answer: _checked_scores(answer, len(questions)))


def _checked_scores(answer: object, count: int) -> Result[tuple[float, ...], WebError]:
    wanted = tuple[Annotated[float, Meta(ge=0, le=1)], ...]
    scores = attempt_call(lambda: msgspec.convert(msgspec.to_builtins(answer), wanted)).value_or(())
    if len(scores) == count:
        return Success(scores)
    detail = f"no {count} numbers from 0 to 1 came"
    return Failure(BadPayload(problem="shape", detail=detail, backend="support"))
