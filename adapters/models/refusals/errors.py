"""How providers say no: codes, else a few words, else the status, to typed errors."""

import re
from collections.abc import Mapping, Sequence

import httpx

from ....ports.errors import (
    ContextTooLong,
    HttpStatus,
    ModelFailed,
    ModelNotFound,
    ModelOverloaded,
    ParameterRefused,
    RateLimited,
    UpstreamUnavailable,
    WebError,
)
from ...http.error_mapping import status_error
from ...values.json_fields import said
from ...values.json_values import as_list, as_mapping, json_or_none, text
from ...values.numbers import parse_whole_number
from ..declaration.wire import RefusedAnswer
from .hints import header_wait, rejected_field, stated_wait
from .reasons import FailureReport, refusal_reason

_MOST_WORDS, _MOST_NAME = 500, 100
_TITLE = re.compile(r"<title[^>]*>([^<]+)</title>", re.IGNORECASE)
_CONFLICT, _TOO_LARGE, _NOT_FOUND = 409, 413, 404
# Anthropic's is 529, Groq's for its flex tier 498.
# https://platform.claude.com/docs/en/api/errors, https://console.groq.com/docs/errors (2026-11-15)
_OVERLOADED = frozenset({498, 529})
_FIELD_REFUSED = frozenset({400, 422})
_MODEL_REFUSED = frozenset({400, 403, 404})


def refusal_error(refusal: RefusedAnswer) -> WebError:
    """Return what a status that is no success stands for, with the provider's own words."""
    payload, words = refusal.payload, error_text(refusal.payload)
    wait = header_wait(refusal.headers, refusal.now)
    if wait is None:
        wait = stated_wait(_parts(payload)[-1], words)
    report = FailureReport(words, refusal.status, wait, refusal.model)
    codes = error_codes(payload)
    named = refusal_reason(codes, report)
    if named is not None:
        return named
    if refusal.status in _MODEL_REFUSED and _parts(payload)[-1].get("param") == "model":
        return ModelNotFound(model=refusal.model, detail=words)
    field = (
        rejected_field(_parts(payload), codes, words) if refusal.status in _FIELD_REFUSED else ""
    )
    if field:
        name = field[:_MOST_NAME]
        return ParameterRefused(parameter=name, status=refusal.status, detail=words)
    return _by_status(refusal.status, report, refusal.headers, refusal.now)


def embedded_error(error: object) -> WebError:
    """Return the error that was told inside a success: an error object, or its bare text."""
    words, codes = error_text(error), error_codes(error)
    report = FailureReport(words, wait=stated_wait(_parts(error)[-1], words))
    named = refusal_reason(codes, report)
    status = next((code for code in map(_number, codes) if code), None)
    if named is None and status is not None:
        return _by_status(status, report, httpx.Headers(), 0)
    word = min((code for code in codes - {"error"} if not code.isdigit()), default="error")
    return named or ModelFailed(code=word[:_MOST_NAME], detail=words)


def _number(code: str) -> int | None:
    """Return a status that a code gives, if it blames the caller."""
    status = parse_whole_number(code) or 0
    return status if httpx.codes.is_client_error(status) or status in _OVERLOADED else None


def _by_status(
    status: int, report: FailureReport, headers: Mapping[str, str], now: float
) -> WebError:
    detail = report.detail
    if status == _NOT_FOUND and "model" in detail.lower():
        return ModelNotFound(model=report.model, detail=detail)
    if status == _TOO_LARGE:
        return ContextTooLong(status=status, detail=detail)
    if status in _OVERLOADED:
        return ModelOverloaded(status=status, retry_after=report.wait, detail=detail)
    usual = status_error(status, headers, detail, now)
    if isinstance(usual, RateLimited):
        return RateLimited(retry_after=report.wait, detail=detail)
    if isinstance(usual, UpstreamUnavailable) or status == _CONFLICT:
        return UpstreamUnavailable(status=status, retry_after=report.wait, detail=detail)
    return usual or HttpStatus(status=status, detail=detail)


def error_codes(payload: object) -> frozenset[str]:
    """Return every code and type that an error carries, in small letters."""
    parts = _parts(payload)
    error = parts[-1]
    holders = (
        *parts,
        as_mapping(error.get("details")),
        as_mapping(error.get("innererror")),
        as_mapping(error.get("inner_error")),
    )
    values = [
        holder.get(name)
        for holder in holders
        for name in ("code", "type", "status", "error_code", "__type")
    ]
    codes = (str(code) for code in values if isinstance(code, str | int) and code)
    return frozenset(code.lower() for code in codes)


def error_text(payload: object) -> str:
    """Return what a provider says about its failure, in any of the places where they say it."""
    first = _first(payload)
    raw = _raw(first)
    if raw is not None:
        return error_text(raw)
    # FastAPI lists what is wrong, field by field.
    faults = (as_mapping(_first(part.get("detail"))) for part in _parts(first))
    spoken = next((words for fault in faults if (words := _fault(fault))), "") or said(first)
    # A page of whatever stands before the provider says most with its title.
    page = _TITLE.search(spoken) if spoken.lstrip().startswith("<") else None
    return (page[1] if page else spoken).strip()[:_MOST_WORDS]


def _fault(fault: Mapping[str, object]) -> str:
    """Return a fault with the field it speaks of: "temperature: Input should be at most 1.5"."""
    words = text(fault.get("msg"))
    # The way there begins with "body"; numbers in it are places in a list.
    field = next((part for part in map(text, as_list(fault.get("loc"))[1:]) if part), "")
    named = re.search(rf"\b{re.escape(field)}\b", words)
    return words if not words or named else f"{field}: {words}"


def _parts(payload: object) -> Sequence[Mapping[str, object]]:
    """Return the objects that an error consists of, the outermost first."""
    outer = as_mapping(_first(payload))
    # Mistral puts FastAPI's list where others put a sentence.
    inner = as_mapping(outer.get("error")) or as_mapping(outer.get("message"))
    parts = (outer, inner) if inner else (outer,)
    raw = _raw(outer)
    return parts if raw is None else (*parts, *_parts(raw))


def _raw(payload: object) -> object:
    """Return what the provider behind OpenRouter said itself; None if that is not told."""
    metadata = as_mapping(as_mapping(as_mapping(payload).get("error")).get("metadata"))
    raw = text(metadata.get("raw")).strip()
    return (json_or_none(raw) or raw) if raw else None


def _first(payload: object) -> object:
    """Return the first of a list: Google wraps its errors in one."""
    items = as_list(payload)
    return items[0] if items else payload
