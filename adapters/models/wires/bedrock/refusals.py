"""How Bedrock says no: exceptions by name, in a header, a body or the middle of a stream."""

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
from ....values.json import mapping, objects, text
from ...declaration.wire import Json, RefusedAnswer
from ...messages.turns import EMPTY
from ...refusals.errors import refusal_error, words_of
from ...refusals.hints import wait_of
from .blocks import text_block

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
    kept = dict(body)
    sampling = mapping(body.get("inferenceConfig"))
    taken = {name: sampling[name] for name in sampling if name not in unwanted & _SAMPLING}
    kept.pop("inferenceConfig", None)
    if taken:
        kept["inferenceConfig"] = taken
    if "system" in body:
        kept["system"] = _kept(body["system"], unwanted)
    config = mapping(body.get("toolConfig"))
    if config:
        kept["toolConfig"] = {**config, "tools": _kept(config.get("tools"), unwanted)}
    kept["messages"] = [
        {**turn, "content": _kept(turn.get("content"), unwanted) or [text_block(EMPTY)]}
        for turn in objects(body.get("messages"))
    ]
    return kept


def _kept(blocks: object, unwanted: frozenset[str]) -> list[Mapping[str, object]]:
    return [
        block
        for block in objects(blocks)
        if not unwanted & {*block, *mapping(block.get("reasoningContent"))} & {_POINT, _REDACTED}
    ]


# How Bedrock says no: exceptions by name, in a header, a body or the middle of a stream.

_LONG = ("too long", "too many tokens", "context window", "maximum context", "context length")
_NO_MODEL = ("model identifier is invalid", "end of its life", "on-demand throughput")


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """An exception by its name without the word for it, in small letters."""

    name: str
    detail: str
    model: str = ""
    status: int | None = None
    wait: float | None = None


def _key(told: _Told) -> WebError:
    return AuthFailed(status=told.status or 403, detail=told.detail)


def _model(told: _Told) -> WebError:
    return ModelNotFound(model=told.model, detail=told.detail)


def _broken(told: _Told) -> WebError:
    return ModelFailed(code=told.name, detail=told.detail)


def _down(told: _Told) -> WebError:
    status = told.status or 500
    return UpstreamUnavailable(status=status, retry_after=told.wait, detail=told.detail)


def _busy(told: _Told) -> WebError:
    return ModelOverloaded(status=told.status, retry_after=told.wait, detail=told.detail)


def _often(told: _Told) -> WebError:
    status = told.status or 429
    return RateLimited(status=status, retry_after=told.wait, detail=told.detail)


def _quota(told: _Told) -> WebError:
    return QuotaExhausted(status=told.status or 400, detail=told.detail)


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
    body = mapping(refusal.payload)
    given = refusal.headers.get("x-amzn-errortype", "")
    kinds = (given, *(text(body.get(name)) for name in ("__type", "code", "Code")))
    said = text(body.get("Message"))
    payload = {"message": said} if said else refusal.payload
    told = _Told(
        name=plain_name(next((kind for kind in kinds if kind), "")),
        detail=words_of(payload),
        model=refusal.model,
        status=refusal.status,
        wait=wait_of(refusal.headers, refusal.now),
    )
    return _named(told) or refusal_error(msgspec.structs.replace(refusal, payload=payload))


def stream_error(name: str, payload: object) -> WebError:
    """Return what an exception in the middle of a stream stands for."""
    told = _Told(name=plain_name(name), detail=words_of(payload))
    if told.name == "validation":
        return _named(told) or HttpStatus(status=400, detail=told.detail)
    return _named(told) or _broken(told)


def plain_name(kind: str) -> str:
    """Return an exception's bare name.

    >>> plain_name("com.amazon.coral#ThrottlingException:http://internal.amazon.com/")
    'throttling'
    """
    bare = kind.partition(":")[0].rpartition("#")[2].strip().lower()
    return bare.removesuffix("exception") or "error"


def _named(told: _Told) -> WebError | None:
    small = told.detail.lower()
    if told.name == "validation" and any(word in small for word in _LONG):
        return ContextTooLong(status=told.status, detail=told.detail)
    if told.name == "validation" and any(word in small for word in _NO_MODEL):
        return _model(told)
    if told.name == "validation":
        part = refused_part(told.detail)
        status, detail = told.status, told.detail
        return ParameterRefused(parameter=part, status=status, detail=detail) if part else None
    make = _KINDS.get(told.name)
    return None if make is None else make(told)
