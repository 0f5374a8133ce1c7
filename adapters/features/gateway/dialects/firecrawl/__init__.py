"""Firecrawl v2 and v1: search, scrape, map, and jobs for batches and crawls.

Its clients retry a 502 three times, so backend failures are a 500. Every success has a flag.
https://docs.firecrawl.dev/api-reference/v2-introduction (read 2026-11-15)
"""

from collections.abc import Callable
from typing import Literal

import msgspec

from ... import asks
from ...replies import Call, Reply, json_reply
from . import scrape_pages
from .job_start import BatchBody, CrawlBody, read_batch_start, read_crawl_start
from .job_status import read_active_crawls, read_job_cancel, read_job_errors, read_job_status
from .scrape_documents import DEFAULTS, IDLE_FIELDS, Version, firecrawl_error_reply
from .search_requests import FIELD_NAMES, SearchBody, read_search

_UNLIMITED_CREDITS = 99_999_999
# Endpoints of Firecrawl that the gateway lacks.
_UNSUPPORTED_PATHS = (
    "/extract", "/agent", "/parse", "/deep-research", "/llmstxt", "/monitor", "/browser",
    "/crawl/params-preview",
)  # fmt: skip


def _credits_reply(_call: Call) -> Reply:
    """Answer as a Firecrawl of one's own does, which has no credits."""
    names = ("remainingCredits", "planCredits", "remaining_credits", "plan_credits")
    return json_reply({"success": True, "data": dict.fromkeys(names, _UNLIMITED_CREDITS)})


def _endpoints(version: Version) -> tuple[asks.Endpoint, ...]:
    def at(
        method: str,
        path: str,
        reader: Callable[[Call], asks.Reading],
        shape: type[msgspec.Struct] | None = None,
    ) -> asks.Endpoint:
        tool: Literal["search", "extract"] = "search" if path == "/search" else "extract"
        return asks.Endpoint(
            method=method,
            path=f"/{version}{path}",
            read=reader,
            root=asks.accept_call,
            tool=tool,
            shape=shape,
            idle=IDLE_FIELDS,
            defaults=DEFAULTS,
        )

    jobs: tuple[tuple[str, asks.JobKind], ...] = (("/batch/scrape", "batch"), ("/crawl", "crawl"))
    return (
        at("POST", "/search", read_search(version), SearchBody),
        at("POST", "/scrape", scrape_pages.read_scrape, scrape_pages.ScrapeBody),
        at("POST", "/map", scrape_pages.read_map(version), scrape_pages.MapBody),
        at("POST", "/batch/scrape", read_batch_start(version), BatchBody),
        at("POST", "/crawl", read_crawl_start(version), CrawlBody),
        at("GET", "/crawl/active", read_active_crawls),
        *(at("GET", f"{path}/*", read_job_status(kind, version)) for path, kind in jobs),
        *(at("GET", f"{path}/*/errors", read_job_errors(kind)) for path, kind in jobs),
        *(at("DELETE", f"{path}/*", read_job_cancel(kind)) for path, kind in jobs),
        at("GET", "/team/credit-usage", _credits_reply),
        *(
            (at("POST", "/extract", scrape_pages.read_extract, scrape_pages.ExtractBody),)
            if version == "v2"
            else ()
        ),
        *(at("POST", path, asks.refuse_endpoint) for path in _UNSUPPORTED_PATHS),
    )


DIALECT = asks.Dialect(
    name="firecrawl",
    title="Firecrawl v2 and v1",
    names=FIELD_NAMES,
    keys=asks.header_keys,
    refuse=firecrawl_error_reply,
    endpoints=(*_endpoints("v2"), *_endpoints("v1")),
)
