"""Convert bodies to pages in killable workers, with the same verdict on any machine.

The CPU limit is far above the need of any page and ends endless work; the wall clock limit ends a
worker that sleeps for ever.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.pages.detection import kind_of_type
from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import CONVERTER, Workers
from webseam.kernel.features.bulk import bulk_rows
from webseam.kernel.features.bulk.counts import ShardEntry
from webseam.kernel.pages import markdown_twin
from webseam.ports.bulk import BulkItem, BulkRow
from webseam.ports.errors import WebError
from webseam.ports.pages import ReadPage

from ...wiring.twin_comparison import compare_twins
from .cluster.nodes import Nodes
from .plan import RunPlan

BULK_WORKER_LIMITS: Final = WorkerLimits(cpu_seconds=30.0, wall_seconds=600.0)
_BYTES_PER_WORKER: Final = 1_000_000
# A random kill or a short lack of memory seldom hits five workers in a row.
_MAX_KILLED_WORKERS: Final = 5


def usable_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful_workers(total_bytes: int, max_workers: int) -> int:
    """Return how many workers to start for the given bytes, before their pages are counted.

    Starting a worker takes as long as reading twenty pages.

    >>> [useful_workers(total_bytes, 4) for total_bytes in (0, 1, 3_000_000, 1_000_000_000)]
    [0, 1, 3, 4]
    """
    return min(max_workers, -(-total_bytes // _BYTES_PER_WORKER))


class Converter(Protocol):
    """Converts inputs to pages, ``count`` of them at once."""

    count: int

    def warm(self, count: int, /) -> None:
        """Start ``count`` workers in the background."""

    async def convert(self, item: BulkItem, /) -> Result[ReadPage, WebError]:
        """Return the page of an input, or an error."""

    async def aclose(self) -> None:
        """End the workers."""


class WorkerConverter:
    """``count`` workers that all shards share."""

    def __init__(self, count: int, limits: WorkerLimits = BULK_WORKER_LIMITS) -> None:
        self.count, self._limits = count, limits
        self._workers = Workers(count, limits)
        self._visible_workers = Workers(1, limits, converter=f"{CONVERTER}_visible")

    def warm(self, count: int) -> None:
        """Start ``count`` workers in the background."""
        self._workers.warm(count)

    async def convert(self, item: BulkItem) -> Result[ReadPage, WebError]:
        """Convert an input; retry in a fresh worker when a limit ended a shared one."""
        if (refusal := bulk_rows.bulk_item_refusal(item)) is not None:
            return Failure(refusal)
        outcome = await self._convert_in_pool(self._workers, item)
        if bulk_rows.is_doubtful_bulk_failure(outcome):
            outcome = await convert_with_retries(lambda: self._convert_in_fresh_worker(item))
        page = outcome.value_or(None)
        if page is None or page.kind != "markdown" or item.look is None:
            return outcome
        return Success(await self._compare_second_look(page, item.look))

    async def aclose(self) -> None:
        """End the workers."""
        await self._workers.aclose()
        await self._visible_workers.aclose()

    async def _compare_second_look(self, page: ReadPage, look: BulkItem) -> ReadPage:
        """Leave out what the HTML of a page does not show, or say why nothing was compared."""
        refusal = bulk_rows.bulk_item_refusal(look)
        if refusal is None and kind_of_type(look.content_type.partition(";")[0].lower()) != "html":
            return msgspec.structs.replace(page, second_look="not_html")
        html = (
            Failure(refusal)
            if refusal
            else await self._convert_in_pool(self._visible_workers, look)
        )
        if isinstance(html, Failure):
            return msgspec.structs.replace(page, second_look=html.failure().kind)
        joined = markdown_twin.join_markdown_page(page, html.unwrap(), {})
        return await compare_twins(joined, html.unwrap())

    async def _convert_in_fresh_worker(self, item: BulkItem) -> Result[ReadPage, WebError]:
        async with Workers(1, self._limits) as workers:
            return await self._convert_in_pool(workers, item)

    async def _convert_in_pool(self, pool: Workers, item: BulkItem) -> Result[ReadPage, WebError]:
        return await pool.convert(item.body, item.content_type, item.final_url or "")


async def convert_with_retries(
    convert: Callable[[], Awaitable[Result[ReadPage, WebError]]],
) -> Result[ReadPage, WebError]:
    """Return the outcome of a fresh worker; try another one each time it is killed."""
    outcome = await convert()
    for _ in range(_MAX_KILLED_WORKERS - 1):
        if not bulk_rows.was_bulk_worker_killed(outcome):
            break
        outcome = await convert()
    return outcome


class RunWatch(msgspec.Struct, frozen=True, kw_only=True):
    """Callbacks of a run, and replacements for its ``converter`` and ``nodes``.

    ``on_lost`` gets the names of earlier files that are written again. ``on_fetch`` and
    ``on_row`` are called for each page fetched and each row made in this process, ``on_shard``
    for each shard that another process made, ``on_outcome`` with the error kind of each search,
    or None.
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
