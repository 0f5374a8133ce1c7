"""Decide which answers may be cached and for how long, and decode them again.

Only lawful answers are cached: an answer that fails the call now must not fail it for twenty
minutes. The caller checks a cached answer again.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import msgspec
from msgspec.structs import replace
from returns.result import Failure

from webseam.ports.backends import Served
from webseam.ports.pages import PageReading
from webseam.ports.stores import KeptAnswer
from webseam.ports.text import lazy_pattern
from webseam.ports.web import SearchAnswer, SearchOutcome, WebSearchQuery

from .boundary import attempt_call, attempt_or
from .laws.field_checks import read_document
from .laws.row_law import LawfulRow, Rows, RowsAndProse, read_rows, split_rows_and_prose
from .port_answers import VouchedOutcome, as_served, served_answer

# Words that ask for recent results, whatever the filters say.
_RECENT_WORDS_PATTERN = lazy_pattern(
    r"(?i)\b(?:breaking|current(?:ly)?|latest|live|news|now|today|tonight|yesterday)\b"
)
# The metadata of a page that a conditional request sends back, and how long such a page is stored.
_VALIDATORS = frozenset({"etag", "last_modified"})
_RENEWABLE_SECONDS = 86_400.0


class Lifetimes(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds: for an answer, for one on recent events or without rows, and for a page."""

    usual: float = 1200.0
    recent: float = 120.0
    page: float = 1200.0


class _CachedSearch(msgspec.Struct, frozen=True, omit_defaults=True):
    rows: tuple[LawfulRow, ...]
    answer: str | None = None
    outcome: SearchOutcome | None = None
    unread: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class _CachedPage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A page, the backend of a route that read it, and what that backend reported."""

    page: dict[str, object]
    by: str = ""
    unread: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    reading: PageReading | None = None


def cacheable_search(
    query: WebSearchQuery, answer: object, today: date, lifetimes: Lifetimes
) -> KeptAnswer | None:
    """Return the cache entry for a backend's rows; None if they are incomplete or unlawful."""
    served = as_served(answer)
    if served.outcome is not None:
        return _cacheable_outcome(query, served.outcome, today, lifetimes)
    bare_answer = served.answer
    # An iterator can be read only once, so leave it to the caller.
    if not attempt_or(lambda: isinstance(bare_answer, Sequence), False):  # noqa: FBT003  the answer
        return None
    checked = served_answer(answer)
    lawful = attempt_call(lambda: _read_lawful_search(bare_answer, checked.unread)).value_or(None)
    if lawful is None:
        return None
    lawful = replace(lawful, warnings=checked.warnings)
    is_short_lived = not lawful.rows or is_recent_query(query, today)
    seconds = lifetimes.recent if is_short_lived else lifetimes.usual
    return KeptAnswer(payload=msgspec.json.encode(lawful), seconds=seconds)


def _cacheable_outcome(
    query: WebSearchQuery, outcome: SearchOutcome, today: date, lifetimes: Lifetimes
) -> KeptAnswer | None:
    """Return the cache entry for a route's outcome; None if it is partial or has rejected rows."""
    if outcome.rejected or (isinstance(outcome, VouchedOutcome) and outcome.partial):
        return None
    # A cached answer makes no attempts and costs nothing; what it lacks, it still lacks.
    receipt = replace(outcome.receipt, attempts=(), usage=None)
    stored = SearchOutcome(rows=outcome.rows, answer=outcome.answer, rejected=(), receipt=receipt)
    search = _CachedSearch(rows=(), outcome=stored)
    is_short_lived = not outcome.rows or is_recent_query(query, today)
    payload = attempt_call(lambda: msgspec.json.encode(search)).value_or(None)
    seconds = lifetimes.recent if is_short_lived else lifetimes.usual
    return None if payload is None else KeptAnswer(payload=payload, seconds=seconds)


def cacheable_page(url: str, answer: object, lifetimes: Lifetimes) -> KeptAnswer | None:
    """Return the cache entry for a page; None if it is empty or another page."""
    served = as_served(answer)
    read = read_document(served.answer, url)
    if isinstance(read, Failure) or not read.unwrap().document.content.strip():
        return None
    document = read.unwrap().document
    checked = served_answer(answer)
    unread, warnings = (*read.unwrap().unread, *checked.unread), checked.warnings
    page = msgspec.to_builtins(document)
    payload = page
    if served.by or unread or warnings or checked.reading is not None:
        payload = _CachedPage(
            page=page, by=served.by, unread=unread, warnings=warnings, reading=checked.reading
        )
    is_renewable = not _VALIDATORS.isdisjoint(document.metadata or {})
    return KeptAnswer(
        payload=msgspec.json.encode(payload),
        seconds=lifetimes.page,
        stored_seconds=_RENEWABLE_SECONDS if is_renewable and lifetimes.page else 0.0,
    )


def decode_cached_rows(payload: bytes) -> list[Mapping[str, object] | SearchAnswer] | Served | None:
    """Return the cached rows, and the prose among them; None if the payload is unreadable."""
    search = attempt_call(lambda: msgspec.json.decode(payload, type=_CachedSearch)).value_or(None)
    if search is None:
        return None
    if search.outcome is not None:
        return Served(answer=(), outcome=search.outcome)
    rows: list[Mapping[str, object] | SearchAnswer] = list(map(msgspec.structs.asdict, search.rows))
    if search.answer is not None:
        rows.append(SearchAnswer(text=search.answer))
    if not search.unread and not search.warnings:
        return rows
    return Served(answer=rows, unread=search.unread, warnings=search.warnings)


def decode_cached_page(payload: bytes) -> dict[str, object] | Served | None:
    """Return the cached page; None if the payload is unreadable."""
    page = attempt_call(lambda: msgspec.json.decode(payload, type=_CachedPage)).value_or(None)
    if page is not None:
        return Served(
            answer=page.page,
            by=page.by,
            unread=page.unread,
            warnings=page.warnings,
            reading=page.reading,
        )
    return attempt_call(lambda: msgspec.json.decode(payload, type=dict[str, object])).value_or(None)


def is_recent_query(query: WebSearchQuery, today: date) -> bool:
    """Tell whether a query is about recent events, so that its answer ages quickly.

    >>> is_recent_query(WebSearchQuery(query="latest prices"), date(2026, 1, 31))
    True
    """
    after = query.published_after
    if query.topic in ("news", "finance") or (after and after >= today - timedelta(days=7)):
        return True
    return _RECENT_WORDS_PATTERN.search(query.query) is not None


def _read_lawful_search(answer: object, left_out: tuple[str, ...]) -> _CachedSearch | None:
    parts = split_rows_and_prose(answer)
    read = read_rows(parts)
    if not isinstance(parts, RowsAndProse) or not isinstance(read, Rows):
        return None
    text = None if parts.answer is None else parts.answer.text
    return _CachedSearch(rows=read.rows, answer=text, unread=(*read.unread, *left_out))
