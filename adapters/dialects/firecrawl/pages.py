"""One page, and the links of a site."""

from collections.abc import Callable, Sequence

import msgspec

from ...dialect.asks import CrawlPlan, LinksAsk, Page, PagesAsk, Written
from ...dialect.bodies import asked_for, read_json
from ...dialect.declaration import Reading
from ...dialect.refusal import Refusal, invalid
from ...dialect.wire import Call, Reply, json_reply
from .documents import Options, document_of, formats_of, unread
from .versions import Version


class _Scrape(Options, rename="camel"):
    url: str = ""


class _Map(msgspec.Struct, rename="camel"):
    url: str
    search: str | None = None
    limit: int | None = None
    sitemap: str | None = None
    sitemap_only: bool | None = None
    include_subdomains: bool | None = None


def scrape(call: Call) -> Reading:
    """Read a question for one page."""
    body = read_json(call, _Scrape)
    if isinstance(body, Refusal):
        return body
    if not body.url.strip():
        return invalid("url is missing.", "url")
    formats = formats_of(body)
    if isinstance(formats, Refusal):
        return formats

    return PagesAsk(urls=(body.url,), write=lambda pages: _scraped(pages[0], formats))


def _scraped(page: Page, formats: Sequence[str]) -> Written:
    document = unread(page)
    if page.result is not None:
        document = document_of(page.result, formats)
    if document is None:
        return page.refusal or invalid("The page was not read.")
    return json_reply({"success": True, "data": document})


def map_site(version: Version) -> Callable[[Call], Reading]:
    """Return what reads a question for the links of a site."""

    def read(call: Call) -> Reading:
        body = read_json(call, _Map)
        if isinstance(body, Refusal):
            return body
        only = body.sitemap == "only" or body.sitemap_only
        refusal = asked_for({"sitemap: only": only})
        if refusal is not None:
            return refusal
        limit = min(body.limit or 5000, 5000)
        plan = CrawlPlan(url=body.url, limit=limit, subdomains=body.include_subdomains is not False)

        def write(links: Sequence[str]) -> Reply:
            listed: list[object] = (
                list(links) if version == "v1" else [{"url": link} for link in links]
            )
            return json_reply({"success": True, "links": listed, "id": call.id})

        return LinksAsk(plan=plan, words=body.search or "", write=write)

    return read
