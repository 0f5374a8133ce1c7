"""Firecrawl v2 and v1: search, scrape, map, and jobs for batches and crawls.

Its clients retry a 502 three times, so what broke behind us is a 500. Every success says so.
https://docs.firecrawl.dev/api-reference/v2-introduction (read 2026-11-15)
"""

from collections.abc import Callable
from typing import Literal

from ...dialect.asks import JobKind
from ...dialect.declaration import Dialect, Endpoint, Reading, always, header_keys
from ...dialect.refusal import Refusal, unsupported
from ...dialect.wire import Call
from .beginnings import batch, crawl
from .jobs import active, cancel, errors, status
from .pages import map_site, scrape
from .refusals import refuse
from .searches import search
from .versions import Version


def _nothing(call: Call) -> Refusal:
    return unsupported(call.path)


def _endpoints(version: Version) -> tuple[Endpoint, ...]:
    def at(method: str, path: str, reader: Callable[[Call], Reading]) -> Endpoint:
        tool: Literal["search", "extract"] = "search" if path == "/search" else "extract"
        return Endpoint(
            method=method, path=f"/{version}{path}", read=reader, root=always, tool=tool
        )

    jobs: tuple[tuple[str, JobKind], ...] = (("/batch/scrape", "batch"), ("/crawl", "crawl"))
    return (
        at("POST", "/search", search(version)),
        at("POST", "/scrape", scrape),
        at("POST", "/map", map_site(version)),
        at("POST", "/batch/scrape", batch(version)),
        at("POST", "/crawl", crawl(version)),
        at("GET", "/crawl/active", active),
        *(at("GET", f"{path}/*", status(kind, version)) for path, kind in jobs),
        *(at("GET", f"{path}/*/errors", errors(kind)) for path, kind in jobs),
        *(at("DELETE", f"{path}/*", cancel(kind)) for path, kind in jobs),
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
    refuse=refuse,
    endpoints=(*_endpoints("v2"), *_endpoints("v1")),
)
