"""Jina: the reader at r/URL, searches at s/, and rerank, where Cohere has the same form.

https://jina.ai/reader, https://docs.cohere.com/reference/rerank (read 2026-11-15)
"""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

import msgspec

from ....ports.errors.error_fields import RefusalKind
from ....ports.models import RankedDocument
from ....ports.web import WebExtractResult, WebSearchResult
from ...page_forms import markdown_to_html, markdown_to_text, named_links
from ...values.numbers import parse_whole_number
from ..countries import country_code
from ..gateway_requests import (
    Dialect,
    Endpoint,
    Page,
    PageOptions,
    PagesRequest,
    Reading,
    RerankRequest,
    SearchRequest,
    SearchSuccess,
    Written,
    accept_call,
    header_keys,
)
from ..refusal import (
    DEFAULT_STATUSES,
    Call,
    Refusal,
    Reply,
    gateway_json_reply,
    gateway_refusal_reply,
    refuse_invalid,
    refuse_unsupported,
    text_reply,
)
from ..request_parsing import first_unsupported, host_names, read_gateway_json, search_fields

_JINA_STATUSES: dict[RefusalKind, int] = {**DEFAULT_STATUSES, "unreadable": 422, "backend": 503}
_JINA_ERROR_NAMES = {
    "invalid": "ParamValidationError",
    "unsupported": "ParamValidationError",
    "unauthorized": "AuthenticationFailedError",
    "forbidden": "SecurityCompromiseError",
    "denied": "SecurityCompromiseError",
    "budget": "InsufficientBalanceError",
    "shared_budget": "InsufficientBalanceError",
    "rate": "RateLimitTriggeredError",
    "unreadable": "AssertionFailureError",
}
# Servers and proxies merge the two slashes of a URL in a path.
_IMAGE_PATTERN = re.compile(r"!\[[^\[\]]*+\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)")
_MERGED_SLASH_PATTERN = re.compile(r"^(https?):/(?=[^/])", re.IGNORECASE)
_RETURN_FORMATS = ("", "default", "markdown", "content", "html", "text")
# Headers that would change the page in ways that the gateway cannot.
_REFUSED_HEADERS = (
    "x-target-selector",
    "x-remove-selector",
    "x-proxy-url",
    "x-proxy",
    "x-set-cookie",
    "x-instruction",
    "x-json-schema",
    "x-wait-for-selector",
)


class _Url(msgspec.Struct):
    url: str


class _Search(msgspec.Struct):
    q: str
    count: int | None = None
    num: int | None = None
    gl: str | None = None
    hl: str | None = None
    page: int | None = None
    location: str | None = None


class _Rerank(msgspec.Struct):
    query: str
    documents: list[str | dict[str, object]]
    model: str = ""
    top_n: int | None = None
    return_documents: bool | None = None


def _read_jina_page_path(call: Call) -> Reading:
    """Read the page whose URL is the rest of the path, including a query."""
    location = call.rest
    if re.match(r"^https?(:|%3a)", location, re.IGNORECASE) is None:
        return refuse_invalid("Write the whole URL of the page behind r/, with https://.", "url")
    if "%3a" in location[:12].lower():
        location = unquote(location)
    url = _MERGED_SLASH_PATTERN.sub(r"\1://", location) + (f"?{call.search}" if call.search else "")
    return _jina_page_request(url, call)


def _read_jina_page_body(call: Call) -> Reading:
    body = read_gateway_json(call, _Url)
    return body if isinstance(body, Refusal) else _jina_page_request(body.url, call)


