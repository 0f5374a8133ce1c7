"""One thread for all plain callbacks of one call.

A plain callback's ``next_call`` blocks until the rest of the call is done, so it cannot run on the
event loop. The rest runs where the call was made, in its task; plain callbacks in it run further up
the stack of the very thread that waits. So what a plugin keeps per thread, or in context variables,
is there in all of its callbacks, as in Hermes, and no number of them needs more than one thread.
"""

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

from ...ports.middleware import LATE_NEXT_CALL, Callback, CallbackTimeoutError


def is_async(callback: Callback) -> bool:
    """Tell whether calling ``callback`` gives a coroutine, as far as can be told before."""
    if inspect.iscoroutinefunction(callback):
        return True
    # An object that is called: what counts is its method.
    return not inspect.isroutine(callback) and inspect.iscoroutinefunction(
        getattr(callback, "__call__", None)  # noqa: B004  not whether it can be called
    )


async def await_fully(value: object) -> object:
    """Return ``value``, awaited for as long as it is awaitable."""
    while hasattr(type(value), "__await__"):
        value = await cast("Awaitable[object]", value)
    return value


_UNSET = object()


def adopt_context(context: Context) -> list[Token[Any]]:
    """Set here what is set otherwise in ``context``, and return how to undo it."""
    return [
        variable.set(value)
        for variable, value in context.items()
        if variable.get(_UNSET) is not value
    ]


def reset_context(tokens: Sequence[Token[Any]]) -> None:
    """Set what was adopted back to what it was before."""
    for token in reversed(tokens):
        token.var.reset(token)


class AdoptedContext:
    """What one side left on the other, which it may take away again."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._tokens: dict[ContextVar[Any], Token[Any]] = {}

    def follow(self, context: Context) -> None:
        """Set what is set in ``context``; what was set by it before and is no longer, unset."""
        for token in adopt_context(context):
            self._tokens.setdefault(token.var, token)
        for variable in [each for each in self._tokens if each not in context]:
            # It may have been set in a task that is not this one, where nobody can reach it.
            with suppress(ValueError):
                variable.reset(self._tokens.pop(variable))


# Without it a callback cannot go on: one that does not take it is not what it was registered as.
_NEEDED = ("next_call",)


def accepted_arguments(callback: Callback, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return what ``callback`` takes of what it could be told; all of it when it does not say."""
    try:
        # Of what is called, not of what a decorator put it around.
        signature = inspect.signature(callback, follow_wrapped=False)
    except (TypeError, ValueError):
        return dict(arguments)
    parameters = signature.parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return dict(arguments)
    names = {each.name for each in parameters if each.kind is not each.POSITIONAL_ONLY}
    return {name: value for name, value in arguments.items() if name in names or name in _NEEDED}


# What goes back and forth between a call and the thread of its plain callbacks.

NextCall: TypeAlias = Callable[[object], Awaitable[object]]
POLL_SECONDS = 1.0


class Returned(msgspec.Struct, frozen=True):
    """A value to hand over."""

    value: object

    def open(self) -> object:
        """Return the value."""
        return self.value


class Raised(msgspec.Struct, frozen=True):
    """An exception to hand over."""

    error: BaseException

    def open(self) -> object:
        """Raise it on this side."""
        raise self.error


class WaitingThread:
    """A thread that waits: for callbacks to run, and for the end of its waiting."""

    def __init__(self, loop: asyncio.AbstractEventLoop, look: float = POLL_SECONDS) -> None:
        """Work for calls on ``loop``, and look every ``look`` seconds whether it is still open."""
        self._loop = loop
        self._look = look
        self._queue: queue.SimpleQueue[CallbackJob | Returned | Raised] = queue.SimpleQueue()

    def put(self, job: "CallbackJob | Returned | Raised") -> None:
        """Give the thread a callback to run, or let it go."""
        self._queue.put(job)

    def close(self) -> None:
        """Let the thread go."""
        self._queue.put(Returned(None))

    def serve(self) -> object:
        """Run callbacks until the waiting is over; return or raise what it was for."""
        while True:
            try:
                item = self._queue.get(timeout=self._look)
            except queue.Empty:
                if self._loop.is_closed():
                    raise asyncio.CancelledError from None
                continue
            if not isinstance(item, CallbackJob):
                return item.open()
            item.run(self._loop)


