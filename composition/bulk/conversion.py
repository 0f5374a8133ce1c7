"""Pages from bodies, in workers that can be killed, by limits that count work first.

Processor time is there for what never ends, far above what any page takes on a slow day, and the
clock on the wall for a worker that sleeps for ever: the same verdict on any machine.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from returns.result import Failure, Result

from ...adapters.pages.workers.limits import WorkerLimits
from ...adapters.pages.workers.pool import Workers
from ...kernel.bulk.bulk_rows import conversion_refusal, is_doubtful, was_killed
from ...ports.bulk import BulkItem
from ...ports.errors import WebError
from ...ports.pages import ReadPage

BULK_WORKER_LIMITS: Final = WorkerLimits(cpu_seconds=30.0, wall_seconds=600.0, start_seconds=600.0)
_BYTES_PER_WORKER: Final = 1_000_000
# Whoever kills workers at random, or is short of memory for a moment, seldom does so as often.
_MAX_KILLED_WORKERS: Final = 5


def usable_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful_workers(total_bytes: int, max_workers: int) -> int:
    """Return how many workers to start for so many bytes, before their pages are counted.

    One takes as long to start as twenty pages to read.

    >>> [useful_workers(total_bytes, 4) for total_bytes in (0, 1, 3_000_000, 1_000_000_000)]
    [0, 1, 3, 4]
    """
    return min(max_workers, -(-total_bytes // _BYTES_PER_WORKER))


class Converter(Protocol):
    """What converts inputs, ``count`` of them at once."""

    count: int

    def warm(self, count: int, /) -> None:
        """Have so many at hand soon, and do not wait for them."""
        ...

    async def convert(self, item: BulkItem, /) -> Result[ReadPage, WebError]:
        """Return the page of an input, or why there is none."""
        ...

    async def aclose(self) -> None:
        """End whatever was started for it."""
        ...


class Conversion:
    """So many workers for all shards together."""

    def __init__(self, count: int, limits: WorkerLimits = BULK_WORKER_LIMITS) -> None:
        """Start nothing yet."""
        self.count = count
        self._limits = limits
        self._workers = Workers(count, limits)

    def warm(self, count: int) -> None:
        """Start so many workers, in the background."""
        self._workers.warm(count)

    async def convert(self, item: BulkItem) -> Result[ReadPage, WebError]:
        """Convert an input. What a limit says is believed only of a worker that had no other."""
        refusal = conversion_refusal(item)
        if refusal is not None:
            return Failure(refusal)
        outcome = await self._ask(self._workers, item)
        if not is_doubtful(outcome):
            return outcome
        return await final_outcome(lambda: self._ask_fresh(item))

    async def aclose(self) -> None:
        """End the workers."""
        await self._workers.aclose()

    async def _ask_fresh(self, item: BulkItem) -> Result[ReadPage, WebError]:
        async with Workers(1, self._limits) as fresh:
            return await self._ask(fresh, item)

    async def _ask(self, workers: Workers, item: BulkItem) -> Result[ReadPage, WebError]:
        return await workers.convert(item.body, item.content_type, item.final_url or "")


async def final_outcome(
    ask: Callable[[], Awaitable[Result[ReadPage, WebError]]],
) -> Result[ReadPage, WebError]:
    """Return what a fresh worker says; one that is killed says nothing, and another is asked."""
    outcome = await ask()
    for _ in range(_MAX_KILLED_WORKERS - 1):
        if not was_killed(outcome):
            break
        outcome = await ask()
    return outcome
