"""Firecrawl v2 and v1: search, scrape, map, and jobs for batches and crawls.

Its clients retry a 502 three times, so what broke behind us is a 500. Every success says so.
https://docs.firecrawl.dev/api-reference/v2-introduction (read 2026-11-15)
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from ...ports.errors import DnsNotFound, HttpStatus, TlsFailed
from ...ports.web import WebExtractResult, WebSearchResult
from ..dialect.asks import (
    CrawlPlan,
    Found,
    JobKind,
    JobView,
    LinksAsk,
    ListAsk,
    LookAsk,
    Page,
    PagesAsk,
    PageWish,
    SearchAsk,
    StartAsk,
    Written,
)
from ..dialect.bodies import asked_for, given, host_names, read_json, since
from ..dialect.countries import country_code
from ..dialect.declaration import Dialect, Endpoint, Reading, always, header_keys
from ..dialect.forms import html_of, links_in, unusable_pattern
from ..dialect.refusal import Refusal, RefusalKind, invalid, refusal_reply, unsupported
from ..dialect.wire import Call, Reply, json_reply

Version: TypeAlias = Literal["v1", "v2"]

_STATUSES: dict[RefusalKind, int] = {
    "invalid": 400,
    "unsupported": 400,
    "unauthorized": 401,
    "budget": 402,
    "shared_budget": 402,
    "forbidden": 403,
    "denied": 403,
    "missing": 404,
    "deadline": 408,
    "conflict": 409,
    "too_large": 413,
    "rate": 429,
    "busy": 503,
    "unavailable": 503,
}
_FORMATS = ("markdown", "html", "links")
_MOST_URLS = 500
_MOST_PAGES = 100
_USUAL_DEPTH = 5
_RANGE = re.compile(r"cdr:1,cd_min:(\d{1,2})/(\d{1,2})/(\d{4}),cd_max:(\d{1,2})/(\d{1,2})/(\d{4})")


class _Options(msgspec.Struct, rename="camel"):
    formats: list[str | dict[str, object]] | None = None
    only_main_content: bool | None = None
    include_tags: list[str] | None = None
    exclude_tags: list[str] | None = None
    headers: dict[str, object] | None = None
    actions: list[object] | None = None
    location: object = None
    mobile: bool | None = None
    min_age: int | None = None


class _Scrape(_Options, rename="camel"):
    url: str = ""


class _Batch(_Options, rename="camel"):
    urls: list[str] = []
    ignore_invalid_urls: bool | None = msgspec.field(default=None, name="ignoreInvalidURLs")
    webhook: object = None
    append_to_id: str | None = None


class _Search(msgspec.Struct, rename="camel"):
    query: str
    limit: int | None = None
    sources: list[str | dict[str, object]] | None = None
    categories: list[object] | None = None
    tbs: str | None = None
    country: str | None = None
    lang: str | None = None
    location: str | None = None
    filter: str | None = None
    include_domains: list[str] | None = None
    exclude_domains: list[str] | None = None
    scrape_options: _Options | None = None


class _Map(msgspec.Struct, rename="camel"):
    url: str
    search: str | None = None
    limit: int | None = None
    sitemap: str | None = None
    sitemap_only: bool | None = None
    include_subdomains: bool | None = None


class _Crawl(msgspec.Struct, rename="camel"):
    url: str
    limit: int | None = None
    max_discovery_depth: int | None = None
    max_depth: int | None = None
    include_paths: list[str] | None = None
    exclude_paths: list[str] | None = None
    sitemap: str | None = None
    crawl_entire_domain: bool | None = None
    allow_backward_links: bool | None = None
    allow_external_links: bool | None = None
    allow_subdomains: bool | None = None
    regex_on_full_url: bool | None = msgspec.field(default=None, name="regexOnFullURL")
    delay: float | None = None
    prompt: str | None = None
    webhook: object = None
    scrape_options: _Options | None = None


def _formats(options: _Options | None) -> tuple[str, ...] | Refusal:
    """Return the forms of pages that are asked for, or the first that we cannot make."""
    if options is None:
        return ("markdown",)
    refusal = asked_for(
        {
            "includeTags": options.include_tags,
            "excludeTags": options.exclude_tags,
            "headers": options.headers,
            "actions": options.actions,
            "location": options.location,
            "mobile": options.mobile,
            "minAge": options.min_age,
            "onlyMainContent: false": options.only_main_content is False,
        }
    )
    if refusal is not None:
        return refusal
    names = [
        str(each.get("type", "")) if isinstance(each, dict) else each
        for each in options.formats or ["markdown"]
    ]
    unknown = next((name for name in names if name not in _FORMATS), None)
    if unknown is not None:
        because = f"this gateway makes {', '.join(_FORMATS)}"
        return unsupported(f"formats: {unknown[:40]}", because)
    return tuple(dict.fromkeys(names))


def _document(page: WebExtractResult, formats: Sequence[str]) -> dict[str, object]:
    forms: dict[str, Callable[[], object]] = {
        "markdown": lambda: page.content,
        "html": lambda: html_of(page.content),
        "links": lambda: links_in(page),
    }
    return {
        **{name: forms[name]() for name in formats},
        "metadata": _metadata(page.url, page.final_url, page.title, 200, page.metadata),
    }


def _metadata(
    url: str, final: str, title: str, status: int, more: Mapping[str, object]
) -> dict[str, object]:
    known = given(
        description=more.get("description"),
        language=more.get("language"),
        contentType=more.get("content_type"),
    )
    texts = {name: value for name, value in known.items() if isinstance(value, str)}
    return {"title": title, "sourceURL": url, "url": final, "statusCode": status, **texts}


def _unread(page: Page) -> dict[str, object] | None:
    """Return the document of a page whose own server said no: that is an answer here."""
    error = None if page.refusal is None else page.refusal.error
    if not isinstance(error, HttpStatus) or error.url is None:
        return None
    metadata = _metadata(page.url, page.url, "", error.status, {})
    return {"markdown": "", "metadata": {**metadata, "error": error.message}}


def _search(version: Version) -> Callable[[Call], Reading]:
    def read(call: Call) -> Reading:
        body = read_json(call, _Search)
        if isinstance(body, Refusal):
            return body
        kinds = [
            str(each.get("type", "")) if isinstance(each, dict) else each
            for each in body.sources or ["web"]
        ]
        refusal = asked_for(
            {
                "categories": body.categories,
                "location": body.location,
                "filter": body.filter,
                "sources: images": "images" in kinds,
                "sources: several": len(set(kinds)) > 1,
            }
        )
        if refusal is not None:
            return refusal
        options = body.scrape_options
        wants_pages = options is not None and bool(options.formats)
        formats = _formats(options) if wants_pages else ()
        if isinstance(formats, Refusal):
            return formats
        fields = _fields(body, call, news=kinds == ["news"])
        if isinstance(fields, Refusal):
            return fields
        return SearchAsk(
            fields=fields,
            pages=PageWish() if wants_pages else None,
            write=lambda results: _results(results, version, kinds[0], formats, call.id),
        )

    return read


def _fields(body: _Search, call: Call, *, news: bool) -> dict[str, object] | Refusal:
    days = _days(body.tbs or "", call)
    if isinstance(days, Refusal):
        return days
    if body.country and country_code(body.country) is None:
        return invalid("country must be an ISO 3166 code of two letters.", "country")
    return given(
        query=body.query,
        max_results=5 if body.limit is None else body.limit,
        topic="news" if news else None,
        country=country_code(body.country) if body.country else None,
        language=body.lang,
        include_domains=list(host_names(body.include_domains or ())),
        exclude_domains=list(host_names(body.exclude_domains or ())),
        **days,
    )


def _days(tbs: str, call: Call) -> dict[str, object] | Refusal:
    """Return the days that Google's ``tbs`` stands for."""
    if not tbs:
        return {}
    between = _RANGE.fullmatch(tbs)
    if between is not None:
        month, day, year, last_month, last_day, last_year = map(int, between.groups())
        return {
            "published_after": f"{year:04}-{month:02}-{day:02}",
            "published_before": f"{last_year:04}-{last_month:02}-{last_day:02}",
        }
    after = since(tbs.removeprefix("qdr:"), call.today) if tbs.startswith("qdr:") else None
    if after is None:
        return unsupported("tbs", "qdr:d, qdr:w, qdr:m, qdr:y and a range of days are known")
    return {"published_after": after}


