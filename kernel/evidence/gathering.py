"""The pages that an answer is made from: planned, searched for, chosen and read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.evidence import AskArguments, PageReading, SourcePage
from ...ports.web import WebExtractResult, WebSearchQuery
from ..text.display import one_line
from .answer_prompts import plan_prompt, plan_schema, read_plan
from .notes import AskDeps, AskNotes, nothing_supported
from .selection import choose_pages

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