class LoopRequest:
    """A callback in a thread wants the rest of the call to run, and waits at its station.

    ``context`` is the one that it waits in.
    """

    def __init__(self, next_call: NextCall, payload: object, station: WaitingThread) -> None:
        """Ask for ``next_call`` with ``payload``."""
        self.next_call = next_call
        self.payload = payload
        self.station = station
        self.context = copy_context()

    def fulfil(self, value: object) -> None:
        """Hand over what the rest gave."""
        self.station.put(Returned(value))

    def fail(self, error: BaseException) -> None:
        """Hand over what it raised."""
        self.station.put(Raised(error))


class CallbackJob:
    """One plain callback, on its way through the thread.

    ``context`` has the variables of whoever calls it, and in the end those that it left.
    """

    def __init__(self, callback: Callback, facts: dict[str, object], context: Context) -> None:
        """Call ``callback`` with these ``facts``, by one whose context is ``context``."""
        self.context = context
        self._callback = callback
        self._facts = facts
        self._thread = 0
        self._news: asyncio.Queue[LoopRequest | Returned | Raised] = asyncio.Queue()
        self._left: BaseException | None = None

    async def news(self) -> LoopRequest | Returned | Raised:
        """Wait for the callback's next wish, or its end."""
        return await self._news.get()

    def leave(self, refusal: BaseException) -> None:
        """Nobody listens any more: the callback's wishes get ``refusal`` from now on."""
        self._left = refusal
        # Those too that came with its end, out of a thread of its own.
        while not self._news.empty():
            self._hear(self._news.get_nowait())

    def run(self, loop: asyncio.AbstractEventLoop) -> None:
        """Call the callback, in this thread, and tell what came of it."""
        facts = dict(self._facts)
        if "next_call" in facts:
            facts["next_call"] = self._blocking(cast("NextCall", facts["next_call"]), loop)
        self._thread = threading.get_ident()
        # Not in a context of its own: what one callback sets, another one may reset.
        adopt_context(self.context)
        try:
            ended: Returned | Raised = Returned(self._callback(**facts))
        except BaseException as error:  # noqa: BLE001  it is raised again where the call was made
            ended = Raised(error)
        self.context = copy_context()
        self._tell(loop, ended)

    def _blocking(self, next_call: NextCall, loop: asyncio.AbstractEventLoop) -> Callback:
        def wait(next_payload: object = None) -> object:
            if _is_running(loop):
                # Back on the loop, in a coroutine that the callback returned.
                return next_call(next_payload)
            station = WaitingThread(loop)
            self._tell(loop, LoopRequest(next_call, next_payload, station))
            if threading.get_ident() == self._thread:
                return station.serve()
            # A thread of the plugin's own: its variables are not ours to change.
            return copy_context().run(station.serve)

        return wait

    def _tell(self, loop: asyncio.AbstractEventLoop, news: LoopRequest | Returned | Raised) -> None:
        try:
            loop.call_soon_threadsafe(self._hear, news)
        except RuntimeError:
            # The loop is closed; whoever called is gone.
            if isinstance(news, LoopRequest):
                raise asyncio.CancelledError from None

    def _hear(self, news: LoopRequest | Returned | Raised) -> None:
        if self._left is None:
            self._news.put_nowait(news)
        elif isinstance(news, LoopRequest):
            news.fail(self._left)


