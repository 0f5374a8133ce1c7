"""Perplexity's search API as LiteLLM and Open WebUI call it; only under its prefix.

https://docs.perplexity.ai/api-reference/search-post (read 2026-11-15)
"""

from collections.abc import Sequence

from .. import asks, request_parsing as parsing, search_filters
from ..replies import Call, Refusal, Reply, json_reply, openai_refusal_reply
from .openai.chat_completions import ChatBody, read_chat_call
from .openai.chat_messages import CHAT_DEFAULTS, CHAT_IDLE_FIELDS

_MAX_QUERIES = 5

_IDLE_FIELDS = frozenset(
    {"max_tokens", "max_tokens_per_page", "search_context_size", "display_server_time"}
)

_DEFAULTS = {"display_server_time": False}


class _Search(search_filters.PerplexityFilters, kw_only=True):
    query: str | list[str]
    max_results: parsing.RowCount | None = None
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
    if isinstance(filters := search_filters.perplexity_filters(body, call.today), Refusal):
        return filters
    fields = parsing.present_fields(
        max_results=10 if body.max_results is None else body.max_results,
        country=body.country,
        language=languages[0] if languages else None,
        **filters,
    )
    searches = [{**fields, "query": query} for query in queries]
    return asks.search_in_turn(searches, lambda found: _search_reply(found, call.id))


def _search_reply(found: Sequence[asks.SearchSuccess], call_id: str) -> Reply:
    """Return the rows of each query in turn, every URL once."""
    rows = [
        {
            "title": row.title,
            "url": row.url,
            "snippet": row.snippet,
            "date": row.published_at,
            # No backend says when a page was changed.
            "last_updated": None,
        }
        for _, row in asks.rows_in_turn(found)
    ]
    return json_reply({"id": call_id, "results": rows})


# Not at the root: a Tavily search has the same body and header.
DIALECT = asks.Dialect(
    name="perplexity",
    title="Perplexity",
    keys=asks.header_keys,
    refuse=openai_refusal_reply,
    names={**search_filters.PERPLEXITY_FIELD_NAMES, "language": "search_language_filter"},
    endpoints=(
        asks.Endpoint(
            path="/search",
            read=_read_search,
            shape=_Search,
            idle=_IDLE_FIELDS,
            defaults=_DEFAULTS,
        ),
        asks.Endpoint(
            path="/chat/completions",
            read=read_chat_call,
            shape=ChatBody,
            idle=CHAT_IDLE_FIELDS,
            defaults=CHAT_DEFAULTS,
        ),
    ),
)
