"""SearXNG's JSON: GET and forms, at /search and at the address itself, as LangChain asks.

https://docs.searxng.org/dev/search_api.html (read 2026-11-15)
"""

from typing import Literal
from urllib.parse import parse_qsl, urlsplit

import msgspec

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

_SAFE = {0: "off", 1: "moderate", 2: "strict"}
_FORM = "application/x-www-form-urlencoded"
_MAX_ROWS = 20
_FIELDS = 100


class _Search(msgspec.Struct):
    q: str
    format: str = ""
    pageno: int = 1
    language: str = ""
    categories: str = ""
    engines: str = ""
    time_range: str = ""
    safesearch: Literal[0, 1, 2] | None = None


def _parameters(call: Call) -> dict[str, str] | Refusal:
    if call.method != "POST":
        return dict(call.query)
    try:
        return dict(parse_qsl(call.body.decode(), max_num_fields=_FIELDS, errors="strict"))
    except ValueError:
        return refuse_invalid(f"The form is not UTF-8, or has more than {_FIELDS} fields.")


def _search(call: Call) -> Reading:
    parameters = _parameters(call)
    wanted = parameters if isinstance(parameters, Refusal) else read_parameters(parameters, _Search)
    if isinstance(wanted, Refusal):
        return wanted
    if wanted.format != "json":
        # SearXNG's own answer to a format that an instance does not offer.
        return Refusal(kind="forbidden", message="format: only json is offered.")
    categories = [word.strip() for word in wanted.categories.split(",") if word.strip()]
    others = [word for word in categories if word not in ("general", "news")]
    refusal = first_unsupported(
        {"pageno": wanted.pageno > 1, "engines": wanted.engines, "categories": others}
    )
    if refusal is not None:
        return refusal
    after = period_start(wanted.time_range, call.today) if wanted.time_range else None
    if wanted.time_range and after is None:
        return refuse_invalid("time_range: must be day, week, month or year.", "time_range")
    fields = fields_with_values(
        query=wanted.q,
        max_results=_MAX_ROWS,
        language=None if wanted.language in ("all", "auto") else wanted.language,
        topic="news" if categories == ["news"] else None,
        published_after=after,
        safe_search=None if wanted.safesearch is None else _SAFE[wanted.safesearch],
    )
    return SearchRequest(fields=fields, write=lambda results: _results(wanted.q, results))


def _results(query: str, results: SearchSuccess) -> Reply:
    rows = results.outcome.rows
    failed = [
        [attempt.backend, attempt.outcome]
        for attempt in results.outcome.receipt.attempts
        if attempt.outcome not in ("answered", "cancelled", "unfinished", "")
    ]
    return json_reply(
        {
            "query": query,
            "number_of_results": len(rows),
            "results": [
                {
                    "url": row.url,
                    "title": row.title,
                    "content": row.snippet,
                    "engine": row.source,
                    "engines": [one.backend for one in row.found_by] or [row.source],
                    "positions": [row.position],
                    # Clients sort by it; it falls with the place.
                    "score": round(1 / row.position, 4),
                    "category": "general",
                    "template": "default.html",
                    "parsed_url": [*urlsplit(row.url)[:3], "", *urlsplit(row.url)[3:]],
                    "publishedDate": row.published_at,
                    "thumbnail": "",
                }
                for row in rows
            ],
            # LangChain takes a first answer for the whole text, before any row.
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": failed,
        }
    )


def _is_json(call: Call) -> bool:
    return bool(call.parameter("format") or call.parameter("q"))


def _is_form(call: Call) -> bool:
    # curl -d says that JSON is a form, too.
    is_json = call.body.lstrip()[:1] in (b"{", b"[")
    return call.header("content-type").startswith(_FORM) and not is_json


def _config(_call: Call) -> Reply:
    formats = {"search": {"formats": ["json"]}, "categories": ["general", "news"], "engines": []}
    return json_reply(formats)


def _healthy(_call: Call) -> Reply:
    return Reply(body=b"OK", media_type="text/plain")


def _refuse(refusal: Refusal, _call: Call) -> Reply:
    # Clients take an empty list in a 200 for nothing found, and read no list of failed engines.
    body = {"error": refusal.message, "results": [], "unresponsive_engines": []}
    return refusal_reply(refusal, DEFAULT_STATUSES, body)


DIALECT = Dialect(
    name="searxng",
    title="SearXNG",
    keys=header_keys,
    refuse=_refuse,
    endpoints=(
        Endpoint(method="GET", path="/search", read=_search, root=accept_always),
        Endpoint(method="POST", path="/search", read=_search, root=_is_form),
        Endpoint(method="GET", path="/", read=_search, root=_is_json),
        Endpoint(method="GET", path="/config", read=_config, root=None, tool=None),
        Endpoint(method="GET", path="/healthz", read=_healthy, root=None, tool=None),
    ),
)
