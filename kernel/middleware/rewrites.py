"""Request middleware: each callback sees the rewrite of the one before, and may replace it."""

from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.middleware import Middleware
from ...ports.receipts import TraceEntry
from ..boundary import attempt_callback
from ..text.display import one_line, quote_value
from .call_context import CallContext
from .failures import (
    broken_promise_error,
    checked_error,
    describe_mishap,
    error_from_exception,
    mishap_from_exception,
    refusal_from_exception,
)

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
