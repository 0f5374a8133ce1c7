"""A pool of worker processes that start on demand and end when idle.

The pool belongs to no event loop, so it can serve several, one after the other or at once.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Condition, Lock, Thread, current_thread
from time import monotonic
from typing import Final, Self

from returns.result import Failure, Result

from webseam.ports.errors import ParseFailed, WebError
from webseam.ports.pages import ReadPage

from ...call_context import CALL_OWNER
from ..detection import is_packed_page
from .child import ConversionJob
from .limits import WorkerLimits
from .process import ForkServer, WorkerProcess

# After a caller is gone, most conversions end within this time, which saves the worker.
_GRACE_SECONDS: Final = 0.25
_LINGER_SECONDS: Final = 5.0
# A system that is short of memory or processes ends one that starts; the next start mostly works.
_MAX_STARTS: Final = 2
# Nothing in a worker sends this signal: the system was short of memory, or a person sent it.
_KILLED_CODE: Final = -getattr(signal, "SIGKILL", 9)
CONVERTER: Final = "webseam.adapters.features.documents.conversion:convert"
_MAX_WORKERS = 8
_CLOSED_RESULT: Final[Result[ReadPage, WebError]] = Failure(
    ParseFailed(reason="crashed", detail="the workers were closed")
)


class Task:
    """A job, its owner, its outcome, and the process that runs it."""

    __slots__ = ("abandoned", "expired", "job", "outcome", "owner", "process")

    def __init__(self, job: ConversionJob) -> None:
        self.job = job
        # No worker reads pages of two callers.
        self.owner = CALL_OWNER.get()
        self.outcome: Future[Result[ReadPage, WebError]] = Future()
        self.process: WorkerProcess | None = None
        self.abandoned = self.expired = False

    def expire(self) -> None:
        """Mark the task as out of time and kill its process."""
        self.expired = True
        self.kill()

    def kill(self) -> None:
        """Kill the process of the task, if there is one."""
        if (process := self.process) is not None:
            process.kill()


class Watchdog:
    """Kills the process of every overdue task.

    It sleeps until the first task is due. A task that is due later does not wake it, so ordinary
    work costs only an entry in a dictionary.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._due: dict[Task, float] = {}
        self._thread: Thread | None = None
        self._wakes_at = 0.0
        self._was_used = False

    def watch(self, task: Task, seconds: float) -> None:
        """Give a task ``seconds`` from now."""
        with self._changed:
            allowed = min(seconds, _GRACE_SECONDS) if task.abandoned else seconds
            self._was_used = True
            self._set_task_due(task, monotonic() + allowed)

    def release(self, task: Task) -> None:
        """Stop the clock of a task."""
        with self._changed:
            self._due.pop(task, None)

    def abandon(self, task: Task) -> None:
        """Shorten the time of a task whose caller is gone."""
        with self._changed:
            task.abandoned = True
            if task in self._due:
                self._set_task_due(task, min(self._due[task], monotonic() + _GRACE_SECONDS))

    def _set_task_due(self, task: Task, due: float) -> None:
        self._due[task] = due
        if self._thread is None:
            self._wakes_at = due
            self._thread = Thread(target=self._run, name="webseam-watchdog", daemon=True)
            self._thread.start()
        elif due < self._wakes_at:
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while self._due or self._was_used:
                self._was_used = False
                for task in [task for task, due in self._due.items() if due <= monotonic()]:
                    del self._due[task]
                    task.expire()
                now = monotonic()
                self._wakes_at = min(self._due.values(), default=now + _LINGER_SECONDS)
                self._changed.wait(max(0.0, self._wakes_at - now))
            self._thread = None


# The operating system ends a process with these signals after too much processor time.
_OUT_OF_TIME_CODES: Final = frozenset(
    -getattr(signal, name) for name in ("SIGPROF", "SIGXCPU") if hasattr(signal, name)
)


