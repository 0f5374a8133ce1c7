"""Brave Search: web and news, by GET.

https://api-dashboard.search.brave.com/app/documentation/web-search/query (read 2026-11-15)
"""

import re
from collections.abc import Callable
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from ....ports.errors.error_fields import RefusalKind
from ..gateway_requests import (
    Dialect,
    Endpoint,
    Reading,
    SearchRequest,
    SearchSuccess,
    accept_always,
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
)
from ..request_parsing import fields_with_values, first_unsupported, period_start, read_parameters

Kind: TypeAlias = Literal["web", "news"]

_STATUSES: dict[RefusalKind, int] = {
    **DEFAULT_STATUSES,
    "invalid": 422,
    "unsupported": 422,
    "conflict": 422,
}
_CODES = {
    "invalid": "VALIDATION",
    "unsupported": "VALIDATION",
    "unauthorized": "SUBSCRIPTION_TOKEN_INVALID",
    "budget": "QUOTA_LIMITED",
    "shared_budget": "QUOTA_LIMITED",
    "rate": "RATE_LIMITED",
}
_NAMES = {
    "published_after": "freshness",
    "published_before": "freshness",
    "language": "search_lang",
    "safe_search": "safesearch",
}
_FRESH = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
_BETWEEN = re.compile(r"(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})")


class _Search(msgspec.Struct):
    q: str
    count: int = 20
    offset: int = 0
    country: str = ""
    search_lang: str = ""
    safesearch: Literal["off", "moderate", "strict"] | None = None
    freshness: str = ""
    result_filter: str = ""
    goggles: str = ""
    goggles_id: str = ""
    summary: bool = False


def _search(kind: Kind) -> Callable[[Call], Reading]:
    def read(call: Call) -> Reading:
        wanted = read_parameters(dict(call.query), _Search)
        if isinstance(wanted, Refusal):
            return wanted
        kinds = [name.strip() for name in wanted.result_filter.split(",") if name.strip()]
        refusal = first_unsupported(
            {
                "offset": wanted.offset,
                "goggles": wanted.goggles or wanted.goggles_id,
                "summary": wanted.summary,
                "result_filter": bool(kinds) and "web" not in kinds,
            }
        )
        if refusal is not None:
            return refusal
        days = _days(wanted.freshness, call)
        if isinstance(days, Refusal):
            return days
        fields = fields_with_values(
            query=wanted.q,
            max_results=wanted.count,
            country="" if wanted.country.upper() == "ALL" else wanted.country,
            language=wanted.search_lang,
            safe_search=wanted.safesearch,
            topic="news" if kind == "news" else None,
            **days,
        )
        return SearchRequest(fields=fields, write=lambda results: _results(wanted.q, kind, results))

    return read


def _days(freshness: str, call: Call) -> dict[str, object] | Refusal:
    if not freshness:
        return {}
    between = _BETWEEN.fullmatch(freshness)
    if between is not None:
        return {"published_after": between[1], "published_before": between[2]}
    after = period_start(_FRESH.get(freshness, ""), call.today)
    if after is None:
        return refuse_invalid(
            "freshness: must be pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD.", "freshness"
        )
    return {"published_after": after}


def _results(query: str, kind: Kind, found: SearchSuccess) -> Reply:
    results = [
        {
            "title": row.title,
            "url": row.url,
            "description": row.snippet,
            "is_source_local": False,
            "is_source_both": False,
            "family_friendly": True,
            "type": "search_result" if kind == "web" else "news_result",
            "profile": {"name": urlsplit(row.url).netloc, "url": row.url},
            "meta_url": {
                "scheme": urlsplit(row.url).scheme,
                "netloc": urlsplit(row.url).netloc,
                "hostname": urlsplit(row.url).netloc,
                "path": urlsplit(row.url).path,
            },
            **({"page_age": row.published_at, "age": row.published_at} if row.published_at else {}),
        }
        for row in found.outcome.rows
    ]
    about = {"original": query, "more_results_available": False}
    if kind == "news":
        return json_reply({"type": "news", "query": about, "results": results})
    web = {"type": "search", "results": results, "family_friendly": True}
    return json_reply({"type": "search", "query": about, "web": web})


def _refuse(refusal: Refusal, call: Call) -> Reply:
    words = refusal.message
    for ours, theirs in _NAMES.items():
        words = words.replace(ours, theirs)
    error = {
        "id": call.id,
        "status": _STATUSES.get(refusal.kind, 500),
        "code": _CODES.get(refusal.kind, "INTERNAL_SERVER_ERROR"),
        "detail": words,
        "meta": {},
    }
    return refusal_reply(refusal, _STATUSES, {"type": "ErrorResponse", "error": error, "time": 0})


DIALECT = Dialect(
    name="brave",
    title="Brave Search",
    keys=header_keys,
    refuse=_refuse,
    endpoints=(
        Endpoint(method="GET", path="/res/v1/web/search", read=_search("web"), root=accept_always),
        Endpoint(
            method="GET", path="/res/v1/news/search", read=_search("news"), root=accept_always
        ),
    ),
)
