"""Exa: search with or without the text of pages, and contents.

https://docs.exa.ai/reference/search (read 2026-11-15)
"""

from collections.abc import Sequence

import msgspec

from ....ports.dates import leading_iso_day
from ...values.json_values import json_or_none
from ..gateway_requests import (
    Dialect,
    Endpoint,
    Page,
    PageOptions,
    PagesRequest,
    Reading,
    SearchRequest,
    SearchSuccess,
    Written,
    accept_call,
    common_page_refusal,
    header_keys,
)
from ..refusal import (
    DEFAULT_STATUSES,
    Call,
    Refusal,
    Reply,
    gateway_json_reply,
    gateway_refusal_reply,
    refuse_invalid,
    refuse_unsupported,
)
from ..request_parsing import (
    first_unsupported,
    host_names,
    read_gateway_json,
    refuse_wrong_days,
    search_fields,
)

_EXA_ERROR_TAGS = {
    "invalid": "INVALID_REQUEST_BODY",
    "unsupported": "INVALID_REQUEST_BODY",
    "unauthorized": "INVALID_API_KEY",
    "budget": "NO_MORE_CREDITS",
    "shared_budget": "NO_MORE_CREDITS",
    "forbidden": "ACCESS_DENIED",
    "rate": "RATE_LIMITED",
}
_EXA_FIELD_NAMES = {
    "include_domains": "includeDomains",
    "exclude_domains": "excludeDomains",
    "published_after": "startPublishedDate",
    "published_before": "endPublishedDate",
    "country": "userLocation",
}
# Keys that only searches of Exa have, not those of Tavily.
EXA_KEYS = {"numResults", "contents", "type", "includeDomains", "excludeDomains", "useAutoprompt"}
_MAX_URLS = 100


# What steers Exa's own crawler and index.
_IDLE = frozenset({
    "compliance", "filterEmptyResults", "flags", "highlightsPerUrl", "livecrawl",
    "livecrawlTimeout", "maxAgeHours", "numSentences", "subpageTarget", "useAutoprompt",
    "userIdentifier",
})  # fmt: skip
_SEARCH_TYPES = ("auto", "neural", "keyword", "hybrid", "fast", "instant", "lite")


class _Text(msgspec.Struct, rename="camel"):
    max_characters: int | None = None


class _Contents(msgspec.Struct, rename="camel"):
    text: bool | _Text | None = None
    highlights: bool | _Text | None = None


class _Place(msgspec.Struct):
    country: str | None = None


class _Search(msgspec.Struct, rename="camel"):
    query: str
    num_results: int | None = None
    type: str | None = None
    category: str | None = None
    include_domains: list[str] | None = None
    exclude_domains: list[str] | None = None
    start_published_date: str | None = None
    end_published_date: str | None = None
    user_location: str | _Place | None = None
    moderation: bool | None = None
    contents: _Contents | bool | None = None


class _Pages(_Contents, rename="camel"):
    urls: list[str] | None = None
    ids: list[str] | None = None


def _read_exa_search_call(call: Call) -> Reading:
    body = read_gateway_json(call, _Search)
    if isinstance(body, Refusal):
        return body
    contents = body.contents if isinstance(body.contents, _Contents) else _Contents()
    days = {
        "startPublishedDate": body.start_published_date,
        "endPublishedDate": body.end_published_date,
    }
    refusal = first_unsupported(
        {
            "category": body.category not in (None, "", "news"),
            "type": body.type not in (None, "", *_SEARCH_TYPES),
        }
    ) or refuse_wrong_days(days, "must be an ISO 8601 date")
    if refusal is not None:
        return refusal
    place = body.user_location
    fields = search_fields(
        query=body.query,
        max_results=10 if body.num_results is None else body.num_results,
        topic=body.category,
        include_domains=list(host_names(body.include_domains or ())),
        exclude_domains=list(host_names(body.exclude_domains or ())),
        published_after=leading_iso_day(body.start_published_date or ""),
        published_before=leading_iso_day(body.end_published_date or ""),
        country=place.country if isinstance(place, _Place) else place,
        safe_search="strict" if body.moderation else None,
    )
    return SearchRequest(
        fields=fields,
        hints=("country",),
        unread=("type",) if body.type else (),
        pages=_exa_dialect_options(contents),
        write=lambda results: _exa_results_reply(results, contents, call.id),
    )


