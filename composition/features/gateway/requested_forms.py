"""Bring the pages of a call into the forms that it asks for, before its answer is written.

The dialects only arrange what is there: pages are untrusted and long, so each form is made in a
worker, which ends when the caller leaves. A job makes the forms of a page once, not at every look.
"""

import asyncio
from collections.abc import Iterable

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.features.gateway.asks import Page, PageForms, PageOptions
from webseam.adapters.features.gateway.replies import refusal_for_error
from webseam.adapters.transforms.html_workers import find_links
from webseam.adapters.transforms.text_workers import text_workers
from webseam.ports.errors import WebError
from webseam.ports.web import WebExtractResult

from ...tools.html_parts import page_html

# A link takes 30 microseconds to compare with a plan; others have their turn between so many.
_LINKS_PER_TURN = 200


async def with_forms(page: Page, options: PageOptions) -> Page:
    """Return a page in its forms, or refused if one of them could not be made."""
    if page.result is None:
        return page
    made = await _make_forms(page.result, options)
    if isinstance(made, Failure):
        return Page(url=page.url, refusal=refusal_for_error(made.failure()))
    result, forms = made.unwrap()
    has_data = options.task is not None and options.task.data
    if not options.html_field and not has_data and page_html(result) is not None:
        # The HTML was read for the links; a job keeps its pages.
        receipt = replace(result.receipt, raw=False)
        result = replace(result, raw_content=result.content, receipt=receipt)
    return replace(page, result=result, forms=forms)


async def _make_forms(
    result: WebExtractResult, options: PageOptions
) -> Result[tuple[WebExtractResult, PageForms], WebError]:
    if options.drops_images:
        content = await text_workers.transform("without_images", result.content)
        if isinstance(content, Failure):
            return content
        result = replace(result, content=content.unwrap())
    forms = PageForms()
    for form in options.forms:
        made: Result[object, WebError]
        html = page_html(result) if form == "links" else None
        if html is not None:
            # All links of the page: its markdown has those of its content alone.
            made = await find_links(html, result.final_url)
        elif form in ("html", "text"):
            made = await text_workers.transform(form, result.content)
        else:
            made = await text_workers.find_named(form, result.content, result.final_url)
        if isinstance(made, Failure):
            return made
        forms = replace(forms, **{form: made.unwrap()})
    return Success((result, forms))


async def in_turns(links: Iterable[str | None]) -> list[str]:
    """Return links that are computed one by one, without None; let others have their turn."""
    computed: list[str] = []
    for number, link in enumerate(links, 1):
        computed += [] if link is None else [link]
        if number % _LINKS_PER_TURN == 0:
            await asyncio.sleep(0)
    return computed
