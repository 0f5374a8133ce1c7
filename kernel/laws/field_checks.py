"""Read untrusted values as plain fields, and name the field that breaks a rule."""

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidDocument, InvalidQuery
from webseam.ports.text import IGNORABLE_CHARS, JOINER_CHARS, lazy_pattern, nearest_name
from webseam.ports.web import (
    MAX_PAGE,
    MAX_QUERY_CHARS,
    MAX_RESULTS,
    MIN_RESULTS,
    UrlText,
    WebSearchQuery,
)

from ..boundary import attempt_call, attempt_or
from ..text.display import is_plain_text, is_text, plain_texts, quote_value
from ..urls.spelling import canonical_url, is_web_url
from .iso_codes import country_fault, language_fault
from .unread import explain_foreign_name, split_unread

# msgspec raises the second for a lone surrogate in the name of a field, or where no text belongs.
VALIDATION_ERRORS = (msgspec.ValidationError, UnicodeEncodeError)
_MIN_NAME_SIMILARITY = 0.75  # max_result is close to max_results; limit is not
# The names that other search APIs have for our fields.
_NAMES_ELSEWHERE = {
    "query": "q text question search keywords",
    "max_results": "limit num_results num count n k top_k size results",
    "include_domains": "site sites domain domains",
    "exclude_domains": "not_site without_site blocked_domains",
    "published_after": "since after start_date from_date start_published_date",
    "published_before": "until before end_date to_date end_published_date",
    "country": "region gl location market", "language": "lang hl locale",
    "topic": "category vertical type", "safe_search": "safe safesearch adult",
    "backend": "engine provider service source", "route": "engines backends providers fallbacks",
    "timeout": "deadline seconds max_seconds", "char_limit": "max_chars max_characters max_length",
    "urls": "url pages", "pages": "max_pages limit", "depth": "max_depth level levels",
    "output": "out file folder to",
}  # fmt: skip


