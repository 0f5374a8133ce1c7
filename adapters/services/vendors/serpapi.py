"""SerpApi: Google's results. Search only.

https://serpapi.com/search-api; an empty page is an ``error`` beside the status Success:
https://serpapi.com/search-errors (2026-11-15).
"""

from functools import partial

from webseam.ports.backends import REFUSED, Abilities

from .. import google
from ..calls import ServiceCall
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import filter_limits
from ..operations import SearchAsk


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call for one page of a search. SerpApi only takes the key in the URL."""
    query = ask.query
    parameters = {
        "start": str(ask.page * google.ROWS_PER_PAGE) if ask.page else "",
        "safe": google.safe_search_value(query),
        "tbs": google.date_range(query),
        "tbm": "nws" if query.topic == "news" else "",
        "api_key": ask.access.key,
    }
    return google.search_call(ask, "/search", parameters)


SERVICE = Service(
    name="serpapi",
    title="SerpApi",
    site="https://serpapi.com/manage-api-key",
    note="Ten results cost one search.",
    address=ServiceAddress(base_url="https://serpapi.com", endpoints=("/search.json",)),
    options=(api_key("SERPAPI_API_KEY", "SERPAPI_KEY"),),
    offer=Offer(rank=140),
    abilities=Abilities(
        max_results=100,
        filters=google.FILTERS,
        depending=lambda query: filter_limits(
            ("language", REFUSED, not google.language_restriction(query.language)),
            ("safe_search", REFUSED, query.safe_search == "moderate"),
        ),
    ),
    classify=partial(google.reply_error, used_up=("run out", "used up", "used all")),
    search=google.search_operation(
        _encode_search,
        pagination="serpapi_pagination",
        fallback="news_results",
    ),
)
