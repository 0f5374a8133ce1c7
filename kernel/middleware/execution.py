"""Execution middleware: callbacks nested around a call, the first registered outermost."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import BackendCrashed, WebError
from ...ports.middleware import Middleware
from ..boundary import attempt_callback, attempt_port
from .situation import Situation
from .turns import Done, Failed, Outcome, Turn

Terminal: TypeAlias = Callable[[object], Awaitable[Result[object, WebError]]]


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a call; ``said`` is what a callback returned in place of a failure."""

    result: Result[object, WebError]
    said: object = None


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """A chain around ``terminal``, which does the work; ``original`` is what was first asked."""

    chain: Sequence[Middleware]
    terminal: Terminal
    original: object
    situation: Situation


async def execute(execution: Execution, payload: object) -> Ended:
    """Run the chain with ``payload``.

    The terminal runs at most once unless a middleware declares that it retries; a success is never
    invented and a failure never lost. Cancellation and exits pass through, unwrapped.
    """
    outcome = await _run(execution, 0, payload)
    if isinstance(outcome, Done):
        return Ended(result=Success(outcome.value))
    return Ended(result=Failure(outcome.error), said=outcome.said)


async def _run(execution: Execution, index: int, payload: object) -> Outcome:
    if index == len(execution.chain):
        return await _finish(execution.terminal, payload)
    middleware, situation = execution.chain[index], execution.situation
    told = situation.told(payload, execution.original)
    turn = Turn(
        middleware,
        payload=payload,
        held=told[situation.payload],
        onward=lambda given: _run(execution, index + 1, situation.taken(payload, given)),
    )
    told["next_call"] = turn.next_call
    answered = await attempt_callback(situation.call(middleware.callback, told))
    if isinstance(answered, Failure):
        return await turn.after_raise(answered.failure(), situation.log)
    return turn.after_return(answered.unwrap())


async def _finish(terminal: Terminal, payload: object) -> Outcome:
    served = await attempt_port(lambda: terminal(payload))
    if isinstance(served, Failure):
        crash = served.failure()
        return Failed(error=BackendCrashed(error=crash.error, where=crash.where))
    result = served.unwrap()
    return Failed(error=result.failure()) if isinstance(result, Failure) else Done(result.unwrap())
