"""Firecrawl: search and page reading; in the cloud, without a key, or on a machine of your own."""

import re
from collections.abc import Mapping, Sequence

from returns.result import Failure, Result, Success

from ...ports.abilities import NATIVE, REFUSED, FilterName, Support
from ...ports.errors import (
    BadPayload,
    HttpStatus,
    RateLimited,
    TlsFailed,
    UpstreamUnavailable,
    WebError,
)
from ...ports.web import UntrustedRow, WebSearchQuery
from ..http.failures import said
from ..http.service import (
    Access,
    Call,
    ExtractAsk,
    ExtractOperation,
    PageFailed,
    Reply,
    SearchAsk,
    SearchOperation,
    Service,
    api_key,
)
from ..shapes.fields import at, each, first, listed, number, texts
from ..shapes.google import between
from ..shapes.pages import unread, with_text
from ..shapes.rows import document, row

_FORBIDDEN, _TIMED_OUT, _TOO_MANY, _SERVER_ERRORS, _BAD = 403, 408, 429, 500, 400
_RETRY_AFTER = re.compile(r"retry after (\d{1,6}) ?s", re.IGNORECASE)
_TOLD = ("description", "language", "keywords", "contentType", "statusCode", "publishedTime")


def encode_search(ask: SearchAsk) -> Call:
    """Write a search; the days are for web results alone, and absent for news."""
    query = ask.query
    asked: dict[str, object] = {
        "query": query.query,
        "limit": ask.count,
        "sources": ["news"] if query.topic == "news" else None,
        "includeDomains": query.include_domains,
        "excludeDomains": query.exclude_domains,
        "tbs": between(query),
        "country": (query.country or "").upper(),
    }
    body = {name: value for name, value in asked.items() if value}
    return Call(path="/v2/search", headers=_headers(ask.access), body=body)


def decode_search(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    """Read the rows by kind, or the one flat list that older versions give."""
    data = at(reply.payload, "data")
    if isinstance(data, list):
        return Success(each(data, _row))
    if not isinstance(data, dict):
        return Failure(BadPayload(problem="shape", path="$.data", status=reply.status))
    web = listed(reply, "data", "web", signs=("data",))
    news = listed(reply, "data", "news", signs=("data",))
    return web.bind(lambda rows: news.map(lambda more: each([*rows, *more], _row)))


def encode_extract(ask: ExtractAsk) -> Call:
    """Ask for a page as markdown."""
    body = {"url": ask.urls[0], "formats": ["markdown"]}
    return Call(path="/v2/scrape", headers=_headers(ask.access), body=body)


def decode_extract(
    reply: Reply, urls: tuple[str, ...]
) -> Result[Sequence[UntrustedRow | PageFailed], WebError]:
    """Read the page; an error page of its server comes as a success too."""
    page = at(reply.payload, "data")
    if not isinstance(page, dict):
        return Failure(BadPayload(problem="shape", path="$.data", status=reply.status))
    status, error = at(page, "metadata", "statusCode"), first(at(page, "metadata", "error"))
    if error or (number(status) or 0) >= _BAD:
        return Success([unread(urls[0], status=status, detail=error)])
    return Success([_page(page, urls[0])])


def classify(reply: Reply) -> WebError | None:
    """Find errors inside a success, and those that their status does not tell apart."""
    if at(reply.payload, "success") is False and reply.status < _BAD:
        detail = said(reply.payload)
        return BadPayload(problem="error_object", status=reply.status, detail=detail)
    if reply.status == _FORBIDDEN:
        # A site that it does not read, or terms to agree to; a key that it refuses is a 401.
        return HttpStatus(status=reply.status, detail=said(reply.payload))
    return _waiting(reply) or _unreachable(reply)


def depending(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Let only one list of domains go with a search, and days with web results alone."""
    limits: dict[FilterName, Support] = {}
    if query.include_domains:
        limits["exclude_domains"] = "rows"
    if query.topic == "news":
        limits |= {"published_after": "rows", "published_before": "rows"}
    if query.topic == "finance":
        limits["topic"] = REFUSED
    return limits


def _headers(access: Access) -> tuple[tuple[str, str], ...]:
    # Without a key no header at all: an empty one is refused.
    return (("authorization", f"Bearer {access.key}"),) if access.key else ()


def _row(given: dict[str, object]) -> dict[str, object]:
    return row(
        title=first(given.get("title"), *texts(at(given, "metadata", "title"))),
        url=given.get("url") or at(given, "metadata", "sourceURL"),
        snippet=first(given.get("description"), given.get("snippet")),
        published=given.get("date"),
    )


def _page(page: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    about = page.get("metadata")
    return with_text(
        document(
            url=at(about, "sourceURL") or url,
            title=first(*texts(at(about, "title"))),
            content=page.get("markdown"),
            final_url=at(about, "url"),
            metadata={name: at(about, name) for name in _TOLD},
        )
    )


def _waiting(reply: Reply) -> WebError | None:
    """Read how long to wait where it is told in words, or for a job that goes on."""
    if reply.headers.get("retry-after"):
        return None
    detail = said(reply.payload)
    if reply.status == _TIMED_OUT:
        wait = number(at(reply.payload, "details", "retryAfterSeconds"))
        return UpstreamUnavailable(status=reply.status, retry_after=wait, detail=detail)
    told = _RETRY_AFTER.search(detail)
    if reply.status == _TOO_MANY and told:
        return RateLimited(retry_after=float(told[1]), detail=detail)
    return None


def _unreachable(reply: Reply) -> WebError | None:
    """Tell a page that is not there from a service that is not."""
    code, detail = at(reply.payload, "code"), said(reply.payload)
    if code == "SCRAPE_SSL_ERROR":
        return TlsFailed(reason=detail)
    if code == "SCRAPE_DNS_RESOLUTION_ERROR":
        return HttpStatus(status=reply.status, detail=detail)
    return None


SERVICE = Service(
    name="firecrawl",
    title="Firecrawl",
    site="https://www.firecrawl.dev/app/api-keys",
    note=(
        "Without a key a small free tier is counted by address. For your own instance, "
        "usually on port 3002, set its address; it needs no key unless you made it so."
    ),
    base_url="https://api.firecrawl.dev",
    base_url_env=("FIRECRAWL_API_URL", "FIRECRAWL_API_BASE_URL", "FIRECRAWL_API_BASE"),
    endpoints=("/v2/search", "/v2/scrape", "/v1", "/v1/search", "/v1/scrape"),
    options=(api_key("FIRECRAWL_API_KEY"),),
    keyless=("search", "extract"),
    rank=30,
    max_results=100,
    max_query_characters=500,
    filters={
        "include_domains": NATIVE,
        "exclude_domains": NATIVE,
        "published_after": NATIVE,
        "published_before": NATIVE,
        "country": NATIVE,
        "language": REFUSED,
        "topic": NATIVE,
        "safe_search": REFUSED,
    },
    depending=depending,
    classify=classify,
    search=SearchOperation(encode=encode_search, decode=decode_search),
    extract=ExtractOperation(encode=encode_extract, decode=decode_extract),
)
