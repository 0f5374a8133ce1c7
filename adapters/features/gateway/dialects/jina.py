"""Jina: the reader at r/URL, searches at s/, and rerank, where Cohere has the same form.

https://jina.ai/reader, https://docs.cohere.com/reference/rerank (read 2026-11-15)
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeVar
from urllib.parse import unquote

import msgspec

from webseam.ports.errors.error_fields import RefusalKind
from webseam.ports.models import Embeddings, RankedDocument
from webseam.ports.text import disarm_pictures
from webseam.ports.web import WebExtractResult, WebSearchResult

from .. import asks, replies, request_parsing as parsing, search_filters as filters
from ..countries import country_code, place_country

_STATUSES: dict[RefusalKind, int] = {
    **replies.DEFAULT_STATUSES, "unreadable": 422, "backend": 503,
}  # fmt: skip
_ERROR_NAMES = {
    "invalid": "ParamValidationError", "unsupported": "ParamValidationError",
    "unauthorized": "AuthenticationFailedError", "forbidden": "SecurityCompromiseError",
    "denied": "SecurityCompromiseError", "budget": "InsufficientBalanceError",
    "shared_budget": "InsufficientBalanceError", "rate": "RateLimitTriggeredError",
    "unreadable": "AssertionFailureError",
}  # fmt: skip
_FIELD_NAMES = {
    "country": "gl", "language": "hl", "published_after": "tbs", "published_before": "tbs",
    "topic": "type", "include_domains": "site", "exclude_domains": "site",
}  # fmt: skip
# Servers and proxies merge the two slashes of a URL in a path.
_HEADER_PART_PATTERN = re.compile(r"-([a-z])")
_MERGED_SLASH_PATTERN = re.compile(r"^(https?):/(?=[^/])", re.IGNORECASE)
_RETURN_FORMATS = ("", "default", "markdown", "content", "html", "text")
# Options that would change the page in ways that the gateway cannot.
_UNSUPPORTED_OPTIONS = (
    "targetSelector", "removeSelector", "waitForSelector", "proxyUrl", "proxy", "setCookie",
    "instruction", "jsonSchema", "locale", "tokenBudget",
)  # fmt: skip
# Options that steer Jina's own browsers and cache.
_IDLE_FIELDS = frozenset({
    "base", "detachInvisibles", "dnt", "fallback", "keepImgDataUrl", "markdownChunking", "nfpr",
    "embedding_type", "encoding_format", "late_chunking", "normalized", "truncate", "user",
    "max_chunks_per_doc", "max_tokens_per_doc", "noGfm", "preset", "provider",
    "referer", "removeOverlay", "respondTiming", "retainLinks", "robotsTxt", "timeout",
    "truncation", "userAgent", "withFavicons", "withGeneratedAlt", "withIframe", "withShadowDom",
})  # fmt: skip
_DEFAULTS = {
    "detachInvisibles": False, "dnt": False, "embedding_type": "float", "encoding_format": "float",
    "keepImgDataUrl": False, "late_chunking": False, "nfpr": False, "noGfm": False,
    "normalized": False, "removeOverlay": False, "robotsTxt": "", "truncate": False,
    "withFavicons": False, "withGeneratedAlt": False, "withIframe": False, "withShadowDom": False,
}  # fmt: skip


class _Page(msgspec.Struct, rename="camel", kw_only=True):
    """Options for a page in headers, such as X-Return-Format, or in a body: returnFormat."""

    url: str
    respond_with: str = ""
    return_format: str = ""
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    retain_images: str = ""
    with_links_summary: bool | str = False
    with_images_summary: bool | str = False
    engine: str = ""
    no_cache: bool | str = False
    cache_tolerance: Annotated[float, msgspec.Meta(ge=0)] | None = None


class _Search(msgspec.Struct, rename="camel", kw_only=True):
    q: str
    respond_with: str = ""
    site: str = ""
    count: parsing.RowCount | None = None
    num: parsing.RowCount | None = None
    gl: str | None = None
    hl: str | None = None
    page: parsing.Count | None = None
    location: str | None = None
    tbs: str | None = None
    type: Literal["web", "news"] | None = None


class _Document(msgspec.Struct):
    text: str


class _Rerank(msgspec.Struct):
    query: str
    documents: list[str | _Document]
    model: str = ""
    top_n: parsing.Count | None = None
    return_documents: bool | None = None


class _Embed(msgspec.Struct):
    input: str | list[str | _Document]
    model: str = ""
    task: str = ""


_Shape = TypeVar("_Shape", _Page, _Search)


def _read_page_path(call: replies.Call) -> asks.Reading:
    """Read the page whose URL is the rest of the path, including a query."""
    location = call.rest
    if re.match(r"^https?(:|%3a)", location, re.IGNORECASE) is None:
        return replies.refuse_invalid(
            "Write the whole URL of the page behind r/, with https://.", "url"
        )
    if "%3a" in location[:12].lower():
        location = unquote(location)
    url = _MERGED_SLASH_PATTERN.sub(r"\1://", location) + (f"?{call.search}" if call.search else "")
    return _page_request({"url": url}, call)


def _read_page_body(call: replies.Call) -> asks.Reading:
    fields = parsing.read_json_body(call, dict[str, object])
    return fields if isinstance(fields, replies.Refusal) else _page_request(fields, call)


def _read_options(
    call: replies.Call, fields: Mapping[str, object], shape: type[_Shape]
) -> tuple[_Shape, tuple[str, ...]] | replies.Refusal:
    """Return the options in the headers and fields of a call, and the headers without effect."""
    names = {
        _HEADER_PART_PATTERN.sub(lambda part: part[1].upper(), name.removeprefix("x-")): name
        for name in call.headers
        if name.startswith("x-")
    }
    refusal = parsing.refuse_unsupported_options(
        {
            names[name].title(): call.header(names[name])
            for name in _UNSUPPORTED_OPTIONS
            if name in names
        }
    )
    if refusal is not None:
        return refusal
    options = {name: call.header(header) for name, header in names.items()}
    known = _IDLE_FIELDS | {field.encode_name for field in msgspec.structs.fields(_Page)}
    read_here = {field.encode_name for field in msgspec.structs.fields(shape)}
    # X-Md-Link-Style and its like steer how Jina writes markdown.
    idle = tuple(
        names[name]
        for name in sorted(names.keys() - read_here)
        if name in known or name.startswith("md")
    )
    try:
        return msgspec.convert({**options, **fields}, shape, strict=False), idle
    except msgspec.ValidationError as error:
        return parsing.refuse_wrong_shape(error)


def _page_request(fields: Mapping[str, object], call: replies.Call) -> asks.Reading:
    if isinstance(read := _read_options(call, fields, _Page), replies.Refusal):
        return read
    written, idle = read
    options = msgspec.structs.replace(
        written,
        with_links_summary=parsing.read_switch(written.with_links_summary),
        with_images_summary=parsing.read_switch(written.with_images_summary),
        no_cache=parsing.read_switch(written.no_cache),
    )
    form = (options.return_format or options.respond_with).lower()
    form_header = "X-Return-Format" if options.return_format else "X-Respond-With"
    refusal = parsing.refuse_unsupported_options(
        {
            form_header: form not in _RETURN_FORMATS,
            "X-Engine": options.engine in ("vlm", "readerlm-v2"),
            "X-Retain-Images": options.retain_images.lower() not in ("", "all", "none"),
        },
        "markdown, html and text with all or no images are known, without a model",
    )
    if refusal is not None:
        return refusal
    # Estimate: four characters a token.
    limit = options.max_tokens * 4 if options.max_tokens else None
    max_age = 0.0 if options.no_cache else options.cache_tolerance
    return asks.PagesRequest(
        urls=(options.url,),
        wish=asks.PageOptions(
            char_limit=limit,
            max_age=max_age,
            forms=_page_forms(form, options, call),
            drops_images=options.retain_images.lower() == "none",
        ),
        unread=(*idle, *_without_effect(options, call)),
        write=lambda pages: _page_reply(pages[0], form, options, call),
    )


def _without_effect(options: _Page, call: replies.Call) -> list[str]:
    """Return the options that are known and change nothing: only a reply in JSON has summaries."""
    asked = {
        "engine": options.engine,
        "withLinksSummary": options.with_links_summary and not _wants_json(call),
        "withImagesSummary": options.with_images_summary and not _wants_json(call),
    }
    return [name for name, is_asked in asked.items() if is_asked]


def _page_forms(form: str, options: _Page, call: replies.Call) -> tuple[asks.PageForm, ...]:
    forms: list[asks.PageForm] = []
    if form == "html":
        forms.append("html")
    elif form == "text":
        forms.append("text")
    if _wants_json(call):
        # Only a reply in JSON has room for summaries.
        forms += ["links"] if options.with_links_summary else []
        forms += ["images"] if options.with_images_summary else []
    return tuple(forms)


def _wants_json(call: replies.Call) -> bool:
    return "json" in call.header("accept")


def _page_reply(read: asks.Page, form: str, options: _Page, call: replies.Call) -> asks.Written:
    if (page := read.result) is None:
        return read.refusal or replies.refuse_invalid("The page was not read.")
    if not _wants_json(call):
        return replies.text_reply(_page_text(read, page, form))
    data = _page_data(read, page, form, options)
    return _success_reply(data, _estimate_tokens(page.content))


def _page_data(
    read: asks.Page, page: WebExtractResult, form: str, options: _Page
) -> dict[str, object]:
    fields: dict[str, object] = {
        "title": page.title,
        "description": _metadata_text(page.metadata, "description"),
        "url": page.final_url,
        "content": page.content,
        "usage": {"tokens": _estimate_tokens(page.content)},
    }
    if published := _metadata_text(page.metadata, "published_at"):
        fields["publishedTime"] = published
    if form == "html":
        fields["html"] = read.forms.html
    if form == "text":
        fields["text"] = read.forms.text
    if options.with_links_summary:
        fields["links"] = dict(read.forms.links)
    if options.with_images_summary:
        images = enumerate(read.forms.images, 1)
        fields["images"] = {f"Image {index}: {name}": url for index, (name, url) in images}
    return fields


def _page_text(read: asks.Page, page: WebExtractResult, form: str) -> str:
    if form == "html":
        return read.forms.html
    if form == "text":
        return read.forms.text
    title = disarm_pictures(page.title)
    return f"Title: {title}\n\nURL Source: {page.final_url}\n\nMarkdown Content:\n{page.content}"


def _metadata_text(metadata: Mapping[str, object], name: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else ""


def _estimate_tokens(content: str) -> int:
    return len(content) // 4 + 1


def _read_search_path(call: replies.Call) -> asks.Reading:
    """Search for the text behind s/, or in q."""
    try:
        text = unquote(call.rest, errors="strict").strip()
    except UnicodeDecodeError:
        return replies.refuse_invalid("The query is not text in UTF-8.", "q")
    fields = {name: value for name, value in call.query if value.strip()}
    return _search_request({**fields, "q": text or call.parameter("q")}, call)


def _read_search_body(call: replies.Call) -> asks.Reading:
    fields = parsing.read_json_body(call, dict[str, object])
    return fields if isinstance(fields, replies.Refusal) else _search_request(fields, call)


def _search_request(given: Mapping[str, object], call: replies.Call) -> asks.Reading:
    if isinstance(read := _read_options(call, given, _Search), replies.Refusal):
        return read
    body, idle = read
    if isinstance(days := filters.read_tbs(body.tbs, call.today), replies.Refusal):
        return days
    domains = filters.read_domains(body.site.split(","), (), _FIELD_NAMES)
    if isinstance(domains, replies.Refusal):
        return domains
    form = body.respond_with.lower()
    if form not in ("", "default", "content", "markdown", "no-content"):
        return replies.refuse_unsupported("X-Respond-With", "markdown and no-content are known")
    unread = ["location"] if body.location else []
    if body.num and body.count:
        unread.append("count")
    fields = parsing.present_fields(
        query=body.q,
        max_results=body.num or body.count or 5,
        country=country_code(body.gl) or body.gl if body.gl else place_country(body.location),
        language=body.hl,
        topic="news" if body.type == "news" else None,
        **days,
        **domains,
    )
    return asks.SearchRequest(
        fields=fields,
        page=body.page or 1,
        hints=asks.CLIENT_DEFAULTS,
        unread=(*idle, *unread),
        pages=None if form == "no-content" else asks.PageOptions(),
        write=lambda results: _results_reply(results, call),
    )


def _results_reply(results: asks.SearchSuccess, call: replies.Call) -> replies.Reply:
    texts = {page.url: page.result.content for page in results.pages if page.result is not None}
    warnings = {
        page.url: f"The page was not read. {page.refusal.message}"
        for page in results.pages
        if page.refusal is not None
    }
    rows = results.outcome.rows
    if not _wants_json(call):
        return replies.text_reply(
            "\n\n".join(
                _row_text(row, texts.get(row.url, ""), warnings.get(row.url, "")) for row in rows
            )
        )
    data = [
        {
            "title": row.title,
            "url": row.url,
            "description": row.snippet,
            "content": texts.get(row.url, ""),
            **({"warning": warnings[row.url]} if row.url in warnings else {}),
            "usage": {"tokens": _estimate_tokens(texts.get(row.url, ""))},
        }
        for row in rows
    ]
    # Jina answers 422 if nothing is found; two clients take that for a failure (2026-11-15).
    return _success_reply(data, sum(map(_estimate_tokens, texts.values())))


def _row_text(row: WebSearchResult, content: str, warning: str) -> str:
    title, snippet = disarm_pictures(row.title), disarm_pictures(row.snippet)
    lines = [f"Title: {title}", f"URL Source: {row.url}", f"Description: {snippet}"]
    lines += [f"Warning: {warning}"] if warning else []
    return "\n".join(f"[{row.position}] {line}" for line in lines) + f"\n\n{content}".rstrip()


def _success_reply(data: object, tokens: int) -> replies.Reply:
    meta = {"usage": {"tokens": tokens}}
    return replies.json_reply({"code": 200, "status": 20000, "data": data, "meta": meta})


def _read_rerank(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Rerank), replies.Refusal):
        return body
    documents = tuple(_document_text(document) for document in body.documents)
    if not documents or (body.top_n is not None and body.top_n < 1):
        reason = "documents must not be empty, and top_n at least 1."
        return replies.refuse_invalid(reason, "documents")

    def write(ranked: Sequence[RankedDocument]) -> replies.Reply:
        results = [
            {
                "index": rank.index,
                "relevance_score": rank.score,
                **({"document": {"text": documents[rank.index]}} if body.return_documents else {}),
            }
            for rank in ranked[: body.top_n]
        ]
        tokens = sum(map(_estimate_tokens, documents))
        return replies.json_reply(
            {
                "id": call.id,
                "model": body.model,
                "usage": {"total_tokens": tokens},
                "results": results,
                "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
            }
        )

    unread = ("model",) if body.model else ()
    return asks.RerankRequest(query=body.query, documents=documents, unread=unread, write=write)


def _read_embeddings(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Embed), replies.Refusal):
        return body
    inputs = [body.input] if isinstance(body.input, str) else body.input

    def write(found: Embeddings) -> replies.Reply:
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(found.vectors)
        ]
        usage = {"total_tokens": found.tokens, "prompt_tokens": found.tokens}
        reply = {"object": "list", "model": found.model, "data": data, "usage": usage}
        return replies.json_reply(reply)

    is_retrieval = body.task in ("", "retrieval.query", "retrieval.passage")
    options = {"model": body.model, "task": not is_retrieval}
    return asks.EmbedRequest(
        texts=tuple(map(_document_text, inputs)),
        unread=tuple(name for name, value in options.items() if value),
        role="query" if body.task.endswith("query") else "document",
        write=write,
    )


def _document_text(document: str | _Document) -> str:
    return document if isinstance(document, str) else document.text


def _refusal_reply(refusal: replies.Refusal, _call: replies.Call) -> replies.Reply:
    status = _STATUSES.get(refusal.kind, 503)
    body = {
        "data": None,
        "code": status,
        "name": _ERROR_NAMES.get(refusal.kind, "ServiceNodeResourceDrainError"),
        "status": status * 100 + 3 if refusal.kind == "rate" else status * 100,
        "message": refusal.message,
        "readableMessage": refusal.message,
        "detail": refusal.message,
    }
    return replies.refusal_reply(refusal, _STATUSES, body, default_status=503)


DIALECT = asks.Dialect(
    name="jina",
    title="Jina: reader, search, rerank, embeddings",
    keys=asks.header_keys,
    names=_FIELD_NAMES,
    refuse=_refusal_reply,
    endpoints=(
        asks.Endpoint(
            method="GET",
            path="/r/**",
            read=_read_page_path,
            root=asks.accept_call,
            tool="extract",
            bare=True,
        ),
        *(
            asks.Endpoint(
                method=method,
                path=path,
                read=read,
                shape=shape,
                idle=_IDLE_FIELDS,
                defaults=_DEFAULTS,
                root=asks.accept_call,
                tool="extract" if shape is _Page else "search",
            )
            for method, path, read, shape in (
                ("POST", "/r", _read_page_body, _Page),
                ("GET", "/s/**", _read_search_path, _Search),
                ("GET", "/s", _read_search_path, _Search),
                ("POST", "/s", _read_search_body, _Search),
                ("POST", "/v1/rerank", _read_rerank, _Rerank),
                ("POST", "/v2/rerank", _read_rerank, _Rerank),
                ("POST", "/v1/embeddings", _read_embeddings, _Embed),
            )
        ),
    ),
)
