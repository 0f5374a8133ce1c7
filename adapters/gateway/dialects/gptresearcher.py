"""gpt-researcher's custom retriever: a query in, a bare list of pages out.

It asks one whole address, and takes any failure for nothing at all.
https://docs.gptr.dev/docs/gpt-researcher/search-engines (read 2026-11-15)
"""

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
    json_reply,
    refusal_reply,
    refuse_invalid,
)
from ..request_parsing import fields_with_values


def _search(call: Call) -> Reading:
    rows = parse_whole_number(call.parameter("max_results") or "5")
    if rows is None:
        return refuse_invalid("max_results is a whole number.", "max_results")
    return SearchRequest(
        fields=fields_with_values(query=call.parameter("query"), max_results=rows),
        pages=PageOptions(),
        write=_pages,
    )


def _pages(results: SearchSuccess) -> Reply:
    """Return each row with the text of its page; of one that was not read, what the row says."""
    texts = {page.url: page.result.content for page in results.pages if page.result is not None}
    return json_reply(
        [
            {"url": row.url, "raw_content": texts.get(row.url) or row.snippet}
            for row in results.outcome.rows
        ]
    )


def _refuse(refusal: Refusal, _call: Call) -> Reply:
    return refusal_reply(refusal, DEFAULT_STATUSES, {"error": refusal.message})


DIALECT = Dialect(
    name="gptresearcher",
    title="gpt-researcher's custom retriever",
    keys=header_keys,
    refuse=_refuse,
    endpoints=(Endpoint(method="GET", path="/", read=_search),),
)
