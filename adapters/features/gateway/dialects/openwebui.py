"""Open WebUI's external web search and web loader, with bare JSON lists.

https://docs.openwebui.com/features/web-search (read 2026-11-15)
"""

from collections.abc import Sequence

import msgspec

from .. import asks, replies
from ..request_parsing import RowCount, present_fields, read_json_body

_MAX_URLS = 20


class _Search(msgspec.Struct):
    query: str
    count: RowCount | None = None


class _Load(msgspec.Struct):
    urls: list[str]


def _read_search(call: replies.Call) -> asks.Reading:
    if isinstance(body := read_json_body(call, _Search), replies.Refusal):
        return body

    def write(results: asks.SearchSuccess) -> replies.Reply:
        rows = results.outcome.rows
        return replies.json_reply(
            [{"link": row.url, "title": row.title, "snippet": row.snippet} for row in rows]
        )

    return asks.SearchRequest(
        fields=present_fields(query=body.query, max_results=body.count), write=write
    )


def _read_load(call: replies.Call) -> asks.Reading:
    if isinstance(body := read_json_body(call, _Load), replies.Refusal):
        return body
    if not 0 < len(body.urls) <= _MAX_URLS:
        return replies.refuse_invalid(f"urls must be 1 to {_MAX_URLS} URLs.", "urls")
    return asks.PagesRequest(urls=tuple(body.urls), write=_pages_reply)


def _pages_reply(pages: Sequence[asks.Page]) -> asks.Written:
    """Return an entry for each page; of one that was not read, it says why.

    The format has no place for errors but the metadata, so refuse if all pages failed.
    """
    failures = [page.refusal for page in pages if page.refusal is not None]
    if len(failures) == len(pages):
        return failures[0]
    return replies.json_reply([_document(page) for page in pages])


def _document(page: asks.Page) -> dict[str, object]:
    if page.result is None:
        error = "" if page.refusal is None else page.refusal.message
        return {"page_content": "", "metadata": {"source": page.url, "error": error}}
    metadata = {"source": page.result.url, "title": page.result.title}
    return {"page_content": page.result.content, "metadata": metadata}


def _refusal_reply(refusal: replies.Refusal, _call: replies.Call) -> replies.Reply:
    return replies.refusal_reply(refusal, replies.DEFAULT_STATUSES, {"detail": refusal.message})


# Open WebUI takes complete URLs, and POST /search at the root belongs to other dialects.
DIALECT = asks.Dialect(
    name="openwebui",
    title="Open WebUI",
    keys=asks.header_keys,
    refuse=_refusal_reply,
    endpoints=(
        asks.Endpoint(path="/search", read=_read_search, shape=_Search),
        asks.Endpoint(path="/load", read=_read_load, shape=_Load, tool="extract"),
    ),
)
