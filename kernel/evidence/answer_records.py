"""A saved answer: everything that it takes to check it again, offline, by anyone."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidDocument
from ...ports.evidence import AskOutcome, Claim, Quote, SourcePage, SupportQuestion
from ..boundary import attempt_call
from .gathering import text_hash
from .passages import block_around
from .quotation.normalisation import NORMALISATION_VERSION
from .quotation.quotes import find_quote, searchable_page
from .support.claims import check_claim

RECORD_FORMAT = 1


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An answer in a file, with the pages it rests on and the rules it was checked by."""

    webseam_answer: Annotated[int, Meta(ge=1, le=RECORD_FORMAT)]
    normalisation: int
    outcome: AskOutcome


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What came of checking a claim again; without ``faults`` it holds."""

    claim: str
    url: str
    faults: tuple[str, ...] = ()


def write_record(outcome: AskOutcome) -> bytes:
    """Return an answer as the text of a file."""
    record = AnswerRecord(
        webseam_answer=RECORD_FORMAT, normalisation=NORMALISATION_VERSION, outcome=outcome
    )
    return msgspec.json.format(msgspec.json.encode(record)) + b"\n"


def read_record(data: bytes) -> Result[AnswerRecord, InvalidDocument]:
    """Return the answer in a file, or why it is none."""
    record = attempt_call(lambda: msgspec.json.decode(data, type=AnswerRecord))
    if isinstance(record, Failure):
        reason = "this is no answer that webseam saved"
        return Failure(InvalidDocument(field="file", reason=reason, backend="the file"))
    return Success(record.unwrap())


def verify_record(record: AnswerRecord) -> tuple[Finding, ...]:
    """Check each quote of each claim again, against the pages in the record."""
    pages = record.outcome.pages
    return tuple(
        Finding(claim=claim.text, url=quote.url, faults=tuple(_faults(claim, quote, pages)))
        for claim in record.outcome.claims
        for quote in claim.quotes
    )


def _faults(claim: Claim, quote: Quote, pages: tuple[SourcePage, ...]) -> list[str]:
    if not 0 <= quote.page < len(pages):
        return ["the page it quotes is not in the file"]
    page = pages[quote.page]
    if quote.url != page.final_url:
        return ["the page it names is not the one it quotes"]
    checks = {
        "the page is not the one that was read: its hash differs": (
            text_hash(page.text) == page.sha256 == quote.sha256
        ),
        "the quote is not at its place in the page": (
            page.text[quote.start : quote.end] == quote.text
        ),
        "the quote does not stand whole in the page": (
            find_quote(searchable_page(page.text), quote.text) != Failure("not_in_page")
        ),
        "the words of the quote do not carry the claim": _support(claim, pages) != "refused",
    }
    return [fault for fault, holds in checks.items() if not holds]


def _support(claim: Claim, pages: tuple[SourcePage, ...]) -> str:
    quotes = [quote for quote in claim.quotes if 0 <= quote.page < len(pages)]
    around = [block_around(pages[it.page].text, it.start, it.end) for it in quotes]
    question = SupportQuestion(
        claim=claim.text,
        quote="\n".join(quote.text for quote in quotes),
        passage="\n".join(around),
    )
    return check_claim(question).verdict
