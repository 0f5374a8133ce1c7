"""The stored page that the current call may renew with a conditional request (RFC 9110, 13.1)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

# The metadata of a page that holds a validator, and the request header that sends it back.
_CONDITIONS = {"etag": "If-None-Match", "last_modified": "If-Modified-Since"}
_STORED_PAGE: ContextVar[Mapping[str, object] | None] = ContextVar("webseam_page", default=None)
current_stored_page = _STORED_PAGE.get


@contextmanager
def offer_stored_page(page: object) -> Iterator[None]:
    """Let the fetches of this block renew ``page``; one without a validator is not offered."""
    token = _STORED_PAGE.set(page if isinstance(page, Mapping) else None)
    try:
        yield
    finally:
        _STORED_PAGE.reset(token)


def conditional_headers(url: str) -> tuple[tuple[str, str], ...]:
    """Return the headers for a request to ``url``: a validator is only for its own resource."""
    page = _STORED_PAGE.get() or {}
    metadata = page.get("metadata")
    if page.get("final_url") != url or not isinstance(metadata, Mapping):
        return ()
    values = ((header, metadata.get(name)) for name, header in _CONDITIONS.items())
    return tuple((header, value) for header, value in values if isinstance(value, str))
