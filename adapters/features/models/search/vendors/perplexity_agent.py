"""Perplexity's Agent API: its models, with the tool that searches.

https://docs.perplexity.ai (read 2026-11-14). Without the tool it does not search. Excluded domains
have a minus before them, in the same list as included ones.
"""

from datetime import date

from webseam.ports.backends import NATIVE, Abilities
from webseam.ports.models import ChatRequest
from webseam.ports.web import WebSearchQuery

from ...providers.perplexity import PERPLEXITY
from ..declaration import (
    SearchModel,
    non_empty_fields,
    one_domain_list_rule,
    search_model_request,
)

_MAX_DOMAINS = 20


def perplexity_search_request(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the search request, with the filters in the tool."""
    filters = non_empty_fields(
        search_domain_filter=[
            *query.include_domains,
            *(f"-{name}" for name in query.exclude_domains),
        ],
        search_after_date_filter=_date_text(query.published_after),
        search_before_date_filter=_date_text(query.published_before),
    )
    location = non_empty_fields(country=(query.country or "").upper())
    tool = {"type": "web_search", **non_empty_fields(filters=filters, user_location=location)}
    return search_model_request(query, model, tool)


def _date_text(day: date | None) -> str:
    return "" if day is None else day.strftime("%m/%d/%Y")


SEARCH_MODEL = SearchModel(
    name="perplexity_agent",
    title="Perplexity Agent API",
    site="https://docs.perplexity.ai",
    provider=PERPLEXITY,
    model="perplexity/sonar",
    ask=perplexity_search_request,
    abilities=Abilities(
        filters={
            "include_domains": NATIVE,
            "exclude_domains": NATIVE,
            "published_after": NATIVE,
            "published_before": NATIVE,
            "country": NATIVE,
        },
        depending=one_domain_list_rule(_MAX_DOMAINS),
    ),
)