def _jina_page_request(url: str, call: Call) -> Reading:
    form = (call.header("x-return-format") or call.header("x-respond-with")).lower()
    if form not in _RETURN_FORMATS:
        return refuse_unsupported("X-Return-Format", "markdown, html and text are known")
    refused: dict[str, object] = {name.title(): call.header(name) for name in _REFUSED_HEADERS}
    retained = call.header("x-retain-images").lower()
    needs_model = call.header("x-engine") in ("vlm", "readerlm-v2")
    refusal = first_unsupported({**refused, "X-Engine": needs_model})
    if refusal is not None:
        return refusal
    tokens = parse_whole_number(call.header("x-max-tokens"))
    # Estimate: four characters a token.
    limit = tokens * 4 if tokens else None

    def write(pages: Sequence[Page]) -> Written:
        page = pages[0].result
        if page is None:
            return pages[0].refusal or refuse_invalid("The page was not read.")
        content = _strip_jina_dialect_images(page.content) if retained == "none" else page.content
        page = msgspec.structs.replace(page, content=content)
        if "json" in call.header("accept"):
            return _jina_success_reply(
                _jina_dialect_page_data(page, form, call), _jina_dialect_tokens(content)
            )
        return text_reply(_jina_page_text(page, form))

    return PagesRequest(urls=(url,), wish=PageOptions(char_limit=limit), write=write)


def _jina_dialect_page_data(page: WebExtractResult, form: str, call: Call) -> dict[str, object]:
    fields: dict[str, object] = {
        "title": page.title,
        "description": _jina_metadata_text(page.metadata, "description"),
        "url": page.final_url,
        "content": page.content,
        "usage": {"tokens": _jina_dialect_tokens(page.content)},
    }
    published = _jina_metadata_text(page.metadata, "published_at")
    if published:
        fields["publishedTime"] = published
    if form == "html":
        fields["html"] = markdown_to_html(page.content)
    if form == "text":
        fields["text"] = markdown_to_text(page.content)
    if call.header("x-with-links-summary"):
        fields["links"] = dict(named_links(page))
    if call.header("x-with-images-summary"):
        fields["images"] = {}
    return fields


def _jina_page_text(page: WebExtractResult, form: str) -> str:
    if form == "html":
        return markdown_to_html(page.content)
    if form == "text":
        return markdown_to_text(page.content)
    return (
        f"Title: {page.title}\n\nURL Source: {page.final_url}\n\nMarkdown Content:\n{page.content}"
    )


