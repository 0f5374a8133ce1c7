"""Values for the calls of a block: how old an answer may be, the page to renew, the HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    # A start loads this file.
    from webseam.ports.backends import Served

Value = TypeVar("Value")
# Who asks the calls of this block: the id of a key, or another name of a caller of the gateway.
CALL_OWNER: ContextVar[str] = ContextVar("webseam_owner", default="")
_WANTS_HTML: ContextVar[bool] = ContextVar("webseam_html", default=False)
_MAX_CACHE_AGE: ContextVar[float | None] = ContextVar("webseam_max_age", default=None)
_SECOND_LOOK: ContextVar[bool | None] = ContextVar("webseam_second_look", default=None)
_CALL_END: ContextVar[float | None] = ContextVar("webseam_call_end", default=None)
# The metadata of a page that holds a validator, and the request header that sends it back.
_CONDITION_HEADERS = {"etag": "If-None-Match", "last_modified": "If-Modified-Since"}
_STORED_PAGE: ContextVar[Served | None] = ContextVar("webseam_page", default=None)


@contextmanager
def set_in_block(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Set a variable for the calls of this block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


# Whether a page of this block has the HTML that its server sent as its ``raw_content``.
wants_page_html = _WANTS_HTML.get
keep_page_html = partial(set_in_block, _WANTS_HTML)

current_max_cache_age = _MAX_CACHE_AGE.get
current_second_look = _SECOND_LOOK.get


def limit_cache_age(seconds: float | None) -> AbstractContextManager[None]:
    """Answer the calls of this block from the cache only with what is at most ``seconds`` old.

    None changes nothing: an outer block may have a limit.
    """
    return set_in_block(_MAX_CACHE_AGE, _MAX_CACHE_AGE.get() if seconds is None else seconds)


def ask_second_look(*, asked: bool | None) -> AbstractContextManager[None]:
    """Set whether the calls of this block look again; None leaves it to an outer block."""
    return set_in_block(_SECOND_LOOK, _SECOND_LOOK.get() if asked is None else asked)


# When the call of this block is cancelled, by the clock of ``time.monotonic``.
end_call_at = partial(set_in_block, _CALL_END)


def call_seconds_left(now: float) -> float | None:
    """Return how many seconds the call of this block has left; None without a limit."""
    end = _CALL_END.get()
    return None if end is None else end - now


current_stored_page = _STORED_PAGE.get


def offer_stored_page(served: Served | None) -> AbstractContextManager[None]:
    """Let the fetches of this block renew a page with a conditional request (RFC 9110, 13.1)."""
    return set_in_block(_STORED_PAGE, served)


def stored_page_fields(served: Served) -> Mapping[str, object]:
    """Return the fields of a stored page; none of an answer that is not a page."""
    page = served.answer
    return cast("Mapping[str, object]", page) if isinstance(page, Mapping) else {}


def conditional_headers(url: str) -> tuple[tuple[str, str], ...]:
    """Return the headers for a request to ``url``: a validator is only for its own resource."""
    served = _STORED_PAGE.get()
    page = {} if served is None else stored_page_fields(served)
    metadata = page.get("metadata")
    if page.get("final_url") != url or not isinstance(metadata, Mapping):
        return ()
    values = ((header, metadata.get(name)) for name, header in _CONDITION_HEADERS.items())
    return tuple((header, value) for header, value in values if isinstance(value, str))
