"""How Bedrock says no, by exceptions' names, and which part of a request to try without.

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
from ...refusals.errors import error_text, refusal_error
from ...refusals.hints import header_wait_seconds
from .converse_blocks import text_block

_SAMPLING = frozenset({"temperature", "topP"})
_POINT, _REDACTED = "cachePoint", "redactedContent"
# What Bedrock says, in small letters, of the thing that it refuses.
_WORDS: tuple[tuple[str, str], ...] = (
    ("cachepoint", _POINT),
    ("prompt caching", _POINT),
    ("redacted", _REDACTED),
    ("encrypted", _REDACTED),
    ("temperature", "temperature"),
    ("top_p", "topP"),
    ("topp", "topP"),
)


def refused_part(detail: str) -> str | None:
    """Return the part of a request that a validation error speaks of, if one can do without it."""
    small = detail.lower()
    return next((part for word, part in _WORDS if word in small), None)


def leave_out(body: Json, names: Sequence[str]) -> Json:
    """Return the body without these parts; one that was not there changes nothing."""
    unwanted = frozenset(names)
    rest = dict(body)
    sampling = as_mapping(body.get("inferenceConfig"))
    accepted = {name: sampling[name] for name in sampling if name not in unwanted & _SAMPLING}
    rest.pop("inferenceConfig", None)
    if accepted:
        rest["inferenceConfig"] = accepted
    if "system" in body:
        rest["system"] = _kept(body["system"], unwanted)
    config = as_mapping(body.get("toolConfig"))
    if config:
        rest["toolConfig"] = {**config, "tools": _kept(config.get("tools"), unwanted)}
    rest["messages"] = [
        {**turn, "content": _kept(turn.get("content"), unwanted) or [text_block(EMPTY_TURN_TEXT)]}
        for turn in as_objects(body.get("messages"))
    ]
    return rest


def _kept(blocks: object, unwanted: frozenset[str]) -> list[Mapping[str, object]]:
    return [
        block
        for block in as_objects(blocks)
        if not unwanted & {*block, *as_mapping(block.get("reasoningContent"))} & {_POINT, _REDACTED}
    ]


# A validation error has no code of its own for a prompt that is too long. The last three are how
# Nova says it in recorded answers; no page of AWS's with them was found on 2026-11-15.
_LONG = ("too long", "too many tokens", "context window", "maximum context", "context length",
    "input tokens exceeded", "input tokens exceeds", "too many input tokens")  # fmt: skip
_NO_MODEL = ("model identifier is invalid", "end of its life", "on-demand throughput")


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """An exception by its name without the word for it, in small letters."""

    name: str
    detail: str
    model: str = ""
    status: int | None = None
    wait: float | None = None


def _key(report: _Told) -> WebError:
    return AuthFailed(status=report.status or 403, detail=report.detail)


def _model(report: _Told) -> WebError:
    return ModelNotFound(model=report.model, detail=report.detail)


def _broken(report: _Told) -> WebError:
    return ModelFailed(code=report.name, detail=report.detail)


def _down(report: _Told) -> WebError:
    status = report.status or 500
    return UpstreamUnavailable(status=status, retry_after=report.wait, detail=report.detail)


def _busy(report: _Told) -> WebError:
    return ModelOverloaded(status=report.status, retry_after=report.wait, detail=report.detail)


def _often(report: _Told) -> WebError:
    status = report.status or 429
    return RateLimited(status=status, retry_after=report.wait, detail=report.detail)


def _quota(report: _Told) -> WebError:
    return QuotaExhausted(status=report.status or 400, detail=report.detail)


_KINDS: Mapping[str, Callable[[_Told], WebError]] = {
    "accessdenied": _key,
    "unrecognizedclient": _key,
    "invalidsignature": _key,
    "signaturedoesnotmatch": _key,
    "incompletesignature": _key,
    "missingauthenticationtoken": _key,
    "invalidclienttokenid": _key,
    "expiredtoken": _key,
    "notauthorized": _key,
    "resourcenotfound": _model,
    "throttling": _often,
    "toomanyrequests": _often,
    "servicequotaexceeded": _quota,
    "modelnotready": _busy,
    "modeltimeout": _down,
    "internalserver": _down,
    "internalfailure": _down,
    "serviceunavailable": _down,
    "modelerror": _broken,
    "modelstreamerror": _broken,
}


def bedrock_refusal(refusal: RefusedAnswer) -> WebError:
    """Return what a status that is no success stands for, with Bedrock's own words."""
    body = as_mapping(refusal.payload)
    header = refusal.headers.get("x-amzn-errortype", "")
    kinds = (header, *(text(body.get(name)) for name in ("__type", "code", "Code")))
    words = text(body.get("Message"))
    payload = {"message": words} if words else refusal.payload
    report = _Told(
        name=plain_name(next((kind for kind in kinds if kind), "")),
        detail=error_text(payload),
        model=refusal.model,
        status=refusal.status,
        wait=header_wait_seconds(refusal.headers, refusal.now),
    )
    return _named(report) or refusal_error(msgspec.structs.replace(refusal, payload=payload))


def stream_error(name: str, payload: object) -> WebError:
    """Return what an exception in the middle of a stream stands for."""
    report = _Told(name=plain_name(name), detail=error_text(payload))
    if report.name == "validation":
        return _named(report) or HttpStatus(status=400, detail=report.detail)
    return _named(report) or _broken(report)


def plain_name(kind: str) -> str:
    """Return an exception's bare name.

    >>> plain_name("com.amazon.coral#ThrottlingException:http://internal.amazon.com/")
    'throttling'
    """
    bare = kind.partition(":")[0].rpartition("#")[2].strip().lower()
    return bare.removesuffix("exception") or "error"


def _named(report: _Told) -> WebError | None:
    small = report.detail.lower()
    if report.name == "validation" and any(word in small for word in _LONG):
        return ContextTooLong(status=report.status, detail=report.detail)
    if report.name == "validation" and any(word in small for word in _NO_MODEL):
        return _model(report)
    if report.name == "validation":
        part = refused_part(report.detail)
        status, detail = report.status, report.detail
        return ParameterRefused(parameter=part, status=status, detail=detail) if part else None
    make = _KINDS.get(report.name)
    return None if make is None else make(report)
