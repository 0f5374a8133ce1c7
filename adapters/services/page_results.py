"""The pages in the reply of a service, and the failed ones."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports import errors
from webseam.ports.backends import UntrustedRow

from ..values.field_values import number
from ..values.json_values import text
from ..values.untrusted_rows import document
from .calls import Reply
from .replies import list_at, object_at

_TIMEOUT_STATUSES = frozenset({408, 504})
_TOO_MANY_REQUESTS = 429
_FIRST_SERVER_ERROR = 500
_ERROR_STATUSES = range(400, 1000)


class PageFailed(msgspec.Struct, frozen=True, kw_only=True):
    """The error of one page that a service could not read, inside a successful reply."""

    url: str
    error: errors.WebError


PagesResult: TypeAlias = Result[Sequence[UntrustedRow | PageFailed], errors.WebError]


def make_page_failed(url: object, *, status: object = None, detail: object = "") -> PageFailed:
    """Return why a page is missing, from the status of the page's own server if it is known.

    >>> make_page_failed("https://a.example/", status=404).error.kind
    'http_status'
    """
    return PageFailed(url=text(url), error=page_error(status, text(detail)))


def page_error(status: object, detail: str = "") -> errors.WebError:
    """Return the error for a page's HTTP status; without a status, a ``BadPayload``."""
    code = int(number(status) or 0)
    if code not in _ERROR_STATUSES:
        return errors.BadPayload(problem="error_object", detail=detail)
    if code in _TIMEOUT_STATUSES:
        return errors.Timeout(phase="body")
    if code == _TOO_MANY_REQUESTS:
        return errors.RateLimited(detail=detail)
    if code >= _FIRST_SERVER_ERROR:
        return errors.UpstreamUnavailable(status=code, detail=detail)
    return errors.HttpStatus(status=code, detail=detail)


def text_page(**fields: object) -> UntrustedRow | PageFailed:
    """Return a document of these fields; a ``PageFailed`` if it has no content."""
    page = document(**fields)
    content = page.get("content")
    is_blank = content is None or (isinstance(content, str) and not content.strip())
    return PageFailed(url=text(page.get("url")), error=errors.EmptyContent()) if is_blank else page


def page_decoder(
    *path: str, make: Callable[[dict[str, object], str], UntrustedRow | PageFailed]
) -> Callable[[Reply, tuple[str, ...]], PagesResult]:
    """Return a reader of replies with the object of one page at ``path``; ``make`` gets its URL."""
    return lambda reply, urls: object_at(reply, *path).map(lambda page: [make(page, urls[0])])


def pages_decoder(
    *path: str, make: Callable[[dict[str, object]], UntrustedRow | PageFailed]
) -> Callable[[Reply, tuple[str, ...]], PagesResult]:
    """Return a reader of replies with a list of pages at ``path``."""
    return lambda reply, _urls: list_at(reply, *path).map(
        lambda pages: [make(page) for page in pages if isinstance(page, dict)]
    )


def match_pages(
    pages: Sequence[UntrustedRow | PageFailed], urls: Sequence[str], canonical: Callable[[str], str]
) -> tuple[Result[UntrustedRow, errors.WebError], ...]:
    """Return one outcome for each URL; a URL without a page is ``Missing``.

    A single page for a single URL is returned whatever its own URL is: the kernel checks it.
    """
    if len(urls) == 1 and len(pages) == 1 and not isinstance(pages[0], PageFailed):
        return (Success(pages[0]),)
    pages_by_url: dict[str, UntrustedRow | PageFailed] = {}
    for page in pages:
        url = _page_url(page)
        if isinstance(url, str):
            pages_by_url.setdefault(canonical(url), page)
    return tuple(_page_outcome(pages_by_url.get(canonical(url)), url) for url in urls)


def _page_outcome(
    page: UntrustedRow | PageFailed | None, url: str
) -> Result[UntrustedRow, errors.WebError]:
    if page is None:
        return Failure(errors.Missing(url=url))
    if isinstance(page, PageFailed):
        return Failure(page.error)
    # Keep the requested URL: the service may spell the same address in another way.
    return Success({**cast("Mapping[str, object]", page), "url": url})


def _page_url(page: object) -> object:
    if isinstance(page, PageFailed):
        return page.url
    return page.get("url") if isinstance(page, Mapping) else None
