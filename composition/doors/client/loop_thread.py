"""Run an event loop in a separate thread, for callers that are not async."""

import asyncio
import atexit
import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import TypeAlias, TypeVar

Value = TypeVar("Value")
Close: TypeAlias = Callable[[], Coroutine[object, object, None]]

# A waiting call checks for an interrupt at this interval.
POLL_SECONDS = 0.1
_CLOSE_SECONDS = 5.0


class Interrupted(Exception):  # noqa: N818  it says what happened
    """The user interrupted the call; its work is cancelled."""


class LoopThread:
    """Runs async work for any number of threads, also for a thread with a running loop.

    The loop starts at the first call and ends at exit. ``generation`` changes when it ends and
    after a fork: do not use objects of the loop of another generation.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closers: dict[int, Close] = {}
        self._abandoned: list[object] = []
        self.generation = 0
        _reset_loop_after_fork(self)

    def run(
        self,
        work: Coroutine[object, object, Value],
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Value:
        """Await ``work`` in the loop and return its value; Ctrl-C cancels it."""
        with self.run_during(work) as running:
            return wait_for_loop_outcome(running, interrupted)

    @contextlib.contextmanager
    def run_during(self, work: Coroutine[object, object, Value]) -> Iterator[Future[Value]]:
        """Run ``work`` in the loop during the block; cancel it at the end of the block."""
        if threading.current_thread() is self._thread:
            work.close()
            message = "this call blocks the loop that it waits for: use webseam.open() and await"
            raise RuntimeError(message)
        running = asyncio.run_coroutine_threadsafe(work, self._start_loop())
        try:
            yield running
        finally:
            running.cancel()

    async def await_work(self, work: Coroutine[object, object, Value]) -> Value:
        """Await ``work`` from another loop, without blocking that loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._start_loop()))

    def add_closer(self, owner: object, close: Close) -> None:
        """Register ``close`` of ``owner``, which the loop awaits before it ends."""
        self._closers[id(owner)] = close

    def remove_closer(self, owner: object) -> None:
        """Remove the registered ``close`` of ``owner``."""
        self._closers.pop(id(owner), None)

    def close(self) -> None:
        """Close all owners and end the loop; a later call starts another loop."""
        with self._lock:
            loop, self._loop = self._loop, None
            thread, self._thread = self._thread, None
            closers, self._closers = list(self._closers.values()), {}
            self.generation += 1
        if loop is None or thread is None:
            return
        closing = asyncio.run_coroutine_threadsafe(_end_loop_work(closers), loop)
        with contextlib.suppress(Exception):
            closing.result(_CLOSE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_SECONDS)

    def reset_after_fork(self) -> None:
        """Reset after a fork: the child has no loop thread and shares the sockets."""
        # Keep the objects alive: closing them would write to the connections of the parent.
        self._abandoned += [self._loop, *self._closers.values()]
        self._lock = threading.Lock()
        self._loop = self._thread = None
        self._closers = {}
        self.generation += 1

    def _start_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_run_loop_until_stopped, args=(self._loop,), name=self._name, daemon=True
                )
                self._thread.start()
                atexit.unregister(self.close)
                atexit.register(self.close)
            return self._loop


def wait_for_loop_outcome(
    running: Future[Value], interrupted: Callable[[], bool] = lambda: False
) -> Value:
    """Return the value of another thread, or raise ``Interrupted``.

    Python handles signals between two steps of the main thread. Without polling, a signal just
    before the wait would be handled only after the work ends.
    """
    while True:
        try:
            return running.result(POLL_SECONDS)
        except TimeoutError:
            # The work itself may also end with a TimeoutError.
            if running.done():
                return running.result()
            if interrupted():
                raise Interrupted from None


async def _end_loop_work(closers: list[Close]) -> None:
    await asyncio.gather(*[close() for close in closers], return_exceptions=True)
    pending = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)


def _run_loop_until_stopped(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _reset_loop_after_fork(thread: LoopThread) -> None:
    # Windows does not fork.
    if hasattr(os, "register_at_fork"):
        weak = weakref.ref(thread)

        def forget() -> None:
            if (alive := weak()) is not None:
                alive.reset_after_fork()

        os.register_at_fork(after_in_child=forget)
