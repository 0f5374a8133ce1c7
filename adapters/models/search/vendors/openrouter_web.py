"""Any model behind OpenRouter, with OpenRouter's own search.

https://openrouter.ai/docs (read 2026-11-14). The tool takes the place of the ``web`` plugin and of
``:online``, which still work. Its annotations hold a passage of each page.
"""

from .....ports.backends import NATIVE, Abilities
from .....ports.models.chat import ChatRequest
from .....ports.web import WebSearchQuery
from ...providers.openrouter import OPENROUTER
from ..declaration import (
    INSTRUCTIONS,
    SearchModel,
    fields_with_values,
    one_domain_list_rule,
    query_messages,
)

_MAX_DOMAINS = 100
_MAX_RESULTS = 25


def ask(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the call, with limit and filters in the tool."""
    place = {"type": "approximate", "country": query.country.upper()} if query.country else None
    parameters = fields_with_values(
        max_results=min(query.max_results or 0, _MAX_RESULTS),
        allowed_domains=list(query.include_domains),
        excluded_domains=list(query.exclude_domains),
        user_location=place,
    )
    tool = {"type": "openrouter:web_search", "parameters": parameters}
    return ChatRequest(
        model=model, messages=query_messages(query), tools=(tool,), instructions=INSTRUCTIONS
    )


SEARCH_MODEL = SearchModel(
    name="openrouter_web",
    title="OpenRouter web search",
    site="https://openrouter.ai/docs",
    provider=OPENROUTER,
    model="openrouter/auto",
    ask=ask,
    abilities=Abilities(
        max_results=_MAX_RESULTS,
        filters={"include_domains": NATIVE, "exclude_domains": NATIVE, "country": NATIVE},
        depending=one_domain_list_rule(_MAX_DOMAINS),
    ),
)
