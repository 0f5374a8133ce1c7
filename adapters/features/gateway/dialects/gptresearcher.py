"""gpt-researcher's custom retriever, which returns a bare list of pages.

It calls a single URL, and treats every failure as no results.
https://docs.gptr.dev/docs/gpt-researcher/search-engines (read 2026-11-15)
"""

import msgspec

from webseam.adapters.values.json_values import parse_whole_number
from webseam.ports.web import MAX_RESULTS, WebSearchResult

from .. import asks, replies
from ..request_parsing import present_fields


class _Search(msgspec.Struct):
    query: str = ""
    max_results: str = ""


def _read_search(call: replies.Call) -> asks.Reading:
    rows = parse_whole_number(call.parameter("max_results") or "5")
    if rows is None or not 0 < rows <= MAX_RESULTS:
        reason = f"max_results is a whole number from 1 to {MAX_RESULTS}."
        return replies.refuse_invalid(reason, "max_results")
    return asks.SearchRequest(
        fields=present_fields(query=call.parameter("query"), max_results=rows),
        pages=asks.PageOptions(),
        write=_pages_reply,
    )


def _pages_reply(results: asks.SearchSuccess) -> replies.Reply:
    """Return each row with the text of its page, or why it was not read.

    A snippet is no page: it has a field of its own.
    """
    pages = {page.url: page for page in results.pages}
    return replies.json_reply([_entry(row, pages.get(row.url)) for row in results.outcome.rows])


def _entry(row: WebSearchResult, page: asks.Page | None) -> dict[str, object]:
    entry: dict[str, object] = {"url": row.url, "title": row.title, "snippet": row.snippet}
    if page is None or page.result is None:
        error = "" if page is None or page.refusal is None else page.refusal.message
        return {**entry, "raw_content": "", "error": error}
    return {**entry, "raw_content": page.result.content}


def _refusal_reply(refusal: replies.Refusal, _call: replies.Call) -> replies.Reply:
    return replies.refusal_reply(refusal, replies.DEFAULT_STATUSES, {"error": refusal.message})


DIALECT = asks.Dialect(
    name="gptresearcher",
    title="gpt-researcher's custom retriever",
    keys=asks.header_keys,
    refuse=_refusal_reply,
    endpoints=(asks.Endpoint(method="GET", path="/", read=_read_search, shape=_Search),),
)
