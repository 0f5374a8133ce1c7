"""Make what a plugin puts in place of an answer again from its quotes, like a model's.

A claim is looked for in the pages that answers were made of, and in ``data.pages`` of the plugin
itself. What is in none of them is left out, and an answer without a claim is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import WebError
from webseam.ports.evidence import (
    AskOutcome,
    AskReceipt,
    Claim,
    Paraphrase,
    SourcePage,
    UnsupportedClaim,
)

from ...boundary import attempt_call
from ...envelopes import Fields, Replaced, envelope_list, envelope_mapping
from ...plugin_changes import Original, carry_fields, is_same_json, refuse_change
from ...text.display import one_line, strip_hidden_values
from ...urls.spelling import is_web_url
from .claims import compare_words, make_claims
from .extracts import missing_words
from .gathering import text_hash
from .printing import model_text
from .quotes import QuoteSpan, find_quote, is_choice
from .rendering import ask_envelope
from .shelf import SourceShelf, make_source_shelf

_REASON = "its quote is on no page that was read"
_PLUGIN_REASON = "a plugin left it out"
_NO_ANSWER = AskOutcome(
    question="",
    claims=(),
    unsupported=(),
    missing="",
    extractive=False,
    pages=(),
    passages=(),
    receipt=AskReceipt(),
)


class _Quote(msgspec.Struct, frozen=True):
    text: str = ""
    start: int = 0
    end: int = 0
    sha256: str = ""


class _Words(msgspec.Struct, frozen=True):
    text: str = ""


class _PluginClaim(msgspec.Struct, frozen=True):
    """A claim as our envelopes have it, or with ``quotes``, as a plugin may write it."""

    text: str = ""
    start: int = 0
    end: int = 0
    sha256: str = ""
    quotes: tuple[_Quote, ...] = ()
    paraphrase: _Words | None = None


class _PluginPage(msgspec.Struct, frozen=True):
    url: str
    text: str
    title: str = ""
    read_on: str = ""


class _PluginAnswer(msgspec.Struct, frozen=True):
    claims: tuple[_PluginClaim, ...]
    pages: tuple[_PluginPage, ...] = ()
    unsupported: tuple[UnsupportedClaim, ...] = ()
    extractive: bool = False
    summary: str = ""


def check_replaced_answer(
    envelope: Fields,
    question: str,
    pages: Sequence[SourcePage] = (),
    originals: Sequence[Original] = (),
) -> Result[Replaced, WebError]:
    """Return the envelope of a plugin with its claims made again, or why it is no answer.

    Of an answer that the plugin changed, what it did not touch stays as it was.
    """
    own = originals[-1] if originals else Original(Fields(), _NO_ANSWER)
    base = msgspec.structs.replace(cast("AskOutcome", own.outcome), question=question)
    given = cast("Fields", strip_hidden_values(envelope_mapping(envelope.get("data"))))
    own_data = envelope_mapping(own.envelope.get("data"))
    answer = attempt_call(lambda: msgspec.convert(given, _PluginAnswer)).value_or(None)
    if answer is None:
        return _refuse(envelope)
    if (refusal := _explain_derived_change(given, own_data)) is not None:
        return refusal
    own_receipt = envelope_mapping(own.envelope.get("receipt"))
    receipt = carry_fields(
        base.receipt, own_receipt, envelope.get("receipt", own_receipt), "$.receipt"
    )
    if isinstance(receipt, Failure):
        return receipt
    added = [_source_page(page) for page in answer.pages if is_web_url(page.url)]
    shelf = make_source_shelf((*base.pages, *pages, *added), ())
    claims: list[Claim] = []
    lost: list[_PluginClaim] = []
    own_claims = list(zip(envelope_list(own_data.get("claims")), base.claims, strict=True))
    for raw, entry in zip(answer.claims, envelope_list(given["claims"]), strict=True):
        kept = [claim for own_entry, claim in own_claims if is_same_json(own_entry, entry)]
        found = tuple(kept[:1]) or _make_again(raw, shelf)
        if not found:
            lost.append(raw)
        claims += [claim for claim in found if claim not in claims]
    if not claims:
        return _refuse(envelope)
    outcome = msgspec.structs.replace(
        base,
        claims=tuple(claims),
        unsupported=(
            *(_strip_unsupported(claim, base.unsupported) for claim in answer.unsupported),
            *(UnsupportedClaim(paraphrase=model_text(raw.text), reason=_REASON) for raw in lost),
        ),
        missing=_missing_words(question, claims, base),
        extractive=answer.extractive,
        receipt=receipt.unwrap().value,
        summary=model_text(answer.summary, 1200),
    )
    return Success(Replaced(_merge_envelope(envelope, given, own_receipt, outcome), outcome))


def _strip_unsupported(
    claim: UnsupportedClaim, own: Sequence[UnsupportedClaim]
) -> UnsupportedClaim:
    """Return our own entry as it is, and a plugin's without markup; its reason is not ours."""
    if claim in own:
        return claim
    return UnsupportedClaim(
        paraphrase=model_text(claim.paraphrase),
        reason=_PLUGIN_REASON,
        quotes=tuple(map(model_text, claim.quotes)),
    )


