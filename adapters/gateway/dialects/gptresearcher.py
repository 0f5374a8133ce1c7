"""gpt-researcher's custom retriever, which returns a bare list of pages.

It calls a single URL, and treats every failure as no results.
https://docs.gptr.dev/docs/gpt-researcher/search-engines (read 2026-11-15)
"""

import msgspec

from ...values.numbers import parse_whole_number
from ..gateway_requests import (
    Dialect,
    Endpoint,
    PageOptions,
    Reading,
    SearchRequest,
    SearchSuccess,
    header_keys,
)
from ..refusal import (
    DEFAULT_STATUSES,
    Call,
    Refusal,
    Reply,
    gateway_json_reply,
    gateway_refusal_reply,
    refuse_invalid,
)
from ..request_parsing import search_fields


class _Search(msgspec.Struct):
    query: str = ""
    max_results: str = ""


def _read_gptresearcher_search(call: Call) -> Reading:
    rows = parse_whole_number(call.parameter("max_results") or "5")
    if rows is None:
        return refuse_invalid("max_results is a whole number.", "max_results")
    return SearchRequest(
        fields=search_fields(query=call.parameter("query"), max_results=rows),
        pages=PageOptions(),
        write=_gptresearcher_pages_reply,
    )


def _gptresearcher_pages_reply(results: SearchSuccess) -> Reply:
    """Return each row with the text of its page, or with its snippet if the page was not read."""
    texts = {page.url: page.result.content for page in results.pages if page.result is not None}
    return gateway_json_reply(
        [
            {"url": row.url, "raw_content": texts.get(row.url) or row.snippet}
            for row in results.outcome.rows
        ]
    )


def _gptresearcher_refusal_reply(refusal: Refusal, _call: Call) -> Reply:
    return gateway_refusal_reply(refusal, DEFAULT_STATUSES, {"error": refusal.message})


DIALECT = Dialect(
    name="gptresearcher",
    title="gpt-researcher's custom retriever",
    keys=header_keys,
    refuse=_gptresearcher_refusal_reply,
    endpoints=(Endpoint(method="GET", path="/", read=_read_gptresearcher_search, shape=_Search),),
)
