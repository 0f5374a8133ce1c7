"""Daemon threads for calls that block."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

Value = TypeVar("Value")


class _QueuedCall(Generic[Value]):
    """A call, and the future of its result."""

    def __init__(self, call: Callable[[], Value]) -> None:
        self.future: Future[Value] = Future()
        self._call = call

    def run(self) -> None:
        """Make the call, unless its future was cancelled."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            value = self._call()
        except BaseException as error:  # noqa: BLE001  it is raised again where the future is awaited
            self.future.set_exception(error)
        else:
            self.future.set_result(value)


class DaemonThreads:
    """At most ``max_threads`` threads, started when they are needed.

    Not ``ThreadPoolExecutor``: the interpreter joins its threads at exit, so a resolver that does
    not answer would delay the exit.
    """

    def __init__(self, max_threads: int, name: str) -> None:
        self._max_threads = max_threads
        self._name = name
        self._changed = threading.Condition()
        self._waiting: deque[_QueuedCall[Any]] = deque()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._closing = False

    def __enter__(self) -> Self:
        """Start nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cancel the calls that wait, and join the threads of those that run."""
        with self._changed:
            self._closing = True
            for work in self._waiting:
                work.future.cancel()
            self._waiting.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def submit(self, call: Callable[[], Value]) -> Future[Value]:
        """Queue ``call`` for a thread; cancelling the future takes it out of the queue."""
        work = _QueuedCall(call)
        with self._changed:
            self._waiting.append(work)
            if self._idle < len(self._waiting) and len(self._threads) < self._max_threads:
                thread = threading.Thread(target=self._run_calls, name=self._name, daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return work.future

    def _run_calls(self) -> None:
        while (work := self._next_call()) is not None:
            work.run()

    def _next_call(self) -> _QueuedCall[Any] | None:
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._waiting or self._closing)
            self._idle -= 1
            return self._waiting.popleft() if self._waiting else None


async def run_thread_to_end(call: Callable[[], Value]) -> Value:
    """Make a call in a thread; a cancelled caller still waits until the thread is done.

    Use it for a call on something that is closed afterwards: closing a native writer while another
    thread writes crashes the process.
    """
    work = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        work.exception()  # retrieved, so that asyncio does not log it
        raise