def _is_running(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


# A limit for the time that a callback takes for itself.


class CallbackTimer:
    """One callback's time. While it waits for ``next_call``, which is the rest's, it stands."""

    def __init__(self, seconds: float) -> None:
        """Give the callback so many seconds; they begin to run with ``spend``."""
        self._seconds = seconds
        self._scope = asyncio.timeout(seconds)
        self._waiting = 0
        self._unspent = seconds

    async def spend(
        self, call: Callable[[dict[str, object]], Awaitable[object]], facts: Mapping[str, object]
    ) -> object:
        """Return what ``call`` gives of what is ``told``, or raise ``CallbackTimeoutError``."""
        arguments = dict(facts)
        if "next_call" in facts:
            arguments["next_call"] = self._pausing(cast("NextCall", facts["next_call"]))
        try:
            async with self._scope:
                answer = await call(arguments)
                # From here on nobody waits: next_call, if it was kept, is late.
                self._waiting = -1
                return answer
        except TimeoutError:
            # The callback may have raised one of its own.
            if not self._scope.expired():
                raise
            raise CallbackTimeoutError(self._seconds) from None
        finally:
            self._waiting = -1

    def _pausing(self, next_call: NextCall) -> NextCall:
        async def go_on(next_payload: object = None) -> object:
            self._pause()
            try:
                return await next_call(next_payload)
            finally:
                self._resume()

        return go_on

    def _pause(self) -> None:
        if self._waiting == 0:
            self._unspent = (self._scope.when() or 0.0) - asyncio.get_running_loop().time()
            self._scope.reschedule(None)
        self._waiting += self._waiting >= 0

    def _resume(self) -> None:
        self._waiting -= self._waiting > 0
        if self._waiting == 0:
            self._scope.reschedule(asyncio.get_running_loop().time() + self._unspent)


# One thread for all plain callbacks of one call.


class CallbackThread:
    """A ``Caller`` for one call. Its thread starts with the first plain callback."""

    def __init__(self, seconds: float | None = None) -> None:
        """Start nothing yet. Each callback may take ``seconds`` for itself, or as long as it likes.

        A plain callback that is given up on goes on in its thread, and nobody listens to it.
        """
        self._seconds = seconds
        self._stations: list[WaitingThread] = []
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
        # Nobody waits for the thread: a callback that hangs would keep the call from ending.
        for station in self._stations:
            station.close()

    async def __call__(self, callback: Callback, facts: dict[str, object], /) -> object:
        """Call ``callback`` and return what it gives, awaited."""
        if self._seconds is None:
            return await self._call(callback, facts)
        return await CallbackTimer(self._seconds).spend(partial(self._call, callback), facts)

    async def _call(self, callback: Callback, facts: dict[str, object]) -> object:
        fitting = accepted_arguments(callback, facts)
        if is_async(callback):
            return await await_fully(callback(**fitting))
        return await await_fully(await self._in_thread(callback, fitting))

    async def _in_thread(self, callback: Callback, facts: dict[str, object]) -> object:
        if self._needs_thread:
            self._stations.append(_start())
            self._needs_thread = False
        job = CallbackJob(callback, facts, copy_context())
        self._stations[-1].put(job)
        try:
            while isinstance(news := await job.news(), LoopRequest):
                await self._grant(news)
        except BaseException:
            # Its thread may be busy with it for long; who comes next does not wait for that.
            self._needs_thread = True
            job.leave(asyncio.CancelledError())
            raise
        job.leave(RuntimeError(LATE_NEXT_CALL))
        self._adopted.follow(job.context)
        return news.open()

    async def _grant(self, wish: LoopRequest) -> None:
        """Run the rest of the call for a callback that waits; its thread serves who comes next."""
        self._stations.append(wish.station)
        adopted = adopt_context(wish.context)
        try:
            value = await wish.next_call(wish.payload)
        except Exception as error:  # noqa: BLE001  whatever it is, it is the callback's to handle
            wish.fail(error)
        except BaseException as error:
            # Told, so that the thread ends; but nobody's to swallow.
            wish.fail(error)
            raise
        else:
            wish.fulfil(value)
        finally:
            reset_context(adopted)
            self._stations.remove(wish.station)


def _start() -> WaitingThread:
    station = WaitingThread(asyncio.get_running_loop())
    serve = copy_context().run
    threading.Thread(
        target=serve, args=(station.serve,), name="webseam-callbacks", daemon=True
    ).start()
    return station