Shape = TypeVar("Shape", bound=msgspec.Struct)
MAX_METADATA_BYTES = 65_536
_URL_REASON = "is not an absolute http or https URL"
_DOCUMENT_RULES = {
    "url": _URL_REASON, "content": "must be text", "title": "must be text",
    "final_url": _URL_REASON, "raw_content": "must be text", "metadata": "must be an object",
}  # fmt: skip
_QUERY_RULES = {
    "query": f"must be text of 1 to {MAX_QUERY_CHARS} characters, not blank",
    "max_results": "must be a whole number",
    "include_domains": "must be a list of host names such as example.com",
    "exclude_domains": "must be a list of host names such as example.com",
    "published_after": "must be a date such as 2026-01-31",
    "published_before": "must be a date such as 2026-01-31",
    "country": "must be a two-letter ISO country code such as DE",
    "language": "must be an ISO language code such as en or pt-BR",
    "topic": "must be general, news, finance or images",
    "safe_search": "must be off, moderate or strict",
    "page": f"must be a whole number from 1 to {MAX_PAGE}",
}
# Pasted lines and tabs are fine; Unicode also counts NEL (U+0085) as white space.
_CONTROL_PATTERN = lazy_pattern(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# White space and the blank Braille pattern, too: a text of these alone shows nothing.
_INVISIBLE_PATTERN = lazy_pattern(f"[\\s\u2800{IGNORABLE_CHARS}{JOINER_CHARS}]*")
_FILTER_FIELDS = WebSearchQuery.__struct_fields__[2:]
_UNSET_FILTERS = msgspec.structs.astuple(WebSearchQuery(query=""))[2:]
_UNSET_VALUES = (None, ())
# A longer number cannot be written into a receipt.
_MAX_LIMIT_BITS = 1024


class FieldFault(msgspec.Struct, frozen=True, kw_only=True):
    """One field and the rule it broke."""

    field: str
    reason: str


def refuse_field(field: str, reason: str) -> Failure[InvalidQuery]:
    """Return the failure of a request with an invalid field."""
    return Failure(InvalidQuery(field=field, reason=reason))


def convert_fields(
    fields: Mapping[str, object], shape: type[Shape], rules: Mapping[str, str]
) -> Result[Shape, InvalidQuery]:
    """Convert the fields of a request to ``shape``, or name the field that breaks a rule."""
    fields = cast("Mapping[str, object]", copy_texts(fields))
    try:
        return Success(msgspec.convert(fields, shape))
    except VALIDATION_ERRORS:
        fault = first_field_fault(fields, shape, rules)
        return refuse_field(fault.field, fault.reason)


def plain_fields(value: object) -> object:
    """Return a mapping's or a Struct's fields as a plain dict; anything else unchanged.

    A Struct is unpacked because ``msgspec.convert`` trusts one that has the right type.
    """
    if type(value) is dict:
        return value
    if issubclass(type(value), msgspec.Struct):
        struct = cast("msgspec.Struct", value)
        return {name: getattr(struct, name) for name in struct.__struct_fields__}
    return dict(value) if isinstance(value, Mapping) else value


def copy_texts(value: object) -> object:
    """Return ``plain_texts`` of a value, or the value itself where that raises, as in a cycle."""
    return attempt_or(lambda: plain_texts(value), value)


def first_field_fault(
    fields: Mapping[Any, object], shape: type[msgspec.Struct], rules: Mapping[str, str]
) -> FieldFault:
    """Name the field of ``fields`` that does not fit ``shape``; the caller knows there is one.

    ``rules`` has the text for each field; msgspec's own text would quote patterns.
    """
    declared = msgspec.structs.fields(shape)
    faults = (_field_fault(fields, field, rules) for field in declared)
    # If every declared field fits, an unknown field is at fault.
    return next(filter(None, faults), None) or _unknown_field(
        fields, {field.name for field in declared}
    )


def _field_fault(
    fields: Mapping[Any, object], field: msgspec.structs.FieldInfo, rules: Mapping[str, str]
) -> FieldFault | None:
    if field.name not in fields:
        return FieldFault(field=field.name, reason="is missing") if field.required else None
    value = fields[field.name]
    if _can_convert(value, field.type):
        return None
    culprit = _quote_culprit(value, field.type)
    return FieldFault(field=field.name, reason=f"{rules[field.name]}, got {culprit}")


def _quote_culprit(value: object, kind: object) -> str:
    """Show the value that does not fit; for a list, the bad item, or the number of items."""
    # Exclude subclasses of list: they may override any method.
    bare_type = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(bare_type) is not tuple or type(value) not in (list, tuple):
        return quote_value(value)
    items = cast("list[object]", value)
    misfits = [item for item in items if not _can_convert([item], kind)]
    return quote_value(misfits[0]) if misfits else f"{len(items)}"


def _can_convert(value: object, kind: object) -> bool:
    try:
        msgspec.convert(value, kind)
    except VALIDATION_ERRORS:
        return False
    return True


def guess_field(name: str, declared: Collection[str]) -> str | None:
    """Return the declared field that a wrong name may mean, or None.

    >>> fields = ["query", "max_results"]
    >>> [guess_field(name, fields) for name in ("limit", "max_result", "engine")]
    ['max_results', 'max_results', None]
    """
    elsewhere = (field for field in declared if name in _NAMES_ELSEWHERE.get(field, "").split())
    near = nearest_name(name, sorted(declared), _MIN_NAME_SIMILARITY)
    return next(elsewhere, None) or near or None


def _unknown_field(fields: Mapping[Any, object], declared: set[str]) -> FieldFault:
    names = (name for name in fields if not is_text(name) or name not in declared)
    # msgspec refuses the name of a declared field, too, if it is a subclass of str.
    name = next(names, None)
    if is_text(name) and is_plain_text(name):
        meant = guess_field(name[:100], declared)
        guess = f"; did you mean {meant}?" if meant else ""
        return FieldFault(field=name[:100], reason=f"is not a known field{guess}")
    return FieldFault(field="?", reason=f"has a field named by {quote_value(name)}")


class LawfulDocument(msgspec.Struct, frozen=True):
    """The fields of one page, as msgspec checks them; ``is_web_url`` checks the URLs."""

    url: UrlText
    content: str
    title: str = ""
    final_url: UrlText | None = None
    raw_content: str | None = None
    metadata: dict[str, object] | None = None


DOCUMENT_FIELDS = LawfulDocument.__struct_fields__


class ReadDocument(msgspec.Struct, frozen=True):
    """A lawful page, and the keys that nobody reads."""

    document: LawfulDocument
    unread: tuple[str, ...] = ()


def check_document(raw: object, url: str) -> Result[LawfulDocument, InvalidDocument]:
    """Return the page of ``read_document`` alone."""
    return read_document(raw, url).map(lambda read: read.document)


def read_document(raw: object, url: str) -> Result[ReadDocument, InvalidDocument]:
    """Return the page if it keeps the law and is for ``url``."""
    fields = attempt_or(lambda: plain_fields(raw), None)
    if not isinstance(fields, dict):
        return _refuse_document("document", f"expected an object, got {quote_value(raw)}")
    fields = cast("dict[str, object]", copy_texts(fields))
    reason = explain_foreign_name(fields, "content")
    if reason is not None:
        return _refuse_document("content", reason)
    known, unread = split_unread(fields, DOCUMENT_FIELDS)
    try:
        document = msgspec.convert(known, LawfulDocument)
    except VALIDATION_ERRORS:
        fault = first_field_fault(known, LawfulDocument, _DOCUMENT_RULES)
        return _refuse_document(fault.field, fault.reason)
    checked = _check_document_fields(document, url)
    return checked.map(lambda lawful: ReadDocument(document=lawful, unread=tuple(unread)))


def _check_document_fields(
    document: LawfulDocument, requested_url: str
) -> Result[LawfulDocument, InvalidDocument]:
    for field in ("url", "final_url"):
        url = getattr(document, field)
        if url is not None and not (type(url) is str and is_web_url(url)):
            return _refuse_document(field, f"{_URL_REASON}, got {quote_value(url)}")
    for field in ("title", "content", "raw_content"):
        if not is_plain_text(getattr(document, field) or ""):
            return _refuse_document(field, "is not valid Unicode text")
    if canonical_url(document.url) != canonical_url(requested_url):
        return _refuse_document("url", f"is for another page, {quote_value(document.url)}")
    return _check_document_metadata(document)


def _check_document_metadata(document: LawfulDocument) -> Result[LawfulDocument, InvalidDocument]:
    """Return the document with a private copy of its metadata, if that is JSON of limited size."""
    encoded = attempt_call(lambda: msgspec.json.encode(document.metadata or {}))
    if isinstance(encoded, Failure):
        return _refuse_document("metadata", "holds what JSON cannot")
    if len(encoded.unwrap()) > MAX_METADATA_BYTES:
        return _refuse_document("metadata", f"is larger than {MAX_METADATA_BYTES} bytes")
    copy = msgspec.json.decode(encoded.unwrap(), type=dict[str, object])
    return Success(msgspec.structs.replace(document, metadata=copy))


def _refuse_document(field: str, reason: str) -> Failure[InvalidDocument]:
    return Failure(InvalidDocument(field=field, reason=reason))


def check_query(query: object) -> Result[WebSearchQuery, InvalidQuery]:
    """Return a query that keeps every rule, or the first field that breaks one.

    A text is a query without filters.

    >>> check_query({"query": " "}).failure().field
    'query'
    """
    checked = read_query(query)
    return Success(checked) if isinstance(checked, WebSearchQuery) else Failure(checked)


def read_query(query: object) -> WebSearchQuery | InvalidQuery:
    """As ``check_query``, without a ``Result``, which costs time in every search."""
    if type(query) is dict:
        return _read_query_fields(query)
    if is_text(query):
        return _read_query_fields({"query": query})
    fields = attempt_call(lambda: plain_fields(query))
    if isinstance(fields, Failure):
        return InvalidQuery(field="query", reason="could not be read")
    return _read_query_fields(fields.unwrap())


def clamp_max_results(limit: int | None) -> int | None:
    """Clamp a result limit to [1, 100]; None stays None.

    >>> [clamp_max_results(n) for n in (None, -3, 7, 9999)]
    [None, 1, 7, 100]
    """
    return None if limit is None else min(max(limit, MIN_RESULTS), MAX_RESULTS)


def query_filters(query: WebSearchQuery) -> tuple[str, ...]:
    """Return the names of the filters that ``query`` sets."""
    if msgspec.structs.astuple(query)[2:] == _UNSET_FILTERS:
        return ()
    return tuple([name for name in _FILTER_FIELDS if getattr(query, name) not in _UNSET_VALUES])


def query_text_fault(text: str) -> str | None:
    r"""Return why a text cannot be searched: it is blank or has control characters; else None.

    >>> query_text_fault("\u200b\u2060")
    "must not be blank, got '\\u200b\\u2060'"
    >>> query_text_fault("tide\ttables\nfor Bremen")
    """
    # A fast path for most queries; a False here proves nothing.
    if text.isascii() and text.isprintable():
        return None
    if _CONTROL_PATTERN.search(text) is not None:
        return f"must not hold control characters, got {quote_value(text)}"
    if _INVISIBLE_PATTERN.fullmatch(text) is not None:
        return f"must not be blank, got {quote_value(text)}"
    return None


def _read_query_fields(fields: object) -> WebSearchQuery | InvalidQuery:
    checked = _check_query_fields(fields)
    if isinstance(checked, WebSearchQuery):
        return checked
    # Only a query that is refused pays for a copy with real texts.
    return _check_query_fields(copy_texts(fields))


def _check_query_fields(fields: object) -> WebSearchQuery | InvalidQuery:
    """Return the query if each text in it is a real ``str`` and no rule is broken."""
    if type(fields) is not dict:
        reason = f"expected a query with fields, got {quote_value(fields)}"
        return InvalidQuery(field="query", reason=reason)
    try:
        query = msgspec.convert(fields, WebSearchQuery)
    except VALIDATION_ERRORS:
        # The names of the fields may raise when they are compared.
        unreadable = FieldFault(field="query", reason="could not be read")
        wrong = attempt_or(
            lambda: first_field_fault(fields, WebSearchQuery, _QUERY_RULES), unreadable
        )
        return InvalidQuery(field=wrong.field, reason=wrong.reason)
    fault = _query_fault(query)
    return query if fault is None else InvalidQuery(field=fault[0], reason=fault[1])


def _query_fault(query: WebSearchQuery) -> tuple[str, str] | None:
    """Return the field that breaks a law, and how; None for a lawful query."""
    if query.max_results is not None and query.max_results.bit_length() > _MAX_LIMIT_BITS:
        return "max_results", _QUERY_RULES["max_results"]
    domains = query.include_domains + query.exclude_domains
    if not is_plain_text(query.query) or (domains and not all(map(is_plain_text, domains))):
        return "query", "contains invalid Unicode text"
    fault = query_text_fault(query.query)
    if fault is not None:
        return "query", fault
    after, before = query.published_after, query.published_before
    if after is not None and before is not None and after > before:
        return "published_after", "is later than published_before"
    if query.country and (fault := _place_fault(query.country, country_fault)) is not None:
        return "country", fault
    if query.language and (fault := _place_fault(query.language, language_fault)) is not None:
        return "language", fault
    return None


def _place_fault(code: str, find_fault: Callable[[str], str | None]) -> str | None:
    return find_fault(code) if is_plain_text(code) else "must be text"
