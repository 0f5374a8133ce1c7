"""Firecrawl: search and page reading, in the cloud, also without a key, or self-hosted.

Sources: firecrawl-py 4.53.2, its OpenAPI document of v2, and
https://docs.firecrawl.dev/api-reference/errors (2026-11-15).
"""

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl

from returns.result import Failure, Success

from webseam.ports.backends import Abilities, UntrustedRow
from webseam.ports.errors import (
    BadPayload,
    HttpStatus,
    InvalidUrl,
    RateLimited,
    Timeout,
    TlsFailed,
    UpstreamUnavailable,
    WebError,
)

from ...values.field_values import at, first, first_value, number, said, texts
from ...values.json_values import as_list, text
from ...values.untrusted_rows import row
from ..calls import Reply, ServiceCall, bearer_headers, post_call
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, NATIVE_DOMAINS, filter_limits, native_filters
from ..google import date_range
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation, ServiceJob, Step
from ..page_results import PageFailed, PagesResult, make_page_failed, page_decoder, text_page
from ..replies import RowsResult, each, web_and_news_rows

_FORBIDDEN, _TIMED_OUT, _TOO_MANY, _FIRST_ERROR = 403, 408, 429, 400
_JOBS_PATH, _MAX_JOB_PAGES, _MAX_JOB_POLLS = "/v2/batch/scrape", 10, 12
_JOB_ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,100}")
_RETRY_AFTER_PATTERN = re.compile(r"retry after (\d{1,6}) ?s", re.IGNORECASE)
_METADATA_FIELDS = (
    "description", "language", "keywords", "contentType", "statusCode", "publishedTime",
)  # fmt: skip


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; Firecrawl applies dates to web results only."""
    query = ask.query
    fields: dict[str, object] = {
        "query": query.query,
        "limit": ask.count,
        "sources": ["news"] if query.topic == "news" else None,
        "includeDomains": query.include_domains,
        "excludeDomains": query.exclude_domains,
        "tbs": date_range(query),
        "country": (query.country or "").upper(),
    }
    return post_call("/v2/search", fields, bearer_headers(ask.access))


def _decode_search(reply: Reply) -> RowsResult:
    """Read the web and news rows, or the flat list of older versions."""
    data = at(reply.payload, "data")
    if isinstance(data, list):
        return Success(each(data, _search_row))
    return web_and_news_rows(reply, "data", make=_search_row)


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    body = {"url": ask.urls[0], "formats": ["markdown"]}
    return post_call("/v2/scrape", body, bearer_headers(ask.access))


def _encode_job(ask: ExtractAsk) -> ServiceCall:
    body = {"urls": ask.urls, "formats": ["markdown"], "ignoreInvalidURLs": True}
    return post_call(_JOBS_PATH, body, bearer_headers(ask.access))


def _follow_job(ask: ExtractAsk, newest: Reply) -> Step | None:
    """Poll a job until it ends, then ask for the rest of its pages, then for its errors."""
    started, *replies = (*newest.earlier, newest)
    job_id, state = text(at(started.payload, "id")), at(newest.payload, "status")
    if not _JOB_ID_PATTERN.fullmatch(job_id):
        return None
    path, headers = f"{_JOBS_PATH}/{job_id}", bearer_headers(ask.access)
    if not replies or (state == "scraping" and len(replies) < _MAX_JOB_POLLS):
        wait = min(0.5 * (len(replies) + 1), 2.0)
        return Step(call=ServiceCall(method="GET", path=path, headers=headers), wait=wait)
    # Take only the query of the ``next`` URL, so that the host stays the user's.
    more = tuple(parse_qsl(text(at(newest.payload, "next")).partition("?")[2]))
    if more:
        return Step(call=ServiceCall(method="GET", path=path, parameters=more, headers=headers))
    if state != "completed" or len(_job_pages(newest)) >= len(ask.urls):
        return None
    return Step(call=ServiceCall(method="GET", path=f"{path}/errors", headers=headers))


def _decode_job(reply: Reply, urls: tuple[str, ...]) -> PagesResult:
    """Read the pages of a job; pages of an unfinished job are timeouts."""
    replies = (*reply.earlier, reply)
    states = [text(at(job_reply.payload, "status")) for job_reply in replies]
    state = next(filter(None, reversed(states)), "")
    if state not in ("completed", "scraping"):
        detail = first(said(reply.payload), state)
        return Failure(BadPayload(problem="error_object", status=reply.status, detail=detail))
    outcomes = [_page_outcome(page, url) for url, page in _job_pages(reply).items()]
    timeouts = [PageFailed(url=url, error=Timeout(phase="body")) for url in urls]
    return Success([*outcomes, *_failed_pages(replies), *(timeouts if state == "scraping" else [])])


def _classify_reply(reply: Reply) -> WebError | None:
    """Find errors inside a success, and errors that share a status."""
    if at(reply.payload, "success") is False and reply.status < _FIRST_ERROR:
        detail = said(reply.payload)
        return BadPayload(problem="error_object", status=reply.status, detail=detail)
    if reply.status == _FORBIDDEN:
        # A site that Firecrawl does not read, or terms to accept; a refused key is a 401.
        return HttpStatus(status=reply.status, detail=said(reply.payload))
    return _wait_error(reply) or _target_error(reply)


def _search_row(result: dict[str, object]) -> dict[str, object]:
    return row(
        title=first_value(result.get("title"), *texts(at(result, "metadata", "title"))),
        url=result.get("url") or at(result, "metadata", "sourceURL"),
        snippet=first_value(result.get("description"), result.get("snippet")),
        published=result.get("date"),
    )


def _page_outcome(page: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    """Read the page; an error page of its server also comes as a success."""
    metadata = page.get("metadata")
    status, error = at(metadata, "statusCode"), first(at(metadata, "error"))
    if error or (number(status) or 0) >= _FIRST_ERROR:
        return make_page_failed(url, status=status, detail=error)
    return text_page(
        url=at(metadata, "sourceURL") or url,
        title=first(*texts(at(metadata, "title"))),
        content=page.get("markdown"),
        final_url=at(metadata, "url"),
        metadata={name: at(metadata, name) for name in _METADATA_FIELDS},
    )


def _job_pages(newest: Reply) -> dict[str, dict[str, object]]:
    """Return the pages in all replies of a job by URL; later replies repeat earlier pages."""
    lists = [at(job_reply.payload, "data") for job_reply in (*newest.earlier, newest)]
    pages = [page for pages in lists if isinstance(pages, list) for page in pages]
    return {
        text(first(at(page, "metadata", "sourceURL"), at(page, "metadata", "url"))): page
        for page in pages
        if isinstance(page, dict)
    }


def _failed_pages(replies: Sequence[Reply]) -> list[PageFailed]:
    """Return the failed pages of a job: read errors, robots.txt, invalid URLs."""
    failed: list[PageFailed] = []
    for payload in (job_reply.payload for job_reply in replies):
        errors, blocked = as_list(at(payload, "errors")), texts(at(payload, "robotsBlocked"))
        failed += [
            make_page_failed(at(error, "url"), detail=at(error, "error")) for error in errors
        ]
        failed += [make_page_failed(url, status=_FORBIDDEN) for url in blocked]
        failed += [
            PageFailed(url=url, error=InvalidUrl(reason="it cannot be read there", url=url))
            for url in texts(at(payload, "invalidURLs"))
        ]
    return failed


def _wait_error(reply: Reply) -> WebError | None:
    """Return an error with the time to wait, from the message or the details of a timeout."""
    if reply.headers.get("retry-after"):
        return None
    detail = said(reply.payload)
    if reply.status == _TIMED_OUT:
        wait = number(at(reply.payload, "details", "retryAfterSeconds"))
        return UpstreamUnavailable(status=reply.status, retry_after=wait, detail=detail)
    match = _RETRY_AFTER_PATTERN.search(detail)
    if reply.status == _TOO_MANY and match:
        return RateLimited(retry_after=float(match[1]), detail=detail)
    return None


def _target_error(reply: Reply) -> WebError | None:
    """Return the error of the page's own server, so that it is not taken for Firecrawl's."""
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
        "Free without a key, within a small limit for each address. For your own instance, set "
        "its address."
    ),
    address=ServiceAddress(
        base_url="https://api.firecrawl.dev",
        env=("FIRECRAWL_API_URL", "FIRECRAWL_API_BASE_URL", "FIRECRAWL_API_BASE"),
        endpoints=("/v2/search", "/v2/scrape", _JOBS_PATH, "/v1", "/v1/search", "/v1/scrape"),
    ),
    options=(api_key("FIRECRAWL_API_KEY", pattern=r"fc-\S+"),),
    offer=Offer(keyless=("search", "extract"), rank=30),
    abilities=Abilities(
        max_results=100,
        max_query_characters=500,
        filters={**NATIVE_DOMAINS, **NATIVE_DATES, **native_filters("country", "topic")},
        # Send only one list of domains, and dates only for web results.
        depending=lambda query: filter_limits(
            ("exclude_domains", "rows", query.include_domains),
            ("published_after", "rows", query.topic == "news"),
            ("published_before", "rows", query.topic == "news"),
        ),
    ),
    classify=_classify_reply,
    search=SearchOperation(encode=_encode_search, decode=_decode_search),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=page_decoder("data", make=_page_outcome),
        job=ServiceJob(
            encode=_encode_job,
            follow=_follow_job,
            decode=_decode_job,
            batch=_MAX_JOB_PAGES,
        ),
    ),
)
