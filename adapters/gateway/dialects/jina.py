"""Jina: the reader at r/URL, searches at s/, and rerank, which Cohere words alike.

https://jina.ai/reader, https://docs.cohere.com/reference/rerank (read 2026-11-15)
"""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

import msgspec

from ....ports.errors.error_fields import RefusalKind
from ....ports.models.rerank import RankedDocument
from ....ports.web import WebExtractResult, WebSearchResult
from ...page_forms import markdown_to_html, markdown_to_text, named_links
from ...values.numbers import parse_whole_number
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
    refuse_unsupported,
    text_reply,
)
from ..request_parsing import fields_with_values, first_unsupported, host_names, read_json

_STATUSES: dict[RefusalKind, int] = {
    **DEFAULT_STATUSES,
    "unreadable": 422,
    "backend": 503,
}
_ERRORS = {
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
# Servers and proxies fold the two slashes of a URL in a path.
_FOLDED = re.compile(r"^(https?):/(?=[^/])", re.IGNORECASE)
_FORMS = ("", "default", "markdown", "content", "html", "text")
# What would have another page than ours come out.
_REFUSED = (
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


def _get(call: Call) -> Reading:
    """Read the page whose URL is the rest of the path; a query belongs to it."""
    place = call.rest
    if re.match(r"^https?(:|%3a)", place, re.IGNORECASE) is None:
        return refuse_invalid("Write the whole URL of the page behind r/, with https://.", "url")
    if "%3a" in place[:12].lower():
        place = unquote(place)
    url = _FOLDED.sub(r"\1://", place) + (f"?{call.search}" if call.search else "")
    return _read(url, call)


def _post(call: Call) -> Reading:
    body = read_json(call, _Url)
    return body if isinstance(body, Refusal) else _read(body.url, call)


def _read(url: str, call: Call) -> Reading:
    form = (call.header("x-return-format") or call.header("x-respond-with")).lower()
    if form not in _FORMS:
        return refuse_unsupported("X-Return-Format", "markdown, html and text are known")
    refused: dict[str, object] = {name.title(): call.header(name) for name in _REFUSED}
    retained = call.header("x-retain-images").lower()
    models = call.header("x-engine") in ("vlm", "readerlm-v2")
    refusal = first_unsupported({**refused, "X-Engine": models})
    if refusal is not None:
        return refusal
    tokens = parse_whole_number(call.header("x-max-tokens"))
    # About four characters a token.
    limit = tokens * 4 if tokens else None

    def write(pages: Sequence[Page]) -> Written:
        page = pages[0].result
        if page is None:
            return pages[0].refusal or refuse_invalid("The page was not read.")
        content = _without_images(page.content) if retained == "none" else page.content
        page = msgspec.structs.replace(page, content=content)
        if "json" in call.header("accept"):
            return _success(_data(page, form, call), _tokens(content))
        return text_reply(_plain(page, form))

    return PagesRequest(urls=(url,), wish=PageOptions(char_limit=limit), write=write)


def _data(page: WebExtractResult, form: str, call: Call) -> dict[str, object]:
    fields: dict[str, object] = {
        "title": page.title,
        "description": _text(page.metadata, "description"),
        "url": page.final_url,
        "content": page.content,
        "usage": {"tokens": _tokens(page.content)},
    }
    published = _text(page.metadata, "published_at")
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


def _plain(page: WebExtractResult, form: str) -> str:
    if form == "html":
        return markdown_to_html(page.content)
    if form == "text":
        return markdown_to_text(page.content)
    return (
        f"Title: {page.title}\n\nURL Source: {page.final_url}\n\nMarkdown Content:\n{page.content}"
    )


def _text(metadata: Mapping[str, object], name: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else ""


def _without_images(content: str) -> str:
    return re.sub(r"!\[[^\]]*\]\([^)]*\)", "", content)


def _tokens(content: str) -> int:
    return len(content) // 4 + 1


def _query(call: Call) -> Reading:
    """Search for what stands behind s/, or in q."""
    try:
        words = unquote(call.rest, errors="strict").strip()
    except UnicodeDecodeError:
        return refuse_invalid("The query is not text in UTF-8.", "q")
    fields = {"q": words or call.parameter("q")}
    more = {name: call.parameter(name) for name in ("count", "num", "gl", "hl", "page", "location")}
    try:
        body = msgspec.convert({**fields, **fields_with_values(**more)}, _Search, strict=False)
    except msgspec.ValidationError:
        return refuse_invalid("num, count and page are whole numbers.", "num")
    return _search(body, call)


def _posted(call: Call) -> Reading:
    body = read_json(call, _Search)
    return body if isinstance(body, Refusal) else _search(body, call)


def _search(body: _Search, call: Call) -> Reading:
    refusal = first_unsupported({"page": (body.page or 1) > 1, "location": body.location})
    if refusal is not None:
        return refusal
    wants_pages = call.header("x-respond-with").lower() != "no-content"
    site = call.header("x-site")
    fields = fields_with_values(
        query=body.q,
        max_results=body.num or body.count or 5,
        country=body.gl,
        language=body.hl,
        include_domains=list(host_names([site])) if site else None,
    )
    return SearchRequest(
        fields=fields,
        pages=PageOptions() if wants_pages else None,
        write=lambda results: _results(results, call),
    )


def _results(results: SearchSuccess, call: Call) -> Reply:
    texts = {page.url: page.result.content for page in results.pages if page.result is not None}
    rows = results.outcome.rows
    if "json" not in call.header("accept"):
        return text_reply("\n\n".join(_listed(row, texts.get(row.url, "")) for row in rows))
    data = [
        {
            "title": row.title,
            "url": row.url,
            "description": row.snippet,
            "content": texts.get(row.url, ""),
            "usage": {"tokens": _tokens(texts.get(row.url, ""))},
        }
        for row in rows
    ]
    # Theirs is a 422 when nothing is found; two clients take that for a failure (2026-11-15).
    return _success(data, sum(map(_tokens, texts.values())))


def _listed(row: WebSearchResult, content: str) -> str:
    lines = (f"Title: {row.title}", f"URL Source: {row.url}", f"Description: {row.snippet}")
    return "\n".join(f"[{row.position}] {line}" for line in lines) + f"\n\n{content}".rstrip()


def _success(data: object, tokens: int) -> Reply:
    meta = {"usage": {"tokens": tokens}}
    return json_reply({"code": 200, "status": 20000, "data": data, "meta": meta})


def _rerank(call: Call) -> Reading:
    body = read_json(call, _Rerank)
    if isinstance(body, Refusal):
        return body
    documents = tuple(_document(each) for each in body.documents)
    if not documents or (body.top_n is not None and body.top_n < 1):
        return refuse_invalid("documents must not be empty, and top_n at least 1.", "documents")

    def write(ranked: Sequence[RankedDocument]) -> Reply:
        results = [
            {
                "index": one.index,
                "relevance_score": one.score,
                **({"document": {"text": documents[one.index]}} if body.return_documents else {}),
            }
            for one in ranked
        ]
        tokens = sum(map(_tokens, documents))
        return json_reply(
            {
                "id": call.id,
                "model": body.model,
                "usage": {"total_tokens": tokens},
                "results": results,
                "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
            }
        )

    return RerankRequest(query=body.query, documents=documents, top=body.top_n, write=write)


def _document(given_as: str | dict[str, object]) -> str:
    return given_as if isinstance(given_as, str) else str(given_as.get("text", ""))


def _refuse(refusal: Refusal, _call: Call) -> Reply:
    status = _STATUSES.get(refusal.kind, 503)
    body = {
        "data": None,
        "code": status,
        "name": _ERRORS.get(refusal.kind, "ServiceNodeResourceDrainError"),
        "status": status * 100 + 3 if refusal.kind == "rate" else status * 100,
        "message": refusal.message,
        "readableMessage": refusal.message,
    }
    return refusal_reply(refusal, _STATUSES, body, default_status=503)


DIALECT = Dialect(
    name="jina",
    title="Jina: reader, search, rerank",
    keys=header_keys,
    refuse=_refuse,
    endpoints=(
        Endpoint(method="POST", path="/r", read=_post, root=accept_always, tool="extract"),
        Endpoint(
            method="GET", path="/r/**", read=_get, root=accept_always, tool="extract", bare=True
        ),
        Endpoint(method="GET", path="/s/**", read=_query, root=accept_always),
        Endpoint(method="GET", path="/s", read=_query, root=accept_always),
        Endpoint(method="POST", path="/s", read=_posted, root=accept_always),
        Endpoint(method="POST", path="/v1/rerank", read=_rerank, root=accept_always),
        Endpoint(method="POST", path="/v2/rerank", read=_rerank, root=accept_always),
    ),
)
