"""Brave Search: an index of its own. Search only.

Sources: brave-search-python-client 0.4.27 and brave/brave-search-mcp-server; error codes from
bodies that users reported.
"""

import re
from collections.abc import Mapping

from webseam.ports.backends import NATIVE, REFUSED, Abilities, FilterName, Support
from webseam.ports.errors import AuthFailed, QuotaExhausted, RateLimited, WebError
from webseam.ports.web import WebSearchQuery

from ...values.field_values import at, first_value, number, said, texts
from ...values.html_text import html_to_text
from ...values.untrusted_rows import row
from ..calls import Reply, ServiceCall, get_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, OPERATOR_DOMAINS, day_range, filter_limits
from ..operations import Paging, SearchAsk, SearchOperation
from ..replies import RowsResult, image_rows_at, rows_at

_COUNTRY_CODES = (
    "AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE"
    " CH TW TR GB US"
)
_LANGUAGE_CODES = (
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn ko"
    " lv lt ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi"
)
_LANGUAGE_SPELLINGS = {
    "ja": "jp", "zh": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "pt": "pt-pt", "no": "nb",
}  # fmt: skip
_UNPROCESSABLE, _TOO_MANY = 422, 429
_ROWS_PER_PAGE = 20
# The plan's quota, or the owner's spending limit; a short wait does not help.
_USED_UP_CODES = ("QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED")


def _encode_search(ask: SearchAsk) -> ServiceCall:
    query = ask.query
    parameters = {
        "q": query.query,
        "count": str(ask.count) if ask.count else "",
        "offset": str(ask.page) if ask.page else "",
        "country": (query.country or "").upper(),
        "search_lang": _language_code(query.language),
        "safesearch": query.safe_search or "",
        "freshness": day_range(query, "to"),
        "text_decorations": "false",
    }
    kind = query.topic if query.topic in ("news", "images") else "web"
    return get_call(
        f"/res/v1/{kind}/search", parameters, (("x-subscription-token", ask.access.key),)
    )


def _decode_search(reply: Reply) -> RowsResult:
    """Read the web, news or image results; a section without results is absent."""
    if at(reply.payload, "type") == "images":
        return image_rows_at(
            reply,
            "results",
            image=("properties", "url"),
            page="url",
            title=html_to_text,
            signs=("type",),
        )
    news = at(reply.payload, "type") == "news"
    path = ("results",) if news else ("web", "results")
    return rows_at(reply, *path, signs=("type", "query", "web", "news", "mixed"), make=_search_row)


def _next_page_token(reply: Reply) -> str:
    """Return a text if there is a next page; Brave reports that only for web results.

    Images have one page.
    """
    if at(reply.payload, "type") == "images":
        return ""
    has_more = at(reply.payload, "query", "more_results_available")
    if not isinstance(has_more, bool):
        has_more = len(_decode_search(reply).value_or(())) >= _ROWS_PER_PAGE
    return "more" if has_more else ""


def _classify_reply(reply: Reply) -> WebError | None:
    """Tell a refused key from a bad query, and a used-up month from a rate limit."""
    code = at(reply.payload, "error", "code")
    if reply.status == _UNPROCESSABLE and code == "SUBSCRIPTION_TOKEN_INVALID":
        return AuthFailed(status=reply.status, detail=said(reply.payload))
    if code in _USED_UP_CODES:
        return QuotaExhausted(status=reply.status, detail=said(reply.payload))
    if reply.status != _TOO_MANY:
        return None
    has_no_month_left = _rate_windows(reply, "remaining")[1:] == [0]
    if has_no_month_left or _is_quota_used_up(at(reply.payload, "error", "meta")):
        return QuotaExhausted(status=reply.status, detail=said(reply.payload))
    wait = _rate_windows(reply, "reset")[:1]
    if reply.headers.get("retry-after") or not wait:
        return None
    return RateLimited(retry_after=float(wait[0]), detail=said(reply.payload))


def _filter_support(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse countries and languages that Brave does not support, and what images do not have."""
    is_images = query.topic == "images"
    return filter_limits(
        ("published_after", REFUSED, is_images),
        ("published_before", REFUSED, is_images),
        ("safe_search", REFUSED, is_images and query.safe_search == "moderate"),
        ("country", REFUSED, (query.country or "US").upper() not in _COUNTRY_CODES.split()),
        ("language", REFUSED, query.language and not _language_code(query.language)),
    )


def _is_quota_used_up(meta: object) -> bool:
    quota, used = (number(at(meta, name)) for name in ("quota_limit", "quota_current"))
    return quota is not None and used is not None and 0 < quota <= used


def _rate_windows(reply: Reply, name: str) -> list[int]:
    """Return a rate-limit header's value for each window: a second, a month."""
    windows = reply.headers.get(f"x-ratelimit-{name}", "").split(",")
    return [int(part) for part in map(str.strip, windows) if re.fullmatch(r"[0-9]{1,9}", part)]


def _search_row(result: dict[str, object]) -> dict[str, object]:
    return row(
        title=html_to_text(result.get("title")),
        url=result.get("url"),
        snippet=html_to_text(
            first_value(result.get("description"), *texts(result.get("extra_snippets")))
        ),
        published=first_value(result.get("page_age"), result.get("age")),
    )


def _language_code(language: str | None) -> str:
    code = (language or "").lower()
    base = code.partition("-")[0]
    candidates = (_LANGUAGE_SPELLINGS.get(code, code), _LANGUAGE_SPELLINGS.get(base, base))
    return next((name for name in candidates if name in _LANGUAGE_CODES.split()), "")


SERVICE = Service(
    name="brave",
    aliases=("brave-free",),
    title="Brave Search",
    site="https://brave.com/search/api/",
    address=ServiceAddress(
        base_url="https://api.search.brave.com/res/v1",
        env=("BRAVE_API_BASE",),
        endpoints=("/res/v1/web/search", "/res/v1/news/search", "/res/v1/images/search"),
    ),
    options=(api_key("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"),),
    offer=Offer(
        rank=50,
        price=Price(
            search=0.005,
            page="https://api-dashboard.search.brave.com/app/plans",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=100,
        max_query_characters=400,
        filters={
            **OPERATOR_DOMAINS,
            **NATIVE_DATES,
            "country": NATIVE,
            "language": NATIVE,
            "topic": NATIVE,
            "safe_search": NATIVE,
        },
        depending=_filter_support,
        topics=("general", "news", "images"),
    ),
    classify=_classify_reply,
    search=SearchOperation(
        title="html",
        snippet="html",
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(
            size=_ROWS_PER_PAGE, most=10, full=False, counted=True, token=_next_page_token
        ),
    ),
)
