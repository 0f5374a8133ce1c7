"""SearchApi: Google's results. Search only."""

from collections.abc import Mapping, Sequence

from returns.result import Result

from ...ports.backends import NATIVE, REFUSED, FilterName, Support, UntrustedRow
from ...ports.errors import BadPayload, QuotaExhausted, WebError
from ...ports.web import WebSearchQuery
from ..http.failures import said
from ..service.declaration import Service, api_key
from ..service.google import american, interface, restriction
from ..service.operations import Paging, Reply, SearchAsk, SearchOperation, ServiceCall
from ..service.replies import each, listed
from ..values.fields import at, first, text
from ..values.rows import row

_OK, _TOO_MANY = 200, 429
_SIGNS = ("search_metadata", "search_parameters", "search_information", "pagination")
_SAFE = {"off": "off", "moderate": "blur", "strict": "active"}
_USED_UP = ("run out", "used all", "used up", "quota", "credits")


def encode_search(ask: SearchAsk) -> ServiceCall:
    """Write one page of a search; Google gives ten rows on each, whatever is asked for."""
    query = ask.query
    parameters = {
        "engine": "google_news" if query.topic == "news" else "google",
        "q": query.query,
        "page": str(ask.page + 1) if ask.page else "",
        "gl": (query.country or "").lower(),
        "hl": interface(query.language),
        "lr": restriction(query.language),
        "safe": _SAFE.get(query.safe_search or "", ""),
        "time_period_min": american(query.published_after),
        "time_period_max": american(query.published_before),
    }
    return ServiceCall(
        method="GET",
        path="/api/v1/search",
        parameters=tuple((name, value) for name, value in parameters.items() if value),
        headers=(("authorization", f"Bearer {ask.access.key}"),),
    )


def decode_search(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    """Read the organic results, which are absent when there are none."""
    return listed(reply, "organic_results", signs=_SIGNS).map(lambda rows: each(rows, _row))


def nothing_found(reply: Reply) -> bool:
    """Tell the error that is none: the search was made, and Google has no results."""
    done = at(reply.payload, "search_metadata", "status") == "Success"
    return reply.status == _OK and done and _has_error_alone(reply)


def next_page(reply: Reply) -> str:
    """Return the address of the next page: only that there is one matters."""
    return text(at(reply.payload, "pagination", "next"))


def classify(reply: Reply) -> WebError | None:
    """Find errors in a success, and searches that are used up."""
    detail = said(reply.payload)
    if reply.status == _TOO_MANY and any(words in detail.lower() for words in _USED_UP):
        return QuotaExhausted(status=reply.status, detail=detail)
    if reply.status == _OK and _has_error_alone(reply):
        return BadPayload(problem="error_object", path="$.error", status=_OK, detail=detail)
    return None


def depending(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse a topic and languages that there is no parameter for."""
    limits: dict[FilterName, Support] = {}
    if query.topic == "finance":
        limits["topic"] = REFUSED
    if not restriction(query.language):
        limits["language"] = REFUSED
    return limits


def _has_error_alone(reply: Reply) -> bool:
    return bool(at(reply.payload, "error")) and at(reply.payload, "organic_results") is None


def _row(given: dict[str, object]) -> dict[str, object]:
    return row(
        title=given.get("title"),
        url=given.get("link"),
        snippet=given.get("snippet"),
        # News say it both ways; the other one is "2 hours ago".
        published=first(given.get("published_at"), given.get("iso_date"), given.get("date")),
    )


SERVICE = Service(
    name="searchapi",
    title="SearchApi",
    site="https://www.searchapi.io",
    note="Ten results are one search of the plan; more are asked for page by page.",
    base_url="https://www.searchapi.io",
    base_url_env=("SEARCHAPI_API_BASE",),
    options=(api_key("SEARCHAPI_API_KEY"),),
    rank=150,
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
        paging=Paging(size=10, most=10, full=False, token=next_page),
    ),
)