def _results(
    results: Found, version: Version, kind: str, formats: Sequence[str], call_id: str
) -> Reply:
    pages = {page.url: page for page in results.pages}
    rows = [_row(row, kind, pages.get(row.url), formats) for row in results.outcome.rows]
    data: object = rows if version == "v1" else {kind: rows}
    return json_reply(
        {"success": True, "data": data, "warning": None, "id": call_id, "creditsUsed": 0}
    )


def _row(
    row: WebSearchResult, kind: str, page: Page | None, formats: Sequence[str]
) -> dict[str, object]:
    words = "snippet" if kind == "news" else "description"
    fields: dict[str, object] = {
        "url": row.url,
        "title": row.title,
        words: row.snippet,
        "position": row.position,
    }
    if kind == "news" and row.published_at:
        fields["date"] = row.published_at
    if page is None:
        return fields
    if page.result is not None:
        document = _document(page.result, formats)
        own = {"title": row.title, "description": row.snippet}
        return {**fields, **document, "metadata": {**own, **_said(document["metadata"])}}
    reason = "" if page.refusal is None else page.refusal.message
    metadata = _metadata(row.url, row.url, row.title, 500, {"description": row.snippet})
    return {**fields, "markdown": "", "metadata": {**metadata, "error": reason}}


def _said(metadata: object) -> dict[str, object]:
    known = metadata if isinstance(metadata, dict) else {}
    return {name: value for name, value in known.items() if value}


