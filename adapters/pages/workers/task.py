"""One conversion on its way through the pool."""

from concurrent.futures import Future

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .frames import Job
from .process import WorkerProcess


class Task:
    """A job, who waits for it, and who works on it."""

    __slots__ = ("abandoned", "expired", "job", "outcome", "process")

    def __init__(self, job: Job) -> None:
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
