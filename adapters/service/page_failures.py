"""Pages that a service could not read, as it tells of them inside a success."""

from collections.abc import Mapping

from ...ports.errors import (
    BadPayload,
    EmptyContent,
    HttpStatus,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)
from ..values.json_fields import number
from ..values.json_values import text
from .operations import PageFailed

_TIMEOUTS = frozenset({408, 504})
_TOO_MANY_REQUESTS = 429
_SERVER_ERRORS = 500
_STATUSES = range(400, 1000)


def page_failed(url: object, *, status: object = None, detail: object = "") -> PageFailed:
    """Say why a page is missing, by the status that its own server gave where that is known.

    >>> page_failed("https://a.example/", status=404).error.kind
    'http_status'
    """
    return PageFailed(url=text(url), error=page_error(status, text(detail)))


def page_error(status: object, detail: str = "") -> WebError:
    """Return the error that a page's own status stands for; without one, what the service said."""
    code = int(number(status) or 0)
    if code not in _STATUSES:
        return BadPayload(problem="error_object", detail=detail)
    if code in _TIMEOUTS:
        return Timeout(phase="body")
    if code == _TOO_MANY_REQUESTS:
        return RateLimited(detail=detail)
    if code >= _SERVER_ERRORS:
        return UpstreamUnavailable(status=code, detail=detail)
    return HttpStatus(status=code, detail=detail)


def require_text(page: Mapping[str, object]) -> Mapping[str, object] | PageFailed:
    """Return a document, or say that there is nothing in it: an empty page is no page."""
    content = page.get("content")
    blank = content is None or (isinstance(content, str) and not content.strip())
    return PageFailed(url=text(page.get("url")), error=EmptyContent()) if blank else page
