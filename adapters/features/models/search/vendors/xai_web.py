"""xAI's models with ``web_search``, over Responses.

https://docs.x.ai/docs/guides/tools (read 2026-11-14). The older search parameters of its chat API
return 410. It accepts at most five included or excluded domains, never both.
"""

from webseam.ports.backends import NATIVE, Abilities
from webseam.ports.models import ChatRequest
from webseam.ports.web import WebSearchQuery

from ...providers.xai import XAI
from .. import declaration

_MAX_DOMAINS = 5


def xai_search_request(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the search request, with the filters in the tool."""
    filters = declaration.non_empty_fields(
        allowed_domains=list(query.include_domains), excluded_domains=list(query.exclude_domains)
    )
    tool = {"type": "web_search", **declaration.non_empty_fields(filters=filters)}
    return declaration.search_model_request(query, model, tool)


SEARCH_MODEL = declaration.SearchModel(
    name="xai_web",
    title="xAI web search",
    site="https://docs.x.ai",
    provider=XAI,
    model="grok-4.5",
    ask=xai_search_request,
    abilities=Abilities(
        filters={"include_domains": NATIVE, "exclude_domains": NATIVE},
        depending=declaration.one_domain_list_rule(_MAX_DOMAINS),
    ),
)
