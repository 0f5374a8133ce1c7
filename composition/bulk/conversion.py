"""Pages from bodies, in workers that can be killed, by limits that count work first.

Processor time is there for what never ends, far above what any page takes on a slow day, and the
clock on the wall for a worker that sleeps for ever: the same verdict on any machine.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import msgspec
from returns.result import Failure, Result

from ...adapters.pages.workers.limits import WorkerLimits
from ...adapters.pages.workers.pool import Workers
from ...kernel.bulk.bulk_rows import conversion_refusal, is_doubtful_failure, was_worker_killed
from ...kernel.bulk.counts import ShardEntry
from ...ports.bulk import BulkItem, BulkRow
from ...ports.errors import WebError
from ...ports.pages import ReadPage
from .cluster.nodes import Nodes
from .inputs.plan import RunPlan

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
        if not is_doubtful_failure(outcome):
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
        if not was_worker_killed(outcome):
            break
        outcome = await ask()
    return outcome


# Who looks on while a run goes on, and who may stop it.


class RunWatch(msgspec.Struct, frozen=True, kw_only=True):
    """Who looks on, and who may stop a run; ``converter`` and ``nodes`` stand in for real ones.

    ``on_lost`` is told which files of an earlier run are made again. ``on_fetch`` is called for
    each page that this process has fetched; ``on_row`` is told each row that is made in it,
    ``on_shard`` each shard that was made in another one; ``on_outcome`` the kind of error of each
    search, None when it worked.
    """

    on_plan: Callable[[RunPlan, int], None] = lambda _plan, _done: None
    on_lost: Callable[[Sequence[str]], None] = lambda _names: None
    on_fetch: Callable[[], None] = lambda: None
    on_row: Callable[[BulkRow], None] = lambda _row: None
    on_shard: Callable[[ShardEntry], None] = lambda _entry: None
    on_outcome: Callable[[str | None], None] = lambda _error: None
    is_stopping: Callable[[], bool] = lambda: False
    converter: Converter | None = None
    nodes: Nodes | None = None
