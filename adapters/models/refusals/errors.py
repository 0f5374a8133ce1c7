"""How providers say no: codes, else a few words, else the status, to typed errors."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import httpx

from ....ports.errors import (
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
from ...http.error_mapping import status_error
from ...values.field_values import said
from ...values.json_values import as_list, as_mapping, json_or_none, text
from ...values.numbers import parse_whole_number
from ..declaration.wire import RefusedAnswer
from .hints import header_wait, rejected_field, stated_wait


class FailureReport(NamedTuple):
    """What is known of a failure. Without a status it was told inside a success."""

    detail: str
    status: int | None = None
    wait: float | None = None
    model: str = ""


# Words alone are believed only where they speak of the request, and not of a server's own trouble.
REQUEST_REFUSED = frozenset({None, 400, 403, 404, 413, 422, 429})
_BUSY = frozenset({None, 429, 500, 502, 503})


class _Reason(NamedTuple):
    """One thing that can be wrong, by code; by words, in small letters, where there is no code."""

    make: Callable[[FailureReport], WebError]
    codes: frozenset[str]
    words: tuple[str, ...] = ()
    believed: frozenset[int | None] = REQUEST_REFUSED


def refusal_reason(codes: frozenset[str], report: FailureReport) -> WebError | None:
    """Return the first reason that the codes or the words give; None if they give none."""
    small = report.detail.lower()
    for reason in _REASONS:
        spoken = report.status in reason.believed and any(words in small for words in reason.words)
        if spoken or codes & reason.codes:
            return reason.make(report)
    return None


def _failed(report: FailureReport) -> WebError:
    return ModelFailed(code="invalid_output", detail=report.detail)


# Numbers are Zhipu's: https://docs.z.ai/api-reference/api-code (2026-11-15). Every other code and
# phrase is one that was seen in an answer of a provider: nearly none documents its words.
_REASONS = (
    _Reason(
        lambda told: QuotaExhausted(status=told.status or 200, detail=told.detail),
        frozenset(
            [
                "1113",
                "arrearage",
                "billing_error",
                "billing_hard_limit_reached",
                "credit_balance_too_low",
                "enforced_spend_limit_reached",
                "exceeded_current_quota_error",
                "insufficient_balance",
                "insufficient_balance_error",
                "insufficient_credits",
                "insufficient_quota",
            ]
        ),
        (
            "credit balance is too low",
            "insufficient balance",
            "insufficient credits",
            "reached your specified api usage limits",
            "used all available credits",
            "doesn't have any credits",
        ),
    ),
    _Reason(
        lambda told: ContextTooLong(status=told.status, detail=told.detail),
        frozenset(
            [
                "1261",
                "context_length_exceeded",
                "context_window_exceeded",
                "exceed_context_size_error",
                "request_too_large",
                "string_above_max_length",
                "tokens_limit_reached",
            ]
        ),
        (
            "maximum context length",
            "maximum model length",
            "maximum prompt length",
            "context length exceeded",
            "context length of only",
            "context window exceeds",
            "exceed context limit",
            "exceeds the available context size",
            "exceeds the context length",
            "exceeds the context window",
            "exceeds the maximum number of tokens",
            "exceeded model token limit",
            "greater than the context length",
            "input token count is",
            "prompt is too long",
            "prompt too long",
            "message is too long",
            "messages are too long",
            "input too long",
            "too many input tokens",
            "longer than the model's context length",
            "exceeds maximum context length",
            "exceeded max context length",
            "input is too long",
            "range of input length",
            "reduce the length of the messages",
            # Groq: a minute's worth of tokens is not enough for it, so waiting does not help.
            # https://console.groq.com/docs/rate-limits (2026-11-15)
            "request too large for",
            "tokens in the prompt cannot exceed",
            "`inputs` tokens + `max_new_tokens` must be",
        ),
    ),
    _Reason(
        lambda told: ContentFiltered(status=told.status, detail=told.detail),
        frozenset(
            [
                "1301",
                "bio_policy",
                "content_filter",
                "content_policy_violation",
                "data_inspection_failed",
                "datainspectionfailed",
                "invalid_prompt",
                "misalignment_policy_violation",
                "responsibleaipolicyviolation",
            ]
        ),
        (
            "blocked by content filtering policy",
            "content exists risk",
            "content violates usage guidelines",
            "requires moderation on",
        ),
    ),
    _Reason(
        lambda told: ModelOverloaded(status=told.status, retry_after=told.wait, detail=told.detail),
        frozenset(
            [
                "1305",
                "engine_overloaded_error",
                "model_overloaded",
                "overloaded",
                "overloaded_error",
            ]
        ),
        ("is overloaded", "currently overloaded", "temporarily overloaded"),
        _BUSY,
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
        frozenset(
            [
                "1211",
                "deploymentnotfound",
                "invalid_model",
                "model_decommissioned",
                "model_not_available",
                "model_not_found",
                "model_not_supported",
                "unknown_model",
            ]
        ),
        (
            "invalid model id",
            "model not exist",
            "no endpoints found for",
            "not a valid model id",
        ),
    ),
    # Groq tells so of what its model wrote; the next try may be better.
    _Reason(_failed, frozenset(["json_validate_failed", "output_parse_failed", "tool_use_failed"])),
)


# How providers say no: codes, else a few words, else the status, to typed errors.

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
