"""One worker at a time, kept warm, and replaced when it dies, grows or has done its share."""

import signal
from typing import Final

from returns.result import Failure, Result

from ....ports.errors import ParseFailed, WebError
from ....ports.pages import ReadPage
from .limits import WorkerLimits
from .process import WorkerProcess
from .watchdog import Task, Watchdog

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