def _jina_metadata_text(metadata: Mapping[str, object], name: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else ""


def _strip_jina_dialect_images(content: str) -> str:
    return _IMAGE_PATTERN.sub("", content)


def _jina_dialect_tokens(content: str) -> int:
    return len(content) // 4 + 1


def _read_jina_search_path(call: Call) -> Reading:
    """Search for the text behind s/, or in q."""
    try:
        text = unquote(call.rest, errors="strict").strip()
    except UnicodeDecodeError:
        return refuse_invalid("The query is not text in UTF-8.", "q")
    fields = {"q": text or call.parameter("q")}
    more = {name: call.parameter(name) for name in ("count", "num", "gl", "hl", "page", "location")}
    try:
        body = msgspec.convert({**fields, **search_fields(**more)}, _Search, strict=False)
    except msgspec.ValidationError:
        return refuse_invalid("num, count and page are whole numbers.", "num")
    return _jina_search_request(body, call)


def _read_jina_search_body(call: Call) -> Reading:
    body = read_gateway_json(call, _Search)
    return body if isinstance(body, Refusal) else _jina_search_request(body, call)


def _jina_search_request(body: _Search, call: Call) -> Reading:
    refusal = first_unsupported({"page": (body.page or 1) > 1, "location": body.location})
    if refusal is not None:
        return refusal
    wants_pages = call.header("x-respond-with").lower() != "no-content"
    site = call.header("x-site")
    fields = search_fields(
        query=body.q,
        max_results=body.num or body.count or 5,
        country=country_code(body.gl) or body.gl if body.gl else None,
        language=body.hl,
        include_domains=list(host_names([site])) if site else None,
    )
    return SearchRequest(
        fields=fields,
        pages=PageOptions() if wants_pages else None,
        write=lambda results: _jina_results_reply(results, call),
    )


def _jina_results_reply(results: SearchSuccess, call: Call) -> Reply:
    texts = {page.url: page.result.content for page in results.pages if page.result is not None}
    rows = results.outcome.rows
    if "json" not in call.header("accept"):
        return text_reply(
            "\n\n".join(_jina_dialect_row_text(row, texts.get(row.url, "")) for row in rows)
        )
    data = [
        {
            "title": row.title,
            "url": row.url,
            "description": row.snippet,
            "content": texts.get(row.url, ""),
            "usage": {"tokens": _jina_dialect_tokens(texts.get(row.url, ""))},
        }
        for row in rows
    ]
    # Jina answers 422 if nothing is found; two clients take that for a failure (2026-11-15).
    return _jina_success_reply(data, sum(map(_jina_dialect_tokens, texts.values())))


def _jina_dialect_row_text(row: WebSearchResult, content: str) -> str:
    lines = (f"Title: {row.title}", f"URL Source: {row.url}", f"Description: {row.snippet}")
    return "\n".join(f"[{row.position}] {line}" for line in lines) + f"\n\n{content}".rstrip()


def _jina_success_reply(data: object, tokens: int) -> Reply:
    meta = {"usage": {"tokens": tokens}}
    return gateway_json_reply({"code": 200, "status": 20000, "data": data, "meta": meta})


def _read_jina_rerank(call: Call) -> Reading:
    body = read_gateway_json(call, _Rerank)
    if isinstance(body, Refusal):
        return body
    documents = tuple(_jina_rerank_text(document) for document in body.documents)
    if not documents or (body.top_n is not None and body.top_n < 1):
        return refuse_invalid("documents must not be empty, and top_n at least 1.", "documents")

    def write(ranked: Sequence[RankedDocument]) -> Reply:
        results = [
            {
                "index": rank.index,
                "relevance_score": rank.score,
                **({"document": {"text": documents[rank.index]}} if body.return_documents else {}),
            }
            for rank in ranked
        ]
        tokens = sum(map(_jina_dialect_tokens, documents))
        return gateway_json_reply(
            {
                "id": call.id,
                "model": body.model,
                "usage": {"total_tokens": tokens},
                "results": results,
                "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
            }
        )

    return RerankRequest(query=body.query, documents=documents, top=body.top_n, write=write)


def _jina_rerank_text(document: str | dict[str, object]) -> str:
    return document if isinstance(document, str) else str(document.get("text", ""))


def _jina_refusal_reply(refusal: Refusal, _call: Call) -> Reply:
    status = _JINA_STATUSES.get(refusal.kind, 503)
    body = {
        "data": None,
        "code": status,
        "name": _JINA_ERROR_NAMES.get(refusal.kind, "ServiceNodeResourceDrainError"),
        "status": status * 100 + 3 if refusal.kind == "rate" else status * 100,
        "message": refusal.message,
        "readableMessage": refusal.message,
    }
    return gateway_refusal_reply(refusal, _JINA_STATUSES, body, default_status=503)


DIALECT = Dialect(
    name="jina",
    title="Jina: reader, search, rerank",
    keys=header_keys,
    refuse=_jina_refusal_reply,
    endpoints=(
        Endpoint(
            path="/r", read=_read_jina_page_body, shape=_Url, root=accept_call, tool="extract"
        ),
        Endpoint(
            method="GET",
            path="/r/**",
            read=_read_jina_page_path,
            root=accept_call,
            tool="extract",
            bare=True,
        ),
        Endpoint(
            method="GET", path="/s/**", read=_read_jina_search_path, shape=_Search, root=accept_call
        ),
        Endpoint(
            method="GET", path="/s", read=_read_jina_search_path, shape=_Search, root=accept_call
        ),
        Endpoint(path="/s", read=_read_jina_search_body, shape=_Search, root=accept_call),
        Endpoint(path="/v1/rerank", read=_read_jina_rerank, shape=_Rerank, root=accept_call),
        Endpoint(path="/v2/rerank", read=_read_jina_rerank, shape=_Rerank, root=accept_call),
    ),
)
