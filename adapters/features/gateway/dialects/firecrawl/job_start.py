"""Start Firecrawl jobs: batches and crawls."""

from collections.abc import Callable, Sequence
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

import msgspec

from webseam.adapters.pages.page_forms import unusable_pattern

from ...asks import CrawlPlan, JobView, Reading, StartJobRequest
from ...replies import Call, Refusal, Reply, json_reply, refuse_invalid, refuse_unsupported
from ...request_parsing import Count, read_json_body
from . import scrape_documents

_MAX_URLS = 500
_MAX_PAGES = 100
_DEFAULT_DEPTH = 5
_Depth: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class BatchBody(scrape_documents.ScrapeOptions, rename="camel"):
    """The fields of a call."""

    urls: list[str] = msgspec.field(default_factory=list)
    ignore_invalid_urls: bool | None = msgspec.field(default=None, name="ignoreInvalidURLs")


class CrawlBody(msgspec.Struct, rename="camel"):
    """The fields of a call."""

    url: str
    limit: Count | None = None
    max_discovery_depth: _Depth | None = None
    max_depth: _Depth | None = None
    include_paths: list[str] | None = None
    exclude_paths: list[str] | None = None
    sitemap: str | None = None
    crawl_entire_domain: bool | None = None
    allow_backward_links: bool | None = None
    allow_subdomains: bool | None = None
    scrape_options: scrape_documents.ScrapeOptions | None = None


def read_batch_start(version: scrape_documents.Version) -> Callable[[Call], Reading]:
    """Return the reader of calls that start a batch."""

    def read(call: Call) -> Reading:
        if isinstance(body := read_json_body(call, BatchBody), Refusal):
            return body
        if isinstance(formats := scrape_documents.requested_formats(body), Refusal):
            return formats
        invalid = [url for url in body.urls if not _is_url(url)]
        if (refusal := _refuse_batch(body, invalid)) is not None:
            return refusal
        return StartJobRequest(
            kind="batch",
            urls=tuple(url for url in body.urls if url not in invalid),
            memo=formats,
            wish=scrape_documents.page_options(body),
            again=call.header("x-idempotency-key"),
            write=lambda view: _job_reply(view, call, f"/{version}/batch/scrape", invalid),
        )

    return read


def _refuse_batch(body: BatchBody, invalid: Sequence[str]) -> Refusal | None:
    if len(invalid) == len(body.urls) or (invalid and body.ignore_invalid_urls is False):
        return refuse_invalid("urls: none of them, or not all, are http or https URLs.", "urls")
    if len(body.urls) > _MAX_URLS:
        return refuse_unsupported("urls", f"this gateway takes at most {_MAX_URLS} at once")
    return None


def _job_reply(job: JobView, call: Call, path: str, invalid: Sequence[str] = ()) -> Reply:
    url = f"{call.base}{path}/{job.id}"
    return json_reply({"success": True, "id": job.id, "url": url, "invalidURLs": list(invalid)})


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def read_crawl_start(version: scrape_documents.Version) -> Callable[[Call], Reading]:
    """Return the reader of calls that start a crawl."""

    def read(call: Call) -> Reading:
        if isinstance(body := read_json_body(call, CrawlBody), Refusal):
            return body
        if isinstance(formats := scrape_documents.requested_formats(body.scrape_options), Refusal):
            return formats
        if isinstance(plan := _crawl_plan(body), Refusal):
            return plan
        return StartJobRequest(
            kind="crawl",
            plan=plan,
            memo=formats,
            wish=scrape_documents.page_options(body.scrape_options),
            again=call.header("x-idempotency-key"),
            write=lambda view: _job_reply(view, call, f"/{version}/crawl"),
        )

    return read


def _crawl_plan(body: CrawlBody) -> CrawlPlan | Refusal:
    if body.sitemap not in scrape_documents.SITEMAP_RULES:
        return refuse_unsupported("sitemap")
    limit = _MAX_PAGES if body.limit is None else body.limit
    if not 0 < limit <= _MAX_PAGES:
        return refuse_unsupported(
            "limit", f"this gateway reads 1 to {_MAX_PAGES} pages in one crawl"
        )
    if not _is_url(body.url):
        return refuse_invalid("url must be an http or https URL.", "url")
    include, exclude = tuple(body.include_paths or ()), tuple(body.exclude_paths or ())
    if (bad_pattern := unusable_pattern((*include, *exclude))) is not None:
        return refuse_unsupported(
            "includePaths, excludePaths", f"{bad_pattern[:60]!a} is no simple pattern"
        )
    depth = body.max_discovery_depth if body.max_discovery_depth is not None else body.max_depth
    return CrawlPlan(
        url=body.url,
        limit=limit,
        depth=_DEFAULT_DEPTH if depth is None else depth,
        include=include,
        exclude=exclude,
        subdomains=bool(body.allow_subdomains),
        below=not (body.crawl_entire_domain or body.allow_backward_links),
    )
