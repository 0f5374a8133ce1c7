"""Firecrawl's scrape of one page, and the map of a site."""

from collections.abc import Callable, Sequence

import msgspec

from ...gateway_requests import CrawlPlan, LinksRequest, Page, PagesRequest, Reading, Written
from ...refusal import Call, Refusal, Reply, gateway_json_reply, refuse_invalid, refuse_unsupported
from ...request_parsing import read_gateway_json
from . import scrape_documents as documents


class ScrapeBody(documents.ScrapeOptions, rename="camel"):
    """The fields of a call."""

    url: str = ""


class MapBody(msgspec.Struct, rename="camel"):
    """The fields of a call."""

    url: str
    search: str | None = None
    limit: int | None = None
    sitemap: str | None = None
    include_subdomains: bool | None = None


def read_firecrawl_scrape(call: Call) -> Reading:
    """Read a call for one page."""
    if isinstance(body := read_gateway_json(call, ScrapeBody), Refusal):
        return body
    if not body.url.strip():
        return refuse_invalid("url is missing.", "url")
    if isinstance(formats := documents.firecrawl_formats(body), Refusal):
        return formats

    return PagesRequest(
        urls=(body.url,),
        wish=documents.firecrawl_page_options(body),
        write=lambda pages: _firecrawl_scrape_reply(pages[0], formats),
    )


def _firecrawl_scrape_reply(page: Page, formats: Sequence[str]) -> Written:
    document = documents.firecrawl_refused_page(page)
    if page.result is not None:
        document = documents.scrape_document(page.result, formats, page.written)
    if document is None:
        return page.refusal or refuse_invalid("The page was not read.")
    return gateway_json_reply({"success": True, "data": document})


def read_firecrawl_map(version: documents.Version) -> Callable[[Call], Reading]:
    """Return the reader of calls for the links of a site."""

    def read(call: Call) -> Reading:
        if isinstance(body := read_gateway_json(call, MapBody), Refusal):
            return body
        if body.sitemap == "only":
            return refuse_unsupported("sitemap: only")
        limit = min(body.limit or 5000, 5000)
        plan = CrawlPlan(url=body.url, limit=limit, subdomains=body.include_subdomains is not False)

        def write(links: Sequence[str]) -> Reply:
            listed: list[object] = (
                list(links) if version == "v1" else [{"url": link} for link in links]
            )
            return gateway_json_reply({"success": True, "links": listed, "id": call.id})

        return LinksRequest(plan=plan, words=body.search or "", write=write)

    return read
