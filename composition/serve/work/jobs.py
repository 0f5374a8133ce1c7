"""Jobs: many pages, or a crawl, that go on while nobody waits. In this process, for an hour."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from uuid import uuid4

from ....adapters.dialect.asks import JobKind, JobState, JobView, Page
from ....adapters.dialect.refusal import Refusal

# What a job does: it is handed what to call with each page that is done.
Work = Callable[[Callable[[Page], None]], Awaitable[object]]

_LOG = logging.getLogger("webseam.serve")
_SECONDS = 3600.0
_MOST = 500
_MOST_EACH = 20
_MOST_CHARACTERS = 50_000_000
_NO_JOB = "There is no such job."


class _Job:
    def __init__(self, owner: str, kind: JobKind, total: int, memo: object, again: str) -> None:
        self.id = str(uuid4())
        self.owner = owner
        self.kind: JobKind = kind
        self.total = total
        self.memo = memo
        self.again = again
        self.expires = time.time() + _SECONDS
        self.state: JobState = "scraping"
        self.pages: list[Page] = []
        self.task: asyncio.Task[None] | None = None

    @property
    def characters(self) -> int:
        return sum(len(page.result.content) for page in self.pages if page.result is not None)

    def view(self) -> JobView:
        pages = tuple(self.pages)
        expires = datetime.fromtimestamp(self.expires, UTC).isoformat(timespec="seconds")
        return JobView(
            id=self.id,
            kind=self.kind,
            state=self.state,
            total=max(self.total, len(pages)),
            pages=pages,
            expires=expires.replace("+00:00", "Z"),
            memo=self.memo,
        )


class Jobs:
    """All jobs of this process; each is seen by its owner alone."""

    def __init__(self) -> None:
        """Begin with none."""
        self._jobs: OrderedDict[str, _Job] = OrderedDict()

    @property
    def running(self) -> int:
        """How many are under way."""
        return sum(job.state == "scraping" for job in self._jobs.values())

    def start(  # noqa: PLR0913  what a job is
        self, owner: str, kind: JobKind, total: int, work: Work, *, memo: object, again: str = ""
    ) -> JobView | Refusal:
        """Begin a job; one that the owner began before with the same ``again`` is that job."""
        self._tidy()
        own = [job for job in self._jobs.values() if job.owner == owner]
        same = next((job for job in own if again and job.again == again), None)
        if same is not None:
            return same.view()
        if sum(job.state == "scraping" for job in own) >= _MOST_EACH or self.running >= _MOST:
            message = f"At most {_MOST_EACH} jobs of one caller run at once."
            return Refusal(kind="rate", message=message, retry_after=5.0)
        job = _Job(owner, kind, total, memo, again)
        job.task = asyncio.create_task(self._run(job, work))
        self._jobs[job.id] = job
        return job.view()

    def look(self, owner: str, kind: JobKind, job_id: str) -> JobView | Refusal:
        """Return a job as it stands; that of somebody else is not there."""
        job = self._find(owner, kind, job_id)
        return Refusal(kind="missing", message=_NO_JOB) if job is None else job.view()

    def cancel(self, owner: str, kind: JobKind, job_id: str) -> JobView | Refusal:
        """Stop a job; what it has read so far is kept."""
        job = self._find(owner, kind, job_id)
        if job is None:
            return Refusal(kind="missing", message=_NO_JOB)
        if job.state != "scraping" or job.task is None:
            return Refusal(kind="conflict", message=f"The job is {job.state} already.")
        job.state = "cancelled"
        job.task.cancel()
        return job.view()

    def active(self, owner: str, kind: JobKind) -> Sequence[JobView]:
        """Return the owner's jobs that are under way."""
        return [
            job.view()
            for job in self._jobs.values()
            if (job.owner, job.kind, job.state) == (owner, kind, "scraping")
        ]

    async def aclose(self) -> None:
        """Stop all of them."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._jobs.clear()

    async def _run(self, job: _Job, work: Work) -> None:
        ended: JobState = "failed"
        try:
            await work(job.pages.append)
            ended = "completed"
        except Exception as error:  # noqa: BLE001  the boundary: a bug fails the job, and is told
            _LOG.error("a job failed", exc_info=error)
        finally:
            if job.state == "scraping":
                job.state = ended

    def _find(self, owner: str, kind: JobKind, job_id: str) -> _Job | None:
        self._tidy()
        job = self._jobs.get(job_id)
        return job if job is not None and (job.owner, job.kind) == (owner, kind) else None

    def _tidy(self) -> None:
        """Forget jobs that are over and old, and the oldest for as long as all are too much."""
        now = time.time()
        over = [job for job in self._jobs.values() if job.state != "scraping"]
        kept = sum(job.characters for job in over)
        for job in over:
            if job.expires < now or len(self._jobs) > _MOST or kept > _MOST_CHARACTERS:
                kept -= job.characters
                del self._jobs[job.id]
