"""Perplexity's search API as LiteLLM and Open WebUI call it; only under its prefix.

https://docs.perplexity.ai/api-reference/search-post (read 2026-11-15)
"""

from collections.abc import Sequence
from itertools import zip_longest

from .. import asks, request_parsing as parsing
from ..replies import Call, Refusal, Reply, json_reply, openai_refusal_reply
from .openai.chat_completions import ChatBody, read_chat_call
from .openai.chat_messages import CHAT_IDLE_FIELDS

_MAX_QUERIES = 5

_IDLE_FIELDS = frozenset(
    {"max_tokens", "max_tokens_per_page", "search_context_size", "display_server_time"}
)


class _Search(parsing.PerplexityFilters, kw_only=True):
    query: str | list[str]
    max_results: int | None = None
    country: str | None = None
    search_language_filter: list[str] | None = None
    search_type: str | None = None


def _read_search(call: Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Search), Refusal):
        return body
    queries = [body.query] if isinstance(body.query, str) else body.query
    languages = body.search_language_filter or []
    refusal = parsing.refuse_unsupported_options(
        {
            "query": not 0 < len(queries) <= _MAX_QUERIES,
            "search_language_filter": len(languages) > 1,
            "search_type": body.search_type not in (None, "web"),
        }
    )
    if refusal is not None:
        return refusal
    if isinstance(filters := parsing.perplexity_filters(body, call.today), Refusal):
        return filters
    fields = parsing.present_fields(
        max_results=10 if body.max_results is None else body.max_results,
        country=body.country,
        language=languages[0] if languages else None,
        **filters,
    )
    return _search_request(fields, queries, (), call.id)


def _search_request(
    fields: dict[str, object],
    queries: list[str],
    found: tuple[asks.SearchSuccess, ...],
    call_id: str,
) -> asks.SearchRequest:
    """Return the search for the first query, which the searches for the others follow."""

    def write(results: asks.SearchSuccess) -> asks.Written:
        if queries[1:]:
            return _search_request(fields, queries[1:], (*found, results), call_id)
        return _search_reply((*found, results), call_id)

    return asks.SearchRequest(fields={**fields, "query": queries[0]}, write=write)


def _search_reply(found: Sequence[asks.SearchSuccess], call_id: str) -> Reply:
    """Return the rows of each query in turn, every URL once."""
    turns = zip_longest(*(results.outcome.rows for results in found))
    distinct = {row.url: row for turn in turns for row in turn if row is not None}
    rows = [
        {
            "title": row.title, "url": row.url, "snippet": row.snippet, "date": row.published_at,
            "last_updated": row.published_at,
        }
        for row in distinct.values()
    ]  # fmt: skip
    return json_reply({"id": call_id, "results": rows})


# Not at the root: a Tavily search has the same body and header.
DIALECT = asks.Dialect(
    name="perplexity", title="Perplexity", keys=asks.header_keys, refuse=openai_refusal_reply,
    names={**parsing.PERPLEXITY_FIELD_NAMES, "language": "search_language_filter"},
    endpoints=(
        asks.Endpoint(path="/search", read=_read_search, shape=_Search, idle=_IDLE_FIELDS),
        asks.Endpoint(
            path="/chat/completions", read=read_chat_call, shape=ChatBody, idle=CHAT_IDLE_FIELDS
        ),
    ),
)  # fmt: skip
