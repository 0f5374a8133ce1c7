"""Run execution middleware: callbacks nested around a call, the first registered outermost."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import BackendCrashed, CallRefused, UrlDenied, WebError
from webseam.ports.middleware import LATE_NEXT_CALL, CallFailed, Log, Middleware

from ..boundary import attempt_callback, attempt_port
from . import rewrites


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that replaced a failure with a value, and the failure."""

    plugin: str
    stage: str
    error: WebError


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """A callback that returned a value of its own, ``after``, for the one that it had received.

    ``before`` is None if it did not call the rest of the chain.
    """

    plugin: str
    before: object
    after: object


class CallDone(msgspec.Struct, frozen=True):
    """The call worked or was recovered, and returned this value."""

    value: object
    recoveries: tuple[Recovery, ...] = ()
    replacements: tuple[Replacement, ...] = ()


class CallFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A failed call: its error, its exception, and what a callback returned as a ``replacement``.

    A policy or a blocker refused a ``final`` one: no callback can recover it.
    """

    error: WebError
    raised: Exception | None = None
    replacement: object = None
    final: bool = False


Outcome: TypeAlias = CallDone | CallFailure
Onward: TypeAlias = Callable[[object], Awaitable[Outcome]]


class CallbackTurn:
    """Track one callback's use of ``next_call``, and derive its outcome.

    After ``next_call`` failed, a value that is not None is a deliberate recovery; otherwise the
    failure stands, or the callback replaces it with another error. A refusal always stands.
    """

    def __init__(
        self, middleware: Middleware, *, payload: object, payload_copy: object, onward: Onward
    ) -> None:
        """Prepare a turn of ``middleware`` with ``payload``; ``onward`` runs the rest of the chain.

        ``payload_copy`` is the copy of the payload that the callback received.
        """
        self._middleware = middleware
        self._payload = payload
        self._payload_copy = payload_copy
        self._onward = onward
        self._started = False
        self._over = False
        self._outcome: Outcome | None = None
        self._raised_here: list[Exception] = []

    async def next_call(self, next_payload: object = None) -> object:
        """Run the rest of the chain, with ``next_payload`` if given, and return its value."""
        if self._over:
            raise RuntimeError(LATE_NEXT_CALL)
        if self._started and not self._middleware.retries:
            message = f"{self._middleware.plugin} called next_call more than once"
            raise self._remember_callback_error(RuntimeError(message))
        self._started = True
        outcome = await self._onward(self._payload_copy if next_payload is None else next_payload)
        # A failed retry does not replace an earlier success.
        if not isinstance(self._outcome, CallDone) or isinstance(outcome, CallDone):
            self._outcome = outcome
        if isinstance(outcome, CallFailure):
            raise self._remember_callback_error(outcome.raised or CallFailed(outcome.error))
        return outcome.value

    def outcome_after_return(self, value: object) -> Outcome:
        """Return the outcome after the callback returned ``value``; unwrap a ``Result``."""
        self._over = True
        if isinstance(value, Failure):
            return CallFailure(
                error=rewrites.callback_error(value.failure(), self._middleware, self._stage)
            )
        inner = value.unwrap() if isinstance(value, Success) else value
        if not self._started:
            return CallDone(inner, (), (self._replacement(None, inner),))
        if isinstance(self._outcome, CallDone):
            before = self._outcome.value
            # None is no result: the callback only observed.
            if inner is None or inner is before:
                return self._outcome
            replacements = (*self._outcome.replacements, self._replacement(before, inner))
            return CallDone(inner, self._outcome.recoveries, replacements)
        if isinstance(self._outcome, CallFailure):
            return self._recover_callback_failure(self._outcome, inner)
        problem = "it did not wait for next_call"
        return CallFailure(
            error=rewrites.callback_contract_error(self._middleware, self._stage, problem)
        )

    async def outcome_after_raise(self, raised: Exception, log: Log) -> Outcome:
        """Return the outcome after the callback raised; run the rest if it has not run."""
        self._over = True
        refusal = rewrites.callback_exception_refusal(raised, self._middleware)
        if refusal is not None:
            return CallFailure(error=refusal, raised=raised, final=True)
        is_ours = any(raised is thrown for thrown in self._raised_here)
        if is_ours and isinstance(self._outcome, CallFailure):
            return self._outcome
        is_closed = self._middleware.on_error == "closed"
        # After a failed ``next_call``, the exception replaces its failure.
        if is_closed or (self._started and not isinstance(self._outcome, CallDone)):
            cause = self._outcome.error if isinstance(self._outcome, CallFailure) else None
            error = rewrites.callback_exception_error(raised, self._middleware, self._stage, cause)
            return CallFailure(error=error, raised=raised, final=is_closed)
        log(rewrites.callback_exception_mishap(raised, self._middleware, self._stage))
        return self._outcome or await self._onward(self._payload)

    @property
    def _stage(self) -> str:
        return self._middleware.kind

    def _recover_callback_failure(self, failed: CallFailure, value: object) -> Outcome:
        if value is None or failed.final or isinstance(failed.error, CallRefused | UrlDenied):
            return msgspec.structs.replace(failed, replacement=value)
        recovery = Recovery(plugin=self._middleware.plugin, stage=self._stage, error=failed.error)
        return CallDone(value, (recovery,))

    def _replacement(self, before: object, after: object) -> Replacement:
        return Replacement(plugin=self._middleware.plugin, before=before, after=after)

    def _remember_callback_error(self, error: Exception) -> Exception:
        self._raised_here.append(error)
        return error


Terminal: TypeAlias = Callable[[object], Awaitable[Result[object, WebError]]]


class CallEnded(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a call; ``replacement`` is what a callback returned in place of a refusal.

    ``recoveries`` name the callbacks that replaced a failure with a value, ``replacements`` those
    that replaced a value, the innermost first.
    """

    result: Result[object, WebError]
    replacement: object = None
    recoveries: tuple[Recovery, ...] = ()
    replacements: tuple[Replacement, ...] = ()


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """A chain around ``terminal``, which does the work; ``original`` is the first payload."""

    chain: Sequence[Middleware]
    terminal: Terminal
    original: object
    situation: rewrites.CallContext


