"""Brave Search: an index of its own. Search only."""

from collections.abc import Mapping, Sequence

from returns.result import Result

from ...ports.abilities import NATIVE, REFUSED, FilterName, Support
from ...ports.errors import AuthFailed, WebError
from ...ports.web import UntrustedRow, WebSearchQuery
from ..http.failures import said
from ..http.service import Call, Paging, Reply, SearchAsk, SearchOperation, Service, api_key
from ..shapes.fields import at, each, first, listed, texts
from ..shapes.rows import row

_LANGUAGES = {"ja": "jp", "zh": "zh-hans", "pt": "pt-pt"}
_OPEN_START, _OPEN_END = "1970-01-01", "2099-12-31"
_UNPROCESSABLE = 422


def encode_search(ask: SearchAsk) -> Call:
    """Write one page of a search."""
    query = ask.query
    parameters = {
        "q": query.query,
        "count": str(ask.count) if ask.count else "",
        "offset": str(ask.page) if ask.page else "",
        "country": (query.country or "").upper(),
        "search_lang": _language(query.language),
        "safesearch": query.safe_search or "",
        "freshness": _freshness(query),
        "text_decorations": "false",
    }
    path = "/news/search" if query.topic == "news" else "/web/search"
    return Call(
        method="GET",
        path=path,
        parameters=tuple((name, value) for name, value in parameters.items() if value),
        headers=(("x-subscription-token", ask.access.key),),
    )


def decode_search(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    """Read the web section, or the news: a section without results is absent."""
    news = at(reply.payload, "type") == "news"
    path = ("results",) if news else ("web", "results")
    return listed(reply, *path, optional=True).map(lambda rows: each(rows, _row))


def classify(reply: Reply) -> WebError | None:
    """Tell a refused key, which Brave calls an unprocessable request, from a bad query."""
    code = at(reply.payload, "error", "code")
    if reply.status == _UNPROCESSABLE and code == "SUBSCRIPTION_TOKEN_INVALID":
        return AuthFailed(status=reply.status, detail=said(reply.payload))
    return None


def depending(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse the one topic that Brave has no section for."""
    return {"topic": REFUSED} if query.topic == "finance" else {}


def _row(given: dict[str, object]) -> dict[str, object]:
    return row(
        title=given.get("title"),
        url=given.get("url"),
        snippet=first(given.get("description"), *texts(given.get("extra_snippets"))),
        published=first(given.get("page_age"), given.get("age")) or None,
    )


def _language(language: str | None) -> str:
    code = (language or "").lower()
    if code in ("pt-br", "en-gb", "zh-tw"):
        return "zh-hant" if code == "zh-tw" else code
    base = code.partition("-")[0]
    return _LANGUAGES.get(base, base)


def _freshness(query: WebSearchQuery) -> str:
    after, before = query.published_after, query.published_before
    if after is None and before is None:
        return ""
    return f"{after or _OPEN_START}to{before or _OPEN_END}"


SERVICE = Service(
    name="brave",
    aliases=("brave-free",),
    title="Brave Search",
    site="https://brave.com/search/api/",
    base_url="https://api.search.brave.com/res/v1",
    options=(api_key("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"),),
    rank=50,
    max_results=100,
    max_query_characters=400,
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
        encode=encode_search, decode=decode_search, paging=Paging(size=20, most=5)
    ),
)
