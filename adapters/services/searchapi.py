"""SearchApi: Google's results. Search only.

https://www.searchapi.io/docs/google
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
    american_date,
    google_call,
    google_error,
    google_language_restriction,
    google_row,
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

_SAFE_SEARCH_VALUES = {"off": "off", "moderate": "blur", "strict": "active"}
_USED_UP_PHRASES = ("run out", "used all", "used up", "quota", "credits")


def encode_searchapi_search(ask: SearchAsk) -> ServiceCall:
    """Write one page of a search."""
    query = ask.query
    own = {
        "engine": "google_news" if query.topic == "news" else "google",
        "page": str(ask.page + 1) if ask.page else "",
        "safe": _SAFE_SEARCH_VALUES.get(query.safe_search or "", ""),
        "time_period_min": american_date(query.published_after),
        "time_period_max": american_date(query.published_before),
    }
    headers = (("authorization", f"Bearer {ask.access.key}"),)
    return google_call(ask, "/api/v1/search", own, headers)


def decode_searchapi_search(reply: Reply) -> RowsResult:
    """Read the organic results, which are absent when there are none."""
    return rows_at(reply, "organic_results", signs=GOOGLE_ANSWER_SIGNS, make=google_row)


def searchapi_next_page(reply: Reply) -> str:
    """Return the address of the next page: only that there is one matters."""
    return text(at(reply.payload, "pagination", "next"))


def classify_searchapi_reply(reply: Reply) -> WebError | None:
    """Find errors in a success, and searches that are used up."""
    return google_error(reply, _USED_UP_PHRASES)


def searchapi_filter_support(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse a topic and languages that there is no parameter for."""
    limits: dict[FilterName, Support] = {}
    if query.topic == "finance":
        limits["topic"] = REFUSED
    if not google_language_restriction(query.language):
        limits["language"] = REFUSED
    return limits


SERVICE = Service(
    name="searchapi",
    title="SearchApi",
    site="https://www.searchapi.io",
    note="Ten results are one search of the plan; more are asked for page by page.",
    address=ServiceAddress(base_url="https://www.searchapi.io", env=("SEARCHAPI_API_BASE",)),
    options=(api_key("SEARCHAPI_API_KEY"),),
    offer=Offer(rank=150),
    abilities=Abilities(
        max_results=100,
        filters=GOOGLE_FILTERS,
        depending=searchapi_filter_support,
    ),
    classify=classify_searchapi_reply,
    search=SearchOperation(
        encode=encode_searchapi_search,
        decode=decode_searchapi_search,
        empty=is_google_empty,
        paging=Paging(size=GOOGLE_ROWS_PER_PAGE, most=10, full=False, token=searchapi_next_page),
    ),
)
