"""Perplexity's search API as LiteLLM and Open WebUI call it; only under its prefix.

https://docs.perplexity.ai/api-reference/search-post (read 2026-11-15)
"""

from .. import request_parsing as parsing
from ..gateway_requests import Dialect, Endpoint, Reading, SearchRequest, SearchSuccess, header_keys
from ..refusal import Call, Refusal, Reply, gateway_json_reply, openai_refusal_reply

_IDLE = frozenset(
    {"max_tokens", "max_tokens_per_page", "search_context_size", "display_server_time"}
)


class _Search(parsing.PerplexityFilters, kw_only=True):
    query: str | list[str]
    max_results: int | None = None
    country: str | None = None
    search_language_filter: list[str] | None = None
    search_type: str | None = None


def _read_perplexity_search(call: Call) -> Reading:
    if isinstance(body := parsing.read_gateway_json(call, _Search), Refusal):
        return body
    has_several = isinstance(body.query, list) and len(body.query) != 1
    languages = body.search_language_filter or []
    refusal = parsing.first_unsupported_request(
        {
            "query: several": has_several,
            "search_language_filter": len(languages) > 1,
            "search_type": body.search_type not in (None, "web"),
        }
    )
    if refusal is not None:
        return refusal
    if isinstance(filters := parsing.perplexity_filters(body, call.today), Refusal):
        return filters
    fields = parsing.search_fields(
        query=body.query[0] if isinstance(body.query, list) else body.query,
        max_results=10 if body.max_results is None else body.max_results,
        country=body.country,
        language=languages[0] if languages else None,
        **filters,
    )
    return SearchRequest(fields=fields, write=lambda results: _perplexity_reply(results, call.id))


def _perplexity_reply(results: SearchSuccess, call_id: str) -> Reply:
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
    return gateway_json_reply({"id": call_id, "results": rows})


# Not at the root: a Tavily search has the same body and header.
DIALECT = Dialect(
    name="perplexity", title="Perplexity search",
    names={**parsing.PERPLEXITY_NAMES, "language": "search_language_filter"}, keys=header_keys,
    refuse=openai_refusal_reply,
    endpoints=(Endpoint(path="/search", read=_read_perplexity_search, shape=_Search, idle=_IDLE),),
)  # fmt: skip
