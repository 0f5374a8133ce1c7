"""The pages that an answer is made from: planned, searched for, chosen and read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidDocument, WebError
from ...ports.evidence import (
    AskArguments,
    AskOutcome,
    Claim,
    PageReading,
    Quote,
    SourcePage,
    SupportQuestion,
)
from ...ports.web import SearchOutcome, WebExtractResult, WebSearchQuery, WebSearchResult
from ..boundary import attempt_call
from ..planner.fusion import MemberRows, fuse_rows
from ..text.display import one_line
from .answer_prompts import plan_prompt, plan_schema, read_plan
from .notes import AskDeps, AskNotes, nothing_supported
from .passages import block_around
from .quotation.normalisation import NORMALISATION_VERSION
from .quotation.quotes import find_quote, searchable_page
from .support.claims import check_claim

MAX_PER_HOST = 2


def choose_pages(searches: Sequence[SearchOutcome], max_pages: int) -> tuple[WebSearchResult, ...]:
    """Return the rows to read, best first: at most two of a host, unless there is nothing else."""
    listings = [MemberRows(backend=str(at), rows=each.rows) for at, each in enumerate(searches)]
    rows = [fused.row for fused in fuse_rows(listings)]
    hosts: Counter[str] = Counter()
    first: list[WebSearchResult] = []
    rest: list[WebSearchResult] = []
    for row in rows:
        host = urlsplit(row.url).netloc.lower()
        hosts[host] += 1
        (first if hosts[host] <= MAX_PER_HOST else rest).append(row)
    return tuple((*first, *rest)[:max_pages])


# The pages that an answer is made from: planned, searched for, chosen and read.

_MAX_SEARCH_ROWS = 10


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """Pages that were read, and what was done to find them."""

    pages: tuple[SourcePage, ...]
    queries: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    readings: tuple[PageReading, ...] = ()


async def gather_sources(
    request: AskArguments, deps: AskDeps, notes: AskNotes
) -> Result[Gathered, WebError]:
    """Search and read; at least one page, or the failure."""
    queries = await _plan(request.question, deps, notes)
    notes.step("search", ", ".join(queries))
    searches = await deps.search([_query(each, request) for each in queries])
    outcomes = [each.unwrap() for each in searches if isinstance(each, Success)]
    errors = [each.failure() for each in searches if isinstance(each, Failure)]
    if errors and not any(each.rows for each in outcomes):
        return Failure(errors[0])
    notes.warnings += [error.message for error in errors]
    urls = [row.url for row in choose_pages(outcomes, request.max_pages)]
    if not urls:
        return nothing_supported("no_results")
    for url in urls:
        notes.step("page", url)
    results = await deps.read(urls)
    readings = tuple(map(_reading, urls, results))
    pages = _sources(results, deps.read_on)
    if not pages:
        return nothing_supported(
            "no_pages", tried=tuple(f"{it.url} ({it.outcome})" for it in readings)
        )
    served = tuple(each.receipt.backend for each in outcomes)
    return Success(Gathered(pages=pages, queries=queries, searches=served, readings=readings))


async def _plan(question: str, deps: AskDeps, notes: AskNotes) -> tuple[str, ...]:
    """Return the queries: the question itself, and a model's where there is one."""
    planner = deps.planner or deps.answerer
    if planner is None:
        return (question,)
    notes.step("plan")
    plan = await notes.ask(planner, plan_prompt(question), plan_schema())
    if isinstance(plan, Failure):
        notes.warnings.append(f"No queries were planned: {plan.failure().message}")
        return (question,)
    return read_plan(plan.unwrap().text, question)


def _query(text: str, request: AskArguments) -> WebSearchQuery:
    return WebSearchQuery(
        query=text,
        max_results=_MAX_SEARCH_ROWS,
        include_domains=request.include_domains,
        exclude_domains=request.exclude_domains,
    )


def _reading(url: str, page: Result[WebExtractResult, WebError]) -> PageReading:
    if isinstance(page, Failure):
        return PageReading(url=url, outcome=page.failure().kind)
    return PageReading(url=url, outcome="read", characters=len(page.unwrap().content))


def _sources(
    results: Sequence[Result[WebExtractResult, WebError]], read_on: str
) -> tuple[SourcePage, ...]:
    """Return the pages that were read; the same text under two addresses is one source."""
    pages: dict[str, SourcePage] = {}
    for result in results:
        if isinstance(result, Success):
            page = _source(result.unwrap(), read_on)
            pages.setdefault(page.sha256, page)
    return tuple(pages.values())


def _source(page: WebExtractResult, read_on: str) -> SourcePage:
    return SourcePage(
        url=page.url,
        final_url=page.final_url,
        title=one_line(page.title),
        text=page.content,
        sha256=text_hash(page.content),
        read_on=read_on,
        backend=page.receipt.backend,
    )


def text_hash(text: str) -> str:
    """Return the hash of a text, by which anyone can tell that it is the same."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# A saved answer: everything that it takes to check it again, offline, by anyone.

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
