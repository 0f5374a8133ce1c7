"""Exa: search with or without the text of pages, and contents.

https://docs.exa.ai/reference/search (read 2026-11-15)
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from webseam.adapters.values.json_values import json_or_none
from webseam.ports.models import OutputSchema, WritingRules

from .. import asks, replies, request_parsing as parsing, search_filters as filters

_ERROR_TAGS = {
    "invalid": "INVALID_REQUEST_BODY", "unsupported": "INVALID_REQUEST_BODY",
    "unauthorized": "INVALID_API_KEY", "budget": "NO_MORE_CREDITS",
    "shared_budget": "NO_MORE_CREDITS", "forbidden": "ACCESS_DENIED", "rate": "RATE_LIMITED",
}  # fmt: skip
_FIELD_NAMES = {
    "include_domains": "includeDomains", "exclude_domains": "excludeDomains",
    "published_after": "startPublishedDate", "published_before": "endPublishedDate",
    "country": "userLocation",
}  # fmt: skip
# Keys that only searches of Exa have, not those of Tavily.
EXA_ONLY_FIELDS = {
    "numResults",
    "contents",
    "type",
    "includeDomains",
    "excludeDomains",
    "useAutoprompt",
}
_MAX_URLS = 100
_MAX_SIMILAR_CHARS = 300


# What steers Exa's own crawler and index.
_IDLE_FIELDS = frozenset({
    "compliance", "filterEmptyResults", "flags", "highlightsPerUrl", "livecrawl",
    "livecrawlTimeout", "numSentences", "subpageTarget", "useAutoprompt",
    "userIdentifier",
})  # fmt: skip
_DEFAULTS = {
    "context": False, "excludeText": [], "includeText": [], "livecrawlTimeout": 10_000,
    "stream": False, "subpages": 0, "useAutoprompt": False,
}  # fmt: skip
_SEARCH_TYPES = ("auto", "neural", "keyword", "hybrid", "fast", "instant", "lite")
# https://docs.exa.ai/reference/error-codes (read 2026-11-15)
_PAGE_ERROR_TAGS = {
    "denied": "SOURCE_NOT_AVAILABLE", "forbidden": "SOURCE_NOT_AVAILABLE",
    "deadline": "CRAWL_LIVECRAWL_TIMEOUT",
    "invalid": "UNSUPPORTED_URL", "unsupported": "UNSUPPORTED_URL",
}  # fmt: skip
_OWN_STATUSES = {"denied": 403, "forbidden": 403, "deadline": 408}
_STATUS_TAGS = {
    401: "SOURCE_NOT_AVAILABLE", 403: "SOURCE_NOT_AVAILABLE", 451: "SOURCE_NOT_AVAILABLE",
    404: "CRAWL_NOT_FOUND", 410: "CRAWL_NOT_FOUND",
}  # fmt: skip


class _Text(msgspec.Struct, rename="camel"):
    max_characters: int | None = None


class _Summary(msgspec.Struct):
    query: str = ""
    schema: dict[str, object] | None = None


class _Contents(msgspec.Struct, rename="camel"):
    text: bool | _Text | None = None
    highlights: bool | _Text | None = None
    summary: bool | _Summary | None = None
    max_age_hours: float | None = None


class _Place(msgspec.Struct):
    country: str | None = None


class _Options(msgspec.Struct, rename="camel", kw_only=True):
    num_results: parsing.RowCount | None = None
    type: str | None = None
    category: str | None = None
    include_domains: list[str] | None = None
    exclude_domains: list[str] | None = None
    start_published_date: str | None = None
    end_published_date: str | None = None
    user_location: str | _Place | None = None
    moderation: bool | None = None
    contents: _Contents | bool | None = None


class _Search(_Options, rename="camel", kw_only=True):
    query: str


class _Similar(_Options, rename="camel", kw_only=True):
    url: str
    exclude_source_domain: bool | None = None


class _Answer(msgspec.Struct, rename="camel"):
    query: str
    text: bool | None = None
    system_prompt: str | None = None
    output_schema: dict[str, object] | None = None
    user_location: str | _Place | None = None


class _Pages(_Contents, rename="camel"):
    urls: list[str] | None = None
    ids: list[str] | None = None


def _read_search_call(call: replies.Call) -> asks.Reading:
    body = parsing.read_json_body(call, _Search)
    return body if isinstance(body, replies.Refusal) else _search_request(body, body.query, call)


def _read_similar_call(call: replies.Call) -> asks.Reading:
    """Read the page, then search for what it says of itself."""
    body = parsing.read_json_body(call, _Similar)
    checked = body if isinstance(body, replies.Refusal) else _search_request(body, "", call)
    if isinstance(body, replies.Refusal) or isinstance(checked, replies.Refusal):
        return checked

    def search(pages: Sequence[asks.Page]) -> asks.Written:
        if (page := pages[0].result) is None:
            return pages[0].refusal or replies.refuse_invalid("The page was not read.", "url")
        summary = page.metadata.get("description") or pages[0].forms.text
        query = " ".join(f"{page.title} {summary}".split())[:_MAX_SIMILAR_CHARS]
        host = urlsplit(page.final_url).hostname or ""
        hosts = [host] if body.exclude_source_domain else []
        others = msgspec.structs.replace(
            body, exclude_domains=[*(body.exclude_domains or ()), *hosts]
        )
        return _search_request(others, query, call)

    wish = asks.PageOptions(forms=("text",))
    return asks.PagesRequest(urls=(body.url,), wish=wish, write=search)


def _search_request(
    body: _Options, query: str, call: replies.Call
) -> asks.SearchRequest | replies.Refusal:
    contents = body.contents if isinstance(body.contents, _Contents) else _Contents()
    refusal = parsing.refuse_unsupported_options(
        {
            "category": body.category not in (None, "", "news"),
            "type": body.type not in (None, "", *_SEARCH_TYPES),
        }
    )
    if refusal is not None:
        return refusal
    domains = filters.read_domains(body.include_domains, body.exclude_domains, _FIELD_NAMES)
    if isinstance(domains, replies.Refusal):
        return domains
    rule = "must be an ISO 8601 date"
    window = filters.read_window(
        body.start_published_date, body.end_published_date, _FIELD_NAMES, rule
    )
    if isinstance(window, replies.Refusal):
        return window
    place = body.user_location
    fields = parsing.present_fields(
        query=query,
        max_results=10 if body.num_results is None else body.num_results,
        topic=body.category,
        **domains,
        **window.fields,
        country=place.country if isinstance(place, _Place) else place,
        safe_search="strict" if body.moderation else None,
    )
    pages = _page_options(contents)
    without_effect = {
        "type": body.type not in (None, "", "auto"),
        "contents": body.contents is True,
        "contents.maxAgeHours": pages is None and contents.max_age_hours is not None,
    }
    unread = (name for name, is_idle in without_effect.items() if is_idle)
    return asks.SearchRequest(
        fields=fields,
        hints=("country",),
        unread=(*unread, *window.inexact),
        pages=pages,
        write=lambda results: _search_reply(
            results, contents, call.id, source=body.url if isinstance(body, _Similar) else ""
        ),
    )


def _page_options(contents: _Contents) -> asks.PageOptions | None:
    """Return the options for page texts and summaries; None if they were not requested."""
    options, limit = contents.summary, None
    summary = options if isinstance(options, _Summary) else _Summary()
    task = None
    if summary.schema:
        schema_field = "summary.schema"
        task = asks.data_task("summary", summary.query, summary.schema, schema_field=schema_field)
    elif options:
        task = asks.summary_task("summary", summary.query)
    if isinstance(contents.text, _Text):
        limit = contents.text.max_characters
    has_pages = contents.text or task is not None
    hours = contents.max_age_hours
    # Exa takes -1 for "from the cache, whatever its age" (docs.exa.ai, read 2026-11-18).
    max_age = None if hours is None or hours < 0 else hours * 3600
    return asks.PageOptions(char_limit=limit, task=task, max_age=max_age) if has_pages else None


def _search_reply(
    outcome: asks.SearchSuccess, contents: _Contents, call_id: str, *, source: str = ""
) -> replies.Reply:
    pages = {page.url: page for page in outcome.pages if page.result is not None}
    results = [
        {
            "id": row.url,
            "url": row.url,
            "title": row.title,
            "score": row.score,
            "publishedDate": row.published_at,
            "author": None,
            **_page_fields(contents, pages.get(row.url)),
            **_row_highlights(contents, row.snippet),
        }
        for row in outcome.outcome.rows
        if row.url != source
    ]
    usage = None if outcome.answer is None else outcome.answer.usage
    receipt = outcome.outcome.receipt
    dollars = asks.dollars_of((receipt, *asks.page_receipts(outcome.pages)), receipt.usage, usage)
    return replies.json_reply(_reply_body(call_id, results, outcome.pages, dollars))


def _page_fields(contents: _Contents, page: asks.Page | None) -> dict[str, object]:
    if page is None or page.result is None:
        return {}
    text = {"text": page.result.content} if contents.text else {}
    return {**text, **({"summary": page.written} if contents.summary else {})}


def _row_highlights(contents: _Contents, snippet: str) -> dict[str, object]:
    """Return the snippet of a row as its only highlight, if highlights were requested."""
    options = contents.highlights
    limit = options.max_characters if isinstance(options, _Text) else None
    return {"highlights": [snippet[:limit]]} if options and snippet else {}


def _reply_body(
    call_id: str, results: object, pages: Sequence[asks.Page], dollars: float
) -> dict[str, object]:
    statuses = list(map(_page_status, pages))
    cost = {"total": dollars}
    return {"requestId": call_id, "results": results, "statuses": statuses, "costDollars": cost}


def _read_contents_call(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Pages), replies.Refusal):
        return body
    urls = tuple(dict.fromkeys((*(body.urls or ()), *(body.ids or ()))))
    if not 0 < len(urls) <= _MAX_URLS:
        return replies.refuse_invalid(f"urls must be 1 to {_MAX_URLS} URLs.", "urls")
    if body.highlights:
        return replies.refuse_unsupported("highlights")
    if body.text is None:
        body.text = not body.summary

    def write(pages: Sequence[asks.Page]) -> asks.Written:
        if (refusal := asks.common_page_refusal(pages)) is not None:
            return refusal
        results = [
            {
                "id": page.url,
                "url": page.result.final_url,
                "title": page.result.title,
                "publishedDate": page.result.metadata.get("published_at"),
                "author": page.result.metadata.get("author"),
                **_page_fields(body, page),
            }
            for page in pages
            if page.result is not None
        ]
        dollars = asks.dollars_of(asks.page_receipts(pages))
        return replies.json_reply(_reply_body(call.id, results, pages, dollars))

    return asks.PagesRequest(urls=urls, wish=_page_options(body) or asks.PageOptions(), write=write)


def _page_status(page: asks.Page) -> dict[str, object]:
    """Return how the read of a page ended; a status is one that its server stated."""
    if page.refusal is None:
        is_cached = page.result is not None and page.result.receipt.cached
        return {"id": page.url, "status": "success", "source": "cached" if is_cached else "crawled"}
    status = asks.stated_status(page.refusal)
    error = {
        "tag": _page_error_tag(page.refusal, status),
        # Where the gateway itself refused or gave up, the status is its own.
        "httpStatusCode": status or _OWN_STATUSES.get(page.refusal.kind),
        "message": page.refusal.message,
    }
    return {"id": page.url, "status": "error", "error": error}


def _page_error_tag(refusal: replies.Refusal, status: int | None) -> str:
    if status is not None:
        return _STATUS_TAGS.get(status, "CRAWL_UNKNOWN_ERROR")
    return _PAGE_ERROR_TAGS.get(refusal.kind, "CRAWL_UNKNOWN_ERROR")


def _read_answer_call(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Answer), replies.Refusal):
        return body
    place, schema = body.user_location, body.output_schema
    rules = WritingRules(
        instructions=body.system_prompt or "",
        output_schema=OutputSchema(schema=schema, strict=False) if schema else None,
    )
    contents = _Contents(text=body.text)

    def write(results: asks.SearchSuccess) -> replies.Reply:
        found: Any = msgspec.json.decode(_search_reply(results, contents, call.id).body)
        text = "" if results.answer is None else results.answer.text
        answer = json_or_none(text.encode()) if schema else text
        fields = {"requestId": call.id, "costDollars": found["costDollars"]}
        return replies.json_reply({**fields, "answer": answer, "citations": found["results"]})

    return asks.SearchRequest(
        fields=parsing.present_fields(
            query=body.query, country=place.country if isinstance(place, _Place) else place
        ),
        hints=("country",),
        pages=asks.PageOptions() if body.text else None,
        # An answer is chosen from the pages, so no prompt steers how it is written.
        unread=("systemPrompt",) if body.system_prompt and not schema else (),
        answer=asks.WritingTask(
            field="/answer",
            prompt=body.query,
            rules=rules,
            sourced=not schema,
            nothing=asks.NOTHING_FOUND,
            schema_field="outputSchema",
        ),
        write=write,
    )


def _is_exa_call(call: replies.Call) -> bool:
    """Tell an Exa search from those of Tavily and Serper, which have the same path."""
    if not isinstance(body := json_or_none(call.body), dict) or "query" not in body:
        return False
    return bool(call.header("x-api-key")) or bool(EXA_ONLY_FIELDS & body.keys())


def _refusal_reply(refusal: replies.Refusal, call: replies.Call) -> replies.Reply:
    tag = _ERROR_TAGS.get(refusal.kind, "INTERNAL_ERROR")
    body = {"requestId": call.id, "error": refusal.message, "tag": tag}
    return replies.refusal_reply(refusal, replies.DEFAULT_STATUSES, body)


DIALECT = asks.Dialect(
    name="exa",
    title="Exa",
    names=_FIELD_NAMES,
    keys=asks.header_keys,
    refuse=_refusal_reply,
    endpoints=(
        asks.Endpoint(
            path="/search",
            read=_read_search_call,
            shape=_Search,
            idle=_IDLE_FIELDS,
            defaults=_DEFAULTS,
            root=_is_exa_call,
        ),
        asks.Endpoint(
            path="/contents",
            read=_read_contents_call,
            shape=_Pages,
            idle=_IDLE_FIELDS,
            defaults=_DEFAULTS,
            root=asks.accept_call,
            tool="extract",
        ),
        asks.Endpoint(
            path="/findSimilar",
            read=_read_similar_call,
            shape=_Similar,
            idle=_IDLE_FIELDS,
            defaults=_DEFAULTS,
            root=asks.accept_call,
        ),
        asks.Endpoint(
            path="/answer",
            read=_read_answer_call,
            shape=_Answer,
            idle=_IDLE_FIELDS | {"model"},
            defaults=_DEFAULTS,
            root=asks.accept_call,
        ),
    ),
)
