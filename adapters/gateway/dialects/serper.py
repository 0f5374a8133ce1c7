"""Serper: searches and news by POST, and the text of a page.

https://serper.dev/playground (read 2026-11-15)
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import msgspec

from ....ports.errors.error_fields import RefusalKind
from ...page_forms import markdown_to_text
from ..gateway_requests import (
    Dialect,
    Endpoint,
    Page,
    PagesRequest,
    Reading,
    SearchRequest,
    SearchSuccess,
    Written,
    header_keys,
)
from ..refusal import (
    DEFAULT_STATUSES,
    Call,
    Refusal,
    Reply,
    json_reply,
    refusal_reply,
    refuse_invalid,
    refuse_unsupported,
)
from ..request_parsing import fields_with_values, first_unsupported, period_start, read_json

Kind: TypeAlias = Literal["search", "news"]

_STATUSES: dict[RefusalKind, int] = {
    **DEFAULT_STATUSES,
    # Its own word for credits that are gone; there is no 402.
    "budget": 400,
    "shared_budget": 400,
    "unauthorized": 403,
}
_NAMES = {
    "published_after": "tbs",
    "published_before": "tbs",
    "country": "gl",
    "language": "hl",
}


class _Search(msgspec.Struct, rename="camel"):
    q: str
    num: int | None = None
    page: int | None = None
    gl: str | None = None
    hl: str | None = None
    tbs: str | None = None
    location: str | None = None


class _Scrape(msgspec.Struct, rename="camel"):
    url: str
    include_markdown: bool | None = None


def _search(kind: Kind) -> Callable[[Call], Reading]:
    def read(call: Call) -> Reading:
        if call.body.lstrip().startswith(b"["):
            return refuse_unsupported("a list of queries", "send one query a request")
        body = read_json(call, _Search)
        if isinstance(body, Refusal):
            return body
        refusal = first_unsupported({"page": (body.page or 1) > 1, "location": body.location})
        if refusal is not None:
            return refusal
        period = (body.tbs or "").removeprefix("qdr:")
        after = period_start(period, call.today) if period else None
        if period and after is None:
            return refuse_unsupported("tbs", "qdr:d, qdr:w, qdr:m and qdr:y are known")
        fields = fields_with_values(
            query=body.q,
            max_results=10 if body.num is None else body.num,
            country=body.gl,
            language=body.hl,
            published_after=after,
            topic="news" if kind == "news" else None,
        )
        return SearchRequest(fields=fields, write=lambda results: _results(body, kind, results))

    return read


def _results(body: _Search, kind: Kind, results: SearchSuccess) -> Reply:
    rows = [
        {
            "title": row.title,
            "link": row.url,
            "snippet": row.snippet,
            "position": row.position,
            **({"date": row.published_at} if row.published_at else {}),
        }
        for row in results.outcome.rows
    ]
    parameters = fields_with_values(
        q=body.q, gl=body.gl, hl=body.hl, num=body.num, type=kind, engine="google"
    )
    name = "organic" if kind == "search" else "news"
    return json_reply({"searchParameters": parameters, name: rows, "credits": 0})


def _scrape(call: Call) -> Reading:
    body = read_json(call, _Scrape)
    if isinstance(body, Refusal):
        return body

    def write(pages: Sequence[Page]) -> Written:
        page = pages[0].result
        if page is None:
            return pages[0].refusal or refuse_invalid("The page was not read.")
        markdown = {"markdown": page.content} if body.include_markdown else {}
        metadata = {"title": page.title, "url": page.final_url}
        return json_reply(
            {"text": markdown_to_text(page.content), **markdown, "metadata": metadata, "credits": 0}
        )

    return PagesRequest(urls=(body.url,), write=write)


def _is_ours(call: Call) -> bool:
    """Tell a search from Tavily's and Exa's: only here it is called q."""
    try:
        body = msgspec.json.decode(call.body)
    except (ValueError, RecursionError):
        return False
    first = body[0] if isinstance(body, list) and body else body
    return isinstance(first, dict) and "q" in first and "query" not in first


def _refuse(refusal: Refusal, _call: Call) -> Reply:
    words = refusal.message
    for ours, theirs in _NAMES.items():
        words = words.replace(ours, theirs)
    status = _STATUSES.get(refusal.kind, 500)
    return refusal_reply(refusal, _STATUSES, {"message": words, "statusCode": status})


DIALECT = Dialect(
    name="serper",
    title="Serper",
    keys=header_keys,
    refuse=_refuse,
    endpoints=(
        Endpoint(method="POST", path="/search", read=_search("search"), root=_is_ours),
        Endpoint(method="POST", path="/news", read=_search("news"), root=_is_ours),
        Endpoint(method="POST", path="/scrape", read=_scrape, tool="extract"),
    ),
)
