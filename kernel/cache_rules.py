"""Which answers may be kept, for how long, and what they are when they come back.

Only what keeps the laws is kept: an answer that would fail the call now must not fail it again
for twenty minutes. What comes back is checked again by whoever asked.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import msgspec
from returns.result import Failure

from ..ports.backends import Served
from ..ports.stores import KeptAnswer
from ..ports.web import SearchAnswer, SearchOutcome, WebSearchQuery
from .boundary import attempt_call
from .laws.field_checks import check_document
from .laws.row_law import LawfulRow, check_rows, split_answer

# Words that ask for what is new, whatever the filters say.
_NEW = re.compile(
    r"(?i)\b(?:breaking|current(?:ly)?|latest|live|news|now|today|tonight|yesterday)\b"
)


class Lifetimes(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds: for an answer, for one about recent things or without rows, and for a page."""

    usual: float = 1200.0
    recent: float = 120.0
    page: float = 1200.0


class _Search(msgspec.Struct, frozen=True, omit_defaults=True):
    rows: tuple[LawfulRow, ...]
    answer: str | None = None
    outcome: SearchOutcome | None = None


class _Page(msgspec.Struct, frozen=True):
    """A page that a route read, and who of it did."""

    by: str
    page: dict[str, object]


def keep_search(
    query: WebSearchQuery, answer: object, today: date, lifetimes: Lifetimes
) -> KeptAnswer | None:
    """Return what to keep of a backend's rows; None when they are not complete and lawful."""
    if isinstance(answer, Served) and answer.outcome is not None:
        return _keep_outcome(query, answer.outcome, today, lifetimes)
    bare = answer.answer if isinstance(answer, Served) else answer
    # Something that can be read only once is left for the caller.
    if not isinstance(bare, Sequence):
        return None
    lawful = attempt_call(lambda: _lawful(bare)).value_or(None)
    if lawful is None:
        return None
    short = is_recent(query, today) or not lawful.rows
    seconds = lifetimes.recent if short else lifetimes.usual
    return KeptAnswer(payload=msgspec.json.encode(lawful), seconds=seconds)


def _keep_outcome(
    query: WebSearchQuery, outcome: SearchOutcome, today: date, lifetimes: Lifetimes
) -> KeptAnswer | None:
    """Return what to keep of what the kernel made of a route's answer; bad rows are not kept."""
    if outcome.rejected:
        return None
    # Nobody is asked when it comes back, and what was wrong then may be right by then.
    receipt = msgspec.structs.replace(outcome.receipt, attempts=(), warnings=())
    search = _Search(rows=(), outcome=msgspec.structs.replace(outcome, receipt=receipt))
    short = is_recent(query, today) or not outcome.rows
    payload = attempt_call(lambda: msgspec.json.encode(search)).value_or(None)
    seconds = lifetimes.recent if short else lifetimes.usual
    return None if payload is None else KeptAnswer(payload=payload, seconds=seconds)


def keep_page(url: str, answer: object, lifetimes: Lifetimes) -> KeptAnswer | None:
    """Return what to keep of a page; None when it is not the page asked for, or empty."""
    bare = answer.answer if isinstance(answer, Served) else answer
    checked = check_document(bare, url)
    if isinstance(checked, Failure) or not checked.unwrap().content.strip():
        return None
    page = msgspec.to_builtins(checked.unwrap())
    by = answer.by if isinstance(answer, Served) else ""
    payload = _Page(by=by, page=page) if by else page
    return KeptAnswer(payload=msgspec.json.encode(payload), seconds=lifetimes.page)


def recall_rows(payload: bytes) -> list[Mapping[str, object] | SearchAnswer] | Served | None:
    """Return the rows, and the prose among them, that were kept; None when they are unreadable."""
    search = attempt_call(lambda: msgspec.json.decode(payload, type=_Search)).value_or(None)
    if search is None:
        return None
    if search.outcome is not None:
        return Served(answer=(), outcome=search.outcome)
    rows: list[Mapping[str, object] | SearchAnswer] = list(map(msgspec.structs.asdict, search.rows))
    return rows if search.answer is None else [*rows, SearchAnswer(text=search.answer)]


def recall_page(payload: bytes) -> dict[str, object] | Served | None:
    """Return the page that was kept; None when it is unreadable."""
    page = attempt_call(lambda: msgspec.json.decode(payload, type=_Page)).value_or(None)
    if page is not None:
        return Served(answer=page.page, by=page.by)
    return attempt_call(lambda: msgspec.json.decode(payload, type=dict[str, object])).value_or(None)


def is_recent(query: WebSearchQuery, today: date) -> bool:
    """Tell whether a query is about what happened lately, so that an answer is soon old.

    >>> is_recent(WebSearchQuery(query="latest prices"), date(2026, 1, 31))
    True
    """
    after = query.published_after
    lately = after is not None and after >= today - timedelta(days=7)
    return lately or query.topic in ("news", "finance") or _NEW.search(query.query) is not None


def _lawful(answer: object) -> _Search | None:
    parts = split_answer(answer)
    if isinstance(parts, Failure):
        return None
    rows = check_rows(parts.unwrap())
    prose = parts.unwrap().answer
    text = None if prose is None else prose.text
    return None if isinstance(rows, Failure) else _Search(rows=rows.unwrap(), answer=text)