def _exa_dialect_options(contents: _Contents) -> PageOptions | None:
    """Return the options for page texts; None if they were not requested."""
    if isinstance(contents.text, _Text):
        return PageOptions(char_limit=contents.text.max_characters)
    return PageOptions() if contents.text else None


def _exa_results_reply(outcome: SearchSuccess, contents: _Contents, call_id: str) -> Reply:
    texts = {page.url: page.result.content for page in outcome.pages if page.result is not None}
    results = [
        {
            "id": row.url,
            "url": row.url,
            "title": row.title,
            "score": row.score,
            "publishedDate": row.published_at,
            "author": None,
            **({"text": texts[row.url]} if row.url in texts else {}),
            **_exa_row_highlights(contents, row.snippet),
        }
        for row in outcome.outcome.rows
    ]
    body = _exa_reply_body(call_id, results, outcome.pages)
    return gateway_json_reply({**body, "resolvedSearchType": "neural"})


def _exa_row_highlights(contents: _Contents, snippet: str) -> dict[str, object]:
    """Return the snippet of a row as its only highlight, if highlights were requested."""
    options = contents.highlights
    limit = options.max_characters if isinstance(options, _Text) else None
    return {"highlights": [snippet[:limit]]} if options and snippet else {}


def _exa_reply_body(call_id: str, results: object, pages: Sequence[Page]) -> dict[str, object]:
    statuses = list(map(_exa_reply_page_status, pages))
    cost = {"total": 0}
    return {"requestId": call_id, "results": results, "statuses": statuses, "costDollars": cost}


def _read_exa_contents_call(call: Call) -> Reading:
    body = read_gateway_json(call, _Pages)
    if isinstance(body, Refusal):
        return body
    urls = tuple(body.urls or body.ids or ())
    if not 0 < len(urls) <= _MAX_URLS:
        return refuse_invalid(f"urls must be 1 to {_MAX_URLS} URLs.", "urls")
    if body.highlights:
        return refuse_unsupported("highlights")

    def write(pages: Sequence[Page]) -> Written:
        refusal = common_page_refusal(pages)
        if refusal is not None:
            return refusal
        results = [
            {
                "id": page.url,
                "url": page.result.final_url,
                "title": page.result.title,
                "publishedDate": None,
                "author": None,
                "text": page.result.content,
            }
            for page in pages
            if page.result is not None
        ]
        return gateway_json_reply(_exa_reply_body(call.id, results, pages))

    return PagesRequest(urls=urls, wish=_exa_dialect_options(body) or PageOptions(), write=write)


def _exa_reply_page_status(page: Page) -> dict[str, object]:
    if page.refusal is None:
        return {"id": page.url, "status": "success", "source": "crawled"}
    tags = {"denied": ("SOURCE_NOT_AVAILABLE", 403), "deadline": ("CRAWL_LIVECRAWL_TIMEOUT", 408)}
    tag, status = tags.get(page.refusal.kind, ("CRAWL_NOT_FOUND", 404))
    error = {"tag": tag, "httpStatusCode": status}
    return {"id": page.url, "status": "error", "source": "crawled", "error": error}


def _refuse_exa_call(call: Call) -> Refusal:
    return refuse_unsupported(call.path)


def _is_exa_call(call: Call) -> bool:
    """Tell an Exa search from those of Tavily and Serper, which have the same path."""
    body = json_or_none(call.body)
    if not isinstance(body, dict) or "query" not in body:
        return False
    return bool(call.header("x-api-key")) or bool(EXA_KEYS & body.keys())


def _exa_refusal_reply(refusal: Refusal, call: Call) -> Reply:
    tag = _EXA_ERROR_TAGS.get(refusal.kind, "INTERNAL_ERROR")
    body = {"requestId": call.id, "error": refusal.message, "tag": tag}
    return gateway_refusal_reply(refusal, DEFAULT_STATUSES, body)


DIALECT = Dialect(
    name="exa",
    title="Exa",
    names=_EXA_FIELD_NAMES,
    keys=header_keys,
    refuse=_exa_refusal_reply,
    endpoints=(
        Endpoint(
            path="/search",
            read=_read_exa_search_call,
            shape=_Search,
            idle=_IDLE,
            root=_is_exa_call,
        ),
        Endpoint(
            path="/contents",
            read=_read_exa_contents_call,
            shape=_Pages,
            idle=_IDLE,
            root=accept_call,
            tool="extract",
        ),
        Endpoint(path="/findSimilar", read=_refuse_exa_call, root=accept_call),
        Endpoint(path="/answer", read=_refuse_exa_call, root=accept_call),
    ),
)
