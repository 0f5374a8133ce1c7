"""Calls of plugin callbacks: plain ones in a thread, async ones on the event loop."""

import asyncio
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import Context, ContextVar, Token, copy_context
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeAlias, cast

import msgspec

from webseam.ports.middleware import LATE_NEXT_CALL, Callback, CallbackTimeoutError

_UNSET_VARIABLE = object()
# Always passed: a callback that does not accept it is no middleware, and the call fails.
_REQUIRED_ARGUMENTS = ("next_call",)
POLL_SECONDS = 1.0


def is_async(callback: Callback) -> bool:
    """Tell whether calling ``callback`` returns a coroutine, as far as its definition shows."""
    if inspect.iscoroutinefunction(callback):
        return True
    # For an instance with ``__call__``, look at that method.
    return not inspect.isroutine(callback) and inspect.iscoroutinefunction(
        getattr(callback, "__call__", None)  # noqa: B004  its kind, not whether it is callable
    )


async def await_fully(value: object) -> object:
    """Return ``value``, awaited for as long as it is awaitable."""
    while hasattr(type(value), "__await__"):
        value = await cast("Awaitable[object]", value)
    return value


def adopt_context(context: Context) -> list[Token[Any]]:
    """Set the variables that differ in ``context``, and return the tokens that undo it."""
    return [
        variable.set(value)
        for variable, value in context.items()
        if variable.get(_UNSET_VARIABLE) is not value
    ]


def reset_context(tokens: Sequence[Token[Any]]) -> None:
    """Undo ``adopt_context``."""
    for token in reversed(tokens):
        token.var.reset(token)


class AdoptedContext:
    """The variables that a callback's thread set in the task of the call."""

    def __init__(self) -> None:
        self._tokens: dict[ContextVar[Any], Token[Any]] = {}

    def follow_context(self, context: Context) -> None:
        """Set the variables of ``context``; reset those that were set before and are not in it."""
        for token in adopt_context(context):
            self._tokens.setdefault(token.var, token)
        for variable in [adopted for adopted in self._tokens if adopted not in context]:
            # A token of another task cannot be reset here.
            with suppress(ValueError):
                variable.reset(self._tokens.pop(variable))


