"""Firecrawl's scrape of one page, and the map of a site."""

from collections.abc import Callable, Sequence

import msgspec

from webseam.adapters.values.json_values import as_mapping, json_or_none

from ... import asks, replies
from ...request_parsing import Count, read_json_body
from . import scrape_documents as documents

_MAX_EXTRACT_URLS = 10
_MAX_LINKS = 5000


class ScrapeBody(documents.ScrapeOptions, rename="camel"):
    """The fields of a call."""

    url: str = ""


class MapBody(msgspec.Struct, rename="camel"):
    """The fields of a call."""

    url: str
    search: str | None = None
    limit: Count | None = None
    sitemap: str | None = None
    include_subdomains: bool | None = None


class ExtractBody(msgspec.Struct, rename="camel"):
    """The fields of a call."""

    urls: list[str]
    prompt: str = ""
    system_prompt: str = ""
    schema: dict[str, object] | None = None
    show_sources: bool | None = None


def read_extract(call: replies.Call) -> asks.Reading:
    """Read a call for data from pages. It is answered at once, without a job."""
    if isinstance(body := read_json_body(call, ExtractBody), replies.Refusal):
        return body
    if not 0 < len(body.urls) <= _MAX_EXTRACT_URLS:
        return replies.refuse_invalid(f"urls must be 1 to {_MAX_EXTRACT_URLS} URLs.", "urls")
    wanted = f"{body.system_prompt} {body.prompt}".strip()

    def write(pages: Sequence[asks.Page]) -> asks.Written:
        refused = next((page.refusal for page in pages if page.refusal is not None), None)
        values = [json_or_none(page.written.encode()) for page in pages if page.result is not None]
        if refused is not None and not values:
            return refused
        urls = {"sources": {"urls": body.urls}} if body.show_sources else {}
        warning = {"warning": refused.message} if refused is not None else {}
        state = {"success": True, "status": "completed", **warning, **urls}
        return replies.json_reply({**state, "data": _merge_data(values)})

    task = asks.data_task("/extract", wanted, body.schema, schema_field="schema")
    return asks.PagesRequest(urls=tuple(body.urls), wish=asks.PageOptions(task=task), write=write)


def _merge_data(values: Sequence[object], levels: int = 50) -> object:
    """Merge the data of pages: lists are joined, and else or below ``levels`` the first counts."""
    if levels and values and all(isinstance(value, dict) for value in values):
        objects = [as_mapping(value) for value in values]
        names = dict.fromkeys(name for value in objects for name in value)
        return {
            name: _merge_data([value[name] for value in objects if name in value], levels - 1)
            for name in names
        }
    if values and all(isinstance(value, list) for value in values):
        return [item for value in values if isinstance(value, list) for item in value]
    return next((value for value in values if value is not None), None)


def read_scrape(call: replies.Call) -> asks.Reading:
    """Read a call for one page."""
    if isinstance(body := read_json_body(call, ScrapeBody), replies.Refusal):
        return body
    if not body.url.strip():
        return replies.refuse_invalid("url is missing.", "url")
    if isinstance(formats := documents.requested_formats(body), replies.Refusal):
        return formats

    return asks.PagesRequest(
        urls=(body.url,),
        wish=documents.page_options(body),
        write=lambda pages: _scrape_reply(pages[0], formats),
    )


def _scrape_reply(page: asks.Page, formats: Sequence[str]) -> asks.Written:
    document = documents.refused_document(page)
    if page.result is not None:
        document = documents.scrape_document(page, page.result, formats)
    if document is None:
        return page.refusal or replies.refuse_invalid("The page was not read.")
    return replies.json_reply({"success": True, "data": document})


def read_map(version: documents.Version) -> Callable[[replies.Call], asks.Reading]:
    """Return the reader of calls for the links of a site."""

    def read(call: replies.Call) -> asks.Reading:
        if isinstance(body := read_json_body(call, MapBody), replies.Refusal):
            return body
        if body.sitemap not in documents.SITEMAP_RULES:
            return replies.refuse_unsupported("sitemap")
        limit = _MAX_LINKS if body.limit is None else body.limit
        plan = asks.CrawlPlan(
            url=body.url, limit=limit, subdomains=body.include_subdomains is not False
        )

        def write(links: Sequence[str]) -> replies.Reply:
            listed: list[object] = (
                list(links) if version == "v1" else [{"url": link} for link in links]
            )
            return replies.json_reply({"success": True, "links": listed, "id": call.id})

        return asks.LinksRequest(plan=plan, words=body.search or "", write=write)

    return read
