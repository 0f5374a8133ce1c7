"""Where jobs are asked for: those of this process, and those of gateways that share a store.

A job is worked on by the gateway that began it, which notes every page. The others look there, and
a job that is cancelled there stops. While the store is away, jobs go on, known here alone.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from uuid import uuid4

import msgspec
from returns.result import Failure, Success

from ....adapters.gateway.gateway_requests import JobKind, JobView, Page, StartJobRequest
from ....adapters.gateway.refusal import Refusal, refusal_for_error
from ....ports.jobs import JobName, JobRecord, JobState, JobStore, KnownJob
from .running_jobs import MAX_JOBS_PER_CALLER, NO_JOB, TOO_MANY, RunningJobs, Work, job_view

_JOB_LIFETIME_SECONDS = 3600.0
_BEAT = 2.0
_BATCH_PAGES = 20
_ENDING_TRIES = 3
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PAGES = msgspec.msgpack.Decoder(Page)


class JobBoard:
    """All jobs that an owner may ask for here."""

    def __init__(self, jobs: RunningJobs, store: JobStore | None, *, beat: float = _BEAT) -> None:
        """Begin jobs among ``jobs``; ``store`` is what gateways share, if there are several.

        Whoever works on a job looks every ``beat`` seconds whether it was cancelled elsewhere.
        """
        self._jobs = jobs
        self._store = store
        self._beat = beat

    @property
    def running(self) -> int:
        """How many are under way in this process."""
        return self._jobs.running

    async def start(self, owner: str, ask: StartJobRequest, work: Work) -> JobView | Refusal:
        """Begin a job; one that the owner began before with the same words is that job."""
        record = JobRecord(
            name=JobName(owner, str(uuid4())),
            kind=ask.kind,
            total=len(ask.urls) if ask.plan is None else 1,
            expires=time.time() + _JOB_LIFETIME_SECONDS,
            memo=ask.memo,
            again=ask.again,
        )
        if self._store is None:
            return self._jobs.start(record, ask.kind, work)
        return await self._announced(self._store, record, ask.kind, work)

    async def look(self, owner: str, kind: JobKind, job_id: str) -> JobView | Refusal:
        """Return a job as it stands; that of somebody else is not there."""
        view = self._jobs.look(owner, kind, job_id)
        if self._store is None or view != NO_JOB or _ID.fullmatch(job_id) is None:
            return view
        known = await self._store.find(JobName(owner, job_id))
        if isinstance(known, Failure):
            return refusal_for_error(known.failure())
        job = known.unwrap()
        return NO_JOB if job is None or job.record.kind != kind else _view(job, kind)

    async def cancel(self, owner: str, kind: JobKind, job_id: str) -> JobView | Refusal:
        """Stop a job; what it has read so far is kept."""
        view = await self.look(owner, kind, job_id)
        local = self._jobs.cancel(owner, kind, job_id)
        if self._store is None or isinstance(view, Refusal) or local != NO_JOB:
            return local
        before = await self._store.end(JobName(owner, job_id), "cancelled")
        if isinstance(before, Failure):
            return refusal_for_error(before.failure())
        if before.unwrap() != "scraping":
            return Refusal(kind="conflict", message=f"The job is {before.unwrap()} already.")
        return msgspec.structs.replace(view, state="cancelled")

    async def active(self, owner: str, kind: JobKind) -> Sequence[JobView]:
        """Return the owner's jobs that are under way."""
        own = self._jobs.active(owner, kind)
        if self._store is None:
            return own
        known = (await self._store.running_jobs(owner)).value_or(())
        here = {view.id for view in own}
        others = [job for job in known if job.record.kind == kind]
        return [
            *own,
            *(
                job_view(job.record, kind, job.state, ())
                for job in others
                if job.record.name.id not in here
            ),
        ]

    async def aclose(self) -> None:
        """Stop those of this process."""
        await self._jobs.aclose()
        if self._store is not None:
            await self._store.aclose()

    async def _announced(
        self, store: JobStore, record: JobRecord, kind: JobKind, work: Work
    ) -> JobView | Refusal:
        owner, job_id = record.name.owner, record.name.id
        if len((await store.running_jobs(owner)).value_or(())) >= MAX_JOBS_PER_CALLER:
            return TOO_MANY
        name = await store.begin(record)
        if isinstance(name, Success) and name.unwrap() != record.name:
            return await self.look(owner, kind, name.unwrap().id)
        announcement = _Announcement(
            store, record, lambda: self._jobs.cancel(owner, kind, job_id), self._beat
        )
        view = self._jobs.start(record, kind, work, announcement)
        if isinstance(view, Refusal) or view.id != job_id:
            await announcement.end("failed")
        return view


class _Announcement:
    """What other gateways are told of a job that is worked on here."""

    def __init__(
        self, store: JobStore, record: JobRecord, cancel: Callable[[], object], beat: float
    ) -> None:
        self._store = store
        self._record = record
        self._cancel = cancel
        self._beat = beat
        self._pages: Sequence[Page] = ()
        self._noted = 0
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._follow())

    def hear(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._news.set()

    async def end(self, state: JobState) -> None:
        """Note the rest and the last state; a store that stays away is left to find out."""
        self._task.cancel()
        for _ in range(_ENDING_TRIES):
            if await self._note() and isinstance(
                await self._store.end(self._record.name, state), Success
            ):
                return
            await asyncio.sleep(self._beat)

    async def _follow(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._beat):
                    await self._news.wait()
            self._news.clear()
            await self._note()

    async def _note(self) -> bool:
        """Say that the job is worked on, and note the pages that are new; tell whether all are."""
        name = self._record.name
        state = await self._store.renew_job(name)
        if state == Success("cancelled"):
            self._cancel()
            return True
        if state == Success(None):
            # The store has lost it, or was away when it began.
            await self._store.begin(self._record)
            self._noted = 0
        while self._noted < len(self._pages):
            pages = self._pages[self._noted : self._noted + _BATCH_PAGES]
            noted = await self._store.add(name, self._noted, tuple(map(_encoded, pages)))
            if noted != Success(True):  # noqa: FBT003  a value, not a flag
                return False
            self._noted += len(pages)
        return isinstance(state, Success)


def _encoded(page: Page) -> bytes:
    return msgspec.msgpack.encode(page)


def _view(job: KnownJob, kind: JobKind) -> JobView | Refusal:
    try:
        pages = tuple(_PAGES.decode(page) for page in job.pages)
    except msgspec.DecodeError:
        return Refusal(kind="unavailable", message="The job is one of another release of webseam.")
    return job_view(job.record, kind, job.state, pages)
