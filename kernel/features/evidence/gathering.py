"""Gather the pages for an answer: plan queries, search, choose rows and read them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidDocument, WebError
from webseam.ports.evidence import AskArguments, AskOutcome, Claim, PageReading, Quote, SourcePage
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchQuery, WebSearchResult

from ...boundary import attempt_call
from ...planner.fusion import MemberRows, fuse_member_rows
from ...text.display import one_line
from . import claims, page_view, rendering
from .answer_prompts import plan_prompt, plan_schema, read_plan
from .normalisation import NORMALISATION_VERSION
from .notes import AskDeps, AskNotes, nothing_supported
from .passages import block_around
from .quotes import find_quote, searchable_page

MAX_HOST_PAGES = 2


def choose_pages(searches: Sequence[SearchOutcome], max_pages: int) -> tuple[WebSearchResult, ...]:
    """Return the rows to read, best first: at most two of a host, unless nothing else is left."""
    listings = [MemberRows(backend=str(i), rows=search.rows) for i, search in enumerate(searches)]
    rows = [fused.row for fused in fuse_member_rows(listings)]
    hosts: Counter[str] = Counter()
    first: list[WebSearchResult] = []
    rest: list[WebSearchResult] = []
    for row in rows:
        host = urlsplit(row.url).netloc.lower()
        hosts[host] += 1
        (first if hosts[host] <= MAX_HOST_PAGES else rest).append(row)
    return tuple((*first, *rest)[:max_pages])


_MAX_SEARCH_ROWS = 10


class GatheredSources(msgspec.Struct, frozen=True, kw_only=True):
    """The pages that were read, and how they were found."""

    pages: tuple[SourcePage, ...]
    queries: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    readings: tuple[PageReading, ...] = ()


async def gather_sources(
    request: AskArguments, deps: AskDeps, notes: AskNotes
) -> Result[GatheredSources, WebError]:
    """Search and read; return at least one page, or the failure."""
    queries = await _plan_queries(request.question, deps, notes)
    notes.report_step("search", ", ".join(queries))
    searches = await deps.search([_make_search_query(outcome, request) for outcome in queries])
    outcomes = [outcome.unwrap() for outcome in searches if isinstance(outcome, Success)]
    errors = [outcome.failure() for outcome in searches if isinstance(outcome, Failure)]
    if errors and not any(outcome.rows for outcome in outcomes):
        return Failure(errors[0])
    notes.warnings += [error.message for error in errors]
    urls = [row.url for row in choose_pages(outcomes, request.max_pages)]
    if not urls:
        return nothing_supported("no_results")
    for url in urls:
        notes.report_step("page", url)
    results = await deps.read(urls)
    readings = tuple(map(_page_reading, urls, results))
    pages = _distinct_source_pages(results, deps.read_on)
    if not pages:
        return nothing_supported(
            "no_pages", tried=tuple(f"{reading.url} ({reading.outcome})" for reading in readings)
        )
    served = tuple(outcome.receipt.backend for outcome in outcomes)
    return Success(
        GatheredSources(pages=pages, queries=queries, searches=served, readings=readings)
    )


async def _plan_queries(question: str, deps: AskDeps, notes: AskNotes) -> tuple[str, ...]:
    """Return the queries: the question itself, and those of a model if there is one."""
    planner = deps.planner or deps.answerer
    if planner is None:
        return (question,)
    notes.report_step("plan")
    plan = await notes.ask_model(planner, plan_prompt(question), plan_schema())
    if isinstance(plan, Failure):
        notes.warnings.append(f"No queries were planned: {plan.failure().message}")
        return (question,)
    return read_plan(plan.unwrap().text, question)


def _make_search_query(text: str, request: AskArguments) -> WebSearchQuery:
    return WebSearchQuery(
        query=text,
        max_results=_MAX_SEARCH_ROWS,
        include_domains=request.include_domains,
        exclude_domains=request.exclude_domains,
    )


def _page_reading(url: str, page: Result[WebExtractResult, WebError]) -> PageReading:
    if isinstance(page, Failure):
        return PageReading(url=url, outcome=page.failure().kind)
    return PageReading(url=url, outcome="read", characters=len(page.unwrap().content))


def _distinct_source_pages(
    results: Sequence[Result[WebExtractResult, WebError]], read_on: str
) -> tuple[SourcePage, ...]:
    """Return the pages that were read; the same text under two URLs is one source."""
    pages: dict[str, SourcePage] = {}
    for result in results:
        if isinstance(result, Success):
            page = _source_page(result.unwrap(), read_on)
            pages.setdefault(page.sha256, page)
    return tuple(pages.values())


def _source_page(page: WebExtractResult, read_on: str) -> SourcePage:
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
    """Return the SHA-256 of a text in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


RECORD_FORMAT = 1


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A saved answer with its pages and the version of the rules that checked it."""

    webseam_answer: Annotated[int, Meta(ge=1, le=RECORD_FORMAT)]
    normalisation: int
    outcome: rendering.Answer


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking a claim again; it holds if ``faults`` is empty."""

    claim: str
    url: str
    faults: tuple[str, ...] = ()


def write_record(outcome: AskOutcome) -> bytes:
    """Encode an answer as the contents of a file."""
    record = AnswerRecord(
        webseam_answer=RECORD_FORMAT,
        normalisation=NORMALISATION_VERSION,
        outcome=rendering.Answer(**msgspec.structs.asdict(outcome)),
    )
    return msgspec.json.format(msgspec.json.encode(record)) + b"\n"


def read_record(data: bytes) -> Result[AnswerRecord, InvalidDocument]:
    """Decode a saved answer, or return why it is invalid."""
    record = attempt_call(lambda: msgspec.json.decode(data, type=AnswerRecord))
    if isinstance(record, Failure):
        reason = "this is no answer that webseam saved"
        return Failure(InvalidDocument(field="file", reason=reason, backend="the file"))
    return Success(record.unwrap())


def verify_record(record: AnswerRecord) -> tuple[Finding, ...]:
    """Check each quote of each claim again, against the pages in the record."""
    pages = record.outcome.pages
    return tuple(
        Finding(claim=claim.text, url=quote.url, faults=tuple(_quote_faults(claim, quote, pages)))
        for claim in record.outcome.claims
        for quote in claim.quotes
    )


def _quote_faults(claim: Claim, quote: Quote, pages: tuple[SourcePage, ...]) -> list[str]:
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
        "the words of the quote do not carry the claim": _claim_verdict(claim, pages) != "refused",
    }
    return [fault for fault, holds in checks.items() if not holds]


def _claim_verdict(claim: Claim, pages: tuple[SourcePage, ...]) -> str:
    quotes = [quote for quote in claim.quotes if 0 <= quote.page < len(pages)]
    spans = [(pages[quote.page].text, quote.start, quote.end) for quote in quotes]
    passages = [block_around(*span) for span in spans]
    contexts = [page_view.view_page(text).quote_context(start, end) for text, start, end in spans]
    return claims.check_claim(claim.text, contexts, "\n".join(passages)).support.verdict
