"""The clock over running conversions: one thread that kills what takes too long."""

from concurrent.futures import Future
from threading import Condition, Thread
from time import monotonic
from typing import Final

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .frames import ConversionJob
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
