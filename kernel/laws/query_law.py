"""A caller's query: checked field by field, then clamped."""

import re
from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery
from ...ports.web import MAX_QUERY_CHARS, MAX_RESULTS, MIN_RESULTS, WebSearchQuery
from ..boundary import attempt_call
from ..text.display import is_plain, quote_value
from .field_checks import VALIDATION_ERRORS, first_fault, plain_fields

_RULES = {
    "query": f"must be text of 1 to {MAX_QUERY_CHARS} characters, not blank",
    "max_results": "must be a whole number",
    "include_domains": "must be a list of host names such as example.com",
    "exclude_domains": "must be a list of host names such as example.com",
    "published_after": "must be a date such as 2026-01-31",
    "published_before": "must be a date such as 2026-01-31",
    "country": "must be a two-letter ISO country code such as DE",
    "language": "must be an ISO language code such as en or pt-BR",
    "topic": "must be general, news or finance",
    "safe_search": "must be off, moderate or strict",
}
# Pasted lines and tabs are fine; Unicode calls NEL (U+0085) white space, too.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# White space, the default-ignorable code points of Unicode 16 (DerivedCoreProperties.txt), and the
# empty pattern of Braille: a text of these alone shows nothing.
_SHOWS_NOTHING = re.compile(
    "[\\s\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
_FILTERS = WebSearchQuery.__struct_fields__[2:]
_NO_FILTERS = msgspec.structs.astuple(WebSearchQuery(query=""))[2:]
_UNSET = (None, ())


def check_query(query: object) -> Result[WebSearchQuery, InvalidQuery]:
    """Return a query that keeps every rule, or the first field that breaks one.

    Text is a query without filters.

    >>> check_query({"query": " "}).failure().field
    'query'
    """
    if type(query) is dict:
        return _check_fields(query)
    if isinstance(query, str):
        return _check_fields({"query": query})
    fields = attempt_call(lambda: plain_fields(query))
    if isinstance(fields, Failure):
        return _refuse("query", "could not be read")
    return _check_fields(fields.unwrap())


def clamp_max_results(limit: int | None) -> int | None:
    """Bring a result limit into [1, 100]; no limit stays no limit.

    >>> [clamp_max_results(n) for n in (None, -3, 7, 9999)]
    [None, 1, 7, 100]
    """
    return None if limit is None else min(max(limit, MIN_RESULTS), MAX_RESULTS)


def query_filters(query: WebSearchQuery) -> tuple[str, ...]:
    """Name the filters that ``query`` sets."""
    if msgspec.structs.astuple(query)[2:] == _NO_FILTERS:
        return ()
    return tuple([name for name in _FILTERS if getattr(query, name) not in _UNSET])


def text_fault(text: str) -> str | None:
    r"""Say why nothing can be looked for by a text: it shows nothing, or controls something.

    >>> text_fault("\u200b\u2060"), text_fault("tide\ttables\nfor Bremen")
    ("must not be blank, got '\\u200b\\u2060'", None)
    """
    # A fast yes for most queries; a no only means: look closer.
    if text.isascii() and text.isprintable():
        return None
    if _CONTROL.search(text) is not None:
        return f"must not hold control characters, got {quote_value(text)}"
    if _SHOWS_NOTHING.fullmatch(text) is not None:
        return f"must not be blank, got {quote_value(text)}"
    return None


def _check_fields(fields: object) -> Result[WebSearchQuery, InvalidQuery]:
    if not isinstance(fields, Mapping):
        return _refuse("query", f"expected a query with fields, got {quote_value(fields)}")
    try:
        query = msgspec.convert(fields, WebSearchQuery)
    except VALIDATION_ERRORS:
        fault = first_fault(fields, WebSearchQuery, _RULES)
        return _refuse(fault.field, fault.reason)
    return _check_together(query)


def _check_together(query: WebSearchQuery) -> Result[WebSearchQuery, InvalidQuery]:
    texts = (query.query, *query.include_domains, *query.exclude_domains)
    if not all(map(is_plain, texts)):
        return _refuse("query", "holds what is not valid Unicode text")
    fault = text_fault(query.query)
    if fault is not None:
        return _refuse("query", fault)
    after, before = query.published_after, query.published_before
    if after is not None and before is not None and after > before:
        return _refuse("published_after", "is later than published_before")
    return Success(query)


def _refuse(field: str, reason: str) -> Failure[InvalidQuery]:
    return Failure(InvalidQuery(field=field, reason=reason))
