"""Jobs that several gateways know of: one works, the others can say how far it is."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec
from returns.result import Result

from .errors import WebError

JobState: TypeAlias = Literal["scraping", "completed", "failed", "cancelled"]


class JobName(msgspec.Struct, frozen=True):
    """Whose job it is, and its number. One owner never sees what another began."""

    owner: str
    id: str


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a job from its beginning.

    ``memo`` comes back with every look at it. A job with the same ``again`` as one that the owner
    began before is that one. ``expires``, in seconds since 1970, is when it is forgotten.
    """

    name: JobName
    kind: str
    total: int
    expires: float
    memo: tuple[str, ...] = ()
    again: str = ""


class KnownJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it stands, with the pages so far as they were written down."""

    record: JobRecord
    state: JobState
    pages: tuple[bytes, ...] = ()


class JobStore(Protocol):
    """Jobs, noted where every gateway can look.

    Whoever works on a job says so every now and then; one that nobody works on any more has failed.
    """

    async def begin(self, record: JobRecord, /) -> Result[JobName, WebError]:
        """Note a job; return its name, or that of the one that was begun with the same words."""
        ...

    async def add(
        self, name: JobName, first: int, pages: tuple[bytes, ...], /
    ) -> Result[bool, WebError]:
        """Note pages, the first of which has that place; False when nobody knows the job.

        A page that is noted at its place already stays as it is.
        """
        ...

    async def work_on(self, name: JobName, /) -> Result[JobState | None, WebError]:
        """Say that the job is worked on; return its state, None when nobody knows it."""
        ...

    async def end(self, name: JobName, state: JobState, /) -> Result[JobState | None, WebError]:
        """Put a job that is under way into its last state; return the state that it had before."""
        ...

    async def find(self, name: JobName, /) -> Result[KnownJob | None, WebError]:
        """Return a job of its owner."""
        ...

    async def under_way(self, owner: str, /) -> Result[tuple[KnownJob, ...], WebError]:
        """Return the owner's jobs that are worked on, without their pages."""
        ...

    async def aclose(self) -> None:
        """Let go of it."""
        ...
