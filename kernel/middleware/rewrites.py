"""Request middleware: each callback sees the rewrite of the one before, and may replace it."""

from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.middleware import Middleware
from ...ports.receipts import TraceEntry
from ..boundary import attempt_callback
from ..text.display import one_line, shown
from .failures import broken, checked_error, error_of, mishap_of, mishap_saying, refusal_in
from .situation import Situation

_TRACED = ("source", "reason", "name")


class Rewritten(msgspec.Struct, frozen=True, kw_only=True):
    """The request as it goes on, and what those who rewrote it said."""

    payload: dict[str, object]
    trace: tuple[TraceEntry, ...] = ()


async def rewrite(
    chain: Sequence[Middleware], payload: dict[str, object], situation: Situation
) -> Result[Rewritten, WebError]:
    """Fold ``payload`` through ``chain``; None leaves it as it is.

    A callback that raises, or answers what is no replacement, is left out, or, registered as
    closed, fails the call.
    """
    current = Rewritten(payload=payload)
    for middleware in chain:
        arguments = situation.told(current.payload, payload)
        answered = await attempt_callback(situation.call(middleware.callback, arguments))
        folded = _folded(current, answered, middleware, situation)
        if isinstance(folded, Failure):
            return folded
        current = folded.unwrap()
    return Success(current)


def _folded(
    current: Rewritten,
    answered: Result[object, Exception],
    middleware: Middleware,
    situation: Situation,
) -> Result[Rewritten, WebError]:
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
    what = f"it answered {shown(answer)}, and no {situation.payload} to go on with"
    if middleware.on_error == "closed":
        return Failure(broken(middleware, middleware.kind, what))
    situation.log(mishap_saying(what, middleware, middleware.kind))
    return Success(current)


def _stopped(raised: Exception, middleware: Middleware, situation: Situation) -> WebError | None:
    refusal = refusal_in(raised, middleware)
    if refusal is not None:
        return refusal
    if middleware.on_error == "closed":
        return error_of(raised, middleware, middleware.kind)
    situation.log(mishap_of(raised, middleware, middleware.kind))
    return None


def _replaced(current: Rewritten, answer: object, situation: Situation) -> Rewritten | None:
    """Return the request as a callback wants it; None for an answer that is no request."""
    if answer is None:
        return current
    wanted = answer.get(situation.payload) if isinstance(answer, dict) else None
    replacement = situation.taken(current.payload, wanted)
    if not isinstance(answer, dict) or not isinstance(replacement, dict):
        return None
    return Rewritten(payload=replacement, trace=(*current.trace, _entry(answer)))


def _entry(answer: dict[str, object]) -> TraceEntry:
    fields = {name: answer.get(name) for name in _TRACED}
    texts = {name: one_line(text) for name, text in fields.items() if type(text) is str and text}
    return TraceEntry(**texts) if texts else TraceEntry(source="plugin")
