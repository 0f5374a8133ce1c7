"""Run request middleware: each callback sees the previous rewrite, and may replace it."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import CallRefused, MiddlewareFailed, PluginTimedOut, WebError
from webseam.ports.middleware import (
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
from webseam.ports.receipts import TraceEntry

from ..boundary import attempt_call, attempt_callback, describe_crash, rebuild_error
from ..text.display import class_name, is_text, one_line, plain_text, quote_value, type_name
from ..text.redaction import redact

Payload = TypeVar("Payload")
# Hermes raises this to block a call. Compare the name: its module may not be installed.
_HERMES_BLOCK_NAME = "LLMExecutionBlocked"
_TRACE_FIELDS = ("source", "reason", "name")


def copy_payload(payload: Payload) -> Payload:
    """Return a deep copy; fall back to a shallow one, then to the object itself.

    >>> inner = {"a": [1]}
    >>> copy_payload(inner) == inner, copy_payload(inner)["a"] is inner["a"]
    (True, False)
    """
    import copy  # noqa: PLC0415  only with plugins

    shallow = attempt_call(lambda: copy.copy(payload)).value_or(payload)
    return attempt_call(lambda: copy.deepcopy(payload)).value_or(shallow)


def add_aliases(payload: object, names: Mapping[str, str]) -> object:
    """Return ``payload`` with its fields under their aliases too; ``names`` maps alias to field.

    >>> add_aliases({"query": "q", "max_results": 9}, {"limit": "max_results"})
    {'query': 'q', 'max_results': 9, 'limit': 9}
    """
    if not isinstance(payload, dict):
        return payload
    return payload | {alias: payload[field] for alias, field in names.items() if field in payload}


def drop_aliases(original: object, changed_payload: object, names: Mapping[str, str]) -> object:
    """Return ``changed_payload`` without aliases; a changed alias replaces its field.

    >>> names = {"limit": "max_results"}
    >>> drop_aliases({"max_results": 9}, {"max_results": 9, "limit": 3}, names)
    {'max_results': 3}
    >>> drop_aliases({"max_results": 9}, {"max_results": 3, "limit": 9}, names)
    {'max_results': 3}
    """
    if not isinstance(changed_payload, dict):
        return changed_payload
    fields = dict(changed_payload)
    for alias in names.keys() & fields.keys():
        field, value = names[alias], fields.pop(alias)
        is_changed = not isinstance(original, dict) or original.get(field) != value
        if is_changed or field not in fields:
            fields[field] = value
    return fields


class CallContext(msgspec.Struct, frozen=True, kw_only=True):
    """The call that callbacks receive.

    ``context`` has the ids and names that apply. ``payload`` is the argument name of the request:
    ``args`` for a tool, ``request`` for a model; ``names`` maps aliases to its fields.
    """

    context: Mapping[str, object]
    payload: str
    call: Caller
    log: Log
    names: Mapping[str, str] = {}

    def callback_arguments(self, payload: object, original: object) -> dict[str, object]:
        """Return the arguments of a callback, each a copy."""
        return {
            "telemetry_schema_version": OBSERVER_VERSION,
            "middleware_schema_version": MIDDLEWARE_VERSION,
            **copy_payload(dict(self.context)),
            self.payload: copy_payload(add_aliases(payload, self.names)),
            f"original_{self.payload}": copy_payload(add_aliases(original, self.names)),
        }

    def returned_payload(self, before: object, changed: object) -> object:
        """Return a callback's new payload, copied and without aliases."""
        return drop_aliases(before, copy_payload(changed), self.names)


def callback_exception_error(
    raised: Exception, callback: Middleware | Hook, stage: str, cause: WebError | None = None
) -> WebError:
    """Return the error that a callback's exception carries, or one that describes its crash."""
    if isinstance(raised, CallFailed):
        return callback_error(raised.error, callback, stage)
    if isinstance(raised, CallbackTimeoutError):
        return PluginTimedOut(plugin=callback.plugin, stage=stage, seconds=raised.seconds)
    mishap = callback_exception_mishap(raised, callback, stage)
    return MiddlewareFailed(
        plugin=callback.plugin,
        stage=stage,
        error=mishap.error,
        detail=mishap.detail,
        where=mishap.where,
        cause="" if cause is None else cause.kind,
    )


def callback_error(error: object, callback: Middleware | Hook, stage: str) -> WebError:
    """Return the error that a callback made, rebuilt, since no one validated it."""
    problem = f"failed with {type_name(error)[:100]}, not a WebError"
    return rebuild_error(error) or callback_contract_error(callback, stage, problem)


def callback_contract_error(
    callback: Middleware | Hook, stage: str, problem: str
) -> MiddlewareFailed:
    """Return the error of a callback that broke its contract."""
    return MiddlewareFailed(plugin=callback.plugin, stage=stage, error=problem)


