"""Bocha (博查): the Chinese web, with answers in Bing's format. Search only.

Sources: the vendor's BochaAI/bocha-search-mcp and Open WebUI's bocha.py; there is no public
reference.
"""

from webseam.ports import errors
from webseam.ports.backends import Abilities

from ...values.field_values import at, said
from ...values.json_values import parse_whole_number
from ...values.untrusted_rows import RowReader
from ..calls import Reply, ServiceCall, bearer_headers, post_call
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, NATIVE_DOMAINS, day_range, filter_limits
from ..operations import Paging, SearchAsk, SearchOperation
from ..replies import RowsResult, rows_at

_MAX_DOMAINS = 100
_OK, _NO_KEY, _NO_MONEY, _TOO_MANY, _SERVER_ERROR_CLASS = 200, 401, 403, 429, 5
# Not dateLastCrawled, which is the day of the crawl or of publication.
_search_row = RowReader("name", "url", "summary snippet", "datePublished", truncates=True)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call for one page of a search; ``summary`` asks for longer texts."""
    query = ask.query
    body = {
        "query": query.query,
        "summary": True,
        "count": ask.count,
        "page": ask.page + 1 if ask.page else None,
        "freshness": day_range(query, ".."),
        "include": ",".join(query.include_domains),
        "exclude": ",".join(query.exclude_domains),
    }
    return post_call("/v1/web-search", body, bearer_headers(ask.access))


def _decode_search(reply: Reply) -> RowsResult:
    """Read the rows; a section without rows is absent."""
    signs = ("data", "code")
    return rows_at(reply, "data", "webPages", "value", make=_search_row, signs=signs)


def _classify_reply(reply: Reply) -> errors.WebError | None:
    """Read Bocha's own code, a number or a text, before the status: 403 means no credit."""
    code = parse_whole_number(str(at(reply.payload, "code")), 4) or reply.status
    detail = said(at(reply.payload, "message") or at(reply.payload, "msg"))
    if _NO_MONEY in (code, reply.status):
        return errors.QuotaExhausted(status=_NO_MONEY, detail=detail)
    if reply.status != _OK or code == _OK:
        return None
    if code == _NO_KEY:
        return errors.AuthFailed(status=code, detail=detail)
    if code == _TOO_MANY:
        return errors.RateLimited(detail=detail)
    if code // 100 == _SERVER_ERROR_CLASS:
        return errors.UpstreamUnavailable(status=code, detail=detail)
    return errors.BadPayload(
        problem="error_object", path="$.code", status=reply.status, detail=detail
    )


SERVICE = Service(
    name="bocha",
    title="Bocha (博查)",
    site="https://open.bochaai.com",
    note="Paid per search; best for the Chinese web.",
    address=ServiceAddress(base_url="https://api.bochaai.com"),
    options=(api_key("BOCHA_API_KEY", "BOCHA_SEARCH_API_KEY"),),
    offer=Offer(rank=180),
    abilities=Abilities(
        max_results=100,
        filters={**NATIVE_DOMAINS, **NATIVE_DATES},
        depending=lambda query: filter_limits(
            ("include_domains", "rows", len(query.include_domains) > _MAX_DOMAINS),
            ("exclude_domains", "rows", len(query.exclude_domains) > _MAX_DOMAINS),
        ),
    ),
    classify=_classify_reply,
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(size=50, most=2, counted=True),
    ),
)
