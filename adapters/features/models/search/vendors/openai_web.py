"""OpenAI's models with ``web_search``, over Responses.

https://platform.openai.com/docs/guides/tools-web-search (read 2026-11-14). ``tool_choice`` makes it
search, ``include`` returns uncited sources, and without a location it searches as from the US.
"""

from msgspec.structs import replace

from webseam.ports.backends import NATIVE, Abilities
from webseam.ports.models import ChatRequest
from webseam.ports.web import WebSearchQuery

from ...providers.openai import OPENAI
from ..declaration import SearchModel, max_domains_rule, non_empty_fields, search_model_request

_MAX_DOMAINS = 100


def openai_search_request(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the search request, with the filters in the tool."""
    country = non_empty_fields(country=(query.country or "").upper())
    tool = {
        "type": "web_search",
        "user_location": {"type": "approximate", **country},
        **non_empty_fields(filters=non_empty_fields(allowed_domains=list(query.include_domains))),
    }
    include = ("web_search_call.action.sources",)
    request = search_model_request(query, model, tool)
    return replace(request, tool_choice="required", include=include)


SEARCH_MODEL = SearchModel(
    name="openai_web",
    title="OpenAI web search",
    site="https://platform.openai.com",
    provider=OPENAI,
    model="gpt-5-mini",
    ask=openai_search_request,
    abilities=Abilities(
        filters={"include_domains": NATIVE, "exclude_domains": "rows", "country": NATIVE},
        depending=max_domains_rule(_MAX_DOMAINS),
    ),
)
