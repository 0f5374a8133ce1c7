"""gpt-researcher's custom retriever, which returns a bare list of pages.

It calls a single URL, and treats every failure as no results.
https://docs.gptr.dev/docs/gpt-researcher/search-engines (read 2026-11-15)
"""

import msgspec

from webseam.adapters.values.json_values import parse_whole_number

from .. import asks, replies
from ..request_parsing import present_fields


class _Search(msgspec.Struct):
    query: str = ""
    max_results: str = ""


def _read_search(call: replies.Call) -> asks.Reading:
    if (rows := parse_whole_number(call.parameter("max_results") or "5")) is None:
        return replies.refuse_invalid("max_results is a whole number.", "max_results")
    return asks.SearchRequest(
        fields=present_fields(query=call.parameter("query"), max_results=rows),
        pages=asks.PageOptions(),
        write=_pages_reply,
    )


def _pages_reply(results: asks.SearchSuccess) -> replies.Reply:
    """Return each row with the text of its page, or with its snippet if the page was not read."""
    texts = {page.url: page.result.content for page in results.pages if page.result is not None}
    return replies.json_reply(
        [
            {"url": row.url, "raw_content": texts.get(row.url) or row.snippet}
            for row in results.outcome.rows
        ]
    )


def _refusal_reply(refusal: replies.Refusal, _call: replies.Call) -> replies.Reply:
    return replies.refusal_reply(refusal, replies.DEFAULT_STATUSES, {"error": refusal.message})


DIALECT = asks.Dialect(
    name="gptresearcher", title="gpt-researcher's custom retriever", keys=asks.header_keys,
    refuse=_refusal_reply,
    endpoints=(asks.Endpoint(method="GET", path="/", read=_read_search, shape=_Search),),
)  # fmt: skip