class WorkerSlot:
    """Runs tasks one after the other in the calling thread, and replaces its worker as needed.

    A page can take over the worker that reads it. So a worker reads pages of one owner, and none
    after a page in a packed form, whose parsers are the most complex.
    """

    def __init__(
        self, start: Callable[[], WorkerProcess], limits: WorkerLimits, watchdog: Watchdog
    ) -> None:
        self.owner: str | None = None
        self._start, self._limits, self._watchdog = start, limits, watchdog
        self._process: WorkerProcess | None = None

    def run(self, task: Task) -> Result[ReadPage, WebError]:
        """Convert the job of a task; a dead worker is an error in the result."""
        try:
            return self._run(task)
        finally:
            self._watchdog.release(task)
            if task.expired:
                # The watchdog may have fired after the answer arrived.
                self.close()
            task.process = None

    def warm(self, task: Task) -> None:
        """Start a worker; the task only serves to watch and kill it."""
        self._ready_worker(task)
        self._watchdog.release(task)

    def close(self) -> None:
        """End the worker, if there is one."""
        self.owner = None
        if self._process is not None:
            self._process.kill()
            self._process.end()
            self._process = None

    def _run(self, task: Task) -> Result[ReadPage, WebError]:
        process = self._ready_worker(task)
        if process is None or task.abandoned:
            return self._no_worker(task)
        self._watchdog.watch(task, self._limits.wall_seconds)
        self.owner = task.owner
        answer = process.convert_job(task.job)
        if answer is None or task.expired:
            return self._worker_death(process, task)
        job, is_old = task.job, process.conversions >= self._limits.conversions
        if answer.spent or is_old or is_packed_page(job.body, job.content_type, job.url):
            self.close()
        return answer.result

    def _ready_worker(self, task: Task) -> WorkerProcess | None:
        """Return the warm worker, or start one and wait for it."""
        is_usable = self.owner in (None, task.owner)
        if self._process is not None and is_usable and self._process.is_alive():
            task.process = self._process
            return self._process
        self.close()
        for _ in range(_MAX_STARTS):
            try:
                task.process = self._process = self._start()
            except TimeoutError:
                task.expired = True
                return None
            except OSError:
                continue
            self._watchdog.watch(task, self._limits.start_seconds)
            # A caller may have given up before there was a process to kill.
            if not task.abandoned and self._process.is_ready():
                return self._process
            self.close()
            if task.abandoned or task.expired:
                return None
        return None

    def _no_worker(self, task: Task) -> Result[ReadPage, WebError]:
        detail = "no worker could be started"
        if task.expired:
            detail = f"no worker was ready within {self._limits.start_seconds:g} s"
        return Failure(ParseFailed(reason="crashed", detail=detail, by_machine=True))

    def _worker_death(self, process: WorkerProcess, task: Task) -> Result[ReadPage, WebError]:
        """Return the error for the way a worker died."""
        self._process = self.owner = None
        code = process.end()
        if task.expired or code in _OUT_OF_TIME_CODES:
            return Failure(ParseFailed(reason="out_of_time", by_machine=task.expired))
        by_machine, detail = code == _KILLED_CODE, f"the worker ended with {code}"
        return Failure(ParseFailed(reason="crashed", detail=detail, by_machine=by_machine))


def converter_name(*, comments: bool = False, walled: bool = False) -> str:
    """Return the name of the converter with these options.

    >>> converter_name(walled=True)
    'webseam.adapters.features.documents.conversion:convert_walled'
    """
    return f"{CONVERTER}{'_walled' * walled}{'_with_comments' * comments}"


def default_worker_count(processors: int | None) -> int:
    """Return the default number of workers: one for each processor, two to eight.

    >>> [default_worker_count(processors) for processors in (None, 1, 4, 64)]
    [2, 2, 4, 8]
    """
    return min(max(processors or 1, 2), _MAX_WORKERS)


