"""SearXNG's JSON and HTML: GET and forms, at /search and at the root, as LangChain calls it.

https://docs.searxng.org/dev/search_api.html (read 2026-11-15)
"""

from collections.abc import Sequence
from html import escape
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

import msgspec

from webseam.ports.web import WebSearchResult

from .. import asks, replies, request_parsing as parsing, search_filters as filters

_SAFE_SEARCH_LEVELS = {0: "off", 1: "moderate", 2: "strict"}
_FORM_TYPE = "application/x-www-form-urlencoded"
_MAX_ROWS = 20
_MAX_FORM_FIELDS = 100
_IDLE_FIELDS = frozenset({
    "theme", "image_proxy", "autocomplete", "results_on_new_tab", "enabled_plugins",
    "disabled_plugins",
})  # fmt: skip


class _Search(msgspec.Struct):
    q: str
    format: str = ""
    pageno: parsing.Count = 1
    language: str = ""
    categories: str = ""
    time_range: str = ""
    safesearch: Literal[0, 1, 2] | None = None


def _read_parameters(call: replies.Call) -> dict[str, str] | replies.Refusal:
    if call.method != "POST":
        return dict(call.query)
    try:
        form = parse_qsl(call.body.decode(), max_num_fields=_MAX_FORM_FIELDS, errors="strict")
        return {**dict(call.query), **dict(form)}
    except ValueError:
        return replies.refuse_invalid(
            f"The form is not UTF-8, or has more than {_MAX_FORM_FIELDS} fields."
        )


def _read_search(call: replies.Call) -> asks.Reading:
    parameters = _read_parameters(call)
    query = (
        parameters
        if isinstance(parameters, replies.Refusal)
        else parsing.read_parameters(parameters, _Search)
    )
    if isinstance(query, replies.Refusal):
        return query
    if query.format not in ("", "html", "json"):
        # SearXNG answers so for a format that an instance does not offer.
        return replies.Refusal(kind="forbidden", message="format: json and html are offered.")
    categories = [category.strip() for category in query.categories.split(",") if category.strip()]
    is_images = {*categories} == {"images"}
    if not is_images and not {*categories} <= {"general", "news"}:
        return replies.refuse_unsupported("categories")
    after = filters.period_start(query.time_range, call.today) if query.time_range else None
    if query.time_range and after is None:
        return replies.refuse_invalid("time_range: must be day, week, month or year.", "time_range")
    topics = list(dict.fromkeys(categories)) or ["general"]
    fields = parsing.present_fields(
        query=query.q,
        max_results=_MAX_ROWS,
        language=None if query.language in ("all", "auto") else query.language,
        published_after=after,
        safe_search=None if query.safesearch is None else _SAFE_SEARCH_LEVELS[query.safesearch],
    )
    write = _search_reply if query.format == "json" else _html_page
    return asks.search_in_turn(
        [fields if topic == "general" else {**fields, "topic": topic} for topic in topics],
        lambda found: write(query.q, topics, found),
        page=query.pageno,
        hints=asks.CLIENT_DEFAULTS,
    )


def _html_page(
    query: str, _topics: Sequence[str], found: Sequence[asks.SearchSuccess]
) -> replies.Reply:
    """Return the results as a page with SearXNG's classes, which scrapers look for."""
    articles = "".join(
        f'<article class="result result-default"><h3><a href="{escape(row.url)}"'
        f' rel="noreferrer">{escape(row.title)}</a></h3>'
        f'<p class="content">{escape(row.snippet)}</p></article>'
        for _, row in asks.rows_in_turn(found)
    )
    form = (
        f'<form action="search"><input name="q" value="{escape(query)}"><button>⌕</button></form>'
    )
    page = (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(query)}</title></head>'
        f'<body>{form}<main id="results"><div id="urls">{articles}</div></main></body></html>'
    )
    headers = (("content-security-policy", "default-src 'none'; form-action 'self'"),)
    return replies.Reply(body=page.encode(), media_type="text/html; charset=utf-8", headers=headers)


def _search_reply(
    query: str, topics: Sequence[str], found: Sequence[asks.SearchSuccess]
) -> replies.Reply:
    rows = asks.rows_in_turn(found)
    failed = [
        [attempt.backend, attempt.outcome]
        for results in found
        for attempt in results.outcome.receipt.attempts
        if attempt.outcome not in ("answered", "cancelled", "unfinished", "")
    ]
    return replies.json_reply(
        {
            "query": query,
            "number_of_results": len(rows),
            "results": [
                {
                    "url": row.url,
                    "title": row.title,
                    "content": row.snippet,
                    "engine": row.source,
                    "engines": [finding.backend for finding in row.found_by] or [row.source],
                    "positions": [position],
                    # Clients sort by this score; it falls with the position.
                    "score": round(1 / position, 4),
                    "category": topics[index],
                    "template": "default.html",
                    "parsed_url": [*urlsplit(row.url)[:3], "", *urlsplit(row.url)[3:]],
                    "publishedDate": row.published_at,
                    "thumbnail": "",
                    **(_image(row) if topics[index] == "images" else {}),
                }
                for position, (index, row) in enumerate(rows, 1)
            ],
            # LangChain returns the first answer alone and ignores the rows, so send none.
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": failed,
        }
    )


def _image(row: WebSearchResult) -> dict[str, object]:
    page = asks.image_page(row)
    return {
        "url": page,
        "parsed_url": [*urlsplit(page)[:3], "", *urlsplit(page)[3:]],
        "content": "",
        "img_src": row.url,
        "thumbnail_src": row.url,
        "category": "images",
        "template": "images.html",
    }


def _is_form(call: replies.Call) -> bool:
    # curl -d also labels JSON as a form.
    is_json = call.body.lstrip()[:1] in (b"{", b"[")
    return call.header("content-type").startswith(_FORM_TYPE) and not is_json


def _config_reply(_call: replies.Call) -> replies.Reply:
    search = {"formats": ["html", "json"]}
    categories = ["general", "news", "images"]
    return replies.json_reply({"search": search, "categories": categories, "engines": []})


def _health_reply(_call: replies.Call) -> replies.Reply:
    return replies.Reply(body=b"OK", media_type="text/plain")


def _refusal_reply(refusal: replies.Refusal, _call: replies.Call) -> replies.Reply:
    # Clients read an empty list in a 200 as no results, and ignore the list of failed engines.
    body = {"error": refusal.message, "results": [], "unresponsive_engines": []}
    return replies.refusal_reply(refusal, replies.DEFAULT_STATUSES, body)


DIALECT = asks.Dialect(
    name="searxng",
    title="SearXNG",
    keys=asks.header_keys,
    refuse=_refusal_reply,
    names={
        "page": "pageno",
        "safe_search": "safesearch",
        "published_after": "time_range",
        "topic": "categories",
    },
    endpoints=(
        *(
            asks.Endpoint(
                method=method,
                path=path,
                read=_read_search,
                shape=_Search,
                idle=_IDLE_FIELDS,
                root=root,
            )
            for method, path, root in (
                ("GET", "/search", asks.accept_call),
                ("POST", "/search", _is_form),
                ("GET", "/", lambda call: bool(call.parameter("format") or call.parameter("q"))),
            )
        ),
        asks.Endpoint(method="GET", path="/config", read=_config_reply, root=None, tool=None),
        asks.Endpoint(method="GET", path="/healthz", read=_health_reply, root=None, tool=None),
    ),
)
