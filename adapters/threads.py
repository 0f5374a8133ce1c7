"""Work in threads of our own, for calls that block."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

Value = TypeVar("Value")


class _Work(Generic[Value]):
    """A call, and who waits for what it returns."""

    def __init__(self, call: Callable[[], Value]) -> None:
        self.future: Future[Value] = Future()
        self._call = call

    def run(self) -> None:
        """Make the call, unless nobody waits for it any more."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            value = self._call()
        except BaseException as error:  # noqa: BLE001  it is raised again where the future is awaited
            self.future.set_exception(error)
        else:
            self.future.set_result(value)


class DaemonThreads:
    """At most ``most`` threads, started when they are needed.

    Not ``ThreadPoolExecutor``: the interpreter waits for its threads before it ends, and a
    resolver that does not answer would hold it up for as long.
    """

    def __init__(self, most: int, name: str) -> None:
        """Begin without a thread."""
        self._most = most
        self._name = name
        self._changed = threading.Condition()
        self._waiting: deque[_Work[Any]] = deque()
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
        """Drop what waits, and come back when what runs is done."""
        with self._changed:
            self._closing = True
            for work in self._waiting:
                work.future.cancel()
            self._waiting.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def submit(self, call: Callable[[], Value]) -> Future[Value]:
        """Have ``call`` made in a thread; cancelling the future takes it out of the queue."""
        work = _Work(call)
        with self._changed:
            self._waiting.append(work)
            if self._idle < len(self._waiting) and len(self._threads) < self._most:
                thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return work.future

    def _serve(self) -> None:
        while (work := self._next()) is not None:
            work.run()

    def _next(self) -> _Work[Any] | None:
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._waiting or self._closing)
            self._idle -= 1
            return self._waiting.popleft() if self._waiting else None


async def run_to_end(call: Callable[[], Value]) -> Value:
    """Make a call in a thread; who cancels it waits until the thread is done.

    For a call on something that is closed after it: a native writer that is closed while another
    thread writes takes the process with it.
    """
    work = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        work.exception()  # nobody else will look at it
        raise