def callback_exception_refusal(
    raised: Exception, callback: Middleware | Hook
) -> CallRefused | None:
    """Return the refusal that an exception stands for, or None; open callbacks are not exempt."""
    if all(class_name(kind) != _HERMES_BLOCK_NAME for kind in type(raised).__mro__):
        return None
    text = attempt_call(lambda: getattr(raised, "reason", "")).value_or("")
    reason = plain_text(text) if is_text(text) else ""
    return CallRefused(
        by=callback.plugin, reason=_redact_callback_line(reason) or _callback_exception_text(raised)
    )


def callback_exception_mishap(raised: Exception, callback: Middleware | Hook, stage: str) -> Mishap:
    """Describe a callback's exception for the log."""
    crash = describe_crash(raised)
    return Mishap(
        plugin=callback.plugin,
        stage=stage,
        error=crash.error,
        where=crash.where,
        detail=_callback_exception_text(raised),
    )


def callback_mishap(problem: str, callback: Middleware | Hook, stage: str) -> Mishap:
    """Describe for the log a callback's problem that is no exception."""
    return Mishap(plugin=callback.plugin, stage=stage, error=problem, where="")


def _callback_exception_text(raised: Exception) -> str:
    # The plugin's text is for the user who enabled it, but may still contain a key.
    return attempt_call(lambda: _redact_callback_line(str(raised))).value_or("")


def _redact_callback_line(text: str) -> str:
    return one_line(redact(text))


class RewrittenRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The rewritten request, and the trace of its rewriters."""

    payload: dict[str, object]
    trace: tuple[TraceEntry, ...] = ()


async def rewrite_request(
    chain: Sequence[Middleware], payload: dict[str, object], context: CallContext
) -> Result[RewrittenRequest, WebError]:
    """Pass ``payload`` through ``chain``; an answer of None leaves it unchanged.

    A callback that raises, or answers with no valid payload, is skipped, or fails the call if it is
    registered as closed.
    """
    current = RewrittenRequest(payload=payload)
    for middleware in chain:
        arguments = context.callback_arguments(current.payload, payload)
        answered = await attempt_callback(context.call(middleware.callback, arguments))
        rewritten = _apply_rewrite(current, answered, middleware, context)
        if isinstance(rewritten, Failure):
            return rewritten
        current = rewritten.unwrap()
    return Success(current)


def _apply_rewrite(
    current: RewrittenRequest,
    answered: Result[object, Exception],
    middleware: Middleware,
    context: CallContext,
) -> Result[RewrittenRequest, WebError]:
    """Return the request after one callback."""
    if isinstance(answered, Failure):
        error = _rewrite_error(answered.failure(), middleware, context)
        return Success(current) if error is None else Failure(error)
    answer = answered.unwrap()
    if isinstance(answer, Failure):
        return Failure(callback_error(answer.failure(), middleware, middleware.kind))
    replaced = _replace_payload(current, answer, middleware.plugin, context)
    if replaced is not None:
        return Success(replaced)
    problem = f"it answered {quote_value(answer)}, which has no usable {context.payload}"
    if middleware.on_error == "closed":
        return Failure(callback_contract_error(middleware, middleware.kind, problem))
    context.log(callback_mishap(problem, middleware, middleware.kind))
    return Success(current)


def _rewrite_error(
    raised: Exception, middleware: Middleware, context: CallContext
) -> WebError | None:
    refusal = callback_exception_refusal(raised, middleware)
    if refusal is not None:
        return refusal
    if middleware.on_error == "closed":
        return callback_exception_error(raised, middleware, middleware.kind)
    context.log(callback_exception_mishap(raised, middleware, middleware.kind))
    return None


def _replace_payload(
    current: RewrittenRequest, answer: object, plugin: str, context: CallContext
) -> RewrittenRequest | None:
    """Return the request after a callback's answer; None if the answer is no request."""
    if answer is None:
        return current
    new_payload = answer.get(context.payload) if isinstance(answer, dict) else None
    replacement = context.returned_payload(current.payload, new_payload)
    if not isinstance(answer, dict) or not isinstance(replacement, dict):
        return None
    return RewrittenRequest(
        payload=replacement, trace=(*current.trace, _make_trace(answer, plugin))
    )


def _make_trace(answer: dict[str, object], plugin: str) -> TraceEntry:
    """Return what a plugin says of its change; without a word on who made it, its name."""
    fields = {name: answer.get(name) for name in _TRACE_FIELDS}
    texts = {name: one_line(text) for name, text in fields.items() if type(text) is str and text}
    return TraceEntry(**{"source": plugin, **texts})
