"""gpt-researcher's custom retriever: a query in, a bare list of pages out.

It asks one whole address, and takes any failure for nothing at all.
https://docs.gptr.dev/docs/gpt-researcher/search-engines (read 2026-11-15)
"""

from ..dialect.asks import Found, PageWish, SearchAsk
from ..dialect.bodies import given
from ..dialect.declaration import Dialect, Endpoint, Reading, header_keys
from ..dialect.refusal import USUAL_STATUSES, Refusal, invalid, refusal_reply
from ..dialect.wire import Call, Reply, json_reply
from ..values.numbers import whole


def _search(call: Call) -> Reading:
    rows = whole(call.parameter("max_results") or "5")
    if rows is None:
        return invalid("max_results is a whole number.", "max_results")
    return SearchAsk(
        fields=given(query=call.parameter("query"), max_results=rows),
        pages=PageWish(),
        write=_pages,
    )


def _pages(results: Found) -> Reply:
    """Return each row with the text of its page; of one that was not read, what the row says."""
    texts = {page.url: page.result.content for page in results.pages if page.result is not None}
    return json_reply(
        [
            {"url": row.url, "raw_content": texts.get(row.url) or row.snippet}
            for row in results.outcome.rows
        ]
    )


def _refuse(refusal: Refusal, _call: Call) -> Reply:
    return refusal_reply(refusal, USUAL_STATUSES, {"error": refusal.message})


DIALECT = Dialect(
    name="gptresearcher",
    title="gpt-researcher's custom retriever",
    keys=header_keys,
    refuse=_refuse,
    endpoints=(Endpoint(method="GET", path="/", read=_search),),
)
