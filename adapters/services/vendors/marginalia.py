"""Marginalia: an index of the small, old and independent web. Search only.

Source: the server's source (ApiV2.java, LicenseService, RateLimiterService), as of July 2026.
"""

from webseam.ports.backends import REFUSED, Abilities
from webseam.ports.errors import QuotaExhausted, WebError

from ...values.untrusted_rows import RowReader
from ..calls import Reply, ServiceCall, get_call
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import filter_limits, native_filters
from ..operations import SearchAsk, SearchOperation
from ..replies import rows_decoder

_SAFE_SEARCH_VALUES = {"off": "0", "strict": "1"}
_TOO_MANY_REQUESTS = 429
_decode_search = rows_decoder("results", make=RowReader("title", "url", "description"))


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; Marginalia allows a hundred rows on one page."""
    query = ask.query
    parameters = {
        "query": query.query,
        "count": str(ask.count or ""),
        "nsfw": _SAFE_SEARCH_VALUES.get(query.safe_search or "", ""),
        "lang": (query.language or "").partition("-")[0].lower(),
    }
    return get_call("/search", parameters, (("api-key", ask.access.key or "public"),))


def _classify_reply(reply: Reply) -> WebError | None:
    """Tell the daily limit, for which waiting does not help, from the limit per minute."""
    remaining = reply.headers.get("api-remaining-daily-capacity", "").strip()
    if reply.status == _TOO_MANY_REQUESTS and (remaining == "0" or reply.text.startswith("Daily")):
        return QuotaExhausted(status=reply.status, detail=reply.text)
    return None


SERVICE = Service(
    name="marginalia",
    title="Marginalia Search",
    site="https://about.marginalia-search.com/article/api/",
    note=(
        "Results are under CC-BY-NC-SA 4.0 unless your key says otherwise. The key that "
        "everybody shares is often used up."
    ),
    address=ServiceAddress(base_url="https://api2.marginalia-search.com"),
    options=(
        api_key("MARGINALIA_API_KEY", required=False, help="else the one that everybody shares"),
    ),
    offer=Offer(keyless=("search",), rank=300),
    abilities=Abilities(
        max_results=100,
        filters={
            "include_domains": "operator",
            "exclude_domains": "rows",
            **native_filters("language", "safe_search"),
        },
        # Send one site in the query; filter several sites on the rows.
        depending=lambda query: filter_limits(
            ("include_domains", "rows", len(query.include_domains) > 1),
            ("safe_search", REFUSED, query.safe_search == "moderate"),
        ),
    ),
    classify=_classify_reply,
    search=SearchOperation(encode=_encode_search, decode=_decode_search),
)
