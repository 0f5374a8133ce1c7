"""Kagi, the v1 API: search without advertising, and page contents.

Sources: kagisearch/kagimcp, SearXNG's and Open WebUI's kagi.py; error codes:
help.kagi.com/api/errors.
"""

from returns.result import Success

from webseam.ports.backends import NATIVE, REFUSED, Abilities, UntrustedRow
from webseam.ports.errors import BadPayload, QuotaExhausted, WebError

from ...values.field_values import at, first_value, said
from ...values.html_text import html_to_text
from ...values.json_values import text
from ...values.untrusted_rows import document, first_heading, row
from ..calls import Reply, ServiceCall, bearer_headers, filled_fields, post_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..filters import filter_limits
from ..operations import ExtractAsk, ExtractOperation, Paging, SearchAsk, SearchOperation
from ..page_results import PageFailed, pages_decoder
from ..replies import RowsResult, each, rows_at

_NO_CREDIT_CODE = "101"
_REFUSED_KEY_STATUSES = (401, 403)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call for one page of a search; news have their own workflow."""
    query = ask.query
    filters = {"after": str(query.published_after or ""), "region": (query.country or "").lower()}
    body = {
        "query": query.query,
        "workflow": "news" if query.topic == "news" else "search",
        "limit": ask.count,
        "page": ask.page + 1 if ask.page else None,
        "safe_search": query.safe_search == "strict" if query.safe_search else None,
        "filters": filled_fields(filters) or None,
    }
    body = {name: value for name, value in body.items() if value is not None}
    # Not post_call: false is a value of ``safe_search``.
    return ServiceCall(path="/api/v1/search", headers=bearer_headers(ask.access), body=body)


def _decode_search(reply: Reply) -> RowsResult:
    """Read the search or the news collection; one without results is absent."""
    data = at(reply.payload, "data")
    if isinstance(data, list):
        # The first version of the API: ``t`` is 0 for pages.
        return Success(each([item for item in data if at(item, "t") in (None, 0)], _search_row))
    name = "search" if isinstance(at(data, "search"), list) else "news"
    return rows_at(reply, "data", name, signs=("meta", "data"), make=_search_row)


def _search_row(result: dict[str, object]) -> dict[str, object]:
    return row(
        title=html_to_text(result.get("title")),
        url=result.get("url"),
        snippet=html_to_text(result.get("snippet")),
        published=first_value(result.get("time"), result.get("published")),
    )


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    body = {"pages": [{"url": url} for url in ask.urls], "format": "json"}
    return post_call("/api/v1/extract", body, bearer_headers(ask.access))


def _classify_reply(reply: Reply) -> WebError | None:
    """Find errors inside a success, and used-up credit behind any status."""
    errors = at(reply.payload, "error")
    if not isinstance(errors, list) or not errors:
        return None
    detail = said(errors)
    if str(at(errors, 0, "code")) == _NO_CREDIT_CODE and reply.status not in _REFUSED_KEY_STATUSES:
        return QuotaExhausted(status=reply.status, detail=detail)
    if reply.status // 100 != 2:  # noqa: PLR2004  not a success: the status says it
        return None
    return BadPayload(problem="error_object", path="$.error", status=reply.status, detail=detail)


def _page_document(page: dict[str, object]) -> UntrustedRow | PageFailed:
    """Read a page; each has markdown or an error."""
    markdown = text(page.get("markdown"))
    if markdown.strip():
        return document(url=page.get("url"), title=first_heading(markdown), content=markdown)
    detail = said(page) or "no text came"
    error = BadPayload(problem="error_object", path="$.data.error", detail=detail)
    return PageFailed(url=text(page.get("url")), error=error)


SERVICE = Service(
    name="kagi",
    title="Kagi",
    site="https://kagi.com/api",
    note="Paid per search, in advance.",
    address=ServiceAddress(
        base_url="https://kagi.com/api/v1",
        endpoints=("/api/v1/search", "/api/v1/extract"),
    ),
    options=(api_key("KAGI_API_KEY", "KAGI_SEARCH_API_KEY", "KAGI_API_TOKEN"),),
    offer=Offer(
        rank=100,
        price=Price(
            search=0.012,
            page="https://help.kagi.com/kagi/api/api-portal.html",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=100,
        filters={
            "include_domains": "operator",
            "exclude_domains": "operator",
            "published_after": NATIVE,
            # Kagi only documents the start of the range.
            "published_before": "rows",
            "country": NATIVE,
            "topic": NATIVE,
            "safe_search": NATIVE,
        },
        # Refuse moderate safe search, which Kagi does not have.
        depending=lambda query: filter_limits(
            ("safe_search", REFUSED, query.safe_search == "moderate"),
        ),
    ),
    classify=_classify_reply,
    search=SearchOperation(
        title="html",
        snippet="html",
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(size=20, most=10, counted=True),
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=pages_decoder("data", make=_page_document),
        batch=10,
    ),
)
