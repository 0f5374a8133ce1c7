"""Request middleware: each callback sees the rewrite of the one before, and may replace it."""

import copy
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import CallRefused, MiddlewareFailed, PluginTimedOut, WebError
from ...ports.middleware import (
    MIDDLEWARE_VERSION,
    OBSERVER_VERSION,
    CallbackTimeoutError,
    Caller,
    CallFailed,
    Hook,
    Log,
    Middleware,
    Mishap,
)
from ...ports.receipts import TraceEntry
from ..boundary import attempt_call, attempt_callback, describe_crash
from ..text.display import one_line, quote_value
from ..text.redaction import redact

Payload = TypeVar("Payload")


def deep_copy(payload: Payload) -> Payload:
    """Return a deep copy; of what cannot be copied deeply, as much of one as there can be.

    >>> inner = {"a": [1]}
    >>> deep_copy(inner) == inner, deep_copy(inner)["a"] is inner["a"]
    (True, False)
    """
    return attempt_call(lambda: copy.deepcopy(payload)).value_or(_shallow(payload))


def _shallow(payload: Payload) -> Payload:
    return attempt_call(lambda: copy.copy(payload)).value_or(payload)


def with_aliases(payload: object, names: Mapping[str, str]) -> object:
    """Return ``payload`` with its fields under their other names too; ``names`` are theirs to ours.

    >>> with_aliases({"query": "q", "max_results": 9}, {"limit": "max_results"})
    {'query': 'q', 'max_results': 9, 'limit': 9}
    """
    if not isinstance(payload, dict):
        return payload
    return payload | {other: payload[ours] for other, ours in names.items() if ours in payload}


def without_aliases(original: object, changed_payload: object, names: Mapping[str, str]) -> object:
    """Return what was made of ``original`` under our names alone.

    >>> names = {"limit": "max_results"}
    >>> without_aliases({"max_results": 9}, {"max_results": 9, "limit": 3}, names)
    {'max_results': 3}
    >>> without_aliases({"max_results": 9}, {"max_results": 3, "limit": 9}, names)
    {'max_results': 3}
    """
    if not isinstance(changed_payload, dict):
        return changed_payload
    fields = dict(changed_payload)
    for other in names.keys() & fields.keys():
        ours, said = names[other], fields.pop(other)
        changed = not isinstance(original, dict) or original.get(ours) != said
        if changed or ours not in fields:
            fields[ours] = said
    return fields


class CallContext(msgspec.Struct, frozen=True, kw_only=True):
    """The call that callbacks are called about.

    ``context`` has the ids and names that apply. ``payload`` is the name that the request goes by:
    ``args`` for a tool, ``request`` for a model; ``names`` are other names of fields in it.
    """

    context: Mapping[str, object]
    payload: str
    call: Caller
    log: Log
    names: Mapping[str, str] = {}

    def told(self, payload: object, original: object) -> dict[str, object]:
        """Return what a middleware is told, all of it in copies of its own."""
        return {
            "telemetry_schema_version": OBSERVER_VERSION,
            "middleware_schema_version": MIDDLEWARE_VERSION,
            **deep_copy(dict(self.context)),
            self.payload: deep_copy(with_aliases(payload, self.names)),
            f"original_{self.payload}": deep_copy(with_aliases(original, self.names)),
        }

    def taken(self, before: object, given: object) -> object:
        """Return what a callback made of the payload ``before``, in a copy that is ours alone."""
        return without_aliases(before, deep_copy(given), self.names)


# The bridge between failures as values and failures as exceptions, exact in both directions.

# Hermes's word for "this must not be sent", known by its name: its module need not be here.
_BLOCKED = "LLMExecutionBlocked"


def error_from_exception(
    raised: Exception, callback: Middleware | Hook, stage: str, cause: WebError | None = None
) -> WebError:
    """Return what an exception out of a callback means: the error that it carries, or its crash."""
    if isinstance(raised, CallFailed):
        return checked_error(raised.error, callback, stage)
    if isinstance(raised, CallbackTimeoutError):
        return PluginTimedOut(plugin=callback.plugin, stage=stage, seconds=raised.seconds)
    mishap = mishap_from_exception(raised, callback, stage)
    return MiddlewareFailed(
        plugin=callback.plugin,
        stage=stage,
        error=mishap.error,
        detail=mishap.detail,
        where=mishap.where,
        cause="" if cause is None else cause.kind,
    )


def checked_error(error: object, callback: Middleware | Hook, stage: str) -> WebError:
    """Return the error that a callback made, rebuilt, since nothing checked it before."""
    rebuilt = attempt_call(lambda: _rebuilt(error))
    if isinstance(rebuilt, Failure) or not isinstance(error, msgspec.Struct):
        return broken_promise_error(
            callback, stage, f"failed with {type(error).__name__[:100]}, not a WebError"
        )
    return rebuilt.unwrap()