def _scrape(call: Call) -> Reading:
    body = read_json(call, _Scrape)
    if isinstance(body, Refusal):
        return body
    if not body.url.strip():
        return invalid("url is missing.", "url")
    formats = _formats(body)
    if isinstance(formats, Refusal):
        return formats

    return PagesAsk(urls=(body.url,), write=lambda pages: _scraped(pages[0], formats))


def _scraped(page: Page, formats: Sequence[str]) -> Written:
    document = _unread(page)
    if page.result is not None:
        document = _document(page.result, formats)
    if document is None:
        return page.refusal or invalid("The page was not read.")
    return json_reply({"success": True, "data": document})


def _map(version: Version) -> Callable[[Call], Reading]:
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


def _batch(version: Version) -> Callable[[Call], Reading]:
    def read(call: Call) -> Reading:
        body = read_json(call, _Batch)
        if isinstance(body, Refusal):
            return body
        formats = _formats(body)
        if isinstance(formats, Refusal):
            return formats
        bad = [url for url in body.urls if not _is_url(url)]
        refusal = _against(body, bad)
        if refusal is not None:
            return refusal
        return StartAsk(
            kind="batch",
            urls=tuple(url for url in body.urls if url not in bad),
            memo=formats,
            again=call.header("x-idempotency-key"),
            write=lambda view: _started(view, call, f"/{version}/batch/scrape", bad),
        )

    return read


def _against(body: _Batch, bad: Sequence[str]) -> Refusal | None:
    if len(bad) == len(body.urls) or (bad and body.ignore_invalid_urls is False):
        return invalid("urls: none of them, or not all, are http or https URLs.", "urls")
    if len(body.urls) > _MOST_URLS:
        return unsupported("urls", f"this gateway takes at most {_MOST_URLS} at once")
    return asked_for({"webhook": body.webhook, "appendToId": body.append_to_id})


def _started(view: JobView, call: Call, path: str, bad: Sequence[str] = ()) -> Reply:
    url = f"{call.base}{path}/{view.id}"
    return json_reply({"success": True, "id": view.id, "url": url, "invalidURLs": list(bad)})


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _crawl(version: Version) -> Callable[[Call], Reading]:
    def read(call: Call) -> Reading:
        body = read_json(call, _Crawl)
        if isinstance(body, Refusal):
            return body
        formats = _formats(body.scrape_options)
        if isinstance(formats, Refusal):
            return formats
        plan = _plan(body)
        if isinstance(plan, Refusal):
            return plan
        return StartAsk(
            kind="crawl",
            plan=plan,
            memo=formats,
            again=call.header("x-idempotency-key"),
            write=lambda view: _started(view, call, f"/{version}/crawl"),
        )

    return read


def _plan(body: _Crawl) -> CrawlPlan | Refusal:
    refusal = asked_for(
        {
            "allowExternalLinks": body.allow_external_links,
            "regexOnFullURL": body.regex_on_full_url,
            "delay": body.delay,
            "prompt": body.prompt,
            "webhook": body.webhook,
            "sitemap: only": body.sitemap == "only",
        }
    )
    if refusal is not None:
        return refusal
    limit = _MOST_PAGES if body.limit is None else body.limit
    if not 0 < limit <= _MOST_PAGES:
        return unsupported("limit", f"this gateway reads 1 to {_MOST_PAGES} pages in one crawl")
    if not _is_url(body.url):
        return invalid("url must be an http or https URL.", "url")
    paths = tuple(body.include_paths or ()), tuple(body.exclude_paths or ())
    wild = unusable_pattern((*paths[0], *paths[1]))
    if wild is not None:
        return unsupported("includePaths, excludePaths", f"{wild[:60]!a} is no simple pattern")
    depth = body.max_discovery_depth if body.max_discovery_depth is not None else body.max_depth
    return CrawlPlan(
        url=body.url,
        limit=limit,
        depth=_USUAL_DEPTH if depth is None else min(max(depth, 0), 10),
        include=paths[0],
        exclude=paths[1],
        subdomains=bool(body.allow_subdomains),
        below=not (body.crawl_entire_domain or body.allow_backward_links),
    )


