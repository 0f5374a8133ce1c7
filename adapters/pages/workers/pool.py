"""The pool: workers that start when they are needed, wait for more, and leave when idle.

Nothing here belongs to an event loop, so one pool serves several, one after the other or at once.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Condition, Thread, current_thread
from types import TracebackType
from typing import Final, Self

from returns.result import Failure, Result

from ....ports.errors import ParseFailed, WebError
from ....ports.pages import ReadPage
from .frames import ConversionJob
from .limits import WorkerLimits
from .slot import WorkerSlot
from .watchdog import Task, Watchdog

CONVERTER: Final = f"{__package__}.conversion:convert"
WITH_COMMENTS: Final = f"{__package__}.conversion:convert_with_comments"


_MAX_WORKERS = 8


def default_worker_count(processors: int | None) -> int:
    """Return how many workers suit a machine: one for each processor, two to eight.

    >>> [default_worker_count(processors) for processors in (None, 1, 4, 64)]
    [2, 2, 4, 8]
    """
    return min(max(processors or 1, 2), _MAX_WORKERS)


class Workers:
    """At most ``count`` worker processes. Closing ends them; a call after that starts anew."""

    def __init__(
        self,
        count: int | None = None,
        limits: WorkerLimits | None = None,
        *,
        converter: str = CONVERTER,
    ) -> None:
        """Start nothing yet; ``converter`` is ``module:function``, found by the workers."""
        self._count = default_worker_count(os.cpu_count()) if count is None else max(1, count)
        self._limits = limits or WorkerLimits()
        self._converter = converter
        self._reset()

    def _reset(self) -> None:
        self._process_id = os.getpid()
        self._changed = Condition()
        self._waiting: deque[Task] = deque()
        self._running: set[Task] = set()
        self._threads: set[Thread] = set()
        self._idle = 0
        self._closing = False
        self._watchdog = Watchdog()

    async def __aenter__(self) -> Self:
        """Start nothing yet."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all workers, without holding up the event loop."""
        await self.aclose()

    async def aclose(self) -> None:
        """End all workers, without holding up the event loop."""
        await asyncio.shield(asyncio.to_thread(self.close))

    async def convert(
        self, body: bytes, content_type: str = "", url: str = ""
    ) -> Result[ReadPage, WebError]:
        """Convert a body to a page; whatever it does to its worker is ``ParseFailed``."""
        task = Task(ConversionJob(body=body, content_type=content_type, url=url))
        self._submit(task)
        try:
            return await asyncio.wrap_future(task.outcome)
        except asyncio.CancelledError:
            self._watchdog.abandon(task)
            raise

    def warm(self, count: int = 1) -> None:
        """Start workers in the background until there are so many, to be there when needed."""
        self._leave_parent()
        with self._changed:
            while len(self._threads) < min(count, self._count):
                # It counts as idle: who comes meanwhile waits for it and starts no other.
                self._idle += 1
                first = Task(ConversionJob(body=b"", content_type="", url=""))
                self._running.add(first)
                self._start(partial(self._warm_and_serve, first))

    def close(self) -> None:
        """End all workers and what they are at, and wait until they are gone."""
        with self._changed:
            self._closing = True
            unserved, self._waiting = self._waiting, deque()
            for task in self._running:
                self._watchdog.abandon(task)
                task.kill()
            threads = list(self._threads)
            self._changed.notify_all()
        for task in unserved:
            _resolve(task, _CLOSED)
        for thread in threads:
            thread.join()
        with self._changed:
            self._closing = False

    def _submit(self, task: Task) -> None:
        """Queue a task, and start a worker for it when none is free and one may be started."""
        self._leave_parent()
        with self._changed:
            self._waiting.append(task)
            if self._idle < len(self._waiting) and len(self._threads) < self._count:
                self._start(self._serve)
            else:
                self._changed.notify()

    def _leave_parent(self) -> None:
        """Start afresh in a fork: it has the pool's memory, but neither its threads nor workers."""
        if self._process_id != os.getpid():
            self._reset()

    def _start(self, target: Callable[[], None]) -> None:
        thread = Thread(target=target, name="webseam-worker", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _warm_and_serve(self, first: Task) -> None:
        """Get a worker ready before there is a task for it."""
        lane = WorkerSlot(self._converter, self._limits, self._watchdog)
        lane.warm(first)
        with self._changed:
            self._running.discard(first)
            self._idle -= 1
        self._serve(lane)

    def _serve(self, warm: WorkerSlot | None = None) -> None:
        """Run tasks in this thread until there are none for a while."""
        lane = warm or WorkerSlot(self._converter, self._limits, self._watchdog)
        while (task := self._next()) is not None:
            outcome: Result[ReadPage, WebError] = _CLOSED
            try:
                outcome = lane.run(task)
            finally:
                with self._changed:
                    self._running.discard(task)
                task.outcome.set_result(outcome)
        lane.close()

    def _next(self) -> Task | None:
        """Return the next task that somebody waits for; None when it is time to go."""
        with self._changed:
            while True:
                while self._waiting:
                    task = self._waiting.popleft()
                    if task.outcome.set_running_or_notify_cancel():
                        self._running.add(task)
                        return task
                if self._closing or not self._wait():
                    self._threads.discard(current_thread())
                    return None

    def _wait(self) -> bool:
        """Wait for a task; False when none came."""
        self._idle += 1
        # Another thread may have been quicker to a task: that is no reason to leave.
        self._changed.wait_for(lambda: self._waiting or self._closing, self._limits.idle_seconds)
        self._idle -= 1
        return bool(self._waiting)


def _resolve(task: Task, outcome: Result[ReadPage, WebError]) -> None:
    if task.outcome.set_running_or_notify_cancel():
        task.outcome.set_result(outcome)


_CLOSED: Final[Result[ReadPage, WebError]] = Failure(
    ParseFailed(reason="crashed", detail="the workers were closed")
)
