"""Gather the pages for an answer: plan queries, search, choose rows and read them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import WebError
from webseam.ports.evidence import AskArguments, PageReading, SourcePage
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchQuery, WebSearchResult

from ...planner.fusion import MemberRows, fuse_member_rows
from ...text.display import one_line
from .answer_prompts import plan_prompt, plan_schema, read_plan
from .notes import AskDeps, AskNotes, nothing_supported
from .printing import model_text

MAX_HOST_PAGES = 2
_MAX_SEARCH_ROWS = 10


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
    notes.add_attempts(searches)
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
    notes.add_attempts(results)
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
        notes.warnings.append(model_text(f"No queries were planned: {plan.failure().message}"))
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
