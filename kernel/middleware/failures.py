"""The bridge between failures as values and failures as exceptions, exact in both directions."""

import msgspec
from returns.result import Failure

from ...ports.errors import CallRefused, MiddlewareFailed, PluginTimedOut, WebError
from ...ports.middleware import CallbackTimeoutError, CallFailed, Hook, Middleware, Mishap
from ..boundary import attempt_call, describe_crash
from ..text.display import one_line
from ..text.redaction import redact

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