def _explain_derived_change(given: Fields, own_data: Fields) -> Failure[WebError] | None:
    """Refuse another text of an answer whose claims stay, or other words that are missing.

    Both are made from the claims, so they cannot say anything else.
    """
    if not own_data or not is_same_json(own_data.get("claims"), given.get("claims")):
        return None
    for name in ("answer", "missing"):
        if name in given and not is_same_json(given[name], strip_hidden_values(own_data[name])):
            return refuse_change(f"$.data.{name}", "what its claims say", given[name])
    return None


def _missing_words(question: str, claims: Sequence[Claim], base: AskOutcome) -> str:
    if tuple(claims) == base.claims:
        return base.missing
    texts = [text for claim in claims for text in (claim.text, *claim.frame.headings)]
    return ", ".join(missing_words(question, texts))


def _merge_envelope(
    envelope: Fields, given: Fields, own_receipt: Fields, outcome: AskOutcome
) -> Fields:
    """Return the plugin's envelope with the answer that was made again; its other keys stay."""
    merged = cast("Fields", strip_hidden_values(envelope))
    rebuilt = ask_envelope(Success(outcome))
    others = {name: value for name, value in given.items() if name != "pages"}
    merged |= {"success": True, "data": {**others, **envelope_mapping(rebuilt["data"])}}
    receipt = {**own_receipt, **envelope_mapping(merged.get("receipt"))}
    if receipt:
        merged["receipt"] = receipt
    return merged


def _refuse(envelope: Fields) -> Failure[WebError]:
    return refuse_change(
        "$.data", "claims whose quotes are on pages that were read", envelope.get("data")
    )


def _source_page(page: _PluginPage) -> SourcePage:
    return SourcePage(
        url=page.url,
        final_url=page.url,
        title=one_line(page.title),
        text=page.text,
        sha256=text_hash(page.text),
        read_on=one_line(page.read_on, 10),
        backend="plugin",
    )


def _make_again(raw: _PluginClaim, shelf: SourceShelf) -> tuple[Claim, ...]:
    own = _Quote(text=raw.text, start=raw.start, end=raw.end, sha256=raw.sha256)
    claims: list[Claim] = []
    for quote in raw.quotes or (own,):
        found = next(iter(_places(quote, shelf)), None)
        if found is not None:
            page, span = found
            claims += make_claims(shelf.views[page], shelf.pages, page, span).value_or(())
    said = raw.paraphrase
    return tuple(
        msgspec.structs.replace(claim, paraphrase=_own_words(said, claim)) for claim in claims
    )


def _own_words(said: _Words | None, claim: Claim) -> Paraphrase | None:
    return None if said is None else compare_words(said.text, claim.text)


def _places(quote: _Quote, shelf: SourceShelf) -> list[tuple[int, QuoteSpan]]:
    """Return where a quote is, by its place in a page that is known, else by its words."""
    for number, page in enumerate(shelf.pages):
        if page.sha256 == quote.sha256 and 0 <= quote.start < quote.end <= len(page.text):
            return [(number, QuoteSpan(quote.start, quote.end))]
    if not is_choice(quote.text):
        return []
    spans = [(number, find_quote(words, quote.text)) for number, words in enumerate(shelf.words)]
    return [(number, span) for number, span in spans if span is not None]
