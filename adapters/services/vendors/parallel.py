"""Parallel: search and page reading, with long excerpts. Source: parallel-web 1.3.7."""

from webseam.ports.backends import Abilities, UntrustedRow

from ...values.field_values import at, first, texts, truncate_snippet
from ...values.json_values import as_list
from ...values.untrusted_rows import first_heading, row
from ..calls import Reply, ServiceCall, api_key_headers, filled_fields, post_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..filters import NATIVE_DOMAINS, filter_limits, native_filters
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, PagesResult, make_page_failed, text_page
from ..replies import list_at, rows_decoder

_MAX_DOMAINS = 200


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; the query is also its objective."""
    query = ask.query
    policy = {
        "include_domains": query.include_domains,
        "exclude_domains": query.exclude_domains,
        "after_date": str(query.published_after or ""),
    }
    settings = {
        "max_results": ask.count,
        "location": (query.country or "").upper(),
        "source_policy": filled_fields(policy),
    }
    fields = {
        "search_queries": [query.query],
        "objective": query.query,
        "advanced_settings": filled_fields(settings),
    }
    return post_call("/v1/search", fields, api_key_headers(ask.access))


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    """Return the call for full pages; the default is excerpts."""
    body = {"urls": ask.urls, "advanced_settings": {"full_content": True}}
    return post_call("/v1/extract", body, api_key_headers(ask.access))


def _decode_extract(reply: Reply, _urls: tuple[str, ...]) -> PagesResult:
    failed = [_failed_page(error) for error in as_list(at(reply.payload, "errors"))]
    return list_at(reply, "results").map(lambda pages: [*failed, *map(_document, pages)])


def _search_row(result: dict[str, object]) -> dict[str, object]:
    return row(
        title=result.get("title"),
        url=result.get("url"),
        snippet=truncate_snippet(" … ".join(texts(result.get("excerpts")))),
        published=result.get("publish_date"),
    )


def _document(page: object) -> UntrustedRow | PageFailed:
    content = first(at(page, "full_content"), "\n\n".join(texts(at(page, "excerpts"))))
    return text_page(
        url=at(page, "url"),
        title=first(at(page, "title"), first_heading(content)),
        content=content,
        metadata={"publish_date": at(page, "publish_date")},
    )


def _failed_page(error: object) -> PageFailed:
    detail = first(at(error, "content"), at(error, "error_type"))
    return make_page_failed(at(error, "url"), status=at(error, "http_status_code"), detail=detail)


_decode_search = rows_decoder("results", make=_search_row)
SERVICE = Service(
    name="parallel",
    title="Parallel",
    site="https://platform.parallel.ai",
    address=ServiceAddress(
        base_url="https://api.parallel.ai",
        env=("PARALLEL_BASE_URL", "PARALLEL_AI_API_BASE"),
        endpoints=("/v1/search", "/v1/extract", "/v1beta", "/v1beta/search", "/v1beta/extract"),
    ),
    options=(api_key("PARALLEL_API_KEY", "PARALLEL_AI_API_KEY"),),
    offer=Offer(
        rank=40,
        price=Price(
            search=0.005,
            extract=0.001,
            included=10,
            more=0.001,
            page="https://docs.parallel.ai/getting-started/pricing",
            read="2026-08-14",
        ),
    ),
    abilities=Abilities(
        max_results=40,
        filters={
            **NATIVE_DOMAINS,
            "published_before": "rows",
            **native_filters("published_after", "country"),
        },
        # Filter on the rows what Parallel does not: long lists, exclusion beside inclusion.
        depending=lambda query: filter_limits(
            ("exclude_domains", "rows", query.include_domains),
            ("exclude_domains", "rows", len(query.exclude_domains) > _MAX_DOMAINS),
            ("include_domains", "rows", len(query.include_domains) > _MAX_DOMAINS),
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
        batch=20,
    ),
)
