"""Jina: page reading, also without a key, and search with a key.

Sources: the server's source, jina-ai/reader (serp.ts, searcher.ts, crawler.ts, errors.ts), and
jina-cli 0.3.0.
"""

import re

from webseam.ports.backends import Abilities, UntrustedRow
from webseam.ports.errors import BadPayload, WebError

from ...values.field_values import at, said
from ...values.json_values import text
from ...values.untrusted_rows import RowReader
from ..calls import Reply, ServiceCall, bearer_headers
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import ROW_DATES, native_filters
from ..google import interface_language
from ..operations import ExtractAsk, ExtractOperation, Paging, SearchAsk, SearchOperation
from ..page_results import PageFailed, make_page_failed, page_decoder, text_page
from ..replies import rows_decoder

_OK, _UNPROCESSABLE = 200, 422
_TARGET_ERROR_PATTERN = re.compile(r"returned error (\d{3})")
_decode_search = rows_decoder(
    "data", make=RowReader("title", "url", "description content", "date", truncates=True)
)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    query = ask.query
    parameters = [
        ("q", query.query),
        ("num", str(ask.count or "")),
        ("page", str(ask.page + 1) if ask.page else ""),
        ("type", query.topic if query.topic == "news" else ""),
        ("gl", (query.country or "").lower()),
        ("hl", interface_language(query.language)),
        *(("site", name) for name in query.include_domains),
    ]
    return ServiceCall(
        method="GET",
        path="/",
        parameters=tuple((name, value) for name, value in parameters if value),
        headers=(("x-respond-with", "no-content"), *bearer_headers(ask.access)),
    )


def _is_empty(reply: Reply) -> bool:
    name = at(reply.payload, "name")
    message = f"{said(reply.payload)} {text(at(reply.payload, 'readableMessage'))}"
    is_assertion = name == "AssertionFailureError" or "AssertionFailureError" in message
    return reply.status == _UNPROCESSABLE and (is_assertion or "No search results" in message)


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    """Return the call for a page; its URL is in the body, so that no part of it is lost."""
    return ServiceCall(
        base="https://r.jina.ai",
        path="/",
        headers=bearer_headers(ask.access),
        body={"url": ask.urls[0]},
    )


def _classify_reply(reply: Reply) -> WebError | None:
    """Find the error in a success: the envelope has its own status code."""
    code = at(reply.payload, "code")
    if reply.status == _OK and isinstance(code, int) and code != _OK:
        detail = said(reply.payload)
        return BadPayload(problem="error_object", path="$.code", status=_OK, detail=detail)
    return None


def _document(page: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    """Read the page; an error page of its server comes as a success with a warning."""
    warning = text(page.get("warning"))
    error_match = _TARGET_ERROR_PATTERN.search(warning)
    if error_match:
        return make_page_failed(url, status=int(error_match[1]), detail=warning)
    names = ("description", "publishedTime", "warning", "usage")
    metadata = {name: page.get(name) for name in names}
    return text_page(
        url=url,
        title=page.get("title"),
        content=page.get("content"),
        final_url=page.get("url"),
        metadata={**metadata, "lang": at(page, "metadata", "lang")},
    )


SERVICE = Service(
    name="jina",
    title="Jina",
    site="https://jina.ai/reader",
    note="A search costs 10,000 tokens or more.",
    address=ServiceAddress(base_url="https://s.jina.ai", env=("JINA_API_BASE_URL",)),
    options=(api_key("JINA_API_KEY", pattern=r"jina_\S+"),),
    offer=Offer(keyless=("extract",), rank=110),
    abilities=Abilities(
        max_results=100,
        filters={
            "exclude_domains": "operator",
            **ROW_DATES,
            **native_filters("include_domains", "country", "language", "topic"),
        },
    ),
    classify=_classify_reply,
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        empty=_is_empty,
        paging=Paging(size=20, most=5, full=False),
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=page_decoder("data", make=_document),
    ),
)