async def execute_middleware_chain(execution: Execution, payload: object) -> CallEnded:
    """Run the chain with ``payload``.

    The terminal runs at most once unless a middleware declares that it retries. A failure becomes a
    success only if a callback recovers deliberately, and ``recoveries`` records that. Cancellation
    and exits pass through.
    """
    outcome = await _run_middleware(execution, 0, payload)
    if isinstance(outcome, CallDone):
        return CallEnded(
            result=Success(outcome.value),
            recoveries=outcome.recoveries,
            replacements=outcome.replacements,
        )
    return CallEnded(result=Failure(outcome.error), replacement=outcome.replacement)


async def _run_middleware(execution: Execution, index: int, payload: object) -> Outcome:
    if index == len(execution.chain):
        served = await attempt_port(lambda: execution.terminal(payload))
        if isinstance(served, Failure):
            crash = served.failure()
            return CallFailure(error=BackendCrashed(error=crash.error, where=crash.where))
        result = served.unwrap()
        if isinstance(result, Failure):
            return CallFailure(error=result.failure())
        return CallDone(result.unwrap())
    middleware, context = execution.chain[index], execution.situation
    arguments = context.callback_arguments(payload, execution.original)
    turn = CallbackTurn(
        middleware,
        payload=payload,
        payload_copy=arguments[context.payload],
        onward=lambda new_payload: _run_middleware(
            execution, index + 1, context.returned_payload(payload, new_payload)
        ),
    )
    arguments["next_call"] = turn.next_call
    answered = await attempt_callback(context.call(middleware.callback, arguments))
    if isinstance(answered, Failure):
        return await turn.outcome_after_raise(answered.failure(), context.log)
    return turn.outcome_after_return(answered.unwrap())
