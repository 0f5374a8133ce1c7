"""Values from outside as plain fields, and the field to blame when they break a rule."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, cast, get_args, get_origin

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidDocument, InvalidQuery
from ...ports.web import MAX_QUERY_CHARS, MAX_RESULTS, MIN_RESULTS, WebSearchQuery, WebUrl
from ..boundary import attempt_call
from ..text.display import is_plain, quote_value
from ..urls.spelling import canonical_url, is_web_url

# What msgspec says of fields that do not fit; of a name with half of a surrogate pair it cannot.
VALIDATION_ERRORS = (msgspec.ValidationError, UnicodeEncodeError)
_GUESS_FROM = 0.75  # max_result is nearly max_results; limit is nearly nothing


class FieldFault(msgspec.Struct, frozen=True, kw_only=True):
    """One field and the rule it broke."""

    field: str
    reason: str


def plain_fields(value: object) -> object:
    """Return a mapping's or a Struct's fields as a plain dict; anything else as it is.

    A Struct is taken apart because ``msgspec.convert`` trusts one that already has the right type.
    """
    if type(value) is dict:
        return value
    if isinstance(value, msgspec.Struct):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    return dict(value) if isinstance(value, Mapping) else value


def first_fault(
    fields: Mapping[object, object],
    shape: type[msgspec.Struct],
    rules: Mapping[str, str],
) -> FieldFault:
    """Name the field that keeps ``fields`` from fitting ``shape``, which they are known not to.

    ``rules`` holds the words for each field's law; msgspec's own would quote patterns.
    """
    known = msgspec.structs.fields(shape)
    faults = (_fault_in(fields, field, rules) for field in known)
    # When each known field fits, it is one that has no business there.
    return next(filter(None, faults), None) or _stranger(fields, {field.name for field in known})


def _fault_in(
    fields: Mapping[object, object],
    field: msgspec.structs.FieldInfo,
    rules: Mapping[str, str],
) -> FieldFault | None:
    if field.name not in fields:
        missing = FieldFault(field=field.name, reason="is missing")
        return missing if field.required else None
    value = fields[field.name]
    if _fits(value, field.type):
        return None
    culprit = _culprit(value, field.type)
    return FieldFault(field=field.name, reason=f"{rules[field.name]}, got {culprit}")


def _culprit(value: object, kind: object) -> str:
    """Show the value that does not fit; of a list the item that does not, or how many there are."""
    # No subclass of a list: what that says about itself may be anything.
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(bare) is not tuple or type(value) not in (list, tuple):
        return quote_value(value)
    items = cast("list[object]", value)
    strange = [item for item in items if not _fits([item], kind)]
    return quote_value(strange[0]) if strange else f"{len(items)}"


def _fits(value: object, kind: object) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _stranger(fields: Mapping[object, object], known: set[str]) -> FieldFault:
    name = next(name for name in fields if not isinstance(name, str) or name not in known)
    if isinstance(name, str) and is_plain(name):
        near = get_close_matches(name[:100], sorted(known), 1, _GUESS_FROM)
        guess = f"; {near[0]} is" if near else ""
        return FieldFault(field=name[:100], reason=f"is not a known field{guess}")
    return FieldFault(field="?", reason=f"has a field named by {quote_value(name)}")


# The document law: an extracted page is whole, typed, and the one that was asked for.

MAX_METADATA_BYTES = 65_536
_NO_URL = "is not an absolute http or https URL"
_RULES = {
    "url": _NO_URL,
    "content": "must be text",
    "title": "must be text",
    "final_url": _NO_URL,
    "raw_content": "must be text",
    "metadata": "must be an object",
}


class LawfulDocument(msgspec.Struct, frozen=True):
    """The fields of one page, as msgspec checks them."""

    url: WebUrl
    content: str
    title: str = ""
    final_url: WebUrl | None = None
    raw_content: str | None = None
    metadata: dict[str, object] | None = None


def check_document(raw: object, url: str) -> Result[LawfulDocument, InvalidDocument]:
    """Return the page if it keeps the law and is for ``url``."""
    fields = attempt_call(lambda: plain_fields(raw)).value_or(None)
    if not isinstance(fields, dict):
        return _refuse("document", f"expected an object, got {quote_value(raw)}")
    try:
        document = msgspec.convert(fields, LawfulDocument)
    except msgspec.ValidationError:
        fault = first_fault(fields, LawfulDocument, _RULES)
        return _refuse(fault.field, fault.reason)
    return _check_together(document, url)


def _check_together(
    document: LawfulDocument, asked: str
) -> Result[LawfulDocument, InvalidDocument]:
    for field in ("title", "content", "raw_content"):
        if not is_plain(getattr(document, field) or ""):
            return _refuse(field, "is not valid Unicode text")
    for field in ("url", "final_url"):
        url = getattr(document, field)
        if url is not None and not (type(url) is str and is_web_url(url)):
            return _refuse(field, f"{_NO_URL}, got {quote_value(url)}")
    if canonical_url(document.url) != canonical_url(asked):
        return _refuse("url", f"is for another page, {quote_value(document.url)}")
    return _check_metadata(document)


def _check_metadata(document: LawfulDocument) -> Result[LawfulDocument, InvalidDocument]:
    """Keep metadata that is JSON and of bearable size, as a copy that nobody else holds."""
    encoded = attempt_call(lambda: msgspec.json.encode(document.metadata or {}))
    if isinstance(encoded, Failure):
        return _refuse("metadata", "holds what JSON cannot")
    if len(encoded.unwrap()) > MAX_METADATA_BYTES:
        return _refuse("metadata", f"is larger than {MAX_METADATA_BYTES} bytes")
    copy = msgspec.json.decode(encoded.unwrap(), type=dict[str, object])
    return Success(msgspec.structs.replace(document, metadata=copy))


def _refuse(field: str, reason: str) -> Failure[InvalidDocument]:
    return Failure(InvalidDocument(field=field, reason=reason))


# A caller's query: checked field by field, then clamped.

_QUERY_LAW_RULES = {
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
        return _query_law_refuse("query", "could not be read")
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
        return _query_law_refuse(
            "query", f"expected a query with fields, got {quote_value(fields)}"
        )
    try:
        query = msgspec.convert(fields, WebSearchQuery)
    except VALIDATION_ERRORS:
        fault = first_fault(fields, WebSearchQuery, _QUERY_LAW_RULES)
        return _query_law_refuse(fault.field, fault.reason)
    return _query_law_check_together(query)


def _query_law_check_together(query: WebSearchQuery) -> Result[WebSearchQuery, InvalidQuery]:
    texts = (query.query, *query.include_domains, *query.exclude_domains)
    if not all(map(is_plain, texts)):
        return _query_law_refuse("query", "holds what is not valid Unicode text")
    fault = text_fault(query.query)
    if fault is not None:
        return _query_law_refuse("query", fault)
    after, before = query.published_after, query.published_before
    if after is not None and before is not None and after > before:
        return _query_law_refuse("published_after", "is later than published_before")
    return Success(query)


def _query_law_refuse(field: str, reason: str) -> Failure[InvalidQuery]:
    return Failure(InvalidQuery(field=field, reason=reason))
