"""Run jobs (many pages, or a crawl) in the background of this process."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Protocol

from webseam.adapters.features.gateway.asks import JobKind, JobView, Page
from webseam.adapters.features.gateway.replies import Refusal
from webseam.ports.jobs import JobRecord, JobState

# Runs a job; its argument is a callback for each page.
Work = Callable[[Callable[[Page], None]], Awaitable[object]]

_LOG = logging.getLogger("webseam.serve")
_MAX_JOBS = 500
MAX_JOBS_PER_CALLER = 20
_MAX_STORED_CHARS = 50_000_000
NO_JOB = Refusal(kind="missing", message="There is no such job.")
TOO_MANY_JOBS = Refusal(
    kind="rate",
    message=f"At most {MAX_JOBS_PER_CALLER} jobs of one caller run at once.",
    retry_after=5.0,
)


class JobWatcher(Protocol):
    """Receives the progress of a job."""

    def receive_pages(self, pages: Sequence[Page]) -> None:
        """Receive all pages so far."""

    async def receive_end(self, state: JobState) -> None:
        """Receive the final state."""


class _Job:
    def __init__(self, record: JobRecord, kind: JobKind, watcher: JobWatcher | None) -> None:
        self.record = record
        self.kind: JobKind = kind
        self.watcher = watcher
        self.state: JobState = "scraping"
        self.pages: list[Page] = []
        self.task: asyncio.Task[None] | None = None

    @property
    def owner(self) -> str:
        return self.record.name.owner

    @property
    def characters(self) -> int:
        pages = [page.result for page in self.pages if page.result is not None]
        return sum(max(len(page.content), len(page.raw_content)) for page in pages)

    def add(self, page: Page) -> None:
        self.pages.append(page)
        if self.watcher is not None:
            self.watcher.receive_pages(self.pages)

    def view(self) -> JobView:
        return job_view(self.record, self.kind, self.state, tuple(self.pages))


def job_view(record: JobRecord, kind: JobKind, state: JobState, pages: tuple[Page, ...]) -> JobView:
    """Return a job as its owner sees it."""
    expires = datetime.fromtimestamp(record.expires, UTC).isoformat(timespec="seconds")
    return JobView(
        id=record.name.id,
        kind=kind,
        state=state,
        total=max(record.total, len(pages)),
        pages=pages,
        expires=expires.replace("+00:00", "Z"),
        memo=record.memo,
    )


class RunningJobs:
    """All jobs of this process; only its owner can see a job."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, _Job] = OrderedDict()

    @property
    def running(self) -> int:
        """The number of running jobs."""
        return sum(job.state == "scraping" for job in self._jobs.values())

    def start_job(
        self, record: JobRecord, kind: JobKind, work: Work, watcher: JobWatcher | None = None
    ) -> JobView | Refusal:
        """Start a job, or return the owner's earlier job with the same ``again`` key."""
        self._evict_old_jobs()
        owned = [job for job in self._jobs.values() if job.owner == record.name.owner]
        same = next(
            (job for job in owned if record.again and job.record.again == record.again), None
        )
        if same is not None:
            return same.view()
        if (
            sum(job.state == "scraping" for job in owned) >= MAX_JOBS_PER_CALLER
            or self.running >= _MAX_JOBS
        ):
            return TOO_MANY_JOBS
        job = _Job(record, kind, watcher)
        job.task = asyncio.create_task(self._run_job(job, work))
        self._jobs[record.name.id] = job
        return job.view()

    def find_job(self, owner: str, kind: JobKind, job_id: str) -> JobView | Refusal:
        """Return the state of a job; NO_JOB if the owner has none with this id."""
        job = self._find_owned(owner, kind, job_id)
        return NO_JOB if job is None else job.view()

    def cancel_job(self, owner: str, kind: JobKind, job_id: str) -> JobView | Refusal:
        """Stop a job and keep the pages that it has read."""
        if (job := self._find_owned(owner, kind, job_id)) is None:
            return NO_JOB
        if job.state != "scraping" or job.task is None:
            return Refusal(kind="conflict", message=f"The job is {job.state} already.")
        job.state = "cancelled"
        job.task.cancel()
        return job.view()

    def active_jobs(self, owner: str, kind: JobKind) -> Sequence[JobView]:
        """Return the running jobs of an owner."""
        return [
            job.view()
            for job in self._jobs.values()
            if (job.owner, job.kind, job.state) == (owner, kind, "scraping")
        ]

    async def aclose(self) -> None:
        """Stop all jobs."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._jobs.clear()

    async def _run_job(self, job: _Job, work: Work) -> None:
        ended: JobState = "failed"
        try:
            await work(job.add)
            ended = "completed"
        except Exception as error:  # noqa: BLE001  the boundary: a bug fails the job
            _LOG.error("a job failed", exc_info=error)
        finally:
            if job.state == "scraping":
                job.state = ended
            if job.watcher is not None:
                await job.watcher.receive_end(job.state)

    def _find_owned(self, owner: str, kind: JobKind, job_id: str) -> _Job | None:
        self._evict_old_jobs()
        job = self._jobs.get(job_id)
        return job if job is not None and (job.owner, job.kind) == (owner, kind) else None

    def _evict_old_jobs(self) -> None:
        """Drop expired jobs, and the oldest finished ones over the limits."""
        now = time.time()
        finished = [job for job in self._jobs.values() if job.state != "scraping"]
        chars = sum(job.characters for job in finished)
        for job in finished:
            if job.record.expires < now or len(self._jobs) > _MAX_JOBS or chars > _MAX_STORED_CHARS:
                chars -= job.characters
                del self._jobs[job.record.name.id]
