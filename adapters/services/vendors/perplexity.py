"""Perplexity's Search API: long extracts, no model. Sources: perplexityai 0.46.1, OpenAPI."""

from webseam.ports.backends import REFUSED, Abilities
from webseam.ports.web import WebSearchQuery

from ...values.untrusted_rows import RowReader
from ..calls import Reply, ServiceCall, bearer_headers, post_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, NATIVE_DOMAINS, filter_limits, native_filters
from ..google import american_date
from ..operations import SearchAsk, SearchOperation
from ..replies import RowsResult, each, list_at

_MAX_DOMAINS = 20
_LANGUAGE_CODE_CHARS = 2
_search_row = RowReader("title", "url", "snippet", "date", truncates=True)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; excluded domains are in the same list, with a minus."""
    query = ask.query
    domains = [*query.include_domains, *(f"-{name}" for name in query.exclude_domains)]
    fields: dict[str, object] = {
        "query": query.query,
        "max_results": ask.count,
        "search_domain_filter": domains,
        "search_language_filter": [_language_code(query)] if query.language else None,
        "country": (query.country or "").upper(),
        "search_after_date_filter": american_date(query.published_after),
        "search_before_date_filter": american_date(query.published_before),
    }
    return post_call("/search", fields, bearer_headers(ask.access))


def _decode_search(reply: Reply) -> RowsResult:
    """Read the rows; early versions sent a list of rows for each query."""
    return list_at(reply, "results").map(lambda rows: each(_flatten_rows(rows), _search_row))


def _language_code(query: WebSearchQuery) -> str:
    return (query.language or "").lower().partition("-")[0]


def _flatten_rows(rows: list[object]) -> list[object]:
    return [row for part in rows for row in (part if isinstance(part, list) else [part])]


SERVICE = Service(
    name="perplexity",
    title="Perplexity Search",
    site="https://www.perplexity.ai/account/api/keys",
    note="Each extract is cut to 2000 characters.",
    address=ServiceAddress(
        base_url="https://api.perplexity.ai",
        env=("PERPLEXITY_BASE_URL", "PERPLEXITY_API_BASE", "PERPLEXITY_SEARCH_API_URL"),
    ),
    options=(api_key("PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY", pattern=r"pplx-\S+"),),
    offer=Offer(
        rank=70,
        price=Price(
            search=0.005,
            page="https://docs.perplexity.ai/getting-started/pricing",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=20,
        filters={**NATIVE_DOMAINS, **NATIVE_DATES, **native_filters("country", "language")},
        # Send one list of at most 20 domains; refuse languages without a two-letter code.
        depending=lambda query: filter_limits(
            ("include_domains", "rows", len(query.include_domains) > _MAX_DOMAINS),
            ("exclude_domains", "rows", query.include_domains),
            ("exclude_domains", "rows", len(query.exclude_domains) > _MAX_DOMAINS),
            ("language", REFUSED, len(_language_code(query)) != _LANGUAGE_CODE_CHARS),
        ),
    ),
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        snippet="markdown",
    ),
)
