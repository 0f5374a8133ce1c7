"""Find and control jobs of this process and of other gateways that share a store.

The gateway that starts a job runs it and stores every page. Other gateways read and cancel it in
the store. While the store is unavailable, jobs continue and only this process knows them.
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

from webseam.adapters.features.gateway.asks import (
    JobKind,
    JobView,
    Page,
    StartJobRequest,
)
from webseam.adapters.features.gateway.replies import Refusal, refusal_for_error
from webseam.ports.jobs import JobName, JobRecord, JobState, JobStore, KnownJob

from .running_jobs import MAX_JOBS_PER_CALLER, NO_JOB, TOO_MANY_JOBS, RunningJobs, Work, job_view

_JOB_LIFETIME_SECONDS = 3600.0
_BEAT_SECONDS = 2.0
_BATCH_PAGES = 20
_MAX_END_TRIES = 3
_JOB_ID_PATTERN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PAGE_DECODER = msgspec.msgpack.Decoder(Page)


class JobBoard:
    """The jobs of this process and of the shared store."""

    def __init__(
        self, jobs: RunningJobs, store: JobStore | None, *, beat: float = _BEAT_SECONDS
    ) -> None:
        """Run jobs in ``jobs``; check ``store`` every ``beat`` seconds for a cancellation."""
        self._jobs, self._store, self._beat = jobs, store, beat

    @property
    def running(self) -> int:
        """The number of running jobs in this process."""
        return self._jobs.running

    async def start_job(self, owner: str, ask: StartJobRequest, work: Work) -> JobView | Refusal:
        """Start a job, or return the owner's earlier job with the same ``again`` key."""
        record = JobRecord(
            name=JobName(owner, str(uuid4())),
            kind=ask.kind,
            total=len(ask.urls) if ask.plan is None else 1,
            expires=time.time() + _JOB_LIFETIME_SECONDS,
            memo=ask.memo,
            again=ask.again,
        )
        if self._store is None:
            return self._jobs.start_job(record, ask.kind, work)
        return await self._share_job(self._store, record, ask.kind, work)

    async def find_job(self, owner: str, kind: JobKind, job_id: str) -> JobView | Refusal:
        """Return the state of a job; NO_JOB if the owner has none with this id."""
        view = self._jobs.find_job(owner, kind, job_id)
        if self._store is None or view != NO_JOB or _JOB_ID_PATTERN.fullmatch(job_id) is None:
            return view
        if isinstance(lookup := await self._store.find(JobName(owner, job_id)), Failure):
            return refusal_for_error(lookup.failure())
        job = lookup.unwrap()
        return NO_JOB if job is None or job.record.kind != kind else _stored_job_view(job, kind)

    async def cancel_job(self, owner: str, kind: JobKind, job_id: str) -> JobView | Refusal:
        """Stop a job and keep the pages that it has read."""
        view = await self.find_job(owner, kind, job_id)
        local = self._jobs.cancel_job(owner, kind, job_id)
        if self._store is None or isinstance(view, Refusal) or local != NO_JOB:
            return local
        if isinstance(ended := await self._store.end(JobName(owner, job_id), "cancelled"), Failure):
            return refusal_for_error(ended.failure())
        if (state := ended.unwrap()) != "scraping":
            return Refusal(kind="conflict", message=f"The job is {state} already.")
        return msgspec.structs.replace(view, state="cancelled")

    async def active_jobs(self, owner: str, kind: JobKind) -> Sequence[JobView]:
        """Return the running jobs of an owner."""
        views = self._jobs.active_jobs(owner, kind)
        if self._store is None:
            return views
        stored = (await self._store.running_jobs(owner)).value_or(())
        local_ids = {view.id for view in views}
        others = (job for job in stored if job.record.name.id not in local_ids)
        same_kind = [job for job in others if job.record.kind == kind]
        return [*views, *(job_view(job.record, kind, job.state, ()) for job in same_kind)]

    async def aclose(self) -> None:
        """Stop the jobs of this process and close the store."""
        await self._jobs.aclose()
        if self._store is not None:
            await self._store.aclose()

    async def _share_job(
        self, store: JobStore, record: JobRecord, kind: JobKind, work: Work
    ) -> JobView | Refusal:
        owner, job_id = record.name.owner, record.name.id
        if len((await store.running_jobs(owner)).value_or(())) >= MAX_JOBS_PER_CALLER:
            return TOO_MANY_JOBS
        if isinstance(name := await store.begin(record), Success) and name.unwrap() != record.name:
            return await self.find_job(owner, kind, name.unwrap().id)
        announcement = _StoreWatcher(
            store, record, lambda: self._jobs.cancel_job(owner, kind, job_id), self._beat
        )
        view = self._jobs.start_job(record, kind, work, announcement)
        if isinstance(view, Refusal) or view.id != job_id:
            await announcement.receive_end("failed")
        return view


class _StoreWatcher:
    """Copies the progress of a local job to the shared store."""

    def __init__(
        self, store: JobStore, record: JobRecord, cancel: Callable[[], object], beat: float
    ) -> None:
        self._store, self._record, self._cancel, self._beat = store, record, cancel, beat
        self._pages: Sequence[Page] = ()
        self._stored_count = 0
        self._has_news = asyncio.Event()
        self._task = asyncio.create_task(self._report_progress())

    def receive_pages(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._has_news.set()

    async def receive_end(self, state: JobState) -> None:
        """Store the last pages and the final state; give up after some tries."""
        self._task.cancel()
        for _ in range(_MAX_END_TRIES):
            if await self._store_pages() and isinstance(
                await self._store.end(self._record.name, state), Success
            ):
                return
            await asyncio.sleep(self._beat)

    async def _report_progress(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._beat):
                    await self._has_news.wait()
            self._has_news.clear()
            await self._store_pages()

    async def _store_pages(self) -> bool:
        """Renew the job and store its new pages; return whether all are stored."""
        name = self._record.name
        if (state := await self._store.renew_job(name)) == Success("cancelled"):
            self._cancel()
            return True
        if state == Success(None):
            # The store lost the job, or was unavailable at its start.
            await self._store.begin(self._record)
            self._stored_count = 0
        while self._stored_count < len(self._pages):
            pages = self._pages[self._stored_count : self._stored_count + _BATCH_PAGES]
            encoded = tuple(map(msgspec.msgpack.encode, pages))
            added = await self._store.add(name, self._stored_count, encoded)
            if added != Success(True):  # noqa: FBT003  a value, not a flag
                return False
            self._stored_count += len(pages)
        return isinstance(state, Success)


def _stored_job_view(job: KnownJob, kind: JobKind) -> JobView | Refusal:
    try:
        pages = tuple(_PAGE_DECODER.decode(page) for page in job.pages)
    except msgspec.DecodeError:
        return Refusal(kind="unavailable", message="The job is one of another release of webseam.")
    return job_view(job.record, kind, job.state, pages)
