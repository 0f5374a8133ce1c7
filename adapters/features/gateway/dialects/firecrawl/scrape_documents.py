"""Pages as Firecrawl documents: the requested formats and metadata."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec

from webseam.adapters.values.json_values import json_or_none
from webseam.ports.errors import DnsNotFound, HttpStatus, TlsFailed
from webseam.ports.errors.error_fields import RefusalKind
from webseam.ports.web import WebExtractResult

from ... import replies
from ...asks import Page, PageForm, PageOptions, data_task, summary_task
from ...request_parsing import present_fields

Version: TypeAlias = Literal["v1", "v2"]
_STATUSES: dict[RefusalKind, int] = {
    **replies.DEFAULT_STATUSES, "deadline": 408, "conflict": 409,
}  # fmt: skip
# Sitemaps are not read.
SITEMAP_RULES = (None, "", "include", "skip")
_FORMATS = ("markdown", "html", "rawHtml", "links", "summary", "json")
# What steers Firecrawl's own cache, proxies and browsers. We always verify certificates.
IDLE_FIELDS = frozenset({
    "blockAds", "deduplicateSimilarURLs", "enterprise", "fastMode", "highlights", "ignoreCache",
    "ignoreInvalidURLs", "ignoreQueryParameters", "ignoreSitemap", "integration",
    "maxConcurrency", "origin", "parsePDF", "parsers", "proxy", "removeBase64Images",
    "skipTlsVerification", "storeInCache", "timeout", "useIndex", "waitFor",
})  # fmt: skip
DEFAULTS = {
    "blockAds": True, "deduplicateSimilarURLs": True, "fastMode": False,
    "ignoreInvalidURLs": False, "ignoreQueryParameters": False, "ignoreSitemap": False,
    "mobile": False, "parsePDF": True, "parsers": ["pdf"], "removeBase64Images": True,
    "skipTlsVerification": True, "storeInCache": True, "waitFor": 0,
}  # fmt: skip


def error_code(refusal: replies.Refusal) -> str:
    """Return the code by which clients choose an exception."""
    if isinstance(refusal.error, DnsNotFound):
        return "SCRAPE_DNS_RESOLUTION_ERROR"
    if isinstance(refusal.error, TlsFailed):
        return "SCRAPE_SSL_ERROR"
    codes = {"deadline": "SCRAPE_TIMEOUT", "invalid": "BAD_REQUEST", "unsupported": "BAD_REQUEST"}
    return codes.get(refusal.kind, "UNKNOWN_ERROR")


def firecrawl_error_reply(refusal: replies.Refusal, _call: replies.Call) -> replies.Reply:
    """Return a refusal in Firecrawl's form."""
    body = {"success": False, "error": refusal.message, "code": error_code(refusal)}
    return replies.refusal_reply(refusal, _STATUSES, body)


class _Format(msgspec.Struct):
    type: str = ""
    prompt: str = ""
    schema: dict[str, object] | None = None


class ScrapeOptions(msgspec.Struct, rename="camel"):
    """Options for pages."""

    formats: list[str | _Format] | None = None
    only_main_content: bool | None = None
    max_age: Annotated[float, msgspec.Meta(ge=0)] | None = None


def _format_entries(options: ScrapeOptions | None) -> list[_Format]:
    formats = (None if options is None else options.formats) or ["markdown"]
    return [entry if isinstance(entry, _Format) else _Format(type=entry) for entry in formats]


def requested_formats(options: ScrapeOptions | None) -> tuple[str, ...] | replies.Refusal:
    """Return the requested formats of pages, or a refusal of the first unsupported option."""
    if options is not None and options.only_main_content is False:
        return replies.refuse_unsupported("onlyMainContent: false")
    names = [entry.type for entry in _format_entries(options)]
    if (unknown := next((name for name in names if name not in _FORMATS), None)) is not None:
        reason = f"this gateway makes {', '.join(_FORMATS)}"
        return replies.refuse_unsupported(f"formats: {unknown[:40]}", reason)
    if {"summary", "json"} <= {*names}:
        return replies.refuse_unsupported("formats: summary and json", "ask for one of them")
    return tuple(dict.fromkeys(names))


def page_options(options: ScrapeOptions | None) -> PageOptions:
    """Return the options for pages: their age, their HTML, and what a model makes of them."""
    # Firecrawl counts milliseconds.
    milliseconds = None if options is None else options.max_age
    max_age = None if milliseconds is None else milliseconds / 1000
    task, html_field = None, ""
    forms: list[PageForm] = []
    for entry in _format_entries(options):
        if (kind := entry.type) == "rawHtml":
            html_field = "formats: rawHtml"
        elif kind in ("html", "links"):
            forms.append("html" if kind == "html" else "links")
        elif kind == "summary":
            task = summary_task("formats: summary", entry.prompt)
        elif kind == "json":
            task = data_task(
                "formats: json", entry.prompt, entry.schema, schema_field="formats.schema"
            )
    return PageOptions(
        task=task, max_age=max_age, html_field=html_field, forms=tuple(dict.fromkeys(forms))
    )


def scrape_document(
    page: Page, result: WebExtractResult, formats: Sequence[str]
) -> dict[str, object]:
    """Return a page that was read in the requested formats, with its metadata."""
    written = page.written
    forms: dict[str, Callable[[], object]] = {
        "markdown": lambda: result.content,
        "html": lambda: page.forms.html,
        "rawHtml": lambda: result.raw_content,
        "links": lambda: page.link_targets,
        "summary": lambda: written,
        "json": lambda: json_or_none(written.encode()),
    }
    metadata = document_metadata(result.url, result.final_url, result.title, 200, result.metadata)
    cache = {"cacheState": "miss"}
    if result.receipt.cached:
        cache = {"cacheState": "hit", "cachedAt": result.receipt.fetched_at or ""}
    return {**{name: forms[name]() for name in formats}, "metadata": {**metadata, **cache}}


def document_metadata(
    url: str, final: str, title: str, status: int | None, more: Mapping[str, object]
) -> dict[str, object]:
    """Return the metadata of a page, with a status if one was stated."""
    fields = present_fields(
        description=more.get("description"),
        publishedTime=more.get("published_at"),
        language=more.get("language"),
        contentType=more.get("content_type"),
    )
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    stated = {} if status is None else {"statusCode": status}
    return {"title": title, "sourceURL": url, "url": final, **stated, **texts}


def refused_document(page: Page) -> dict[str, object] | None:
    """Return a document for a page whose server answered an error status, else None."""
    error = None if page.refusal is None else page.refusal.error
    if not isinstance(error, HttpStatus) or error.url is None:
        return None
    metadata = document_metadata(page.url, page.url, "", error.status, {})
    return {"markdown": "", "metadata": {**metadata, "error": error.message}}
