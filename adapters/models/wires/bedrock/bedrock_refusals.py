"""Typed errors from Bedrock's exceptions, and the refused part of a request.

As of 2026-11-15:
https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from .....ports.errors import (
    AuthFailed,
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
from ....values.json_values import as_mapping, as_objects, text
from ...declaration.wire import Json, RefusedAnswer
from ...messages.turns import EMPTY_TURN_TEXT
from ...refusal_errors import error_text, refusal_error
from ...refusal_hints import header_wait_seconds
from .converse_blocks import bedrock_text

_SAMPLING_FIELDS = frozenset({"temperature", "topP"})
_CACHE_POINT_KEY, _REDACTED_KEY = "cachePoint", "redactedContent"
# Lower-case phrases in Bedrock's messages, and the part of the request that they mean.
_REFUSED_PART_PHRASES: tuple[tuple[str, str], ...] = (
    ("cachepoint", _CACHE_POINT_KEY),
    ("prompt caching", _CACHE_POINT_KEY),
    ("redacted", _REDACTED_KEY),
    ("encrypted", _REDACTED_KEY),
    ("temperature", "temperature"),
    ("top_p", "topP"),
    ("topp", "topP"),
)


def refused_converse_part(detail: str) -> str | None:
    """Return the dispensable part of a request that a validation error names, or None."""
    message = detail.lower()
    return next((part for phrase, part in _REFUSED_PART_PHRASES if phrase in message), None)


def drop_converse_parts(body: Json, names: Sequence[str]) -> Json:
    """Return the body without these parts; a missing part changes nothing."""
    dropped = frozenset(names)
    body_left = dict(body)
    sampling = as_mapping(body.get("inferenceConfig"))
    accepted = {name: sampling[name] for name in sampling if name not in dropped & _SAMPLING_FIELDS}
    body_left.pop("inferenceConfig", None)
    if accepted:
        body_left["inferenceConfig"] = accepted
    if "system" in body:
        body_left["system"] = _without_parts(body["system"], dropped)
    config = as_mapping(body.get("toolConfig"))
    if config:
        body_left["toolConfig"] = {**config, "tools": _without_parts(config.get("tools"), dropped)}
    body_left["messages"] = [
        {
            **turn,
            "content": _without_parts(turn.get("content"), dropped)
            or [bedrock_text(EMPTY_TURN_TEXT)],
        }
        for turn in as_objects(body.get("messages"))
    ]
    return body_left


def _without_parts(blocks: object, dropped: frozenset[str]) -> list[Mapping[str, object]]:
    return [
        block
        for block in as_objects(blocks)
        if not dropped
        & {*block, *as_mapping(block.get("reasoningContent"))}
        & {_CACHE_POINT_KEY, _REDACTED_KEY}
    ]


# Validation errors have no code for a prompt that is too long. The last three phrases are from
# recorded answers of Nova; no AWS page with them was found on 2026-11-15.
_TOO_LONG_PHRASES = (
    "too long", "too many tokens", "context window", "maximum context", "context length",
    "input tokens exceeded", "input tokens exceeds", "too many input tokens",
)  # fmt: skip
_UNKNOWN_MODEL_PHRASES = ("model identifier is invalid", "end of its life", "on-demand throughput")


class _BedrockException(msgspec.Struct, frozen=True, kw_only=True):
    """An exception; ``name`` is in lower case and without "exception"."""

    name: str
    detail: str
    model: str = ""
    status: int | None = None
    wait: float | None = None


def _auth_error(report: _BedrockException) -> WebError:
    return AuthFailed(status=report.status or 403, detail=report.detail)


def _unknown_model_error(report: _BedrockException) -> WebError:
    return ModelNotFound(model=report.model, detail=report.detail)


def _model_failed_error(report: _BedrockException) -> WebError:
    return ModelFailed(code=report.name, detail=report.detail)


def _unavailable_error(report: _BedrockException) -> WebError:
    status = report.status or 500
    return UpstreamUnavailable(status=status, retry_after=report.wait, detail=report.detail)


def _overloaded_error(report: _BedrockException) -> WebError:
    return ModelOverloaded(status=report.status, retry_after=report.wait, detail=report.detail)


def _rate_limit_error(report: _BedrockException) -> WebError:
    status = report.status or 429
    return RateLimited(status=status, retry_after=report.wait, detail=report.detail)


def _quota_error(report: _BedrockException) -> WebError:
    return QuotaExhausted(status=report.status or 400, detail=report.detail)


_EXCEPTION_ERRORS: Mapping[str, Callable[[_BedrockException], WebError]] = {
    "accessdenied": _auth_error, "unrecognizedclient": _auth_error, "invalidsignature": _auth_error,
    "signaturedoesnotmatch": _auth_error, "incompletesignature": _auth_error,
    "missingauthenticationtoken": _auth_error, "invalidclienttokenid": _auth_error,
    "expiredtoken": _auth_error, "notauthorized": _auth_error,
    "resourcenotfound": _unknown_model_error, "throttling": _rate_limit_error,
    "toomanyrequests": _rate_limit_error, "servicequotaexceeded": _quota_error,
    "modelnotready": _overloaded_error, "modeltimeout": _unavailable_error,
    "internalserver": _unavailable_error, "internalfailure": _unavailable_error,
    "serviceunavailable": _unavailable_error, "modelerror": _model_failed_error,
    "modelstreamerror": _model_failed_error,
}  # fmt: skip


def bedrock_refusal(refusal: RefusedAnswer) -> WebError:
    """Return the error of a refused answer, with Bedrock's own message."""
    body = as_mapping(refusal.payload)
    header = refusal.headers.get("x-amzn-errortype", "")
    kinds = (header, *(text(body.get(name)) for name in ("__type", "code", "Code")))
    message = text(body.get("Message"))
    payload = {"message": message} if message else refusal.payload
    report = _BedrockException(
        name=plain_exception_name(next((kind for kind in kinds if kind), "")),
        detail=error_text(payload),
        model=refusal.model,
        status=refusal.status,
        wait=header_wait_seconds(refusal.headers, refusal.now),
    )
    return _named_error(report) or refusal_error(msgspec.structs.replace(refusal, payload=payload))


def bedrock_stream_error(name: str, payload: object) -> WebError:
    """Return the error of an exception inside a stream."""
    report = _BedrockException(name=plain_exception_name(name), detail=error_text(payload))
    if report.name == "validation":
        return _named_error(report) or HttpStatus(status=400, detail=report.detail)
    return _named_error(report) or _model_failed_error(report)


def plain_exception_name(kind: str) -> str:
    """Return an exception's bare name in lower case.

    >>> plain_exception_name("com.amazon.coral#ThrottlingException:http://internal.amazon.com/")
    'throttling'
    """
    name = kind.partition(":")[0].rpartition("#")[2].strip().lower()
    return name.removesuffix("exception") or "error"


def _named_error(report: _BedrockException) -> WebError | None:
    message = report.detail.lower()
    if report.name == "validation" and any(phrase in message for phrase in _TOO_LONG_PHRASES):
        return ContextTooLong(status=report.status, detail=report.detail)
    if report.name == "validation" and any(phrase in message for phrase in _UNKNOWN_MODEL_PHRASES):
        return _unknown_model_error(report)
    if report.name == "validation":
        part = refused_converse_part(report.detail)
        status, detail = report.status, report.detail
        return ParameterRefused(parameter=part, status=status, detail=detail) if part else None
    make_error = _EXCEPTION_ERRORS.get(report.name)
    return None if make_error is None else make_error(report)
