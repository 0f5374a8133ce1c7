"""Request middleware: each callback sees the rewrite of the one before, and may replace it."""

from collections.abc import Sequence

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.middleware import Middleware
from ...ports.receipts import TraceEntry
from ..boundary import attempt_callback
from ..text.display import one_line
from .failures import checked_error, error_of, mishap_of, refusal_in
from .situation import Situation

_TRACED = ("source", "reason", "name")


class Rewritten(msgspec.Struct, frozen=True, kw_only=True):
    """The request as it goes on, and what those who rewrote it said."""

    payload: dict[str, object]
    trace: tuple[TraceEntry, ...] = ()


async def rewrite(
    chain: Sequence[Middleware], payload: dict[str, object], situation: Situation
) -> Result[Rewritten, WebError]:
    """Fold ``payload`` through ``chain``; what is no replacement is ignored.

    A callback that raises is left out, or, registered as closed, fails the call.
    """
    current = Rewritten(payload=payload)
    for middleware in chain:
        arguments = situation.told(current.payload, payload)
        answered = await attempt_callback(situation.call(middleware.callback, arguments))
        if isinstance(answered, Failure):
            stopped = _stopped(answered.failure(), middleware, situation)
            if stopped is not None:
                return Failure(stopped)
            continue
        answer = answered.unwrap()
        if isinstance(answer, Failure):
            return Failure(checked_error(answer.failure(), middleware, middleware.kind))
        current = _replaced(current, answer, situation)
    return Success(current)


def _stopped(raised: Exception, middleware: Middleware, situation: Situation) -> WebError | None:
    refusal = refusal_in(raised, middleware)
    if refusal is not None:
        return refusal
    if middleware.on_error == "closed":
        return error_of(raised, middleware, middleware.kind)
    situation.log(mishap_of(raised, middleware, middleware.kind))
    return None


def _replaced(current: Rewritten, answer: object, situation: Situation) -> Rewritten:
    given = answer.get(situation.payload) if isinstance(answer, dict) else None
    replacement = situation.taken(current.payload, given)
    if not isinstance(answer, dict) or not isinstance(replacement, dict):
        return current
    return Rewritten(payload=replacement, trace=(*current.trace, _entry(answer)))


def _entry(answer: dict[str, object]) -> TraceEntry:
    fields = {name: answer.get(name) for name in _TRACED}
    texts = {name: one_line(text) for name, text in fields.items() if type(text) is str and text}
    return TraceEntry(**texts) if texts else TraceEntry(source="plugin")
