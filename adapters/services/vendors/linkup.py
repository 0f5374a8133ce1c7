"""Linkup: search and page reading. Sources: linkup-sdk 0.24.0, and docs.linkup.so."""

from webseam.ports.backends import Abilities, UntrustedRow
from webseam.ports.errors import (
    ConnectFailed,
    HttpStatus,
    QuotaExhausted,
    UnsupportedContent,
    WebError,
)

from ...values.field_values import at, first, said
from ...values.json_values import text
from ...values.untrusted_rows import RowReader, first_heading
from ..calls import Reply, ServiceCall, bearer_headers, post_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, NATIVE_DOMAINS, filter_limits
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, page_decoder, text_page
from ..replies import RowsResult, each, list_at

_NOT_FOUND = 404
_MAX_INCLUDED_DOMAINS = 100
_QUOTA_CODES = frozenset({"INSUFFICIENT_FUNDS_CREDITS", "EXCEED_BUDGET_LIMIT"})
_FILE_CODES = frozenset({"FETCH_URL_IS_FILE", "FETCH_UNSUPPORTED_CONTENT_TYPE"})
_search_row = RowReader("name", "url", "content snippet", truncates=True)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; ``depth`` and ``outputType`` are required."""
    query = ask.query
    fields: dict[str, object] = {
        "q": query.query,
        "depth": "standard",
        "outputType": "searchResults",
        "maxResults": ask.count,
        "includeDomains": query.include_domains,
        "excludeDomains": query.exclude_domains,
        "fromDate": str(query.published_after or ""),
        "toDate": str(query.published_before or ""),
    }
    return post_call("/v1/search", fields, bearer_headers(ask.access))


def _decode_search(reply: Reply) -> RowsResult:
    """Read the rows except pictures, which have no text."""
    rows = list_at(reply, "results").map(
        lambda results: [result for result in results if at(result, "type") != "image"]
    )
    return rows.map(lambda results: each(results, _search_row))


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    return post_call("/v1/fetch", {"url": ask.urls[0]}, bearer_headers(ask.access))


def _classify_reply(reply: Reply) -> WebError | None:
    """Find used-up credit and the errors of the page's own server by their codes."""
    code, detail = _error_code(reply), said(reply.payload)
    if code in _QUOTA_CODES:
        return QuotaExhausted(status=reply.status, detail=detail)
    if code == "FETCH_TARGET_NOT_FOUND":
        return HttpStatus(status=_NOT_FOUND, detail=detail)
    if code == "FETCH_TARGET_UNREACHABLE":
        return ConnectFailed(reason=detail)
    if code in _FILE_CODES:
        return UnsupportedContent(content_type="a file")
    return None


def _error_code(reply: Reply) -> str:
    return text(at(reply.payload, "error", "code"))


def _document(page: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    """Read the page, which comes without its URL and title."""
    return text_page(
        url=url,
        title=first_heading(page.get("markdown")),
        content=page.get("markdown"),
        raw_content=first(page.get("rawContent"), page.get("rawHtml")) or None,
        metadata={"favicon": page.get("favicon"), "contentType": page.get("contentType")},
    )


SERVICE = Service(
    name="linkup",
    title="Linkup",
    site="https://app.linkup.so",
    note="May take half a minute. Results have no dates.",
    address=ServiceAddress(
        base_url="https://api.linkup.so",
        env=("LINKUP_API_BASE",),
        endpoints=("/v1/search", "/v1/fetch"),
    ),
    options=(api_key("LINKUP_API_KEY"),),
    # 10 queries a second for one organisation: docs.linkup.so, its page on rate limits.
    offer=Offer(
        rank=60,
        rate=10.0,
        # A search of standard depth without an answer; a page without JavaScript.
        price=Price(
            search=0.005,
            extract=0.001,
            page="https://docs.linkup.so/pages/documentation/platform/pricing",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=100,
        filters={**NATIVE_DOMAINS, **NATIVE_DATES},
        depending=lambda query: filter_limits(
            ("include_domains", "rows", len(query.include_domains) > _MAX_INCLUDED_DOMAINS),
        ),
    ),
    classify=_classify_reply,
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        empty=lambda reply: _error_code(reply) == "SEARCH_QUERY_NO_RESULT",
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=page_decoder(make=_document),
    ),
)
