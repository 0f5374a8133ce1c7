"""Fetches that are cancelled at any moment, in a process whose descriptors are theirs alone."""

import asyncio
import json
import random
import sys
from pathlib import Path

from returns.result import Success

from webseam.composition.features.testing.faulty_server import FaultyServer

from .support import fetcher_for, run, trusting

FAULTS = (
    "ok",
    "hang",
    "body_then_hang",
    "sliced",
    "redirect_3_ok",
    "gzip_bomb",
    "tls_ok",
    "tls_hang",
)
CANCELLATIONS = 400


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def cancel_many() -> dict[str, object]:
    async with FaultyServer() as server:
        fetcher = fetcher_for(server, context=trusting(server))
        chance = random.Random(7)  # noqa: S311  a fixed seed, for the same moments each time

        async def begin_and_cancel(name: str) -> None:
            host = "pinned.example.com" if name.startswith("tls") else None
            task = asyncio.ensure_future(fetcher.fetch(server.url(name, host)))
            for _ in range(chance.randint(0, 40)):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})

        await fetcher.fetch(server.url("ok"))
        await server.idle()
        before = open_files()
        for _ in range(CANCELLATIONS // 40):
            await asyncio.gather(*(begin_and_cancel(chance.choice(FAULTS)) for _ in range(40)))
        idle = await server.idle()
        left, tasks = open_files() - before, len(asyncio.all_tasks()) - 1
        good = [isinstance(await fetcher.fetch(server.url("ok")), Success) for _ in range(50)]
        return {"good": all(good), "left": left, "tasks": tasks, "idle": idle}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(cancel_many())))