def broken_promise_error(callback: Middleware | Hook, stage: str, problem: str) -> MiddlewareFailed:
    """Return the error for a callback that did not keep its promise."""
    return MiddlewareFailed(plugin=callback.plugin, stage=stage, error=problem)


def refusal_from_exception(raised: Exception, callback: Middleware | Hook) -> CallRefused | None:
    """Return the refusal that an exception stands for; no callback's being open softens it."""
    if all(kind.__name__ != _BLOCKED for kind in type(raised).__mro__):
        return None
    text = attempt_call(lambda: getattr(raised, "reason", "")).value_or("")
    reason = text if type(text) is str else ""
    return CallRefused(by=callback.plugin, reason=_safe(reason) or _text(raised))


def mishap_from_exception(raised: Exception, callback: Middleware | Hook, stage: str) -> Mishap:
    """Describe what a callback raised, for the log."""
    crash = describe_crash(raised)
    return Mishap(
        plugin=callback.plugin,
        stage=stage,
        error=crash.error,
        where=crash.where,
        detail=_text(raised),
    )


def describe_mishap(problem: str, callback: Middleware | Hook, stage: str) -> Mishap:
    """Describe for the log what a callback did that is no exception."""
    return Mishap(plugin=callback.plugin, stage=stage, error=problem, where="")


def _text(raised: Exception) -> str:
    # A plugin's own words are for whoever enabled it, but may still quote a key.
    return attempt_call(lambda: _safe(str(raised))).value_or("")


def _safe(text: str) -> str:
    return one_line(redact(text))


def _rebuilt(error: object) -> WebError:
    rebuilt: WebError = msgspec.convert(msgspec.to_builtins(error), WebError)
    return rebuilt


# Request middleware: each callback sees the rewrite of the one before, and may replace it.

_TRACED = ("source", "reason", "name")


class RewrittenRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The request as it goes on, and what those who rewrote it said."""

    payload: dict[str, object]
    trace: tuple[TraceEntry, ...] = ()


async def rewrite_request(
    chain: Sequence[Middleware], payload: dict[str, object], situation: CallContext
) -> Result[RewrittenRequest, WebError]:
    """Fold ``payload`` through ``chain``; None leaves it as it is.

    A callback that raises, or answers what is no replacement, is left out, or, registered as
    closed, fails the call.
    """
    current = RewrittenRequest(payload=payload)
    for middleware in chain:
        arguments = situation.told(current.payload, payload)
        answered = await attempt_callback(situation.call(middleware.callback, arguments))
        folded = _folded(current, answered, middleware, situation)
        if isinstance(folded, Failure):
            return folded
        current = folded.unwrap()
    return Success(current)


def _folded(
    current: RewrittenRequest,
    answered: Result[object, Exception],
    middleware: Middleware,
    situation: CallContext,
) -> Result[RewrittenRequest, WebError]:
    """Return the request as one callback leaves it."""
    if isinstance(answered, Failure):
        stopped = _stopped(answered.failure(), middleware, situation)
        return Success(current) if stopped is None else Failure(stopped)
    answer = answered.unwrap()
    if isinstance(answer, Failure):
        return Failure(checked_error(answer.failure(), middleware, middleware.kind))
    replaced = _replaced(current, answer, situation)
    if replaced is not None:
        return Success(replaced)
    what = f"it answered {quote_value(answer)}, and no {situation.payload} to go on with"
    if middleware.on_error == "closed":
        return Failure(broken_promise_error(middleware, middleware.kind, what))
    situation.log(describe_mishap(what, middleware, middleware.kind))
    return Success(current)


def _stopped(raised: Exception, middleware: Middleware, situation: CallContext) -> WebError | None:
    refusal = refusal_from_exception(raised, middleware)
    if refusal is not None:
        return refusal
    if middleware.on_error == "closed":
        return error_from_exception(raised, middleware, middleware.kind)
    situation.log(mishap_from_exception(raised, middleware, middleware.kind))
    return None


def _replaced(
    current: RewrittenRequest, answer: object, situation: CallContext
) -> RewrittenRequest | None:
    """Return the request as a callback wants it; None for an answer that is no request."""
    if answer is None:
        return current
    wanted = answer.get(situation.payload) if isinstance(answer, dict) else None
    replacement = situation.taken(current.payload, wanted)
    if not isinstance(answer, dict) or not isinstance(replacement, dict):
        return None
    return RewrittenRequest(payload=replacement, trace=(*current.trace, _entry(answer)))


def _entry(answer: dict[str, object]) -> TraceEntry:
    fields = {name: answer.get(name) for name in _TRACED}
    texts = {name: one_line(text) for name, text in fields.items() if type(text) is str and text}
    return TraceEntry(**texts) if texts else TraceEntry(source="plugin")
