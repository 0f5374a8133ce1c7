"""SearchApi: Google's results. Search only. https://www.searchapi.io/docs/google."""

from functools import partial

from webseam.ports.backends import REFUSED, Abilities

from .. import google
from ..calls import ServiceCall, bearer_headers
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import filter_limits
from ..operations import SearchAsk

_SAFE_SEARCH_VALUES = {"off": "off", "moderate": "blur", "strict": "active"}
_USED_UP_PHRASES = ("run out", "used all", "used up", "quota", "credits")


def _encode_search(ask: SearchAsk) -> ServiceCall:
    query = ask.query
    parameters = {
        "engine": "google_news" if query.topic == "news" else "google",
        "page": str(ask.page + 1) if ask.page else "",
        "safe": _SAFE_SEARCH_VALUES.get(query.safe_search or "", ""),
        "time_period_min": google.american_date(query.published_after),
        "time_period_max": google.american_date(query.published_before),
    }
    headers = bearer_headers(ask.access)
    return google.search_call(ask, "/api/v1/search", parameters, headers)


SERVICE = Service(
    name="searchapi",
    title="SearchApi",
    site="https://www.searchapi.io",
    note="Ten results cost one search.",
    address=ServiceAddress(base_url="https://www.searchapi.io", env=("SEARCHAPI_API_BASE",)),
    options=(api_key("SEARCHAPI_API_KEY"),),
    offer=Offer(rank=150),
    abilities=Abilities(
        max_results=100,
        filters=google.FILTERS,
        depending=lambda query: filter_limits(
            ("language", REFUSED, not google.language_restriction(query.language)),
        ),
    ),
    classify=partial(google.reply_error, used_up=_USED_UP_PHRASES),
    search=google.search_operation(_encode_search, pagination="pagination"),
)
