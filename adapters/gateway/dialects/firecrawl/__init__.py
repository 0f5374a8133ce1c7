"""Firecrawl v2 and v1: search, scrape, map, and jobs for batches and crawls.

Its clients retry a 502 three times, so backend failures are a 500. Every success has a flag.
https://docs.firecrawl.dev/api-reference/v2-introduction (read 2026-11-15)
"""

from collections.abc import Callable
from typing import Literal

import msgspec

from ...gateway_requests import Dialect, Endpoint, JobKind, Reading, accept_request, header_keys
from ...refusal import Call, Refusal, refuse_unsupported
from .job_start import BatchBody, CrawlBody, read_firecrawl_batch_start, read_firecrawl_crawl_start
from .job_status import read_firecrawl_active, read_job_cancel, read_job_errors, read_job_status
from .scrape_documents import FIRECRAWL_IDLE, Version, firecrawl_error_reply
from .scrape_pages import MapBody, ScrapeBody, read_firecrawl_map, read_firecrawl_scrape
from .search_requests import SearchBody, read_firecrawl_search


def _refuse_firecrawl_endpoint(call: Call) -> Refusal:
    return refuse_unsupported(call.path)


def _firecrawl_endpoints(version: Version) -> tuple[Endpoint, ...]:
    def at(
        method: str,
        path: str,
        reader: Callable[[Call], Reading],
        shape: type[msgspec.Struct] | None = None,
    ) -> Endpoint:
        tool: Literal["search", "extract"] = "search" if path == "/search" else "extract"
        return Endpoint(
            method=method, path=f"/{version}{path}", read=reader, root=accept_request, tool=tool,
            shape=shape, idle=FIRECRAWL_IDLE,
        )  # fmt: skip

    jobs: tuple[tuple[str, JobKind], ...] = (("/batch/scrape", "batch"), ("/crawl", "crawl"))
    return (
        at("POST", "/search", read_firecrawl_search(version), SearchBody),
        at("POST", "/scrape", read_firecrawl_scrape, ScrapeBody),
        at("POST", "/map", read_firecrawl_map(version), MapBody),
        at("POST", "/batch/scrape", read_firecrawl_batch_start(version), BatchBody),
        at("POST", "/crawl", read_firecrawl_crawl_start(version), CrawlBody),
        at("GET", "/crawl/active", read_firecrawl_active),
        *(at("GET", f"{path}/*", read_job_status(kind, version)) for path, kind in jobs),
        *(at("GET", f"{path}/*/errors", read_job_errors(kind)) for path, kind in jobs),
        *(at("DELETE", f"{path}/*", read_job_cancel(kind)) for path, kind in jobs),
        *(at("POST", path, _refuse_firecrawl_endpoint) for path in _UNSUPPORTED_PATHS),
    )


# Endpoints of Firecrawl that the gateway lacks.
_UNSUPPORTED_PATHS = (
    "/extract", "/agent", "/parse", "/deep-research", "/llmstxt", "/monitor", "/browser",
    "/crawl/params-preview",
)  # fmt: skip
DIALECT = Dialect(
    name="firecrawl", title="Firecrawl v2 and v1",
    names={
        "include_domains": "includeDomains", "exclude_domains": "excludeDomains",
        "published_after": "tbs", "published_before": "tbs", "language": "lang", "topic": "sources",
    },
    keys=header_keys, refuse=firecrawl_error_reply,
    endpoints=(*_firecrawl_endpoints("v2"), *_firecrawl_endpoints("v1")),
)  # fmt: skip
