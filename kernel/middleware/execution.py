"""Execution middleware: callbacks nested around a call, the first registered outermost."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import BackendCrashed, CallRefused, UrlDenied, WebError
from ...ports.middleware import LATE_NEXT_CALL, CallFailed, Log, Middleware
from ..boundary import attempt_callback, attempt_port
from .rewrites import (
    CallContext,
    broken_promise_error,
    checked_error,
    error_from_exception,
    mishap_from_exception,
    refusal_from_exception,
)


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that put a value in the place of a failure, and which failure that was."""

    plugin: str
    stage: str
    error: WebError


class CallDone(msgspec.Struct, frozen=True):
    """The call worked, or was recovered; this is what it gave."""

    value: object
    recoveries: tuple[Recovery, ...] = ()


class CallFailure(msgspec.Struct, frozen=True, kw_only=True):
    """The call failed. ``raised`` said so; ``said`` is what a callback returned instead.

    What is ``final`` was refused, by a policy or a blocker: nobody recovers from it.
    """

    error: WebError
    raised: Exception | None = None
    said: object = None
    final: bool = False


Outcome: TypeAlias = CallDone | CallFailure
Onward: TypeAlias = Callable[[object], Awaitable[Outcome]]


class CallbackTurn:
    """What one callback did with its ``next_call``, and the outcome that follows from it.

    After ``next_call`` failed, a value that is not None is a deliberate recovery; without one the
    failure stands, or is put in other words. A refusal stands in any case.
    """

    def __init__(
        self, middleware: Middleware, *, payload: object, held: object, onward: Onward
    ) -> None:
        """Give ``middleware`` its turn with ``payload``; ``onward`` runs the rest of the chain.

        ``held`` is the copy of it that the callback has in its hands.
        """
        self._middleware = middleware
        self._payload = payload
        self._held = held
        self._onward = onward
        self._started = False
        self._over = False
        self._outcome: Outcome | None = None
        self._thrown: list[Exception] = []

    async def next_call(self, next_payload: object = None) -> object:
        """Run the rest of the chain, with another payload if one is given; return what it gave."""
        if self._over:
            raise RuntimeError(LATE_NEXT_CALL)
        if self._started and not self._middleware.retries:
            message = f"{self._middleware.plugin} called next_call more than once"
            raise self._thrown_now(RuntimeError(message))
        self._started = True
        outcome = await self._onward(self._held if next_payload is None else next_payload)
        # A retry that failed takes nothing away from a try that worked.
        if not isinstance(self._outcome, CallDone) or isinstance(outcome, CallDone):
            self._outcome = outcome
        if isinstance(outcome, CallFailure):
            raise self._thrown_now(outcome.raised or CallFailed(outcome.error))
        return outcome.value

    def after_return(self, value: object) -> Outcome:
        """Return the outcome when the callback returned ``value``; a ``Result`` is opened."""
        self._over = True
        if isinstance(value, Failure):
            return CallFailure(error=checked_error(value.failure(), self._middleware, self._stage))
        inner = value.unwrap() if isinstance(value, Success) else value
        if not self._started:
            return CallDone(inner)
        if isinstance(self._outcome, CallDone):
            # Nothing at all is no result: the callback only looked on.
            return self._outcome if inner is None else CallDone(inner, self._outcome.recoveries)
        if isinstance(self._outcome, CallFailure):
            return self._recovered(self._outcome, inner)
        return CallFailure(error=self._left_behind())

    async def after_raise(self, raised: Exception, log: Log) -> Outcome:
        """Return the outcome when the callback raised; the rest runs if it did not yet."""
        self._over = True
        refusal = refusal_from_exception(raised, self._middleware)
        if refusal is not None:
            return CallFailure(error=refusal, raised=raised, final=True)
        ours = any(raised is thrown for thrown in self._thrown)
        if ours and isinstance(self._outcome, CallFailure):
            return self._outcome
        closed = self._middleware.on_error == "closed"
        if closed or self._is_translating():
            return CallFailure(error=self._error_of(raised), raised=raised, final=closed)
        log(mishap_from_exception(raised, self._middleware, self._stage))
        return self._outcome or await self._onward(self._payload)

    @property
    def _stage(self) -> str:
        return self._middleware.kind

    def _recovered(self, failed: CallFailure, value: object) -> Outcome:
        if value is None or failed.final or isinstance(failed.error, CallRefused | UrlDenied):
            return msgspec.structs.replace(failed, said=value)
        who = Recovery(plugin=self._middleware.plugin, stage=self._stage, error=failed.error)
        return CallDone(value, (who,))

    def _is_translating(self) -> bool:
        """Tell whether an exception now stands for a call that went on and did not work."""
        return self._started and not isinstance(self._outcome, CallDone)

    def _error_of(self, raised: Exception) -> WebError:
        cause = self._outcome.error if isinstance(self._outcome, CallFailure) else None
        return error_from_exception(raised, self._middleware, self._stage, cause)

    def _left_behind(self) -> WebError:
        return broken_promise_error(self._middleware, self._stage, "it did not wait for next_call")

    def _thrown_now(self, error: Exception) -> Exception:
        self._thrown.append(error)
        return error


Terminal: TypeAlias = Callable[[object], Awaitable[Result[object, WebError]]]


class CallEnded(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a call; ``said`` is what a callback returned in place of a refusal.

    ``recoveries`` name who put the value in the place of a failure, the innermost first.
    """

    result: Result[object, WebError]
    said: object = None
    recoveries: tuple[Recovery, ...] = ()


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """A chain around ``terminal``, which does the work; ``original`` is what was first asked."""

    chain: Sequence[Middleware]
    terminal: Terminal
    original: object
    situation: CallContext


async def execute_chain(execution: Execution, payload: object) -> CallEnded:
    """Run the chain with ``payload``.

    The terminal runs at most once unless a middleware declares that it retries. A failure becomes a
    success only where a callback recovers deliberately, and that is told. Cancellation and exits
    pass through, unwrapped.
    """
    outcome = await _run(execution, 0, payload)
    if isinstance(outcome, CallDone):
        return CallEnded(result=Success(outcome.value), recoveries=outcome.recoveries)
    return CallEnded(result=Failure(outcome.error), said=outcome.said)


async def _run(execution: Execution, index: int, payload: object) -> Outcome:
    if index == len(execution.chain):
        return await _finish(execution.terminal, payload)
    middleware, situation = execution.chain[index], execution.situation
    arguments = situation.told(payload, execution.original)
    turn = CallbackTurn(
        middleware,
        payload=payload,
        held=arguments[situation.payload],
        onward=lambda given: _run(execution, index + 1, situation.taken(payload, given)),
    )
    arguments["next_call"] = turn.next_call
    answered = await attempt_callback(situation.call(middleware.callback, arguments))
    if isinstance(answered, Failure):
        return await turn.after_raise(answered.failure(), situation.log)
    return turn.after_return(answered.unwrap())


async def _finish(terminal: Terminal, payload: object) -> Outcome:
    served = await attempt_port(lambda: terminal(payload))
    if isinstance(served, Failure):
        crash = served.failure()
        return CallFailure(error=BackendCrashed(error=crash.error, where=crash.where))
    result = served.unwrap()
    return (
        CallFailure(error=result.failure())
        if isinstance(result, Failure)
        else CallDone(result.unwrap())
    )
