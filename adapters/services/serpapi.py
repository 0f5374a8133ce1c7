"""SerpApi: Google's results. Search only."""

from collections.abc import Mapping, Sequence

from returns.result import Result

from ...ports.backends import NATIVE, REFUSED, FilterName, Support, UntrustedRow
from ...ports.errors import BadPayload, QuotaExhausted, WebError
from ...ports.web import WebSearchQuery
from ..http.failures import said
from ..service.declaration import Service, api_key
from ..service.google import between, beyond_google, interface, restriction, safe
from ..service.operations import Paging, Reply, SearchAsk, SearchOperation, ServiceCall
from ..service.replies import each, listed
from ..values.fields import at, first, text, texts
from ..values.rows import row

_OK, _TOO_MANY = 200, 429
_ROWS_PER_PAGE = 10
_SIGNS = ("search_metadata", "search_parameters", "search_information", "pagination")
_USED_UP = ("run out", "used up", "used all")


def encode_search(ask: SearchAsk) -> ServiceCall:
    """Write one page of a search. The key can only travel in the URL."""
    query = ask.query
    parameters = {
        "engine": "google",
        "q": query.query,
        "start": str(ask.page * _ROWS_PER_PAGE) if ask.page else "",
        "gl": (query.country or "").lower(),
        "hl": interface(query.language),
        "lr": restriction(query.language),
        "safe": safe(query),
        "tbs": between(query),
        "tbm": "nws" if query.topic == "news" else "",
        "api_key": ask.access.key,
    }
    return ServiceCall(
        method="GET",
        path="/search",
        parameters=tuple((name, value) for name, value in parameters.items() if value),
    )


def decode_search(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    """Read the organic results, or the news; what there is none of is absent."""
    news = at(reply.payload, "organic_results") is None
    kind = "news_results" if news else "organic_results"
    return listed(reply, kind, signs=_SIGNS).map(lambda rows: each(rows, _row))


def nothing_found(reply: Reply) -> bool:
    """Tell the error that is none: the search was made, and Google has no results."""
    done = at(reply.payload, "search_metadata", "status") in ("Success", "Cached")
    return reply.status == _OK and done and _has_error_alone(reply)


def next_page(reply: Reply) -> str:
    """Return the address of the next page: only that there is one matters."""
    return text(at(reply.payload, "serpapi_pagination", "next"))


def classify(reply: Reply) -> WebError | None:
    """Tell used-up searches from haste, and find errors in a success."""
    detail = said(reply.payload)
    if reply.status == _TOO_MANY and any(words in detail.lower() for words in _USED_UP):
        return QuotaExhausted(status=reply.status, detail=detail)
    if reply.status == _OK and _has_error_alone(reply):
        return BadPayload(problem="error_object", path="$.error", status=_OK, detail=detail)
    return None


def depending(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse what Google has no parameter for."""
    limits = dict(beyond_google(query))
    return limits if restriction(query.language) else {**limits, "language": REFUSED}


def _has_error_alone(reply: Reply) -> bool:
    rows = at(reply.payload, "organic_results") or at(reply.payload, "news_results")
    return bool(at(reply.payload, "error")) and not rows


def _row(given: dict[str, object]) -> dict[str, object]:
    words = " … ".join(texts(given.get("snippet_highlighted_words")))
    return row(
        title=given.get("title"),
        url=given.get("link"),
        snippet=first(given.get("snippet"), words),
        # News say it both ways; the other one is "2 hours ago".
        published=first(given.get("published_at"), given.get("iso_date"), given.get("date")),
    )


SERVICE = Service(
    name="serpapi",
    title="SerpApi",
    site="https://serpapi.com/manage-api-key",
    note="Ten results are one search of the plan; more are asked for page by page.",
    base_url="https://serpapi.com",
    endpoints=("/search.json",),
    options=(api_key("SERPAPI_API_KEY", "SERPAPI_KEY"),),
    rank=140,
    max_results=100,
    filters={
        "include_domains": "operator",
        "exclude_domains": "operator",
        "published_after": NATIVE,
        "published_before": NATIVE,
        "country": NATIVE,
        "language": NATIVE,
        "topic": NATIVE,
        "safe_search": NATIVE,
    },
    depending=depending,
    classify=classify,
    search=SearchOperation(
        encode=encode_search,
        decode=decode_search,
        empty=nothing_found,
        paging=Paging(size=_ROWS_PER_PAGE, most=10, full=False, token=next_page),
    ),
)
