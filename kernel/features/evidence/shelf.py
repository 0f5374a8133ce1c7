"""The pages that were read, prepared once, and the claims that a model chooses from them."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.evidence import Claim, Passage, SourcePage

from .answer_prompts import ModelClaim, ModelQuote
from .claims import compare_words, make_claims
from .page_view import PageView, view_page
from .quotes import (
    MAX_QUOTE_CHARS,
    PageWords,
    QuoteSpan,
    find_quote,
    find_words,
    is_choice,
    nearest_unit,
)


class SourceShelf(msgspec.Struct, frozen=True, kw_only=True):
    """The pages that were read, and the passages shown to the model."""

    pages: tuple[SourcePage, ...]
    views: tuple[PageView, ...]
    words: tuple[PageWords, ...]
    passages: tuple[Passage, ...]

    def find_passage(self, name: str) -> Passage | None:
        """Return the passage with that id, or None."""
        return next((passage for passage in self.passages if passage.id == name), None)

    def passage_text(self, passage: Passage) -> str:
        """Return the text of a passage."""
        return self.pages[passage.page].text[passage.start : passage.end]


def make_source_shelf(pages: Sequence[SourcePage], passages: Sequence[Passage]) -> SourceShelf:
    """Return pages and passages for the choice of claims; prepare each page once."""
    return SourceShelf(
        pages=tuple(pages),
        views=tuple(view_page(page.text) for page in pages),
        words=tuple(find_words(page.text) for page in pages),
        passages=tuple(passages),
    )


class _Place(msgspec.Struct, frozen=True):
    page: int
    span: QuoteSpan
    moved: bool = False


def choose_claims(raw: ModelClaim, shelf: SourceShelf) -> Result[tuple[Claim, ...], str]:
    """Return the claims that a model's quotes choose, each of one page, or why there are none."""
    claims: list[Claim] = []
    reason = "it has no quote"
    for quote in raw.quotes:
        place = _find_place(quote, shelf)
        if isinstance(place, Failure):
            reason = place.failure()
            continue
        it = place.unwrap()
        made = make_claims(shelf.views[it.page], shelf.pages, it.page, it.span, moved=it.moved)
        if isinstance(made, Failure):
            reason = made.failure()
        else:
            claims += made.unwrap()
    if not claims:
        return Failure(reason)
    return Success(
        tuple(replace(claim, paraphrase=compare_words(raw.claim, claim.text)) for claim in claims)
    )


def _find_place(raw: ModelQuote, shelf: SourceShelf) -> Result[_Place, str]:
    """Return where a quote is: in its passage, its page, the only other page, or nearest."""
    passage = shelf.find_passage(raw.passage)
    if passage is None:
        return Failure("it quotes a passage that was not given")
    if len(raw.quote) > MAX_QUOTE_CHARS:
        return Failure(f"its quote is longer than {MAX_QUOTE_CHARS} characters")
    if not is_choice(raw.quote):
        return Failure("its quote is too short to choose a sentence: copy the whole sentence")
    words = shelf.words[passage.page]
    span = find_quote(words, raw.quote, passage.start, passage.end)
    span = span or find_quote(words, raw.quote)
    if span is not None:
        return Success(_Place(passage.page, span))
    elsewhere = [
        _Place(page, span, moved=True)
        for page, other in enumerate(shelf.words)
        if page != passage.page and (span := find_quote(other, raw.quote)) is not None
    ]
    if len(elsewhere) == 1:
        return Success(elsewhere[0])
    near = None if elsewhere else nearest_unit(shelf.views[passage.page], raw.quote)
    if near is None:
        return Failure("the quote is not in the page, and no sentence is near to it")
    return Success(_Place(passage.page, near))
