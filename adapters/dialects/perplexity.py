"""Perplexity's search API, as LiteLLM and Open WebUI ask it; under its prefix alone.

https://docs.perplexity.ai/api-reference/search-post (read 2026-11-15)
"""

import msgspec

from ..dialect.asks import Found, SearchAsk
from ..dialect.bodies import asked_for, given, host_names, read_json, since
from ..dialect.declaration import Dialect, Endpoint, Reading, header_keys
from ..dialect.openai_errors import openai_refusal
from ..dialect.refusal import Refusal, unsupported
from ..dialect.wire import Call, Reply, json_reply


class _Search(msgspec.Struct):
    query: str | list[str]
    max_results: int | None = None
    country: str | None = None
    search_domain_filter: list[str] | None = None
    search_recency_filter: str | None = None
    search_language_filter: list[str] | None = None


def _search(call: Call) -> Reading:
    body = read_json(call, _Search)
    if isinstance(body, Refusal):
        return body
    several = isinstance(body.query, list) and len(body.query) != 1
    languages = body.search_language_filter or []
    refusal = asked_for({"query: several": several, "search_language_filter": len(languages) > 1})
    if refusal is not None:
        return refusal
    recency = body.search_recency_filter or ""
    after = since(recency, call.today) if recency else None
    if recency and after is None:
        return unsupported("search_recency_filter", "day, week, month and year are known")
    domains = body.search_domain_filter or []
    fields = given(
        query=body.query[0] if isinstance(body.query, list) else body.query,
        max_results=10 if body.max_results is None else body.max_results,
        country=body.country,
        language=languages[0] if languages else None,
        published_after=after,
        include_domains=list(host_names(name for name in domains if not name.startswith("-"))),
        exclude_domains=list(host_names(name[1:] for name in domains if name.startswith("-"))),
    )
    return SearchAsk(fields=fields, write=lambda results: _results(results, call.id))


def _results(results: Found, call_id: str) -> Reply:
    rows = [
        {
            "title": row.title,
            "url": row.url,
            "snippet": row.snippet,
            "date": row.published_at,
            "last_updated": row.published_at,
        }
        for row in results.outcome.rows
    ]
    return json_reply({"id": call_id, "results": rows})


# At the root nothing tells a search from one of Tavily's: body and header are the same.
DIALECT = Dialect(
    name="perplexity",
    title="Perplexity search",
    keys=header_keys,
    refuse=openai_refusal,
    endpoints=(Endpoint(method="POST", path="/search", read=_search),),
)
