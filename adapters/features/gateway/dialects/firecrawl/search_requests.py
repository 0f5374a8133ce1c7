"""Firecrawl searches: requests, and replies with rows and pages."""

from collections.abc import Callable, Sequence

import msgspec

from webseam.adapters.values.json_values import as_mapping
from webseam.ports.web import WebSearchResult

from ... import asks, request_parsing as parsing, search_filters as filters
from ...countries import country_code, place_country
from ...replies import Call, Refusal, Reply, json_reply, refuse_invalid
from . import scrape_documents as documents

FIELD_NAMES = {
    "include_domains": "includeDomains", "exclude_domains": "excludeDomains",
    "published_after": "tbs", "published_before": "tbs", "language": "lang", "topic": "sources",
}  # fmt: skip


class _Source(msgspec.Struct):
    type: str = ""


class SearchBody(msgspec.Struct, rename="camel"):
    """The fields of a call."""

    query: str
    limit: parsing.RowCount | None = None
    sources: list[str | _Source] | None = None
    tbs: str | None = None
    country: str | None = None
    lang: str | None = None
    location: str | None = None
    include_domains: list[str] | None = None
    exclude_domains: list[str] | None = None
    scrape_options: documents.ScrapeOptions | None = None


def read_search(version: documents.Version) -> Callable[[Call], asks.Reading]:
    """Return the reader of search calls."""

    def read(call: Call) -> asks.Reading:
        if isinstance(body := parsing.read_json_body(call, SearchBody), Refusal):
            return body
        known = ("web", "news") if version == "v1" else ("web", "news", "images")
        kinds = [
            source.type if isinstance(source, _Source) else source
            for source in body.sources or ["web"]
        ]
        refusal = parsing.refuse_unsupported_options(
            {
                **{f"sources: {kind[:50]}": kind not in known for kind in kinds},
                "sources: several": len(set(kinds)) > 1,
            }
        )
        if refusal is not None:
            return refusal
        options = body.scrape_options
        wants_pages = options is not None and bool(options.formats)
        formats = documents.requested_formats(options) if wants_pages else ()
        if isinstance(formats, Refusal):
            return formats
        if isinstance(fields := _request_fields(body, call, kinds[0]), Refusal):
            return fields
        # A place counts by its country; options of pages that are not asked for count for nothing.
        idle = ["location"] if body.location else []
        idle += ["scrapeOptions"] if options is not None and not wants_pages else []
        return asks.SearchRequest(
            fields=fields,
            hints=asks.CLIENT_DEFAULTS,
            unread=tuple(idle),
            pages=documents.page_options(options) if wants_pages else None,
            write=lambda results: _reply(results, version, kinds[0], formats, call.id),
        )

    return read


def _request_fields(body: SearchBody, call: Call, kind: str) -> dict[str, object] | Refusal:
    if isinstance(days := filters.read_tbs(body.tbs, call.today), Refusal):
        return days
    domains = filters.read_domains(body.include_domains, body.exclude_domains, FIELD_NAMES)
    if isinstance(domains, Refusal):
        return domains
    if body.country and country_code(body.country) is None:
        return refuse_invalid("country must be an ISO 3166 code of two letters.", "country")
    return parsing.present_fields(
        query=body.query,
        max_results=5 if body.limit is None else body.limit,
        topic=None if kind == "web" else kind,
        country=country_code(body.country) if body.country else place_country(body.location),
        language=body.lang,
        **domains,
        **days,
    )


def _reply(
    results: asks.SearchSuccess,
    version: documents.Version,
    kind: str,
    formats: Sequence[str],
    call_id: str,
) -> Reply:
    pages = {page.url: page for page in results.pages}
    rows = [_reply_row(row, kind, pages.get(row.url), formats) for row in results.outcome.rows]
    data: object = rows if version == "v1" else {kind: rows}
    return json_reply(
        {"success": True, "data": data, "warning": None, "id": call_id, "creditsUsed": 0}
    )


def _reply_row(
    row: WebSearchResult, kind: str, page: asks.Page | None, formats: Sequence[str]
) -> dict[str, object]:
    if kind == "images":
        urls = {"imageUrl": row.url, "url": asks.image_page(row)}
        return {"title": row.title, **urls, "position": row.position}
    snippet_key = "snippet" if kind == "news" else "description"
    fields: dict[str, object] = {
        "url": row.url,
        "title": row.title,
        snippet_key: row.snippet,
        "position": row.position,
    }
    if kind == "news" and row.published_at:
        fields["date"] = row.published_at
    if page is None:
        return fields
    if page.result is not None:
        document = documents.scrape_document(page, page.result, formats)
        base = {"title": row.title, "description": row.snippet}
        filled = {name: value for name, value in as_mapping(document["metadata"]).items() if value}
        return {**fields, **document, "metadata": {**base, **filled}}
    reason = "" if page.refusal is None else page.refusal.message
    metadata = documents.document_metadata(
        row.url, row.url, row.title, asks.stated_status(page.refusal), {"description": row.snippet}
    )
    return {**fields, "markdown": "", "metadata": {**metadata, "error": reason}}