def _status(kind: JobKind, version: Version) -> Callable[[Call], Reading]:
    def read(call: Call) -> Reading:
        return LookAsk(kind=kind, id=call.rest, write=lambda view: _view(view, version))

    return read


def _view(view: JobView, version: Version) -> Reply:
    formats = view.memo if isinstance(view.memo, tuple) else ("markdown",)
    documents = [
        _document(page.result, formats) if page.result is not None else _unread(page)
        for page in view.pages
    ]
    fields: dict[str, object] = {
        "success": True,
        "status": view.state,
        "completed": len(view.pages),
        "total": view.total,
        "creditsUsed": 0,
        "expiresAt": view.expires,
        "data": [document for document in documents if document is not None],
    }
    # The JavaScript client of v1 follows a next that is there, whatever it is.
    return json_reply(fields if version == "v1" else {**fields, "next": None})


def _errors(kind: JobKind) -> Callable[[Call], Reading]:
    def write(view: JobView) -> Reply:
        failed = [
            {
                "id": f"{view.id}-{place}",
                "url": page.url,
                "error": page.refusal.message,
                "code": _code(page.refusal),
                "timestamp": view.expires,
            }
            for place, page in enumerate(view.pages)
            if page.refusal is not None and _unread(page) is None
        ]
        return json_reply({"success": True, "errors": failed, "robotsBlocked": []})

    return lambda call: LookAsk(kind=kind, id=call.rest, write=write)


def _cancel(kind: JobKind) -> Callable[[Call], Reading]:
    def write(_view: JobView) -> Reply:
        return json_reply({"success": True, "status": "cancelled"})

    return lambda call: LookAsk(kind=kind, id=call.rest, cancel=True, write=write)


def _active(_call: Call) -> Reading:
    def write(views: Sequence[JobView]) -> Reply:
        crawls = [{"id": view.id, "teamId": "", "url": "", "options": None} for view in views]
        return json_reply({"success": True, "crawls": crawls})

    return ListAsk(kind="crawl", write=write)


def _nothing(call: Call) -> Refusal:
    return unsupported(call.path)


def _code(refusal: Refusal) -> str:
    """Return the code by which clients choose an exception."""
    if isinstance(refusal.error, DnsNotFound):
        return "SCRAPE_DNS_RESOLUTION_ERROR"
    if isinstance(refusal.error, TlsFailed):
        return "SCRAPE_SSL_ERROR"
    codes = {"deadline": "SCRAPE_TIMEOUT", "invalid": "BAD_REQUEST", "unsupported": "BAD_REQUEST"}
    return codes.get(refusal.kind, "UNKNOWN_ERROR")


def _refuse(refusal: Refusal, _call: Call) -> Reply:
    words = {"include_domains": "includeDomains", "exclude_domains": "excludeDomains"}
    message = refusal.message
    for ours, theirs in {**words, "published_after": "tbs", "published_before": "tbs"}.items():
        message = message.replace(ours, theirs)
    body = {"success": False, "error": message, "code": _code(refusal)}
    return refusal_reply(refusal, _STATUSES, body)


def _endpoints(version: Version) -> tuple[Endpoint, ...]:
    def at(method: str, path: str, reader: Callable[[Call], Reading]) -> Endpoint:
        tool: Literal["search", "extract"] = "search" if path == "/search" else "extract"
        return Endpoint(
            method=method, path=f"/{version}{path}", read=reader, root=always, tool=tool
        )

    jobs: tuple[tuple[str, JobKind], ...] = (("/batch/scrape", "batch"), ("/crawl", "crawl"))
    return (
        at("POST", "/search", _search(version)),
        at("POST", "/scrape", _scrape),
        at("POST", "/map", _map(version)),
        at("POST", "/batch/scrape", _batch(version)),
        at("POST", "/crawl", _crawl(version)),
        at("GET", "/crawl/active", _active),
        *(at("GET", f"{path}/*", _status(kind, version)) for path, kind in jobs),
        *(at("GET", f"{path}/*/errors", _errors(kind)) for path, kind in jobs),
        *(at("DELETE", f"{path}/*", _cancel(kind)) for path, kind in jobs),
        *(at("POST", path, _nothing) for path in _ELSEWHERE),
    )


# What Firecrawl has, and we do not.
_ELSEWHERE = (
    "/extract",
    "/agent",
    "/parse",
    "/deep-research",
    "/llmstxt",
    "/monitor",
    "/browser",
    "/crawl/params-preview",
)
DIALECT = Dialect(
    name="firecrawl",
    title="Firecrawl v2 and v1",
    keys=header_keys,
    refuse=_refuse,
    endpoints=(*_endpoints("v2"), *_endpoints("v1")),
)
