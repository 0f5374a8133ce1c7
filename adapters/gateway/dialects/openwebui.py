"""Open WebUI's external web search and external web loader: bare lists in, bare lists out.

https://docs.openwebui.com/features/web-search (read 2026-11-15)
"""

from collections.abc import Sequence

import msgspec

from ..gateway_requests import (
    Dialect,
    Endpoint,
    Page,
    PagesRequest,
    Reading,
    SearchRequest,
    SearchSuccess,
    Written,
    header_keys,
)
from ..refusal import (
    DEFAULT_STATUSES,
    Call,
    Refusal,
    Reply,
    json_reply,
    refusal_reply,
    refuse_invalid,
)
from ..request_parsing import fields_with_values, read_json

_MAX_URLS = 20


class _Search(msgspec.Struct):
    query: str
    count: int | None = None


class _Load(msgspec.Struct):
    urls: list[str]


def _search(call: Call) -> Reading:
    body = read_json(call, _Search)
    if isinstance(body, Refusal):
        return body

    def write(results: SearchSuccess) -> Reply:
        rows = results.outcome.rows
        return json_reply(
            [{"link": row.url, "title": row.title, "snippet": row.snippet} for row in rows]
        )

    return SearchRequest(
        fields=fields_with_values(query=body.query, max_results=body.count), write=write
    )


def _load(call: Call) -> Reading:
    body = read_json(call, _Load)
    if isinstance(body, Refusal):
        return body
    if not 0 < len(body.urls) <= _MAX_URLS:
        return refuse_invalid(f"urls must be 1 to {_MAX_URLS} URLs.", "urls")
    return PagesRequest(urls=tuple(body.urls), write=_pages)


def _pages(pages: Sequence[Page]) -> Written:
    """Return the pages that were read; it has no word for one that was not, unless all were not."""
    documents = [page.result for page in pages if page.result is not None]
    failures = [page.refusal for page in pages if page.refusal is not None]
    if not documents and failures:
        return failures[0]
    return json_reply(
        [
            {"page_content": page.content, "metadata": {"source": page.url, "title": page.title}}
            for page in documents
        ]
    )


def _refuse(refusal: Refusal, _call: Call) -> Reply:
    return refusal_reply(refusal, DEFAULT_STATUSES, {"detail": refusal.message})


# Open WebUI takes whole addresses, and POST /search belongs to others at the root.
DIALECT = Dialect(
    name="openwebui",
    title="Open WebUI",
    keys=header_keys,
    refuse=_refuse,
    endpoints=(
        Endpoint(method="POST", path="/search", read=_search),
        Endpoint(method="POST", path="/load", read=_load, tool="extract"),
    ),
)
