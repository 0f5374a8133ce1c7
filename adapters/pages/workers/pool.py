"""The pool: workers that start when they are needed, wait for more, and leave when idle.

Nothing here belongs to an event loop, so one pool serves several, one after the other or at once.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Condition, Thread, current_thread
from time import monotonic
from types import TracebackType
from typing import Final, Self

from returns.result import Failure, Result

from ....ports.errors import ParseFailed, WebError
from ....ports.pages import ReadPage
from .child import ConversionJob
from .limits import WorkerLimits
from .process import WorkerProcess


class Task:
    """A job, who waits for it, and who works on it."""

    __slots__ = ("abandoned", "expired", "job", "outcome", "process")

    def __init__(self, job: ConversionJob) -> None:
        """Nobody works on it yet."""
        self.job = job
        self.outcome: Future[Result[ReadPage, WebError]] = Future()
        self.process: WorkerProcess | None = None
        self.abandoned = False
        self.expired = False

    def expire(self) -> None:
        """Its time is over: kill who works on it."""
        self.expired = True
        self.kill()

    def kill(self) -> None:
        """Kill who works on it, if somebody does."""
        process = self.process
        if process is not None:
            process.kill()


# A caller that went away: most conversions end by themselves within this, and a worker is kept.
_GRACE_SECONDS: Final = 0.25
_LINGER_SECONDS: Final = 5.0


class Watchdog:
    """Kills the process of every task that is past its time.

    It sleeps until the first task is due. A task that is due later does not wake it, so that
    ordinary work costs no more than an entry in a table.
    """

    def __init__(self) -> None:
        """Start nothing yet."""
        self._changed = Condition()
        self._due: dict[Task, float] = {}
        self._thread: Thread | None = None
        self._wakes_at = 0.0
        self._used = False

    def watch(self, task: Task, seconds: float) -> None:
        """Give a task so much time from now."""
        with self._changed:
            allowed = min(seconds, _GRACE_SECONDS) if task.abandoned else seconds
            self._used = True
            self._set(task, monotonic() + allowed)

    def release(self, task: Task) -> None:
        """Stop the clock of a task."""
        with self._changed:
            self._due.pop(task, None)

    def abandon(self, task: Task) -> None:
        """Nobody waits for this task any more: let it end soon, or be ended."""
        with self._changed:
            task.abandoned = True
            if task in self._due:
                self._set(task, min(self._due[task], monotonic() + _GRACE_SECONDS))

    def _set(self, task: Task, due: float) -> None:
        self._due[task] = due
        if self._thread is None:
            self._wakes_at = due
            self._thread = Thread(target=self._run, name="webseam-watchdog", daemon=True)
            self._thread.start()
        elif due < self._wakes_at:
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while self._due or self._used:
                self._used = False
                self._kill_what_is_due()
                self._sleep()
            self._thread = None

    def _sleep(self) -> None:
        now = monotonic()
        self._wakes_at = min(self._due.values(), default=now + _LINGER_SECONDS)
        self._changed.wait(max(0.0, self._wakes_at - now))

    def _kill_what_is_due(self) -> None:
        now = monotonic()
        for task in [task for task, due in self._due.items() if due <= now]:
            del self._due[task]
            task.expire()


# One worker at a time, kept warm, and replaced when it dies, grows or has done its share.

# The signals by which the operating system ends what took too much processor time.
_OUT_OF_TIME: Final = frozenset(
    -getattr(signal, name) for name in ("SIGPROF", "SIGXCPU") if hasattr(signal, name)
)
_NO_WORKER: Final = "no worker could be started"
# Nothing in a worker ends it so: it was the system, short of memory, or a person.
_KILLED: Final = -getattr(signal, "SIGKILL", 9)


class WorkerSlot:
    """Runs tasks one after the other, in the thread that calls it."""

    def __init__(self, converter: str, limits: WorkerLimits, watchdog: Watchdog) -> None:
        """Start nothing yet."""
        self._converter = converter
        self._limits = limits
        self._watchdog = watchdog
        self._process: WorkerProcess | None = None

    def run(self, task: Task) -> Result[ReadPage, WebError]:
        """Convert; whatever becomes of the worker, there is an answer."""
        try:
            return self._run(task)
        finally:
            self._watchdog.release(task)
            if task.expired:
                # The clock may have struck after the answer came.
                self.close()
            task.process = None

    def warm(self, task: Task) -> None:
        """Have a worker ready; the task is only there to be watched and killed."""
        self._ready(task)
        self._watchdog.release(task)

    def close(self) -> None:
        """End the worker, if there is one."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _run(self, task: Task) -> Result[ReadPage, WebError]:
        process = self._ready(task)
        if process is None or task.abandoned:
            return Failure(ParseFailed(reason="crashed", detail=_NO_WORKER, by_machine=True))
        self._watchdog.watch(task, self._limits.wall_seconds)
        answer = process.ask(task.job)
        if answer is None or task.expired:
            return self._post_mortem(process, task)
        if answer.spent or process.conversions >= self._limits.conversions:
            self.close()
        return answer.result

    def _ready(self, task: Task) -> WorkerProcess | None:
        """Return the warm worker, or start one and wait for it."""
        if self._process is not None and self._process.is_alive():
            task.process = self._process
            return self._process
        self.close()
        try:
            task.process = self._process = WorkerProcess(self._converter, self._limits)
        except OSError:
            return None
        self._watchdog.watch(task, self._limits.start_seconds)
        # Who gave up before there was a process to kill has left a word.
        if not task.abandoned and self._process.is_ready():
            return self._process
        self.close()
        return None

    def _post_mortem(self, process: WorkerProcess, task: Task) -> Result[ReadPage, WebError]:
        """Say what a worker died of."""
        self._process = None
        code = process.end()
        if task.expired or code in _OUT_OF_TIME:
            return Failure(ParseFailed(reason="out_of_time", by_machine=task.expired))
        by_machine, detail = code == _KILLED, f"the worker ended with {code}"
        return Failure(ParseFailed(reason="crashed", detail=detail, by_machine=by_machine))


# The pool: workers that start when they are needed, wait for more, and leave when idle.

CONVERTER: Final = "webseam.adapters.documents.conversion:convert"
WITH_COMMENTS: Final = "webseam.adapters.documents.conversion:convert_with_comments"
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
