"""Exa: semantic search and page reading. Sources: exa-py 2.26.0, and exa.ai/docs."""

from webseam.ports.backends import REFUSED, Abilities, UntrustedRow

from ...values.field_values import at, first, first_value, number, texts, truncate_snippet
from ...values.json_values import as_list, text
from ...values.untrusted_rows import row
from ..calls import Reply, ServiceCall, api_key_headers, post_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, NATIVE_DOMAINS, filter_limits, native_filters
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, PagesResult, make_page_failed, text_page
from ..replies import list_at, rows_decoder

# Exa allows more, but the reply would be too large.
_MAX_BATCH_PAGES = 20


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; without ``highlights`` Exa sends no text."""
    query = ask.query
    fields: dict[str, object] = {
        "query": query.query,
        "numResults": ask.count,
        "category": query.topic if query.topic == "news" else None,
        "includeDomains": query.include_domains,
        "excludeDomains": query.exclude_domains,
        "startPublishedDate": _timestamp(query.published_after, "T00:00:00.000Z"),
        "endPublishedDate": _timestamp(query.published_before, "T23:59:59.999Z"),
        "userLocation": (query.country or "").upper(),
        "moderation": query.safe_search == "strict",
        "contents": {"highlights": True},
    }
    return post_call("/search", fields, api_key_headers(ask.access))


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    body = {"urls": ask.urls, "text": True}
    return post_call("/contents", body, api_key_headers(ask.access))


def _decode_extract(reply: Reply, _urls: tuple[str, ...]) -> PagesResult:
    """Read the pages; the errors of the others are in ``statuses``."""
    statuses = as_list(at(reply.payload, "statuses"))
    failed = [_failed_page(page) for page in statuses if at(page, "status") == "error"]
    return list_at(reply, "results").map(lambda pages: [*failed, *map(_document, pages)])


def _search_row(result: dict[str, object]) -> dict[str, object]:
    passages = " … ".join(texts(result.get("highlights")))
    return row(
        title=result.get("title"),
        url=result.get("url"),
        snippet=truncate_snippet(first_value(passages, result.get("summary"), result.get("text"))),
        published=result.get("publishedDate"),
        score=result.get("score"),
    )


def _document(page: object) -> UntrustedRow | PageFailed:
    names = ("author", "publishedDate", "image", "favicon", "summary")
    page_id = text(at(page, "id"))
    return text_page(
        # A page's id is the requested URL, except in older indexes.
        url=page_id if page_id.startswith("http") else at(page, "url"),
        title=at(page, "title"),
        content=first(at(page, "text"), "\n\n".join(texts(at(page, "highlights")))),
        final_url=at(page, "url"),
        metadata={name: at(page, name) for name in names},
    )


def _failed_page(page: object) -> PageFailed:
    error = at(page, "error")
    return make_page_failed(
        at(page, "id"), status=at(error, "httpStatusCode"), detail=at(error, "tag")
    )


def _timestamp(day: object, time: str) -> str:
    return f"{day}{time}" if day is not None else ""


_decode_search = rows_decoder("results", make=_search_row)
SERVICE = Service(
    name="exa",
    title="Exa",
    site="https://dashboard.exa.ai",
    note="The basic plan gives 10 results a search.",
    address=ServiceAddress(
        base_url="https://api.exa.ai",
        env=("EXA_API_BASE",),
        endpoints=("/search", "/contents"),
    ),
    options=(api_key("EXA_API_KEY"),),
    offer=Offer(
        rank=20,
        price=Price(
            search=0.007,
            extract=0.001,
            included=10,
            more=0.001,
            cost=lambda reply: number(at(reply.payload, "costDollars", "total")),
            page="https://exa.ai/docs/reference/pricing",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=100,
        filters={
            **NATIVE_DOMAINS,
            **NATIVE_DATES,
            **native_filters("country", "topic", "safe_search"),
        },
        # Send only one list of domains, and refuse values that Exa has no option for.
        depending=lambda query: filter_limits(
            ("exclude_domains", "rows", query.include_domains),
            ("safe_search", REFUSED, query.safe_search == "moderate"),
        ),
    ),
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        snippet="markdown",
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=_decode_extract,
        batch=_MAX_BATCH_PAGES,
    ),
)
