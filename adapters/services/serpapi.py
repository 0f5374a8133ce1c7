"""SerpApi: Google's results. Search only.

https://serpapi.com/search-api; an empty page is an ``error`` beside the status Success:
https://serpapi.com/search-errors (2026-11-15).
"""

from collections.abc import Mapping

from ...ports.backends import REFUSED, Abilities, FilterName, Support
from ...ports.errors import WebError
from ...ports.web import WebSearchQuery
from ..service.declaration import Offer, Service, ServiceAddress, api_key
from ..service.google import (
    GOOGLE_ANSWER_SIGNS,
    GOOGLE_FILTERS,
    GOOGLE_ROWS_PER_PAGE,
    google_call,
    google_date_range,
    google_error,
    google_filter_support,
    google_language_restriction,
    google_row,
    google_safe_search,
    is_google_empty,
)
from ..service.operations import (
    Paging,
    Reply,
    RowsResult,
    SearchAsk,
    SearchOperation,
    ServiceCall,
    rows_at,
)
from ..values.field_values import at
from ..values.json_values import text

_USED_UP_PHRASES = ("run out", "used up", "used all")


def encode_serpapi_search(ask: SearchAsk) -> ServiceCall:
    """Write one page of a search. The key can only travel in the URL."""
    query = ask.query
    own = {
        "start": str(ask.page * GOOGLE_ROWS_PER_PAGE) if ask.page else "",
        "safe": google_safe_search(query),
        "tbs": google_date_range(query),
        "tbm": "nws" if query.topic == "news" else "",
        "api_key": ask.access.key,
    }
    return google_call(ask, "/search", own)


def decode_serpapi_search(reply: Reply) -> RowsResult:
    """Read the organic results, or the news; what there is none of is absent."""
    news = at(reply.payload, "organic_results") is None
    kind = "news_results" if news else "organic_results"
    return rows_at(reply, kind, signs=GOOGLE_ANSWER_SIGNS, make=google_row)


def serpapi_next_page(reply: Reply) -> str:
    """Return the address of the next page: only that there is one matters."""
    return text(at(reply.payload, "serpapi_pagination", "next"))


def classify_serpapi_reply(reply: Reply) -> WebError | None:
    """Tell used-up searches from haste, and find errors in a success."""
    return google_error(reply, _USED_UP_PHRASES)


def serpapi_filter_support(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse what Google has no parameter for."""
    limits = dict(google_filter_support(query))
    return (
        limits if google_language_restriction(query.language) else {**limits, "language": REFUSED}
    )


SERVICE = Service(
    name="serpapi",
    title="SerpApi",
    site="https://serpapi.com/manage-api-key",
    note="Ten results are one search of the plan; more are asked for page by page.",
    address=ServiceAddress(base_url="https://serpapi.com", endpoints=("/search.json",)),
    options=(api_key("SERPAPI_API_KEY", "SERPAPI_KEY"),),
    offer=Offer(rank=140),
    abilities=Abilities(
        max_results=100,
        filters=GOOGLE_FILTERS,
        depending=serpapi_filter_support,
    ),
    classify=classify_serpapi_reply,
    search=SearchOperation(
        encode=encode_serpapi_search,
        decode=decode_serpapi_search,
        empty=is_google_empty,
        paging=Paging(size=GOOGLE_ROWS_PER_PAGE, most=10, full=False, token=serpapi_next_page),
    ),
)
