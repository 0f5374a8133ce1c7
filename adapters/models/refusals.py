"""How providers say no: codes, else a few words, else the status, to typed errors."""

from collections.abc import Callable
from typing import NamedTuple

import httpx

from ...ports.errors import (
    AuthFailed,
    ContentFiltered,
    ContextTooLong,
    HttpStatus,
    ModelFailed,
    ModelNotFound,
    ModelOverloaded,
    ParameterRefused,
    QuotaExhausted,
    RateLimited,
    UpstreamUnavailable,
    WebError,
)
from ..http.failures import retry_after, said, status_error
from .values import listed, mapping, text
from .wire import Refusal

_MOST_WORDS = 500
_CONFLICT, _TOO_LARGE, _NOT_FOUND, _OVERLOADED = 409, 413, 404, 529
# A reason that is told by words alone is believed only where the request itself is refused.
_REQUEST_REFUSED = frozenset({None, 400, 413, 422})
_NOT_TAKEN = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})


class _Told(NamedTuple):
    """What is known of a failure. Without a status it was told inside a success."""

    detail: str
    status: int | None = None
    wait: float | None = None
    model: str = ""


class _Reason(NamedTuple):
    """One thing that can be wrong, by code; by words, in small letters, where there is no code."""

    make: Callable[[_Told], WebError]
    codes: frozenset[str]
    words: tuple[str, ...] = ()


# The first that fits counts. Every code and phrase here is one that a provider sends.
_REASONS = (
    _Reason(
        lambda told: QuotaExhausted(status=told.status or 200, detail=told.detail),
        frozenset(
            [
                "insufficient_quota",
                "billing_error",
                "billing_hard_limit_reached",
                "insufficient_balance",
                "insufficient_credits",
                "enforced_spend_limit_reached",
                "credit_balance_too_low",
            ]
        ),
    ),
    _Reason(
        lambda told: ContextTooLong(status=told.status, detail=told.detail),
        frozenset(
            [
                "context_length_exceeded",
                "context_window_exceeded",
                "request_too_large",
                "string_above_max_length",
            ]
        ),
        (
            "maximum context length",
            "context length exceeded",
            "exceeds the context window",
            "prompt is too long",
            "input is too long",
            "exceeds the maximum number of tokens",
            "reduce the length of the messages",
            "maximum prompt length",
        ),
    ),
    _Reason(
        lambda told: ContentFiltered(status=told.status, detail=told.detail),
        frozenset(
            [
                "content_filter",
                "content_policy_violation",
                "invalid_prompt",
                "bio_policy",
                "misalignment_policy_violation",
                "data_inspection_failed",
                "responsibleaipolicyviolation",
            ]
        ),
    ),
    _Reason(
        lambda told: ModelOverloaded(status=told.status, retry_after=told.wait, detail=told.detail),
        frozenset(
            ["overloaded", "overloaded_error", "engine_overloaded_error", "model_overloaded"]
        ),
    ),
    _Reason(
        lambda told: RateLimited(
            status=told.status or 429, retry_after=told.wait, detail=told.detail
        ),
        frozenset(["rate_limit_exceeded", "rate_limit_error", "too_many_requests"]),
    ),
    _Reason(
        lambda told: AuthFailed(status=told.status or 401, detail=told.detail),
        frozenset(["invalid_api_key", "authentication_error", "permission_error"]),
        ("incorrect api key", "invalid api key", "api key not valid"),
    ),
    _Reason(
        lambda told: ModelNotFound(model=told.model, detail=told.detail),
        frozenset(["model_not_found", "model_not_available", "invalid_model"]),
    ),
)


def refusal_error(refusal: Refusal) -> WebError:
    """Return what a status that is no success stands for, with the provider's own words."""
    wait = wait_of(refusal.headers, refusal.now)
    told = _Told(words_of(refusal.payload), refusal.status, wait, refusal.model)
    named = _named(codes_of(refusal.payload), told)
    parameter = parameter_of(refusal.payload)
    if named is None and parameter and refusal.status in _REQUEST_REFUSED:
        return ParameterRefused(parameter=parameter, status=refusal.status, detail=told.detail)
    return named or _by_status(refusal, told)


def told_error(error: object) -> WebError:
    """Return the error that was told inside a success: an error object, or its bare text."""
    told, codes = _Told(words_of(error)), codes_of(error)
    word = min(codes - {"error"}, default="error")
    return _named(codes, told) or ModelFailed(code=word, detail=told.detail)


def _named(codes: frozenset[str], told: _Told) -> WebError | None:
    small = told.detail.lower() if told.status in _REQUEST_REFUSED else ""
    for reason in _REASONS:
        if codes & reason.codes or any(words in small for words in reason.words):
            return reason.make(told)
    return None


def _by_status(refusal: Refusal, told: _Told) -> WebError:
    status, detail = refusal.status, told.detail
    if status == _NOT_FOUND and "model" in detail.lower():
        return ModelNotFound(model=told.model, detail=detail)
    if status == _TOO_LARGE:
        return ContextTooLong(status=status, detail=detail)
    if status == _OVERLOADED:
        return ModelOverloaded(status=status, retry_after=told.wait, detail=detail)
    usual = status_error(status, refusal.headers, detail, refusal.now)
    if isinstance(usual, RateLimited):
        return RateLimited(retry_after=told.wait, detail=detail)
    if isinstance(usual, UpstreamUnavailable) or status == _CONFLICT:
        return UpstreamUnavailable(status=status, retry_after=told.wait, detail=detail)
    return usual or HttpStatus(status=status, detail=detail)


def codes_of(payload: object) -> frozenset[str]:
    """Return every code and type that an error carries, in small letters."""
    outer = mapping(_first(payload))
    inner = mapping(outer.get("error"))
    holders = (outer, inner, mapping(inner.get("details")), mapping(inner.get("innererror")))
    found = [
        holder.get(name)
        for holder in holders
        for name in ("code", "type", "status", "error_code", "__type")
    ]
    return frozenset(code.lower() for code in found if isinstance(code, str) and code)


def parameter_of(payload: object) -> str:
    """Return the top-level field that an error says is not taken; blank if it names none."""
    outer = mapping(_first(payload))
    fault = mapping(_first(outer.get("detail")))
    if fault.get("type") == "extra_forbidden":
        # FastAPI gives the way there: body, then the field.
        return next((part for part in map(text, listed(fault.get("loc"))[1:]) if part), "")
    if not codes_of(payload) & _NOT_TAKEN:
        return ""
    named = text(mapping(outer.get("error")).get("param"))
    return named.partition(".")[0].partition("[")[0]


def words_of(payload: object) -> str:
    """Return what a provider says about its failure, in any of the places where they say it."""
    first = _first(payload)
    # FastAPI lists what is wrong, field by field.
    listed_first = mapping(_first(mapping(first).get("detail")))
    spoken = text(listed_first.get("msg")) or said(first)
    return spoken.strip()[:_MOST_WORDS]


def _first(payload: object) -> object:
    """Return the first of a list: Google wraps its errors in one."""
    items = listed(payload)
    return items[0] if items else payload


def wait_of(headers: httpx.Headers, now: float) -> float | None:
    """Return how many seconds a provider asks us to wait, in any of the spellings they use."""
    for name in ("retry-after-ms", "x-amz-retry-after"):
        milliseconds = _number(headers.get(name, ""))
        if milliseconds is not None:
            return milliseconds / 1000
    seconds = _number(headers.get("retry-after", ""))
    return seconds if seconds is not None else retry_after(headers, now)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
