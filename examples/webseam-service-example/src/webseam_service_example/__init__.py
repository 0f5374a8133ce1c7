"""Tidepool, a made-up search service: data and pure functions, no I/O."""

from collections.abc import Mapping, Sequence

from returns.result import Result

from webseam.services import (
    Abilities,
    EmptyContent,
    ExtractAsk,
    ExtractOperation,
    FilterName,
    Offer,
    PageFailed,
    Paging,
    QuotaExhausted,
    Reply,
    SearchAsk,
    SearchOperation,
    Service,
    ServiceAddress,
    ServiceCall,
    Support,
    UntrustedRow,
    WebError,
    WebSearchQuery,
    api_key,
    at,
    document,
    each,
    html_to_text,
    list_at,
    row,
    text,
)

_TOO_MANY = 429


def encode_search(ask: SearchAsk) -> ServiceCall:
    """Write one page of a search. Only filters that are native below ever come here."""
    query = ask.query
    parameters = {
        "q": query.query,
        "limit": str(ask.count or ""),
        "from": str(ask.offset or ""),
        "since": str(query.published_after or ""),
        "region": (query.country or "").lower(),
    }
    return ServiceCall(
        method="GET",
        path="/v2/search",
        parameters=tuple((name, value) for name, value in parameters.items() if value),
        headers=(("authorization", f"Bearer {ask.access.key}"),),
    )


def decode_search(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    """Read the rows, whatever shape the reply has. A missing URL stays missing."""
    return list_at(reply, "hits").map(lambda hits: each(hits, _row))


def encode_extract(ask: ExtractAsk) -> ServiceCall:
    """Ask for up to five pages."""
    return ServiceCall(
        path="/v2/pages",
        headers=(("authorization", f"Bearer {ask.access.key}"),),
        body={"urls": list(ask.urls)},
    )


def decode_extract(
    reply: Reply, _asked: tuple[str, ...]
) -> Result[Sequence[UntrustedRow | PageFailed], WebError]:
    """Read the pages. Each is matched by its URL; one that is not here counts as missing."""
    return list_at(reply, "pages").map(
        lambda pages: [_page(page) for page in pages if isinstance(page, dict)]
    )


def classify(reply: Reply) -> WebError | None:
    """Name what only Tidepool hides in a reply: here, credits that are gone behind a 429."""
    if reply.status == _TOO_MANY and at(reply.payload, "error", "code") == "no_credits":
        return QuotaExhausted(status=reply.status, detail=text(at(reply.payload, "error", "text")))
    return None


def depending(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse what Tidepool cannot do with this very query."""
    return {"country": "refused"} if (query.country or "").upper() == "AQ" else {}


def _row(hit: dict[str, object]) -> dict[str, object]:
    return row(
        # Tidepool marks the words of the query in its titles with HTML.
        title=html_to_text(hit.get("name")),
        url=hit.get("link"),
        snippet=hit.get("excerpt"),
        published=hit.get("date"),
        score=hit.get("score"),
    )


def _page(page: dict[str, object]) -> UntrustedRow | PageFailed:
    content = text(page.get("markdown"))
    if not content.strip():
        return PageFailed(url=text(page.get("url")), error=EmptyContent())
    return document(url=page.get("url"), title=page.get("title"), content=content)


SERVICE: Service = Service(
    name="tidepool",
    title="Tidepool",
    site="https://tidepool.example/keys",
    note="Made up, to show how a service is added from outside.",
    address=ServiceAddress(base_url="https://api.tidepool.example"),
    options=(api_key("TIDEPOOL_API_KEY", pattern=r"tp-[0-9a-z]+"),),
    offer=Offer(rank=400),
    abilities=Abilities(
        max_results=100,
        filters={
            "include_domains": "operator",  # in the query as site:, and checked on the rows
            "exclude_domains": "rows",  # checked on the rows
            "published_after": "native",
            "country": "native",
            # Whatever is not named here is refused.
        },
        depending=depending,
    ),
    classify=classify,
    search=SearchOperation(
        title="html", encode=encode_search, decode=decode_search, paging=Paging(size=50, most=2)
    ),
    extract=ExtractOperation(encode=encode_extract, decode=decode_extract, batch=5),
)
__all__ = ["SERVICE"]
