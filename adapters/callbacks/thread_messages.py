"""What goes back and forth between a call and the thread of its plain callbacks."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from typing import TypeAlias, cast

import msgspec

from ...ports.middleware import Callback
from .contexts import adopt_context

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
