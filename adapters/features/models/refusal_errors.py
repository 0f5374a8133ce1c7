"""Typed errors from refusals of providers: by code, else by phrase, else by status."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import httpx

from webseam.ports import errors

from ...http.error_mapping import status_error
from ...values.field_values import said
from ...values.json_values import as_list, as_mapping, json_or_none, parse_whole_number, text
from .declaration.wire import RefusedAnswer
from .refusal_hints import (
    refusal_header_wait,
    refused_model_field,
    reset_header_wait,
    stated_refusal_wait,
)

# Phrases count only with these statuses: with others they may describe the server's own problem.
REQUEST_REFUSED_STATUSES = frozenset({None, 400, 403, 404, 413, 422, 429})
_BUSY_STATUSES = frozenset({None, 429, 500, 502, 503})
_MAX_ERROR_CHARS, _MAX_CODE_CHARS = 500, 100
_HTML_TITLE_PATTERN = re.compile(r"<title[^<>]*+>([^<]++)</title>", re.IGNORECASE)
_RATE_LIMITED_STATUS = 429
_CONFLICT_STATUS, _TOO_LARGE_STATUS, _NOT_FOUND_STATUS = 409, 413, 404
# Anthropic's is 529, Groq's for its flex tier 498.
# https://platform.claude.com/docs/en/api/errors, https://console.groq.com/docs/errors (2026-11-15)
_OVERLOADED_STATUSES = frozenset({498, 529})
_FIELD_REFUSED_STATUSES = frozenset({400, 422})
_MODEL_STATUSES = frozenset({400, 403, 404})


class FailureReport(NamedTuple):
    """Facts about a failure. ``status`` is None if the error came inside a success."""

    detail: str
    status: int | None = None
    wait: float | None = None
    model: str = ""


class _RefusalReason(NamedTuple):
    """A reason for a refusal, recognised by its codes or by lower-case phrases."""

    make: Callable[[FailureReport], errors.WebError]
    codes: frozenset[str]
    phrases: tuple[str, ...] = ()
    statuses: frozenset[int | None] = REQUEST_REFUSED_STATUSES


def model_refusal_reason(codes: frozenset[str], report: FailureReport) -> errors.WebError | None:
    """Return the error of the first reason that a code or a phrase matches, or None."""
    message = report.detail.lower()
    for reason in _REFUSAL_REASONS:
        has_phrase = report.status in reason.statuses and any(
            phrase in message for phrase in reason.phrases
        )
        if has_phrase or codes & reason.codes:
            return reason.make(report)
    return None


# Numbers are Zhipu's: https://docs.z.ai/api-reference/api-code (2026-11-15). Every other code and
# phrase was seen in a provider's answer; hardly any provider documents them.
_REFUSAL_REASONS = (
    _RefusalReason(
        lambda report: errors.QuotaExhausted(status=report.status or 200, detail=report.detail),
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
    _RefusalReason(
        lambda report: errors.ContextTooLong(status=report.status, detail=report.detail),
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
            # Groq: the request exceeds the tokens per minute, so waiting does not help.
            # https://console.groq.com/docs/rate-limits (2026-11-15)
            "request too large for",
            "tokens in the prompt cannot exceed",
            "`inputs` tokens + `max_new_tokens` must be",
            # Perplexity's and others' words for what of the request is too long.
            "query is too long",
            "query too long",
            "request is too long",
            "request too long",
            "conversation is too long",
            "conversation too long",
            "context is too long",
            "context too long",
            "content is too long",
            "content too long",
            "message too long",
            "messages too long",
            "text is too long",
            "text too long",
        ),
    ),
    _RefusalReason(
        lambda report: errors.ContentFiltered(status=report.status, detail=report.detail),
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
    _RefusalReason(
        lambda report: errors.ModelOverloaded(
            status=report.status, retry_after=report.wait, detail=report.detail
        ),
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
        _BUSY_STATUSES,
    ),
    _RefusalReason(
        lambda report: errors.RateLimited(
            status=report.status or 429, retry_after=report.wait, detail=report.detail
        ),
        frozenset(["rate_limit_exceeded", "rate_limit_error", "too_many_requests"]),
    ),
    _RefusalReason(
        lambda report: errors.AuthFailed(status=report.status or 401, detail=report.detail),
        frozenset(["invalid_api_key", "authentication_error", "permission_error"]),
        ("incorrect api key", "invalid api key", "api key not valid"),
    ),
    _RefusalReason(
        lambda report: errors.ModelNotFound(model=report.model, detail=report.detail),
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
            "model not found",
            "no endpoints found for",
            "not a valid model id",
        ),
    ),
    # Groq's codes for invalid output of the model; a retry may succeed.
    _RefusalReason(
        lambda report: errors.ModelFailed(code="invalid_output", detail=report.detail),
        frozenset(["json_validate_failed", "output_parse_failed", "tool_use_failed"]),
    ),
)


def model_refusal(refusal: RefusedAnswer) -> errors.WebError:
    """Return the error of a refused answer, with the provider's own message."""
    payload, message = refusal.payload, model_error_text(refusal.payload)
    wait = refusal_header_wait(refusal.headers, refusal.now)
    if wait is None:
        wait = stated_refusal_wait(_nested_objects(payload)[-1], message)
    if wait is None and refusal.status == _RATE_LIMITED_STATUS:
        wait = reset_header_wait(refusal.headers, refusal.now)
    report = FailureReport(message, refusal.status, wait, refusal.model)
    codes = model_error_codes(payload)
    reason_error = model_refusal_reason(codes, report)
    if reason_error is not None:
        return reason_error
    if refusal.status in _MODEL_STATUSES and _nested_objects(payload)[-1].get("param") == "model":
        return errors.ModelNotFound(model=refusal.model, detail=message)
    field = (
        refused_model_field(_nested_objects(payload), codes, message)
        if refusal.status in _FIELD_REFUSED_STATUSES
        else ""
    )
    if field:
        field_name = field[:_MAX_CODE_CHARS]
        return errors.ParameterRefused(parameter=field_name, status=refusal.status, detail=message)
    return _error_by_status(refusal.status, report, refusal.headers, refusal.now)


