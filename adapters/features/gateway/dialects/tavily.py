"""Tavily: search, extract, map and crawl, with its own statuses 432 and 433 for budgets.

https://docs.tavily.com/documentation/api-reference/introduction (read 2026-11-15)
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, TypeAlias

import msgspec

from webseam.adapters.pages.page_forms import unusable_pattern
from webseam.adapters.values.field_values import at
from webseam.adapters.values.json_values import json_or_none, text
from webseam.ports.errors.error_fields import RefusalKind
from webseam.ports.web import WebExtractResult

from .. import asks, replies, request_parsing as parsing, search_filters as filters
from ..countries import country_code
from .exa import EXA_ONLY_FIELDS

_STATUSES: dict[RefusalKind, int] = {
    **replies.DEFAULT_STATUSES, "budget": 432, "shared_budget": 433,
}  # fmt: skip
_FIELD_NAMES = {
    "include_domains": "include_domains", "exclude_domains": "exclude_domains",
    "published_after": "start_date", "published_before": "end_date",
}  # fmt: skip
_MAX_URLS = 20
_MAX_PAGES = 100
_DEFAULT_PAGES = 50
_MAX_DAYS = 36_500
_FORMATS = ("markdown", "text")
_Hours: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
# What steers how Tavily works; external links are its default, and more than we read.
_IDLE_FIELDS = frozenset({
    "allow_external", "api_key", "auto_parameters", "cache_fallback", "chunks_per_source",
    "client_source", "extract_depth", "fetch_timeout", "include_favicon",
    "include_image_descriptions", "include_usage", "max_age_hours", "max_breadth", "search_depth",
    "timeout", "use_cache",
})  # fmt: skip
_DEFAULTS = {
    "allow_external": True, "auto_parameters": False, "chunks_per_source": 3, "exact_match": False,
    "extract_depth": "basic", "include_favicon": False, "include_image_descriptions": False,
    "include_images": False, "include_usage": False, "max_breadth": 20, "search_depth": "basic",
}  # fmt: skip


class _Search(msgspec.Struct):
    query: str
    max_results: parsing.RowCount | None = None
    topic: str | None = None
    time_range: str | None = None
    days: int | None = None
    start_date: str | None = None
    end_date: str | None = None
    include_domains: list[str] | None = None
    include_domains_mode: str | None = None
    exclude_domains: list[str] | None = None
    country: str | None = None
    language: str | None = None
    filter_by_language: bool | None = None
    safe_search: bool | None = None
    include_answer: bool | str | None = None
    include_raw_content: bool | str | None = None
    max_age_hours: _Hours | None = None


class _Extract(msgspec.Struct):
    urls: list[str] | str
    query: str | None = None
    format: str | None = None
    max_age_hours: _Hours | None = None


class _Crawl(msgspec.Struct):
    url: str
    limit: parsing.Count | None = None
    max_depth: parsing.Count | None = None
    select_paths: list[str] | None = None
    exclude_paths: list[str] | None = None
    format: str | None = None


def _read_search_call(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Search), replies.Refusal):
        return body
    body.include_answer = parsing.read_switch(body.include_answer)
    body.include_raw_content = parsing.read_switch(body.include_raw_content)
    if (refusal := _refuse_values(body)) is not None:
        return refusal
    with_pages = body.include_raw_content is not False
    domains = filters.read_domains(body.include_domains, body.exclude_domains, _FIELD_NAMES)
    if isinstance(domains, replies.Refusal):
        return domains
    if isinstance(window := _read_window(body, call), replies.Refusal):
        return window
    fields = parsing.present_fields(**_request_fields(body), **domains, **window.fields)
    # Tavily prefers pages of the country, and finds others.
    hints = ("country",) if body.filter_by_language else ("country", "language")
    is_unfiltered = body.filter_by_language is True and not body.language
    # Some clients ask for an answer by default, so it is null without a model.
    answer = asks.WritingTask(
        field="include_answer", prompt=body.query, optional=True, sourced=True
    )
    return asks.SearchRequest(
        fields=fields,
        hints=hints,
        max_age=_seconds(body.max_age_hours),
        unread=(*window.inexact, *(("filter_by_language",) if is_unfiltered else ())),
        pages=_page_options(body.include_raw_content, body.max_age_hours) if with_pages else None,
        answer=answer if body.include_answer else None,
        write=lambda results: _search_reply(body, results, call.id),
    )


def _refuse_values(body: _Search) -> replies.Refusal | None:
    if body.topic not in (None, "", "general", "news", "finance"):
        reason = "Invalid topic. Must be 'general', 'news' or 'finance'."
        return replies.refuse_invalid(reason, "topic")
    if body.country and country_code(body.country) is None:
        return replies.refuse_invalid(f"Invalid country: {body.country[:50]!a}.", "country")
    if not 0 <= (body.days or 0) <= _MAX_DAYS:
        return replies.refuse_invalid(f"days must be 0 to {_MAX_DAYS}.", "days")
    if body.include_raw_content not in (True, False, *_FORMATS):
        return replies.refuse_invalid(
            "include_raw_content must be markdown or text.", "include_raw_content"
        )
    if body.include_domains_mode not in (None, "", "restrict"):
        return replies.refuse_unsupported("include_domains_mode", "restrict is known")
    return None


def _read_window(body: _Search, call: replies.Call) -> filters.DayWindow | replies.Refusal:
    rule = "must be in the format YYYY-MM-DD"
    window = filters.read_window(body.start_date, body.end_date, _FIELD_NAMES, rule)
    if isinstance(window, replies.Refusal):
        return window
    recent, unread = None, list(window.inexact)
    if body.time_range:
        recent = filters.period_start(body.time_range, call.today)
        if recent is None:
            reason = "day, week, month and year are known"
            return replies.refuse_unsupported("time_range", reason)
    # Old clients send days with every search; it counts for news without other dates.
    is_dated = body.start_date or body.time_range
    if body.days and body.topic == "news" and not is_dated:
        recent = (call.today - timedelta(days=body.days)).isoformat()
    elif body.days is not None:
        unread.append("days")
    after = filters.latest_day(window, recent)
    return filters.DayWindow({**window.fields, "published_after": after}, tuple(unread))


def _request_fields(body: _Search) -> dict[str, object]:
    return parsing.present_fields(
        query=body.query,
        max_results=5 if body.max_results is None else body.max_results,
        topic=None if body.topic in (None, "general") else body.topic,
        country=country_code(body.country) if body.country else None,
        language=body.language,
        safe_search="strict" if body.safe_search else None,
    )


def _search_reply(body: _Search, results: asks.SearchSuccess, call_id: str) -> replies.Reply:
    contents = {
        page.url: _raw_content(page, page.result, body.include_raw_content)
        for page in results.pages
        if page.result is not None
    }
    rows = results.outcome.rows
    # No evidence, no answer: prose of a service without a row is none.
    answer = (results.answer or results.outcome.answer) if rows else None
    # If the backend did not score each row, send scores that fall with the position: beside such
    # scores, its own would mean nothing.
    is_scored = all(row.score is not None for row in rows)
    return replies.json_reply(
        {
            "query": body.query,
            "follow_up_questions": None,
            "answer": (answer.text or None) if answer is not None else None,
            "images": [],
            "results": [
                {
                    "url": row.url,
                    "title": row.title,
                    "content": row.snippet,
                    "score": row.score if is_scored else round(1 / row.position, 4),
                    "raw_content": contents.get(row.url),
                    **({"published_date": row.published_at} if row.published_at else {}),
                }
                for row in rows
            ],
            "response_time": round(results.seconds, 3),
            "request_id": call_id,
        }
    )


def _read_extract_call(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Extract), replies.Refusal):
        return body
    urls = tuple([body.urls] if isinstance(body.urls, str) else body.urls)
    if not 0 < len(urls) <= _MAX_URLS:
        return replies.refuse_invalid(f"urls must be 1 to {_MAX_URLS} URLs.", "urls")
    if body.format not in (None, "", *_FORMATS):
        return replies.refuse_unsupported("format")
    return asks.PagesRequest(
        urls=urls,
        wish=msgspec.structs.replace(
            _page_options(body.format, body.max_age_hours), focus=body.query or None
        ),
        write=lambda pages: (
            asks.common_page_refusal(pages)
            or replies.json_reply(
                {
                    **_reply_pages(pages, body.format),
                    "response_time": 0.0,
                    "request_id": call.id,
                }
            )
        ),
    )


def _page_options(form: object, hours: float | None) -> asks.PageOptions:
    return asks.PageOptions(forms=("text",) if form == "text" else (), max_age=_seconds(hours))


def _seconds(hours: float | None) -> float | None:
    return None if hours is None else hours * 3600


def _raw_content(page: asks.Page, result: WebExtractResult, form: object) -> str:
    return page.forms.text if form == "text" else result.content


def _reply_pages(pages: Sequence[asks.Page], form: str | None = None) -> dict[str, object]:
    return {
        "results": [
            {"url": page.url, "raw_content": _raw_content(page, page.result, form), "images": []}
            for page in pages
            if page.result is not None
        ],
        "failed_results": [
            {"url": page.url, "error": page.refusal.message}
            for page in pages
            if page.refusal is not None
        ],
    }


def _crawl_plan(call: replies.Call) -> asks.CrawlPlan | replies.Refusal:
    if isinstance(body := parsing.read_json_body(call, _Crawl), replies.Refusal):
        return body
    if body.format not in (None, "", "markdown"):
        return replies.refuse_unsupported("format")
    bad_pattern = unusable_pattern((*(body.select_paths or ()), *(body.exclude_paths or ())))
    if bad_pattern is not None:
        return replies.refuse_unsupported(
            "select_paths, exclude_paths", f"{bad_pattern[:60]!a} is no simple pattern"
        )
    limit = _DEFAULT_PAGES if body.limit is None else body.limit
    if not 0 < limit <= _MAX_PAGES:
        return replies.refuse_unsupported("limit", f"this gateway reads 1 to {_MAX_PAGES} pages")
    return asks.CrawlPlan(
        url=body.url,
        limit=limit,
        depth=1 if body.max_depth is None else body.max_depth,
        include=tuple(body.select_paths or ()),
        exclude=tuple(body.exclude_paths or ()),
    )


def _read_map_call(call: replies.Call) -> asks.Reading:
    if isinstance(plan := _crawl_plan(call), replies.Refusal):
        return plan
    return asks.LinksRequest(plan=plan, write=lambda links: _site_reply(plan, links, call))


def _read_crawl_call(call: replies.Call) -> asks.Reading:
    if isinstance(plan := _crawl_plan(call), replies.Refusal):
        return plan

    def write(pages: Sequence[asks.Page]) -> replies.Reply | replies.Refusal:
        first = pages[0]
        if first.refusal is not None:
            return first.refusal
        return _site_reply(plan, _reply_pages(pages)["results"], call)

    return asks.CrawlRequest(plan=plan, write=write)


def _site_reply(plan: asks.CrawlPlan, results: object, call: replies.Call) -> replies.Reply:
    return replies.json_reply(
        {"base_url": plan.url, "results": results, "response_time": 0.0, "request_id": call.id}
    )


def _refuse_research(_call: replies.Call) -> replies.Refusal:
    return replies.refuse_unsupported("/research")


def _caller_keys(call: replies.Call) -> tuple[str, ...]:
    """Return the keys of a call; Hermes and gpt-researcher send theirs in the body."""
    key = text(at(json_or_none(call.body), "api_key")).strip()
    return (*asks.header_keys(call), *((key,) if key else ()))


def _is_tavily_call(call: replies.Call) -> bool:
    """Tell a Tavily search from those of Exa and Serper, which have the same path."""
    body = json_or_none(call.body)
    if not isinstance(body, dict) or "query" not in body or call.header("x-api-key"):
        return False
    return not EXA_ONLY_FIELDS & body.keys()


def _refusal_reply(refusal: replies.Refusal, call: replies.Call) -> replies.Reply:
    if call.header("x-tavily-access-mode") == "keyless" and refusal.kind in ("rate", "budget"):
        limit: dict[str, object] = {
            "code": "keyless_limit",
            "message": refusal.message,
            "window": "minute",
            "retry_after_seconds": refusal.retry_after or 60,
            "next_actions": [],
        }
        return replies.refusal_reply(refusal, _STATUSES, {"error": limit})
    return replies.refusal_reply(refusal, _STATUSES, {"detail": {"error": refusal.message}})


DIALECT = asks.Dialect(
    name="tavily",
    title="Tavily",
    names=_FIELD_NAMES,
    keys=_caller_keys,
    refuse=_refusal_reply,
    endpoints=(
        *(
            asks.Endpoint(
                path=path,
                read=read,
                shape=shape,
                idle=_IDLE_FIELDS,
                defaults=_DEFAULTS,
                long=path == "/crawl",
                root=_is_tavily_call if shape is _Search else asks.accept_call,
                tool="search" if shape is _Search else "extract",
            )
            for path, read, shape in (
                ("/search", _read_search_call, _Search),
                ("/extract", _read_extract_call, _Extract),
                ("/map", _read_map_call, _Crawl),
                ("/crawl", _read_crawl_call, _Crawl),
            )
        ),
        asks.Endpoint(path="/research", read=_refuse_research, root=asks.accept_call),
    ),
)
