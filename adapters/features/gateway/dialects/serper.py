"""Serper: searches and news by POST, and the text of a page.

https://serper.dev/playground (read 2026-11-15)
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from webseam.adapters.values.json_values import json_or_none
from webseam.ports.errors.error_fields import RefusalKind
from webseam.ports.web import WebSearchResult

from .. import asks, replies, request_parsing as parsing, search_filters as filters
from ..countries import country_code, place_country

SerperKind: TypeAlias = Literal["search", "news", "images"]

# Serper answers 400 for exhausted credits, not 402.
_STATUSES: dict[RefusalKind, int] = {
    **replies.DEFAULT_STATUSES, "budget": 400, "shared_budget": 400, "unauthorized": 403,
}  # fmt: skip
_FIELD_NAMES = {
    "published_after": "tbs", "published_before": "tbs", "country": "gl", "language": "hl",
    "safe_search": "safe",
}  # fmt: skip
_IDLE_FIELDS = frozenset({"autocorrect", "type", "engine"})
_DEFAULTS = {"autocorrect": True, "type": "search", "engine": "google"}
# Searches of Serper that no backend here can do.
_UNSUPPORTED_PATHS = (
    "/videos", "/places", "/maps", "/reviews", "/shopping", "/lens", "/scholar",
    "/patents", "/autocomplete",
)  # fmt: skip


class _Search(msgspec.Struct, rename="camel"):
    q: str
    num: parsing.RowCount | None = None
    page: parsing.Count | None = None
    gl: str | None = None
    hl: str | None = None
    tbs: str | None = None
    safe: str | None = None
    location: str | None = None


class _Scrape(msgspec.Struct, rename="camel"):
    url: str
    include_markdown: bool | None = None


def _call_reader(kind: SerperKind) -> Callable[[replies.Call], asks.Reading]:
    def read(call: replies.Call) -> asks.Reading:
        if call.body.lstrip().startswith(b"["):
            return replies.refuse_unsupported("a list of queries", "send one query a request")
        # LangChain sends a POST with all fields in its query.
        body = (
            parsing.read_json_body(call, _Search)
            if call.body
            else parsing.read_parameters(dict(call.query), _Search)
        )
        if isinstance(body, replies.Refusal):
            return body
        if isinstance(days := filters.read_tbs(body.tbs, call.today), replies.Refusal):
            return days
        fields = parsing.present_fields(
            query=body.q,
            max_results=10 if body.num is None else body.num,
            country=country_code(body.gl) or body.gl if body.gl else place_country(body.location),
            language=body.hl,
            **days,
            topic=None if kind == "search" else kind,
            safe_search={"active": "strict"}.get(body.safe, body.safe) if body.safe else None,
        )
        return asks.SearchRequest(
            fields=fields,
            page=body.page or 1,
            unread=("location",) if body.location else (),
            hints=asks.CLIENT_DEFAULTS,
            write=lambda results: _search_reply(body, kind, results),
        )

    return read


def _image(row: WebSearchResult) -> dict[str, object]:
    return {"link": asks.image_page(row), "imageUrl": row.url, "thumbnailUrl": row.url}


def _search_reply(body: _Search, kind: SerperKind, results: asks.SearchSuccess) -> replies.Reply:
    rows = [
        {
            "title": row.title,
            "link": row.url,
            "snippet": row.snippet,
            **(_image(row) if kind == "images" else {}),
            "position": row.position,
            **({"date": row.published_at} if row.published_at else {}),
        }
        for row in results.outcome.rows
    ]
    parameters = parsing.present_fields(
        q=body.q, gl=body.gl, hl=body.hl, num=body.num, type=kind, engine="google"
    )
    name = "organic" if kind == "search" else kind
    return replies.json_reply({"searchParameters": parameters, name: rows, "credits": 0})


def _read_scrape(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Scrape), replies.Refusal):
        return body

    def write(pages: Sequence[asks.Page]) -> asks.Written:
        if (page := pages[0].result) is None:
            return pages[0].refusal or replies.refuse_invalid("The page was not read.")
        markdown = {"markdown": page.content} if body.include_markdown else {}
        metadata = {"title": page.title, "url": page.final_url}
        return replies.json_reply(
            {"text": pages[0].forms.text, **markdown, "metadata": metadata, "credits": 0}
        )

    wish = asks.PageOptions(forms=("text",))
    return asks.PagesRequest(urls=(body.url,), wish=wish, write=write)


def _is_serper_call(call: replies.Call) -> bool:
    """Tell a Serper search from those of Tavily and Exa: only Serper calls the query q."""
    body = json_or_none(call.body) if call.body else dict(call.query)
    first = body[0] if isinstance(body, list) and body else body
    return isinstance(first, dict) and "q" in first and "query" not in first


def _refusal_reply(refusal: replies.Refusal, _call: replies.Call) -> replies.Reply:
    status = _STATUSES.get(refusal.kind, 500)
    return replies.refusal_reply(
        refusal, _STATUSES, {"message": refusal.message, "statusCode": status}
    )


DIALECT = asks.Dialect(
    name="serper",
    title="Serper",
    names=_FIELD_NAMES,
    keys=asks.header_keys,
    refuse=_refusal_reply,
    endpoints=(
        *(
            asks.Endpoint(
                path=f"/{kind}",
                read=_call_reader(kind),
                shape=_Search,
                idle=_IDLE_FIELDS,
                defaults=_DEFAULTS,
                root=_is_serper_call,
            )
            for kind in get_args(SerperKind)
        ),
        asks.Endpoint(
            path="/scrape",
            read=_read_scrape,
            shape=_Scrape,
            tool="extract",
            # agno sends the country, language and dates of its searches, too.
            idle=frozenset({"gl", "hl", "tbs"}),
        ),
        *(
            asks.Endpoint(path=path, read=asks.refuse_endpoint, root=_is_serper_call)
            for path in _UNSUPPORTED_PATHS
        ),
    ),
)
