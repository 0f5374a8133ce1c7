"""Define jobs that several gateways share: one works, the others report its progress."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec
from returns.result import Result

from .errors import WebError

JobState: TypeAlias = Literal["scraping", "completed", "failed", "cancelled"]


class JobName(msgspec.Struct, frozen=True):
    """A job's owner and id. An owner never sees the jobs of others."""

    owner: str
    id: str


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a job at its start.

    Every lookup returns ``memo``. A job with the same ``again`` as an earlier one of its owner is
    that job. ``expires``, in seconds since 1970, is when it is deleted.
    """

    name: JobName
    kind: str
    total: int
    expires: float
    memo: tuple[str, ...] = ()
    again: str = ""


class KnownJob(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a job, with the pages stored so far."""

    record: JobRecord
    state: JobState
    pages: tuple[bytes, ...] = ()


class JobStore(Protocol):
    """Jobs in a store that every gateway can read.

    The worker of a job renews it regularly; a job without a worker has failed.
    """

    async def begin(self, record: JobRecord, /) -> Result[JobName, WebError]:
        """Store a job; return its name, or that of an earlier job with the same ``again``."""

    async def add(
        self, name: JobName, first: int, pages: tuple[bytes, ...], /
    ) -> Result[bool, WebError]:
        """Store pages from index ``first`` on; return False for an unknown job.

        A page that is stored at its index already stays unchanged.
        """

    async def renew_job(self, name: JobName, /) -> Result[JobState | None, WebError]:
        """Renew the job; return its state, or None for an unknown job."""

    async def end(self, name: JobName, state: JobState, /) -> Result[JobState | None, WebError]:
        """Set the final state of a running job; return the state before, or None."""

    async def find(self, name: JobName, /) -> Result[KnownJob | None, WebError]:
        """Return a job of its owner, or None."""

    async def running_jobs(self, owner: str, /) -> Result[tuple[KnownJob, ...], WebError]:
        """Return the owner's running jobs, without their pages."""

    async def aclose(self) -> None:
        """Close the store."""
