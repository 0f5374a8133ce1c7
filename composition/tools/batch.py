"""Many pages: a bounded number at once, one outcome for each URL, in their order."""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.call_context import current_second_look, set_in_block
from webseam.kernel.deps import WebDeps
from webseam.kernel.extract import web_extract_many
from webseam.kernel.policy.judge import carries_credentials
from webseam.kernel.port_answers import backend_about
from webseam.kernel.urls.spelling import canonical_url, is_document_url
from webseam.ports.attempts import shared_attempts
from webseam.ports.errors import WebError
from webseam.ports.errors.error_fields import PAGES_READER
from webseam.ports.targets import tidy_url
from webseam.ports.web import WebExtractResult

ExtractResult: TypeAlias = Result[WebExtractResult, WebError]
# Turns the deps for web pages into the deps for documents of the index.
Documents: TypeAlias = Callable[[WebDeps], Result[WebDeps, WebError]]
Done: TypeAlias = Callable[[str, ExtractResult], None]

MAX_CONCURRENT_PAGES = 8
_PAGE_WATCHER: ContextVar[Done | None] = ContextVar("webseam_pages", default=None)


# Call a function with each URL and its outcome, for the calls inside the block.
watch_extract_tool = partial(set_in_block, _PAGE_WATCHER)
REPEATED_WARNING = "the list names this page several times: it was read once, for an earlier one"


def _notify_page_watcher(url: str, page: ExtractResult) -> None:
    if (watcher := _PAGE_WATCHER.get()) is not None:
        watcher(url, page)


async def extract_tool_pages(
    urls: Sequence[str],
    deps: WebDeps,
    *,
    documents: Documents | None = None,
    at_once: int = MAX_CONCURRENT_PAGES,
    done: Done | None = None,
) -> list[ExtractResult]:
    """Read all pages; ``done`` is called with each URL and its outcome, as soon as there is one.

    A backend that takes several pages in one call is given as many as it takes, and a page that the
    list names again is read once. Addresses of the index are read through ``documents``.
    """
    done = done or _notify_page_watcher
    document_urls = [url for url in urls if documents is not None and is_document_url(url)]
    if documents is None or not document_urls:
        return await _extract_batches(urls, deps, at_once, done)
    outcomes = await _extract_documents(document_urls, documents(deps), at_once, done)
    page_urls = [url for url in urls if not is_document_url(url)]
    pages = iter(await _extract_batches(page_urls, deps, at_once, done))
    documents_read = iter(outcomes)
    return [next(documents_read) if is_document_url(url) else next(pages) for url in urls]


async def _extract_documents(
    urls: Sequence[str], deps: Result[WebDeps, WebError], at_once: int, done: Done
) -> list[ExtractResult]:
    if isinstance(deps, Success):
        return await _extract_batches(urls, deps.unwrap(), at_once, done)
    failures: list[ExtractResult] = [Failure(deps.failure())] * len(urls)
    for url, failure in zip(urls, failures, strict=True):
        done(url, failure)
    return failures


def _warn_skipped_second_look(outcome: ExtractResult) -> ExtractResult:
    """Say that nothing was compared if a call asked for it and another reader read the page."""
    page = outcome.value_or(None)
    if page is None or page.receipt.backend == PAGES_READER or not current_second_look():
        return outcome
    warning = f"second_look was not applied: {page.receipt.backend} read this page."
    receipt = replace(page.receipt, warnings=(*page.receipt.warnings, warning))
    return Success(replace(page, receipt=receipt))


def page_key(url: str) -> tuple[str, bool]:
    """Return what is equal for all URLs of one page; one that carries a key is judged alone."""
    return canonical_url(url), carries_credentials(url)


def repeat_page(outcome: ExtractResult, url: str) -> ExtractResult:
    """Return the outcome of a page for another URL in its list: the first one has its cost."""
    page = outcome.value_or(None)
    if page is None:
        error = outcome.failure()
        return Failure(replace(error, attempts=shared_attempts(error.attempts)))
    return Success(share_page(page, url))


def share_page(page: WebExtractResult, url: str) -> WebExtractResult:
    """Return a page for another URL in its list; the receipt says so, and has no cost."""
    receipt = replace(
        page.receipt,
        url=tidy_url(url),
        usage=None,
        attempts=shared_attempts(page.receipt.attempts),
        compressor_usage=None,
        compressor_attempts=shared_attempts(page.receipt.compressor_attempts),
        warnings=(*page.receipt.warnings, REPEATED_WARNING),
    )
    return replace(page, url=tidy_url(url), receipt=receipt)


async def _extract_batches(
    urls: Sequence[str], deps: WebDeps, at_once: int, done: Done
) -> list[ExtractResult]:
    """Read each page of a list once; a URL that names it again gets the same outcome."""
    first_urls: dict[tuple[str, bool], str] = {}
    for url in urls:
        first_urls.setdefault(page_key(url), url)
    pages = await _extract_each(list(first_urls.values()), deps, at_once, done)
    if len(first_urls) == len(urls):
        return pages
    unshown = dict(zip(first_urls, pages, strict=True))
    outcomes_by_key, outcomes = dict(unshown), list[ExtractResult]()
    for url in urls:
        key = page_key(url)
        outcome = unshown.pop(key, None)
        if outcome is None:
            outcome = repeat_page(outcomes_by_key[key], url)
            done(url, outcome)
        outcomes.append(outcome)
    return outcomes


async def _extract_each(
    urls: Sequence[str], deps: WebDeps, at_once: int, done: Done
) -> list[ExtractResult]:
    size = backend_about(deps.backend).batch
    parts = [urls[start : start + size] for start in range(0, len(urls), size)]
    gate = asyncio.Semaphore(at_once)

    async def read(part: Sequence[str]) -> tuple[ExtractResult, ...]:
        async with gate:
            pages = tuple(map(_warn_skipped_second_look, await web_extract_many(part, deps)))
        for url, page in zip(part, pages, strict=True):
            done(url, page)
        return pages

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(read(part)) for part in parts]
    return [page for task in tasks for page in task.result()]