def embedded_refusal(error: object) -> errors.WebError:
    """Return the error that came inside a success: an error object, or its bare text."""
    message, codes = model_error_text(error), model_error_codes(error)
    report = FailureReport(message, wait=stated_refusal_wait(_nested_objects(error)[-1], message))
    reason_error = model_refusal_reason(codes, report)
    status = next((code for code in map(_error_status, codes) if code), None)
    if reason_error is None and status is not None:
        return _error_by_status(status, report, httpx.Headers(), 0)
    name = min((code for code in codes - {"error"} if not code.isdigit()), default="error")
    return reason_error or errors.ModelFailed(code=name[:_MAX_CODE_CHARS], detail=message)


def _error_status(code: str) -> int | None:
    """Return the code as a status, if it is a client error or an overload."""
    status = parse_whole_number(code) or 0
    return status if httpx.codes.is_client_error(status) or status in _OVERLOADED_STATUSES else None


def _error_by_status(
    status: int, report: FailureReport, headers: Mapping[str, str], now: float
) -> errors.WebError:
    detail = report.detail
    if status == _NOT_FOUND_STATUS and "model" in detail.lower():
        return errors.ModelNotFound(model=report.model, detail=detail)
    if status == _TOO_LARGE_STATUS:
        return errors.ContextTooLong(status=status, detail=detail)
    if status in _OVERLOADED_STATUSES:
        return errors.ModelOverloaded(status=status, retry_after=report.wait, detail=detail)
    common_error = status_error(status, headers, detail, now)
    if isinstance(common_error, errors.RateLimited):
        return errors.RateLimited(retry_after=report.wait, detail=detail)
    if isinstance(common_error, errors.UpstreamUnavailable) or status == _CONFLICT_STATUS:
        return errors.UpstreamUnavailable(status=status, retry_after=report.wait, detail=detail)
    return common_error or errors.HttpStatus(status=status, detail=detail)


def model_error_codes(payload: object) -> frozenset[str]:
    """Return every code and type in an error, in lower case."""
    parts = _nested_objects(payload)
    error = parts[-1]
    objects = (
        *parts,
        as_mapping(error.get("details")),
        as_mapping(error.get("innererror")),
        as_mapping(error.get("inner_error")),
    )
    values = [
        part.get(name)
        for part in objects
        for name in ("code", "type", "status", "error_code", "__type")
    ]
    codes = (str(code) for code in values if isinstance(code, str | int) and code)
    return frozenset(code.lower() for code in codes)


def model_error_text(payload: object) -> str:
    """Return the provider's error message, from any of the fields that providers use."""
    error = _first_item(payload)
    raw = _openrouter_error(error)
    if raw is not None:
        return model_error_text(raw)
    # FastAPI lists errors by field.
    field_errors = (as_mapping(_first_item(part.get("detail"))) for part in _nested_objects(error))
    message = next(filter(None, map(_fastapi_message, field_errors)), "") or said(error)
    # An HTML page of a proxy says most in its title.
    page = _HTML_TITLE_PATTERN.search(message) if message.lstrip().startswith("<") else None
    return (page[1] if page else message).strip()[:_MAX_ERROR_CHARS]


def _fastapi_message(field_error: Mapping[str, object]) -> str:
    """Return FastAPI's message with its field: "temperature: Input should be at most 1.5"."""
    message = text(field_error.get("msg"))
    # ``loc`` begins with "body"; numbers in it are indices of a list.
    field = next((part for part in map(text, as_list(field_error.get("loc"))[1:]) if part), "")
    is_named = re.search(rf"\b{re.escape(field)}\b", message)
    return message if not message or is_named else f"{field}: {message}"


def _nested_objects(payload: object) -> Sequence[Mapping[str, object]]:
    """Return the nested objects of an error, the outermost first."""
    outer = as_mapping(_first_item(payload))
    # Mistral puts FastAPI's list into ``message``.
    inner = as_mapping(outer.get("error")) or as_mapping(outer.get("message"))
    parts = (outer, inner) if inner else (outer,)
    raw = _openrouter_error(outer)
    return parts if raw is None else (*parts, *_nested_objects(raw))


def _openrouter_error(payload: object) -> object:
    """Return the error of the provider behind OpenRouter; None if it is not included."""
    metadata = as_mapping(as_mapping(as_mapping(payload).get("error")).get("metadata"))
    raw = text(metadata.get("raw")).strip()
    return (json_or_none(raw) or raw) if raw else None


def _first_item(payload: object) -> object:
    """Return the first item of a list: Google wraps its errors in one."""
    items = as_list(payload)
    return items[0] if items else payload
