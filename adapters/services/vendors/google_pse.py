"""Google's Programmable Search Engine, by the Custom Search JSON API. Search only.

Source: the discovery document customsearch.v1 of google-api-python-client.
"""

from webseam.ports.backends import REFUSED, Abilities
from webseam.ports.errors import AuthFailed, QuotaExhausted, RateLimited, WebError

from ...values.field_values import at, collapse_blanks, first_value, number, said
from ...values.html_text import html_to_text
from ...values.json_values import as_list
from ...values.untrusted_rows import row
from .. import google
from ..calls import Reply, ServiceCall, get_call
from ..declaration import Offer, Option, Price, Service, ServiceAddress, api_key
from ..filters import NATIVE_DOMAINS, ROW_DATES, filter_limits, native_filters
from ..operations import Paging, SearchAsk, SearchOperation
from ..replies import rows_decoder

# The first row's number plus the number of rows may be at most 100, so the last page has 9.
_MAX_RESULTS = 99
_BAD_REQUEST, _TOO_MANY, _FIRST_ERROR = 400, 429, 400
_QUOTA_REASONS = frozenset({"dailyLimitExceeded", "quotaExceeded"})
_ANSWER_SIGNS = ("kind", "queries", "searchInformation", "context", "url")
_RATE_LIMIT_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call for one page of a search. The API only takes the key in the URL."""
    query, access = ask.query, ask.access
    start = int(ask.token or 1)
    included, excluded = query.include_domains, query.exclude_domains
    site_filter = ""
    if included:
        site_filter = "i"
    elif excluded:
        site_filter = "e"
    parameters = {
        "key": access.key,
        "cx": access.value("engine_id"),
        "q": query.query,
        "num": str(min(ask.count, _MAX_RESULTS + 1 - start)) if ask.count else "",
        "start": str(start) if ask.token else "",
        "gl": (query.country or "").lower(),
        "lr": google.language_restriction(query.language),
        "hl": google.interface_language(query.language),
        "safe": google.safe_search_value(query),
        "siteSearch": (*included, *excluded, "")[0],
        "siteSearchFilter": site_filter,
    }
    referer = access.value("referer")
    return get_call("/customsearch/v1", parameters, (("referer", referer),) if referer else ())


def _next_page_token(reply: Reply) -> str:
    """Return the number of the next page's first row; empty after the last page."""
    start = number(at(reply.payload, "queries", "nextPage", 0, "startIndex"))
    return str(int(start)) if start is not None and 1 < start <= _MAX_RESULTS else ""


def _classify_reply(reply: Reply) -> WebError | None:
    """Tell a used-up day from a rate limit, and find a refused key behind a 400."""
    if reply.status < _FIRST_ERROR:
        return None
    detail = said(reply.payload)
    reasons = _error_reasons(reply.payload)
    if reasons & _QUOTA_REASONS or (reply.status == _TOO_MANY and "per day" in detail):
        return QuotaExhausted(status=reply.status, detail=detail)
    if reasons & _RATE_LIMIT_REASONS and reply.status != _TOO_MANY:
        return RateLimited(status=reply.status, detail=detail)
    if reply.status == _BAD_REQUEST and reasons & {"API_KEY_INVALID", "keyInvalid"}:
        return AuthFailed(status=reply.status, detail=detail)
    return None


def _error_reasons(payload: object) -> frozenset[object]:
    lists = (as_list(at(payload, "error", name)) for name in ("errors", "details"))
    reasons = (at(error, "reason") for errors in lists for error in errors)
    return frozenset(reason for reason in reasons if isinstance(reason, str))


def _search_row(result: dict[str, object]) -> dict[str, object]:
    return row(
        title=first_value(result.get("title"), html_to_text(result.get("htmlTitle"))),
        url=result.get("link"),
        snippet=first_value(
            _unwrap(result.get("snippet")), html_to_text(result.get("htmlSnippet"))
        ),
        published=at(result, "pagemap", "metatags", 0, "article:published_time"),
    )


def _unwrap(snippet: object) -> object:
    """Return a snippet on one line: Google breaks it into those of its own page."""
    return collapse_blanks(snippet) if isinstance(snippet, str) else snippet


_decode_search = rows_decoder("items", signs=_ANSWER_SIGNS, make=_search_row)
SERVICE = Service(
    name="google_pse",
    title="Google Programmable Search",
    site="https://programmablesearchengine.google.com",
    note="Google Programmable Search: closed to new customers, ends on 2027-01-01.",
    address=ServiceAddress(base_url="https://www.googleapis.com", env=("GOOGLE_PSE_API_BASE",)),
    options=(
        api_key("GOOGLE_PSE_API_KEY", "GOOGLE_API_KEY"),
        Option(
            name="engine_id",
            title="engine id",
            env=("GOOGLE_PSE_ENGINE_ID", "GOOGLE_CSE_ID"),
            secret=True,
            help="which its API calls cx",
        ),
        Option(
            name="referer",
            title="referer",
            required=False,
            help="only for a key that is restricted to a web site: that site's address",
        ),
    ),
    offer=Offer(
        rank=130,
        price=Price(
            search=0.005,
            page="https://developers.google.com/custom-search/v1/overview",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=_MAX_RESULTS,
        filters={
            **NATIVE_DOMAINS,
            **ROW_DATES,
            **native_filters("country", "language", "safe_search"),
        },
        # Send one site as a parameter, several as operators; refuse values without a parameter.
        depending=lambda query: filter_limits(
            ("include_domains", "operator", len(query.include_domains) > 1),
            ("exclude_domains", "operator", query.include_domains),
            ("exclude_domains", "operator", len(query.exclude_domains) > 1),
            ("language", REFUSED, not google.language_restriction(query.language)),
            ("safe_search", REFUSED, query.safe_search == "moderate"),
        ),
    ),
    classify=_classify_reply,
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(size=10, most=10, full=False, token=_next_page_token),
    ),
)