class Workers:
    """At most ``count`` worker processes. Closing ends them; a later call starts new ones."""

    def __init__(
        self,
        count: int | None = None,
        limits: WorkerLimits | None = None,
        *,
        converter: str = CONVERTER,
    ) -> None:
        """Start nothing yet; ``converter`` is a ``module:function`` that workers import."""
        self._count = default_worker_count(os.cpu_count()) if count is None else max(1, count)
        self._limits = limits or WorkerLimits()
        self._converter = converter
        self._reset_pool()

    def _reset_pool(self) -> None:
        self._process_id = os.getpid()
        self._changed = Condition()
        self._waiting: deque[Task] = deque()
        self._running: set[Task] = set()
        self._threads: set[Thread] = set()
        # As many as threads that run no task; the longest unused first.
        self._slots: list[WorkerSlot] = []
        self._server: ForkServer | None = None
        self._server_lock = Lock()
        self._idle_workers = 0
        self._is_closing = False
        self._watchdog = Watchdog()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End all workers, without holding up the event loop."""
        await asyncio.shield(asyncio.to_thread(self.close))

    async def convert(
        self, body: bytes, content_type: str = "", url: str = ""
    ) -> Result[ReadPage, WebError]:
        """Convert a body to a page; a crashed or killed worker is ``ParseFailed``."""
        task = Task(ConversionJob(body=body, content_type=content_type, url=url))
        self._submit_task(task)
        try:
            return await asyncio.wrap_future(task.outcome)
        except asyncio.CancelledError:
            self._watchdog.abandon(task)
            raise

    def convert_blocking(
        self, body: bytes, content_type: str = "", url: str = ""
    ) -> Result[ReadPage, WebError]:
        """Convert as ``convert`` does, for a caller without an event loop."""
        task = Task(ConversionJob(body=body, content_type=content_type, url=url))
        self._submit_task(task)
        try:
            return task.outcome.result()
        except BaseException:
            # Ctrl-C: nobody waits for the page any more.
            self._watchdog.abandon(task)
            raise

    def warm(self, count: int = 1) -> None:
        """Start workers in the background until there are ``count``."""
        self._reset_after_fork()
        with self._changed:
            while len(self._threads) < min(count, self._count):
                # It counts as idle, so a task that comes meanwhile waits for it.
                self._idle_workers += 1
                first = Task(ConversionJob(body=b"", content_type="", url=""))
                self._running.add(first)
                self._start_worker_thread(partial(self._warm_and_serve_tasks, first))

    def close(self) -> None:
        """Kill all workers and their conversions, and wait for their end."""
        self._reset_after_fork()
        with self._changed:
            self._is_closing = True
            unserved, self._waiting = self._waiting, deque()
            for task in self._running:
                self._watchdog.abandon(task)
                task.kill()
            threads = list(self._threads)
            self._changed.notify_all()
            if self._server is not None and not self._server.is_ready:
                # A thread waits for it to load.
                self._server.kill()
        for task in unserved:
            if task.outcome.set_running_or_notify_cancel():
                task.outcome.set_result(_CLOSED_RESULT)
        for thread in threads:
            thread.join()
        with self._changed:
            self._is_closing = False

    def _submit_task(self, task: Task) -> None:
        """Queue a task, and start a worker if none is idle and the limit allows it."""
        self._reset_after_fork()
        with self._changed:
            self._waiting.append(task)
            if self._idle_workers < len(self._waiting) and len(self._threads) < self._count:
                self._start_worker_thread(self._serve_tasks)
            else:
                self._changed.notify()

    def _reset_after_fork(self) -> None:
        """Reset the pool in a fork, which inherits its memory but not its threads and workers."""
        if self._process_id != os.getpid():
            self._reset_pool()

    def _start_worker_thread(self, target: Callable[[], None]) -> None:
        thread = Thread(target=target, name="webseam-worker", daemon=True)
        self._threads.add(thread)
        self._slots.append(WorkerSlot(self._start_process, self._limits, self._watchdog))
        thread.start()

    def _start_process(self) -> WorkerProcess:
        """Start a worker: a fork where the system can fork. Raises ``OSError`` when that fails."""
        if not hasattr(os, "fork"):  # pragma: no cover  the tests run where it is
            return WorkerProcess(self._converter, self._limits)
        with self._server_lock:
            server = self._server
            if server is None or not server.is_alive():
                self._end_server()
                server = self._server = ForkServer(self._converter, self._limits)
                if self._is_closing:
                    # close() came before there was a server to kill.
                    server.kill()
        return WorkerProcess(self._converter, self._limits, server)

    def _end_server(self) -> None:
        if self._server is not None:
            self._server.end()
            self._server = None

    def _warm_and_serve_tasks(self, first: Task) -> None:
        """Start a worker before there is a task for it."""
        with self._changed:
            slot = self._slots.pop()
        slot.warm(first)
        with self._changed:
            self._slots.append(slot)
            self._running.discard(first)
            self._idle_workers -= 1
        self._serve_tasks()

    def _serve_tasks(self) -> None:
        """Run tasks in this thread until there are none for a while."""
        while (assignment := self._next_task()) is not None:
            task, slot = assignment
            outcome: Result[ReadPage, WebError] = _CLOSED_RESULT
            try:
                outcome = slot.run(task)
            finally:
                with self._changed:
                    self._running.discard(task)
                    self._slots.append(slot)
                task.outcome.set_result(outcome)
        with self._changed:
            slot = self._slots.pop(0)
        slot.close()
        with self._server_lock:
            if not self._threads:
                self._end_server()

    def _next_task(self) -> tuple[Task, WorkerSlot] | None:
        """Return the next task that was not cancelled, and a slot; None if this thread may end."""
        with self._changed:
            while True:
                while self._waiting:
                    task = self._waiting.popleft()
                    if task.outcome.set_running_or_notify_cancel():
                        self._running.add(task)
                        return task, self._take_slot(task.owner)
                if self._is_closing or not self._wait_for_task():
                    self._threads.discard(current_thread())
                    return None

    def _take_slot(self, owner: str) -> WorkerSlot:
        """Take the slot that has a worker of ``owner``, else a fresh one, else the least used."""
        slot = min(self._slots, key=lambda slot: (slot.owner != owner, slot.owner is not None))
        self._slots.remove(slot)
        return slot

    def _wait_for_task(self) -> bool:
        """Wait for a task; return False when none came."""
        self._idle_workers += 1
        # Another thread may take the task first: wait_for checks again.
        self._changed.wait_for(lambda: self._waiting or self._is_closing, self._limits.idle_seconds)
        self._idle_workers -= 1
        return bool(self._waiting)


# Pools that belong to no client. A gateway has up to 32 clients, whose own pools would not bound
# each other, and what uses these is needed now and then.
_shared_pools: Final[dict[tuple[str, WorkerLimits], Workers]] = {}


def share_workers(converter: str, limits: WorkerLimits) -> Workers:
    """Return the pool of this process for a converter and its limits; its first job starts it.

    Like every pool it keeps the callers of a gateway apart, ends when it was idle for a while, and
    is forgotten in a fork.
    """
    key = (converter, limits)
    return _shared_pools.setdefault(key, Workers(limits=limits, converter=converter))


def close_shared_workers() -> None:
    """End the workers of all shared pools; a later call starts new ones."""
    for workers in _shared_pools.values():
        workers.close()
