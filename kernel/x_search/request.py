"""A request to search X: tidied, then held against every rule, the first broken one named."""

import re
from collections.abc import Collection, Mapping
from datetime import date
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery
from ...ports.x_search import MAX_HANDLES, MAX_X_QUERY_CHARS, XSearchRequest
from ..boundary import attempt_call
from ..laws.field_checks import VALIDATION_ERRORS, first_fault, plain_fields
from ..laws.query_law import text_fault
from ..text.display import is_plain, quote_value

# Blank ones are refused; every other blank text is as good as none.
_NEVER_LEFT_OUT = ("query", "output_schema")
_BEFORE_NAME = re.compile(r"^[@\s]+")
# Wider than X's own rule, which changed before: it leaves out lists, addresses and sentences.
_NAME = re.compile(r"[\w.-]+")
_HANDLES = ("allowed_x_handles", "excluded_x_handles")
_RULES = {
    "query": f"must be text of 1 to {MAX_X_QUERY_CHARS} characters, not blank",
    "allowed_x_handles": "must be a list of handles such as alice",
    "excluded_x_handles": "must be a list of handles such as alice",
    "from_date": "must be a date such as 2026-01-31",
    "to_date": "must be a date such as 2026-01-31",
    "enable_image_understanding": "must be true or false",
    "enable_video_understanding": "must be true or false",
    "output_schema": "must be a JSON object that is a schema",
    "instructions": "must be text",
    "previous_response_id": "must be text of at most 500 characters",
    "store": "must be true or false",
}


class TidiedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request that keeps every rule, and the fields that were left out of it."""

    request: XSearchRequest
    dropped: tuple[str, ...] = ()


def check_x_request(request: object, today: date) -> Result[TidiedRequest, InvalidQuery]:
    """Return a request in its one spelling, or the first field that breaks a rule. Never raises.

    >>> check_x_request({"query": "tides", "from_date": "soon"}, date(2026, 1, 1)).failure().field
    'from_date'
    """
    parsed = attempt_call(lambda: _fields(request))
    if isinstance(parsed, Failure) or not isinstance(parsed.unwrap(), dict):
        return _refuse("query", f"expected a request with fields, got {quote_value(request)}")
    fields = cast("dict[object, object]", parsed.unwrap())
    try:
        checked = msgspec.convert(fields, XSearchRequest)
    except VALIDATION_ERRORS:
        fault = first_fault(fields, XSearchRequest, _RULES)
        return _refuse(fault.field, fault.reason)
    return _check_together(checked, today)


def x_request_filters(request: XSearchRequest) -> tuple[str, ...]:
    """Name the filters that narrow a search: handles and dates."""
    names = (*_HANDLES, "from_date", "to_date")
    return tuple(name for name in names if getattr(request, name))


def _fields(request: object) -> object:
    """Take a request apart and tidy it: what is blank is left out."""
    raw = plain_fields(request)
    if not isinstance(raw, Mapping):
        return raw
    tidy = {name: _tidy(name, value) for name, value in raw.items()}
    return {name: value for name, value in tidy.items() if value is not None}


def _tidy(name: object, value: object) -> object:
    if isinstance(value, str):
        text = value.strip()
        return text if text or name in _NEVER_LEFT_OUT else None
    if name in _HANDLES and isinstance(value, list | tuple | set | frozenset):
        return _handles(value)
    return value


def _handles(values: Collection[object]) -> list[object]:
    """Return handles without blanks and without the sign in front, each once."""
    named = [_handle(each) for each in values]
    return [each for place, each in enumerate(named) if each != "" and each not in named[:place]]


def _handle(value: object) -> object:
    # A name may be all digits, and JSON or YAML then makes a number of it.
    if type(value) is int:
        return str(value)
    return _BEFORE_NAME.sub("", value).rstrip() if isinstance(value, str) else value


def _check_together(request: XSearchRequest, today: date) -> Result[TidiedRequest, InvalidQuery]:
    faults = (
        _handle_fault(request),
        _date_fault(request, today),
        _text_fault(request),
        _name_fault(request),
    )
    fault = next(filter(None, faults), None)
    if fault is not None:
        return _refuse(*fault)
    if request.previous_response_id is None:
        return Success(TidiedRequest(request=request))
    # What goes on from an answer must be stored itself, to be gone on from; xAI refuses the whole
    # request if there are instructions too.
    dropped = ("instructions",) if request.instructions is not None else ()
    chained = msgspec.structs.replace(request, store=True, instructions=None)
    return Success(TidiedRequest(request=chained, dropped=dropped))


def _handle_fault(request: XSearchRequest) -> tuple[str, str] | None:
    for name in _HANDLES:
        if len(getattr(request, name)) > MAX_HANDLES:
            return name, f"has more than {MAX_HANDLES} handles"
    if request.allowed_x_handles and request.excluded_x_handles:
        return "excluded_x_handles", "cannot be used together with allowed_x_handles"
    return None


def _date_fault(request: XSearchRequest, today: date) -> tuple[str, str] | None:
    begin, end = request.from_date, request.to_date
    if begin is not None and end is not None and begin > end:
        return "from_date", "is later than to_date"
    if begin is not None and begin > today:
        return "from_date", f"is in the future: today is {today} (UTC)"
    return None


def _text_fault(request: XSearchRequest) -> tuple[str, str] | None:
    if isinstance(attempt_call(lambda: msgspec.json.encode(request.output_schema)), Failure):
        return "output_schema", "holds what cannot be written as JSON"
    texts = {
        "query": request.query,
        "instructions": request.instructions or "",
        "previous_response_id": request.previous_response_id or "",
        **{name: "".join(getattr(request, name)) for name in _HANDLES},
    }
    bad = next((name for name, text in texts.items() if not is_plain(text)), None)
    if bad is not None:
        return bad, "holds what is not valid Unicode text"
    fault = text_fault(request.query)
    return None if fault is None else ("query", fault)


def _name_fault(request: XSearchRequest) -> tuple[str, str] | None:
    """Find what is no handle: xAI takes it, and answers without a source."""
    for name in _HANDLES:
        strange = next((each for each in getattr(request, name) if not _NAME.fullmatch(each)), None)
        if strange is not None:
            return name, f"holds {quote_value(strange)}, which is no handle such as alice"
    return None


def _refuse(field: str, reason: str) -> Failure[InvalidQuery]:
    return Failure(InvalidQuery(field=field, reason=reason))
