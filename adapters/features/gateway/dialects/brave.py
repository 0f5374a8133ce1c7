"""Brave Search: web and news, by GET.

https://api-dashboard.search.brave.com/app/documentation/web-search/query (read 2026-11-15)
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

import msgspec

from webseam.ports.errors.error_fields import RefusalKind
from webseam.ports.web import MAX_RESULTS, WebSearchResult

from .. import asks, replies, request_parsing as parsing, search_filters as filters

BraveKind: TypeAlias = Literal["web", "news", "images"]

_STATUSES: dict[RefusalKind, int] = {
    **replies.DEFAULT_STATUSES, "invalid": 422, "unsupported": 422, "conflict": 422,
}  # fmt: skip
_ERROR_CODES = {
    "invalid": "VALIDATION", "unsupported": "VALIDATION",
    "unauthorized": "SUBSCRIPTION_TOKEN_INVALID", "budget": "QUOTA_LIMITED",
    "shared_budget": "QUOTA_LIMITED", "rate": "RATE_LIMITED",
}  # fmt: skip
_FIELD_NAMES = {
    "published_after": "freshness", "published_before": "freshness", "language": "search_lang",
    "safe_search": "safesearch", "page": "offset", "topic": "result_filter",
}  # fmt: skip
_FRESHNESS_PERIODS = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
# Brave's own codes.
_LANGUAGE_SPELLINGS = {"jp": "ja", "zh-hans": "zh", "zh-hant": "zh-TW"}
_DATE_RANGE_PATTERN = re.compile(r"(\d{4}-\d{2}-\d{2})to(\d{4}-\d{2}-\d{2})")
_IDLE_FIELDS = frozenset({
    "ui_lang", "text_decorations", "spellcheck", "extra_snippets", "units", "operators",
    "enable_rich_callback", "include_fetch_metadata",
})  # fmt: skip
_DEFAULTS = {
    "enable_rich_callback": False, "extra_snippets": False, "include_fetch_metadata": False,
    "operators": True, "spellcheck": True, "summary": False, "text_decorations": True,
    "ui_lang": "en-US",
}  # fmt: skip
# Headers that steer Brave's cache and its guess of the place.
_IDLE_HEADERS = ("api-version", "cache-control", "x-loc-")


class _Search(msgspec.Struct):
    q: str
    count: parsing.RowCount = 20
    offset: Annotated[int, msgspec.Meta(ge=0)] = 0
    country: str = ""
    search_lang: str = ""
    safesearch: Literal["off", "moderate", "strict"] | None = None
    freshness: str = ""
    result_filter: str = ""


def _call_reader(kind: BraveKind) -> Callable[[replies.Call], asks.Reading]:
    def read(call: replies.Call) -> asks.Reading:
        if isinstance(query := parsing.read_parameters(dict(call.query), _Search), replies.Refusal):
            return query
        listed = [name.strip() for name in query.result_filter.split(",") if name.strip()]
        sections: list[str] = [kind]
        if kind == "web" and listed:
            sections = [name for name in ("web", "news") if name in listed]
        if not sections:
            return replies.refuse_unsupported("result_filter", "web and news are known")
        if isinstance(days := _read_freshness(query.freshness, call), replies.Refusal):
            return days
        fields = parsing.present_fields(
            query=query.q,
            max_results=query.count,
            country="" if query.country.upper() == "ALL" else query.country,
            language=_LANGUAGE_SPELLINGS.get(query.search_lang, query.search_lang),
            safe_search=query.safesearch,
            **days,
        )
        unread = [name for name in call.headers if name.startswith(_IDLE_HEADERS)]
        # Only a search of the web has sections.
        if listed and (kind != "web" or not {*listed} <= {*sections}):
            unread.append("result_filter")
        return asks.search_in_turn(
            [fields if name == "web" else {**fields, "topic": name} for name in sections],
            lambda found: _search_reply(query, kind, dict(zip(sections, found, strict=True))),
            page=query.offset + 1,
            hints=asks.CLIENT_DEFAULTS,
            unread=tuple(unread),
        )

    return read


def _read_freshness(freshness: str, call: replies.Call) -> dict[str, object] | replies.Refusal:
    if not freshness:
        return {}
    if (date_range := _DATE_RANGE_PATTERN.fullmatch(freshness)) is not None:
        return {"published_after": date_range[1], "published_before": date_range[2]}
    if (after := filters.period_start(_FRESHNESS_PERIODS.get(freshness, ""), call.today)) is None:
        return replies.refuse_invalid(
            "freshness: must be pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD.", "freshness"
        )
    return {"published_after": after}


def _image(row: WebSearchResult) -> dict[str, object]:
    page = asks.image_page(row)
    return {
        "type": "image_result",
        "title": row.title,
        "url": page,
        "source": urlsplit(page).netloc,
        "thumbnail": {"src": row.url},
        "properties": {"url": row.url},
        "meta_url": _meta_url(page),
    }


def _row(row: WebSearchResult, kind: str) -> dict[str, object]:
    if kind == "images":
        return _image(row)
    return {
        "title": row.title,
        "url": row.url,
        "description": row.snippet,
        "type": "search_result" if kind == "web" else "news_result",
        "profile": {"name": urlsplit(row.url).netloc, "url": row.url},
        "meta_url": _meta_url(row.url),
        **({"page_age": row.published_at, "age": row.published_at} if row.published_at else {}),
    }


def _search_reply(
    query: _Search, kind: BraveKind, found: Mapping[str, asks.SearchSuccess]
) -> replies.Reply:
    """Return the sections that were asked for; news and images have a reply of their own."""
    rows = {name: [_row(row, name) for row in each.outcome.rows] for name, each in found.items()}
    query_info = {"original": query.q, **_more_results(query, found)}
    if kind != "web":
        return replies.json_reply({"type": kind, "query": query_info, "results": rows[kind]})
    types = {"web": "search", "news": "news"}
    sections = {name: {"type": types[name], "results": each} for name, each in rows.items()}
    return replies.json_reply({"type": "search", "query": query_info, **sections})


def _more_results(query: _Search, found: Mapping[str, asks.SearchSuccess]) -> dict[str, bool]:
    """Return whether there are more rows, as far as it is known.

    A backend that has rows beyond its limit shows it; one with fewer than were asked for has no
    more. Of one that has as many, nobody knows: then the field is left out.
    """
    outcomes = [each.outcome for each in found.values()]
    if (query.offset + 2) * query.count > MAX_RESULTS:
        return {"more_results_available": False}
    if any(outcome.receipt.trimmed for outcome in outcomes):
        return {"more_results_available": True}
    if all(len(outcome.rows) < query.count for outcome in outcomes):
        return {"more_results_available": False}
    return {}


def _meta_url(url: str) -> dict[str, str]:
    scheme, host, path, *_ = urlsplit(url)
    return {"scheme": scheme, "netloc": host, "hostname": host, "path": path}


def _refusal_reply(refusal: replies.Refusal, call: replies.Call) -> replies.Reply:
    error = {
        "id": call.id,
        "status": _STATUSES.get(refusal.kind, 500),
        "code": _ERROR_CODES.get(refusal.kind, "INTERNAL_SERVER_ERROR"),
        "detail": refusal.message,
        "meta": {},
    }
    return replies.refusal_reply(
        refusal, _STATUSES, {"type": "ErrorResponse", "error": error, "time": 0}
    )


DIALECT = asks.Dialect(
    name="brave",
    title="Brave Search",
    names=_FIELD_NAMES,
    keys=asks.header_keys,
    refuse=_refusal_reply,
    endpoints=(
        *(
            asks.Endpoint(
                method="GET",
                path=f"/res/v1/{kind}/search",
                read=_call_reader(kind),
                shape=_Search,
                idle=_IDLE_FIELDS,
                defaults=_DEFAULTS,
                root=asks.accept_call,
            )
            for kind in get_args(BraveKind)
        ),
        asks.Endpoint(
            method="GET",
            path="/res/v1/**",
            read=asks.refuse_endpoint,
            root=asks.accept_call,
        ),
    ),
)
