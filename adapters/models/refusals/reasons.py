"""What a model call can be refused for: by code, else by a few words that a provider says."""

from collections.abc import Callable
from typing import NamedTuple

from ....ports.errors import (
    AuthFailed,
    ContentFiltered,
    ContextTooLong,
    ModelFailed,
    ModelNotFound,
    ModelOverloaded,
    QuotaExhausted,
    RateLimited,
    WebError,
)


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
