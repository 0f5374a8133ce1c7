"""Any model on OpenRouter, with OpenRouter's own search.

https://openrouter.ai/docs (read 2026-11-14). The tool replaces the ``web`` plugin and ``:online``,
which still work. Its annotations contain a passage of each page.
"""

from webseam.ports.backends import NATIVE, Abilities
from webseam.ports.models import ChatRequest
from webseam.ports.web import WebSearchQuery

from ...providers.openrouter import OPENROUTER
from .. import declaration

_MAX_DOMAINS = 100
_MAX_RESULTS = 25


def openrouter_search_request(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the search request, with limit and filters in the tool."""
    parameters = declaration.non_empty_fields(
        max_results=min(query.max_results or 0, _MAX_RESULTS),
        allowed_domains=list(query.include_domains),
        excluded_domains=list(query.exclude_domains),
        user_location=declaration.search_tool_location(query),
    )
    tool = {"type": "openrouter:web_search", "parameters": parameters}
    return declaration.search_model_request(query, model, tool)


SEARCH_MODEL = declaration.SearchModel(
    name="openrouter_web",
    title="OpenRouter web search",
    site="https://openrouter.ai/docs",
    provider=OPENROUTER,
    model="openrouter/auto",
    ask=openrouter_search_request,
    abilities=Abilities(
        max_results=_MAX_RESULTS,
        filters={"include_domains": NATIVE, "exclude_domains": NATIVE, "country": NATIVE},
        depending=declaration.one_domain_list_rule(_MAX_DOMAINS),
    ),
)
