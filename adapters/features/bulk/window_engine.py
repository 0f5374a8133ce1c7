"""Run a few shards at a time, and start the next one when one is done."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from itertools import islice
from typing import TypeVar

from webseam.ports.bulk import Shard

Report = TypeVar("Report")


async def run_shard_window(
    shards: Iterable[Shard],
    work: Callable[[Shard], Awaitable[Report]],
    *,
    at_once: Callable[[], int],
    is_stopping: Callable[[], bool] = lambda: False,
) -> AsyncGenerator[Report, None]:
    """Yield the report of each shard in the order of completion.

    At most ``at_once()`` shards run at a time, so memory and work stay bounded. Once
    ``is_stopping`` is true, no further shard starts. An exception of a shard cancels the others and
    is raised here.
    """
    waiting = iter(shards)
    running: set[asyncio.Task[Report]] = set()
    done: set[asyncio.Task[Report]] = set()
    try:
        while True:
            free_slots = 0 if is_stopping() else max(0, at_once() - len(running))
            running |= {asyncio.ensure_future(work(shard)) for shard in islice(waiting, free_slots)}
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        # Await failed tasks too: asyncio prints exceptions that are never retrieved.
        await asyncio.gather(*running, *done, return_exceptions=True)