def accepted_arguments(callback: Callback, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments that ``callback`` accepts; all of them if it has no signature."""
    try:
        # The signature of the decorator's wrapper, which is what we call.
        signature = inspect.signature(callback, follow_wrapped=False)
    except (TypeError, ValueError):
        return dict(arguments)
    parameters = signature.parameters.values()
    if any(item.kind is item.VAR_KEYWORD for item in parameters):
        return dict(arguments)
    accepted = {item.name for item in parameters if item.kind is not item.POSITIONAL_ONLY}
    accepted.update(_REQUIRED_ARGUMENTS)
    return {name: value for name, value in arguments.items() if name in accepted}


NextCall: TypeAlias = Callable[[object], Awaitable[object]]


class Returned(msgspec.Struct, frozen=True):
    """A value for the other side."""

    value: object

    def unwrap(self) -> object:
        """Return the value."""
        return self.value


class Raised(msgspec.Struct, frozen=True):
    """An exception for the other side."""

    error: BaseException

    def unwrap(self) -> object:
        """Raise it on this side."""
        raise self.error


class WaitingThread:
    """A thread that runs callbacks while it waits for a result."""

    def __init__(self, loop: asyncio.AbstractEventLoop, poll_seconds: float = POLL_SECONDS) -> None:
        """Work for calls on ``loop``; check every ``poll_seconds`` whether it is still open."""
        self._loop = loop
        self._poll_seconds = poll_seconds
        self._queue: queue.SimpleQueue[CallbackJob | Returned | Raised] = queue.SimpleQueue()

    def put(self, job: "CallbackJob | Returned | Raised") -> None:
        """Give the thread a callback to run, or the result that ends its wait."""
        self._queue.put(job)

    def serve_callbacks(self) -> object:
        """Run callbacks until the result arrives; return or raise it."""
        while True:
            try:
                item = self._queue.get(timeout=self._poll_seconds)
            except queue.Empty:
                if self._loop.is_closed():
                    raise asyncio.CancelledError from None
                continue
            if not isinstance(item, CallbackJob):
                return item.unwrap()
            item.run(self._loop)


class LoopRequest:
    """A request by a callback in a thread to run the rest of the call on the event loop."""

    def __init__(self, next_call: NextCall, payload: object, waiter: WaitingThread) -> None:
        """Ask for ``next_call`` with ``payload``; the callback waits in ``waiter``."""
        self.next_call = next_call
        self.payload = payload
        self.waiter = waiter
        self.context = copy_context()


class CallbackJob:
    """One plain callback to run in the thread.

    ``context`` has the caller's variables before the run, and the callback's after it.
    """

    def __init__(self, callback: Callback, facts: dict[str, object], context: Context) -> None:
        """Call ``callback`` with ``facts`` in the variables of ``context``."""
        self.context = context
        self._callback = callback
        self._facts = facts
        self._thread_id = 0
        self._messages: asyncio.Queue[LoopRequest | Returned | Raised] = asyncio.Queue()
        self._refusal: BaseException | None = None

    async def next_message(self) -> LoopRequest | Returned | Raised:
        """Wait for the callback's next request, or its result."""
        return await self._messages.get()

    def stop_listening(self, refusal: BaseException) -> None:
        """Stop listening: fail the callback's requests with ``refusal`` from now on."""
        self._refusal = refusal
        # Fail queued requests too: a thread of the plugin may have sent them before the result.
        while not self._messages.empty():
            self._receive_message(self._messages.get_nowait())

    def run(self, loop: asyncio.AbstractEventLoop) -> None:
        """Call the callback in this thread, and send its result to the loop."""
        facts = dict(self._facts)
        if "next_call" in facts:
            next_call = cast("NextCall", facts["next_call"])
            facts["next_call"] = self._blocking_next_call(next_call, loop)
        self._thread_id = threading.get_ident()
        # No separate context: a callback may reset a token that another callback made.
        adopt_context(self.context)
        try:
            outcome: Returned | Raised = Returned(self._callback(**facts))
        except BaseException as error:  # noqa: BLE001  it is raised again where the call was made
            outcome = Raised(error)
        self.context = copy_context()
        self._send_message(loop, outcome)

    def _blocking_next_call(self, next_call: NextCall, loop: asyncio.AbstractEventLoop) -> Callback:
        def call_and_wait(next_payload: object = None) -> object:
            if _is_loop_running_here(loop):
                # The callback returned a coroutine that calls this on the loop.
                return next_call(next_payload)
            waiter = WaitingThread(loop)
            self._send_message(loop, LoopRequest(next_call, next_payload, waiter))
            if threading.get_ident() == self._thread_id:
                return waiter.serve_callbacks()
            # The plugin's own thread: run in a copy, so that its variables stay unchanged.
            return copy_context().run(waiter.serve_callbacks)

        return call_and_wait

    def _send_message(
        self, loop: asyncio.AbstractEventLoop, message: LoopRequest | Returned | Raised
    ) -> None:
        try:
            loop.call_soon_threadsafe(self._receive_message, message)
        except RuntimeError:
            # The loop is closed, so the caller is gone.
            if isinstance(message, LoopRequest):
                raise asyncio.CancelledError from None

    def _receive_message(self, message: LoopRequest | Returned | Raised) -> None:
        if self._refusal is None:
            self._messages.put_nowait(message)
        elif isinstance(message, LoopRequest):
            message.waiter.put(Raised(self._refusal))


def _is_loop_running_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


class CallbackTimer:
    """A time limit for one callback; the clock stops while it waits for ``next_call``."""

    def __init__(self, seconds: float) -> None:
        """Give the callback ``seconds``, counted from ``spend``."""
        self._seconds = seconds
        self._timeout = asyncio.timeout(seconds)
        self._pending_next_calls = 0
        self._seconds_left = seconds

    async def run_in_time(
        self, call: Callable[[dict[str, object]], Awaitable[object]], facts: Mapping[str, object]
    ) -> object:
        """Return the result of ``call`` with ``facts``, or raise ``CallbackTimeoutError``."""
        arguments = dict(facts)
        if "next_call" in facts:
            arguments["next_call"] = self._pausing_next_call(cast("NextCall", facts["next_call"]))
        try:
            async with self._timeout:
                result = await call(arguments)
                # A ``next_call`` that the callback stored must not restart the clock.
                self._pending_next_calls = -1
                return result
        except TimeoutError:
            # The callback may raise a TimeoutError of its own.
            if not self._timeout.expired():
                raise
            raise CallbackTimeoutError(self._seconds) from None
        finally:
            self._pending_next_calls = -1

    def _pausing_next_call(self, next_call: NextCall) -> NextCall:
        async def pause_and_call(next_payload: object = None) -> object:
            self._pause()
            try:
                return await next_call(next_payload)
            finally:
                self._pending_next_calls -= self._pending_next_calls > 0
                if self._pending_next_calls == 0:
                    self._timeout.reschedule(asyncio.get_running_loop().time() + self._seconds_left)

        return pause_and_call

    def _pause(self) -> None:
        if self._pending_next_calls == 0:
            self._seconds_left = (self._timeout.when() or 0.0) - asyncio.get_running_loop().time()
            self._timeout.reschedule(None)
        self._pending_next_calls += self._pending_next_calls >= 0


class CallbackThread:
    """A ``Caller`` for one call. Its thread starts with the first plain callback."""

    def __init__(self, seconds: float | None = None) -> None:
        """Start no thread yet; limit each callback to ``seconds`` of its own time if given.

        A plain callback that times out continues in its thread; its result is dropped.
        """
        self._seconds = seconds
        self._waiters: list[WaitingThread] = []
        self._needs_thread = True
        self._adopted = AdoptedContext()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Do not join the thread: a callback that hangs would block the call.
        for waiter in self._waiters:
            waiter.put(Returned(None))

    async def __call__(self, callback: Callback, facts: dict[str, object], /) -> object:
        """Call ``callback`` and return its result, awaited."""
        if self._seconds is None:
            return await self._await_callback(callback, facts)
        call = partial(self._await_callback, callback)
        return await CallbackTimer(self._seconds).run_in_time(call, facts)

    async def _await_callback(self, callback: Callback, facts: dict[str, object]) -> object:
        accepted = accepted_arguments(callback, facts)
        if is_async(callback):
            return await await_fully(callback(**accepted))
        return await await_fully(await self._call_in_thread(callback, accepted))

    async def _call_in_thread(self, callback: Callback, facts: dict[str, object]) -> object:
        if self._needs_thread:
            self._waiters.append(_start_callback_thread())
            self._needs_thread = False
        job = CallbackJob(callback, facts, copy_context())
        self._waiters[-1].put(job)
        try:
            while isinstance(message := await job.next_message(), LoopRequest):
                await self._run_rest_of_call(message)
        except BaseException:
            # The thread may stay busy for long, so the next callback gets a new one.
            self._needs_thread = True
            job.stop_listening(asyncio.CancelledError())
            raise
        job.stop_listening(RuntimeError(LATE_NEXT_CALL))
        self._adopted.follow_context(job.context)
        return message.unwrap()

    async def _run_rest_of_call(self, request: LoopRequest) -> None:
        """Run the rest of the call for a waiting callback; its thread runs the callbacks in it."""
        self._waiters.append(request.waiter)
        adopted = adopt_context(request.context)
        try:
            value = await request.next_call(request.payload)
        except Exception as error:  # noqa: BLE001  the callback may handle any error
            request.waiter.put(Raised(error))
        except BaseException as error:
            # Tell the thread so that it ends, but do not swallow a cancellation.
            request.waiter.put(Raised(error))
            raise
        else:
            request.waiter.put(Returned(value))
        finally:
            reset_context(adopted)
            self._waiters.remove(request.waiter)


def _start_callback_thread() -> WaitingThread:
    waiter = WaitingThread(asyncio.get_running_loop())
    run, name = copy_context().run, "webseam-callbacks"
    threading.Thread(target=run, args=(waiter.serve_callbacks,), name=name, daemon=True).start()
    return waiter
