"""Typed errors from Bedrock's exceptions, and the refused part of a request.

As of 2026-11-15:
https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from webseam.adapters.values.json_values import as_mapping, as_objects, text
from webseam.ports import errors

from ...declaration.wire import Json, RefusedAnswer
from ...messages.turns import EMPTY_TURN_TEXT
from ...refusal_errors import model_error_text, model_refusal
from ...refusal_hints import refusal_header_wait
from .converse_blocks import bedrock_text

_SAMPLING_FIELDS = frozenset({"temperature", "topP"})
_CACHE_POINT_KEY, _REDACTED_KEY = "cachePoint", "redactedContent"
# Lower-case phrases in Bedrock's messages, and the part of the request that they mean.
_REFUSED_PART_PHRASES: tuple[tuple[str, str], ...] = (
    ("cachepoint", _CACHE_POINT_KEY), ("prompt caching", _CACHE_POINT_KEY),
    ("redacted", _REDACTED_KEY), ("encrypted", _REDACTED_KEY), ("temperature", "temperature"),
    ("top_p", "topP"), ("topp", "topP"),
)  # fmt: skip
# Validation errors have no code for a prompt that is too long. The last three phrases are from
# recorded answers of Nova; no AWS page with them was found on 2026-11-15.
_TOO_LONG_PHRASES = (
    "too long", "too many tokens", "context window", "maximum context", "context length",
    "input tokens exceeded", "input tokens exceeds", "too many input tokens",
)  # fmt: skip
_UNKNOWN_MODEL_PHRASES = ("model identifier is invalid", "end of its life", "on-demand throughput")


def drop_parts(body: Json, names: Sequence[str]) -> Json:
    """Return the body without these parts; a missing part changes nothing."""
    dropped = frozenset(names)
    body_left = {name: value for name, value in body.items() if name != "inferenceConfig"}
    sampling = as_mapping(body.get("inferenceConfig"))
    accepted = {name: sampling[name] for name in sampling if name not in dropped & _SAMPLING_FIELDS}
    if accepted:
        body_left["inferenceConfig"] = accepted
    if "system" in body:
        body_left["system"] = _drop_blocks(body["system"], dropped)
    config = as_mapping(body.get("toolConfig"))
    if config:
        body_left["toolConfig"] = {
            **config,
            "tools": _drop_blocks(config.get("tools"), dropped),
        }
    empty = [bedrock_text(EMPTY_TURN_TEXT)]
    body_left["messages"] = [
        {**turn, "content": _drop_blocks(turn.get("content"), dropped) or empty}
        for turn in as_objects(body.get("messages"))
    ]
    return body_left


def _drop_blocks(blocks: object, dropped: frozenset[str]) -> list[Mapping[str, object]]:
    removed = dropped & {_CACHE_POINT_KEY, _REDACTED_KEY}
    return [
        block
        for block in as_objects(blocks)
        if not removed & {*block, *as_mapping(block.get("reasoningContent"))}
    ]


class _ExceptionReport(msgspec.Struct, frozen=True, kw_only=True):
    """An exception; ``name`` is in lower case and without "exception"."""

    name: str
    detail: str
    model: str = ""
    status: int | None = None
    wait: float | None = None


def _model_error(report: _ExceptionReport) -> errors.WebError:
    return errors.ModelFailed(code=report.name, detail=report.detail)


def _model_not_found(report: _ExceptionReport) -> errors.WebError:
    return errors.ModelNotFound(model=report.model, detail=report.detail)


_EXCEPTION_ERRORS: Mapping[str, Callable[[_ExceptionReport], errors.WebError]] = {
    "resourcenotfound": _model_not_found,
    "modelerror": _model_error,
    "modelstreamerror": _model_error,
    "servicequotaexceeded": lambda report: errors.QuotaExhausted(
        status=report.status or 400, detail=report.detail
    ),
    "modelnotready": lambda report: errors.ModelOverloaded(
        status=report.status, retry_after=report.wait, detail=report.detail
    ),
    **dict.fromkeys(
        ("throttling", "toomanyrequests"),
        lambda report: errors.RateLimited(
            status=report.status or 429, retry_after=report.wait, detail=report.detail
        ),
    ),
    **dict.fromkeys(
        ("modeltimeout", "internalserver", "internalfailure", "serviceunavailable"),
        lambda report: errors.UpstreamUnavailable(
            status=report.status or 500, retry_after=report.wait, detail=report.detail
        ),
    ),
    **dict.fromkeys(
        (
            "accessdenied",
            "unrecognizedclient",
            "invalidsignature",
            "signaturedoesnotmatch",
            "incompletesignature",
            "missingauthenticationtoken",
            "invalidclienttokenid",
            "expiredtoken",
            "notauthorized",
        ),
        lambda report: errors.AuthFailed(status=report.status or 403, detail=report.detail),
    ),
}


def bedrock_refusal(refusal: RefusedAnswer) -> errors.WebError:
    """Return the error of a refused answer, with Bedrock's own message."""
    body = as_mapping(refusal.payload)
    header = refusal.headers.get("x-amzn-errortype", "")
    kinds = (header, *(text(body.get(name)) for name in ("__type", "code", "Code")))
    message = text(body.get("Message"))
    payload = {"message": message} if message else refusal.payload
    report = _ExceptionReport(
        name=bedrock_exception_name(next((kind for kind in kinds if kind), "")),
        detail=model_error_text(payload),
        model=refusal.model,
        status=refusal.status,
        wait=refusal_header_wait(refusal.headers, refusal.now),
    )
    return _reported_error(report) or model_refusal(
        msgspec.structs.replace(refusal, payload=payload)
    )


def bedrock_stream_error(name: str, payload: object) -> errors.WebError:
    """Return the error of an exception inside a stream."""
    report = _ExceptionReport(name=bedrock_exception_name(name), detail=model_error_text(payload))
    if report.name == "validation":
        return _reported_error(report) or errors.HttpStatus(status=400, detail=report.detail)
    return _reported_error(report) or _model_error(report)


def bedrock_exception_name(kind: str) -> str:
    """Return an exception's bare name in lower case.

    >>> bedrock_exception_name("com.amazon.coral#ThrottlingException:http://internal.amazon.com/")
    'throttling'
    """
    name = kind.partition(":")[0].rpartition("#")[2].strip().lower()
    return name.removesuffix("exception") or "error"


def _reported_error(report: _ExceptionReport) -> errors.WebError | None:
    message = report.detail.lower()
    if report.name != "validation":
        make_error = _EXCEPTION_ERRORS.get(report.name)
        return None if make_error is None else make_error(report)
    if any(phrase in message for phrase in _TOO_LONG_PHRASES):
        return errors.ContextTooLong(status=report.status, detail=report.detail)
    if any(phrase in message for phrase in _UNKNOWN_MODEL_PHRASES):
        return _model_not_found(report)
    part = next((part for phrase, part in _REFUSED_PART_PHRASES if phrase in message), None)
    if part is None:
        return None
    return errors.ParameterRefused(parameter=part, status=report.status, detail=report.detail)
