"""A few shards under way at a time, wherever they run, the next one begun when one is done."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from itertools import islice
from typing import TypeVar

from ....ports.bulk import Shard

Report = TypeVar("Report")


async def run_window(
    shards: Iterable[Shard],
    work: Callable[[Shard], Awaitable[Report]],
    *,
    at_once: Callable[[], int],
    is_stopping: Callable[[], bool] = lambda: False,
) -> AsyncGenerator[Report, None]:
    """Yield what comes of each shard, in the order in which they are done.

    No more than ``at_once()`` are taken from ``shards`` before one is done, so that neither memory
    nor work runs ahead. When ``is_stopping``, none is begun any more. What a shard raises ends the
    others, and is raised here.
    """
    waiting = iter(shards)
    running: set[asyncio.Task[Report]] = set()
    done: set[asyncio.Task[Report]] = set()
    try:
        while True:
            room = 0 if is_stopping() else max(0, at_once() - len(running))
            running |= {asyncio.ensure_future(work(shard)) for shard in islice(waiting, room)}
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        # Also those that failed beside the one that is raised: a failure that nobody looks at is
        # printed by asyncio when it is collected.
        await asyncio.gather(*running, *done, return_exceptions=True)
