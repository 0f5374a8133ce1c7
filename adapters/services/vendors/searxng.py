"""SearXNG: your own metasearch. Search only.

Sources: docs/dev/search_api.rst, webutils.py and botdetection/ip_limit.py of SearXNG's source.
"""

from collections.abc import Mapping

from returns.result import Failure

from webseam.ports.backends import REFUSED, Abilities, FilterName, Support
from webseam.ports.errors import BadPayload, HttpStatus, WebError
from webseam.ports.web import WebSearchQuery

from ...values.field_values import at, texts
from ...values.json_values import as_list
from ...values.untrusted_rows import RowReader
from ..calls import Reply, ServiceCall, bearer_headers, get_call
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import ROW_DATES, filter_limits, native_filters
from ..operations import Paging, SearchAsk, SearchOperation
from ..replies import RowsResult, each, image_rows_at, list_at

_FORBIDDEN = 403
_SAFE_SEARCH_VALUES = {"off": "0", "moderate": "1", "strict": "2"}
_JSON_OFF_DETAIL = (
    "JSON is off there, which is the default: add json to search.formats in its settings.yml"
)
_search_row = RowReader("title", "url", "content", "publishedDate pubdate", "score")


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call for one page of a search; the engines decide its number of rows."""
    query = ask.query
    parameters = {
        "q": query.query,
        "format": "json",
        "pageno": str(ask.page + 1) if ask.page else "",
        "language": _locale(query),
        "safesearch": _SAFE_SEARCH_VALUES.get(query.safe_search or "", ""),
        "categories": query.topic if query.topic in ("news", "images") else "",
    }
    # SearXNG's limiter refuses requests without this header.
    headers = (("accept-language", "*"), *bearer_headers(ask.access))
    return get_call("/search", parameters, headers)


def _decode_search(reply: Reply) -> RowsResult:
    """Read the rows; no rows while engines failed is an error."""
    results = list_at(reply, "results")
    engines = as_list(at(reply.payload, "unresponsive_engines"))
    reasons = [": ".join(texts(engine)) for engine in engines]
    failed_engines = ", ".join(reason for reason in reasons if reason)
    # A later page without rows is the end of the results, even if engines failed.
    if results.value_or(None) == [] and failed_engines and not reply.page:
        path, detail = "$.unresponsive_engines", failed_engines
        return Failure(BadPayload(problem="error_object", path=path, status=200, detail=detail))
    if all(at(result, "template") == "images.html" for result in results.value_or([None])):
        return image_rows_at(reply, "results", image=("img_src",), page="url")
    return results.map(lambda rows: each(rows, _search_row))


def _classify_reply(reply: Reply) -> WebError | None:
    """Explain a 403, which usually means that JSON is off."""
    if reply.status == _FORBIDDEN:
        return HttpStatus(status=reply.status, detail=_JSON_OFF_DETAIL)
    return None


def _filter_support(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse a country without its language."""
    language, _, region = (query.language or "").lower().partition("-")
    is_other_region = region not in ("", (query.country or "").lower())
    return filter_limits(
        ("country", REFUSED, not language or is_other_region),
    )


def _locale(query: WebSearchQuery) -> str:
    language, _, region = (query.language or "").partition("-")
    country = (region or query.country or "").upper()
    return f"{language.lower()}-{country}" if language and country else language.lower()


SERVICE = Service(
    name="searxng",
    title="SearXNG",
    site="https://docs.searxng.org",
    note=(
        "Set the address of your instance, and add json to search.formats in its settings.yml, "
        "or it answers 403."
    ),
    address=ServiceAddress(env=("SEARXNG_URL", "SEARXNG_API_BASE", "SEARXNG_QUERY_URL")),
    options=(
        api_key(
            "SEARXNG_API_KEY",
            required=False,
            help="only for an instance behind a gate that wants a bearer token",
        ),
    ),
    offer=Offer(keyless=("search",), rank=120),
    abilities=Abilities(
        max_results=100,
        filters={
            "include_domains": "operator",
            "exclude_domains": "rows",
            **ROW_DATES,
            **native_filters("country", "language", "topic", "safe_search"),
        },
        depending=_filter_support,
        needs={"country": "language"},
        topics=("general", "news", "images"),
    ),
    classify=_classify_reply,
    preset={
        "path": "/search",
        "parameters": {"q": "{query}", "format": "json", "language": "{language}"},
        "results_path": "results",
        "fields": {"snippet": "content", "published_at": ["publishedDate", "pubdate"]},
        "error_path": "error",
    },
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(size=10, most=10, full=False),
    ),
)
