"""The options of a page that need its HTML: all its links, the HTML itself, a part of it."""

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace
from returns.result import Failure, Success

from webseam.adapters.transforms.html_workers import find_links, select_part
from webseam.adapters.transforms.selectors import check_selector
from webseam.kernel.deps import WebDeps
from webseam.kernel.port_answers import backend_about
from webseam.kernel.text.trim import Budget, trim_text
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.pages import PageLink
from webseam.ports.tools import ExtractArguments
from webseam.ports.web import WebExtractResult

from .batch import ExtractResult


def asked_html_option(arguments: ExtractArguments) -> str:
    """Return the first option that needs the HTML of a page; empty without any."""
    asked = {"links": arguments.links, "html": arguments.html, "select": arguments.select}
    return next((name for name, value in asked.items() if value), "")


def check_html_options(arguments: ExtractArguments, deps: WebDeps) -> WebError | None:
    """Return why the HTML of pages cannot be used as it was asked for, before any is fetched."""
    option = asked_html_option(arguments)
    if not option:
        return None
    about = backend_about(deps.backend)
    if not about.embedded:
        reason = f"needs webseam's own reader (pages), and {about.name} reads pages here"
        return InvalidQuery(field=option, reason=reason)
    if arguments.select is None:
        return None
    checked = check_selector(arguments.select)
    return checked.failure() if isinstance(checked, Failure) else None


async def add_html_parts(
    pages: Sequence[ExtractResult], arguments: ExtractArguments, budget: Budget | None
) -> list[ExtractResult]:
    """Return pages, whose raw content is their HTML, with what was asked for of it."""

    async def add(page: ExtractResult) -> ExtractResult:
        if isinstance(page, Failure):
            return page
        return await _add_parts(page.unwrap(), arguments, budget)

    return list(await asyncio.gather(*map(add, pages)))


async def _add_parts(
    page: WebExtractResult, arguments: ExtractArguments, budget: Budget | None
) -> ExtractResult:
    html = page_html(page)
    if html is None:
        reason = f"{page.receipt.backend} returned no HTML of this page"
        field = asked_html_option(arguments)
        return Failure(InvalidQuery(field=field, reason=reason, url=page.url))
    if not arguments.html:
        receipt = replace(page.receipt, raw=False)
        page = replace(page, raw_content=page.content, receipt=receipt)
    if arguments.links:
        found = await find_links(html, page.final_url)
        if isinstance(found, Failure):
            return found
        links = tuple(PageLink(url=url, text=text) for text, url in found.unwrap())
        page = replace(page, links=links)
    if arguments.select:
        selected = await select_part(html, arguments.select, page.final_url)
        if isinstance(selected, Failure):
            return Failure(replace(selected.failure(), url=page.url))
        page = _with_selection(page, selected.unwrap(), budget)
    return Success(replace(page, html=html) if arguments.html else page)


def page_html(page: WebExtractResult) -> str | None:
    """Return the HTML of a page that was read with it; None if it is none."""
    is_html = page.receipt.raw and "html" in str(page.metadata.get("content_type"))
    return page.raw_content if is_html else None


def _with_selection(
    page: WebExtractResult, selected: str, budget: Budget | None
) -> WebExtractResult:
    """Return a page with a part of it in place of its content; the rest of it is not kept."""
    shown = trim_text(selected, budget or Budget())
    receipt = replace(
        page.receipt,
        characters=len(selected),
        omitted=shown.omitted,
        handle=None,
        next_cursor=None,
        compressed=False,
        compressed_characters=None,
    )
    return replace(
        page,
        content=shown.text,
        raw_content=page.raw_content if page.receipt.raw else selected,
        receipt=receipt,
        complete=None,
        cuts=(),
        left_out=None,
        notes=(*page.notes, "only what matches the selector"),
    )
