"""Serper: Google's results, and page reading.

Sources: the code of LiteLLM, Open WebUI and langchain-community; Serper's playground is the only
reference.
"""

from webseam.ports.backends import Abilities, UntrustedRow
from webseam.ports.errors import QuotaExhausted, WebError

from ...values.field_values import at, first, said
from ...values.untrusted_rows import RowReader
from .. import google
from ..calls import Reply, ServiceCall, api_key_headers, post_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..operations import ExtractAsk, ExtractOperation, Paging, SearchAsk, SearchOperation
from ..page_results import PageFailed, page_decoder, text_page
from ..replies import RowsResult, image_rows_at, rows_at

_BAD_REQUEST = 400
_ANSWER_SIGNS = (
    "searchParameters", "credits", "knowledgeGraph", "peopleAlsoAsk", "relatedSearches",
    "topStories", "answerBox",
)  # fmt: skip
_search_row = RowReader("title", "link", "snippet", "date")


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call for one page of a search; ten rows cost one credit."""
    query = ask.query
    fields: dict[str, object] = {
        "q": query.query,
        "num": ask.count,
        "page": ask.page + 1 if ask.page else None,
        "gl": (query.country or "").lower(),
        "hl": google.interface_language(query.language),
        "tbs": google.date_range(query),
        "safe": google.safe_search_value(query),
    }
    path = query.topic if query.topic in ("news", "images") else "search"
    return post_call(f"/{path}", fields, api_key_headers(ask.access))


def _decode_search(reply: Reply) -> RowsResult:
    """Read the organic results, the news or the images; an empty list is absent."""
    if at(reply.payload, "searchParameters", "type") == "images":
        return image_rows_at(reply, "images", image=("imageUrl",), page="link", signs=_ANSWER_SIGNS)
    is_news = at(reply.payload, "searchParameters", "type") == "news"
    has_only_news = at(reply.payload, "organic") is None and isinstance(
        at(reply.payload, "news"), list
    )
    kind = "news" if is_news or has_only_news else "organic"
    return rows_at(reply, kind, signs=_ANSWER_SIGNS, make=_search_row)


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    return ServiceCall(
        base="https://scrape.serper.dev",
        headers=api_key_headers(ask.access),
        body={"url": ask.urls[0], "includeMarkdown": True},
    )


def _classify_reply(reply: Reply) -> WebError | None:
    """Find used-up credits, which come with status 400."""
    detail = said(reply.payload)
    if reply.status == _BAD_REQUEST and "credit" in detail.lower():
        return QuotaExhausted(status=reply.status, detail=detail)
    return None


def _document(page: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    """Read the page, which comes without its URL."""
    metadata = page.get("metadata")
    return text_page(
        url=url,
        title=first(at(metadata, "title"), page.get("title")),
        content=first(page.get("markdown"), page.get("text")),
        raw_content=first(page.get("text")) or None,
        metadata=metadata if isinstance(metadata, dict) else None,
    )


SERVICE = Service(
    name="serper",
    title="Serper",
    site="https://serper.dev/api-key",
    note="Ten results cost one credit.",
    address=ServiceAddress(
        base_url="https://google.serper.dev",
        env=("SERPER_API_BASE",),
        endpoints=("/search", "/news", "/images"),
    ),
    options=(api_key("SERPER_API_KEY"),),
    offer=Offer(
        rank=80,
        # The price in the smallest package.
        price=Price(search=0.001, page="https://serper.dev", read="2026-08-13"),
    ),
    abilities=Abilities(
        max_results=100,
        filters=google.FILTERS,
        depending=google.filter_support,
        topics=("general", "news", "images"),
    ),
    classify=_classify_reply,
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(size=10, most=10, full=False),
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=page_decoder(make=_document),
    ),
)
