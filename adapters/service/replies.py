"""Reading the rows and pages in the reply of a service."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

import msgspec
from returns.result import Failure, Result, Success

from ...ports.backends import UntrustedRow
from ...ports.errors import (
    BadPayload,
    EmptyContent,
    HttpStatus,
    Missing,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)
from ..values.field_values import at, number, said
from ..values.json_values import text
from .calls import Reply


class PageFailed(msgspec.Struct, frozen=True, kw_only=True):
    """The error of one page that a service could not read, inside a successful reply."""

    url: str
    error: WebError


RowsResult: TypeAlias = Result[Sequence[UntrustedRow], WebError]
PagesResult: TypeAlias = Result[Sequence[UntrustedRow | PageFailed], WebError]
_TIMEOUT_STATUSES = frozenset({408, 504})
_TOO_MANY_REQUESTS = 429
_FIRST_SERVER_ERROR = 500
_ERROR_STATUSES = range(400, 1000)


def page_failed(url: object, *, status: object = None, detail: object = "") -> PageFailed:
    """Return why a page is missing, from the status of the page's own server if it is known.

    >>> page_failed("https://a.example/", status=404).error.kind
    'http_status'
    """
    return PageFailed(url=text(url), error=service_page_error(status, text(detail)))


def service_page_error(status: object, detail: str = "") -> WebError:
    """Return the error for a page's HTTP status; without a status, a ``BadPayload``."""
    code = int(number(status) or 0)
    if code not in _ERROR_STATUSES:
        return BadPayload(problem="error_object", detail=detail)
    if code in _TIMEOUT_STATUSES:
        return Timeout(phase="body")
    if code == _TOO_MANY_REQUESTS:
        return RateLimited(detail=detail)
    if code >= _FIRST_SERVER_ERROR:
        return UpstreamUnavailable(status=code, detail=detail)
    return HttpStatus(status=code, detail=detail)


def require_text(page: Mapping[str, object]) -> Mapping[str, object] | PageFailed:
    """Return a document; a ``PageFailed`` if it has no content."""
    content = page.get("content")
    is_blank = content is None or (isinstance(content, str) and not content.strip())
    return PageFailed(url=text(page.get("url")), error=EmptyContent()) if is_blank else page


def match_service_pages(
    pages: Sequence[UntrustedRow | PageFailed], urls: Sequence[str], canonical: Callable[[str], str]
) -> tuple[Result[UntrustedRow, WebError], ...]:
    """Return one outcome for each URL; a URL without a page is ``Missing``.

    A single page for a single URL is returned whatever its own URL is: the kernel checks it.
    """
    if len(urls) == 1 and len(pages) == 1 and not isinstance(pages[0], PageFailed):
        return (Success(pages[0]),)
    pages_by_url: dict[str, UntrustedRow | PageFailed] = {}
    for page in pages:
        url = _service_page_url(page)
        if isinstance(url, str):
            pages_by_url.setdefault(canonical(url), page)
    return tuple(_service_page_outcome(pages_by_url.get(canonical(url)), url) for url in urls)


def _service_page_outcome(
    page: UntrustedRow | PageFailed | None, url: str
) -> Result[UntrustedRow, WebError]:
    if page is None:
        return Failure(Missing(url=url))
    if isinstance(page, PageFailed):
        return Failure(page.error)
    # Keep the requested URL: the service may spell the same address in another way.
    return Success({**cast("Mapping[str, object]", page), "url": url})


def _service_page_url(page: object) -> object:
    if isinstance(page, PageFailed):
        return page.url
    return page.get("url") if isinstance(page, Mapping) else None


def list_at(
    reply: Reply, *path: str, signs: Sequence[str] = ()
) -> Result[list[object], BadPayload]:
    """Return the list at ``path``; an absent list is empty if the payload has one of ``signs``.

    The signs are field names of a real answer, so that an error is not taken for an empty search.

    >>> list_at(Reply(status=200, payload={"results": 3}), "results").failure().path
    '$.results'
    >>> list_at(Reply(status=200, payload={"took": 5}), "results", signs=["took"]).unwrap()
    []
    """
    value = at(reply.payload, *path)
    if isinstance(value, list):
        return Success(value)
    if value is None and isinstance(reply.payload, dict) and _has_reply_sign(reply.payload, signs):
        return Success([])
    json_path, detail = ".".join(("$", *path)), said(reply.payload)
    return Failure(BadPayload(problem="shape", path=json_path, status=reply.status, detail=detail))


def object_at(reply: Reply, *path: str) -> Result[dict[str, object], BadPayload]:
    """Return the object at ``path``, or the error of a reply without it."""
    value = at(reply.payload, *path)
    if isinstance(value, dict):
        return Success(value)
    json_path = ".".join(("$", *path))
    return Failure(BadPayload(problem="shape", path=json_path, status=reply.status))


def _has_reply_sign(payload: dict[str, object], signs: Sequence[str]) -> bool:
    is_empty = not payload and bool(signs)
    return is_empty or (not payload.get("error") and any(sign in payload for sign in signs))


def web_and_news_rows(
    reply: Reply, section: str, *, make: Callable[[dict[str, object]], UntrustedRow]
) -> RowsResult:
    """Return the rows of the lists ``web`` and ``news`` in a section; either may be absent."""
    web = list_at(reply, section, "web", signs=(section,))
    news = list_at(reply, section, "news", signs=(section,))
    rows = web.bind(lambda web_rows: news.map(lambda news_rows: [*web_rows, *news_rows]))
    return object_at(reply, section).bind(lambda _: rows.map(lambda both: each(both, make)))


def each(
    rows: Sequence[object], make: Callable[[dict[str, object]], UntrustedRow]
) -> list[UntrustedRow]:
    """Make a row of every object; other values stay for the kernel to refuse."""
    return [make(row) if isinstance(row, dict) else cast("UntrustedRow", row) for row in rows]


def rows_at(
    reply: Reply,
    *path: str,
    make: Callable[[dict[str, object]], UntrustedRow],
    signs: Sequence[str] = (),
) -> RowsResult:
    """Return a row for every object of the list at ``path``; see ``list_at``."""
    listed = list_at(reply, *path, signs=signs)
    if not isinstance(listed, Success):
        return Failure(listed.failure())
    return Success(each(listed.unwrap(), make))
