"""What a worker costs: the same page converted here and there. python -m benchmarks.workers [FILE]

Processor time counts, the worker's and ours together: the clock on the wall also measures who else
is busy on the machine.
"""

import asyncio
import os
import statistics
import sys
import time
from pathlib import Path

from webseam.adapters.call_context import CALL_OWNER
from webseam.adapters.features.documents.conversion import convert
from webseam.adapters.pages.workers.pool import Workers

ROUNDS = 5
PAGES = 40
PARAGRAPH = (
    "<p>Bread is made of flour, water and <a href='/salt'>salt</a>, and of time. "
    + "It rises. " * 12
    + "</p>"
)
PAGE = "<!doctype html><title>Bread</title><article><h1>Bread</h1>" + PARAGRAPH * 250 + "</article>"


def spent() -> float:
    """Return the processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


async def in_a_worker(body: bytes, times: int, owners: int = 1) -> float:
    """Convert a page so many times, for one owner after the other; an owner has its own worker."""
    before = spent()
    async with Workers(1) as workers:
        for number in range(times):
            CALL_OWNER.set(str(number % owners))
            await workers.convert(body)
    return spent() - before


def in_this_process(body: bytes) -> float:
    before = spent()
    for _ in range(PAGES):
        convert(body, "", "")
    return (spent() - before) / PAGES


def main() -> None:
    body = Path(sys.argv[1]).read_bytes() if len(sys.argv) > 1 else PAGE.encode()
    convert(body, "", "")
    here, there, fresh, starts = [], [], [], []
    for _ in range(ROUNDS):
        here.append(in_this_process(body))
        starts.append(asyncio.run(in_a_worker(body, 1)))
        there.append((asyncio.run(in_a_worker(body, PAGES + 1)) - starts[-1]) / PAGES)
        fresh.append((asyncio.run(in_a_worker(body, PAGES + 1, 2)) - starts[-1]) / PAGES)
    near, far, new = map(statistics.median, (here, there, fresh))
    before = time.perf_counter()
    asyncio.run(in_a_worker(body, 1))
    cold = time.perf_counter() - before
    print(
        f"page of {len(body):,} bytes, processor time, medians of {ROUNDS} rounds of {PAGES} pages"
    )
    print(f"in this process       {near * 1e3:8.2f} ms a page")
    print(f"in a worker           {far * 1e3:8.2f} ms a page ({(far / near - 1) * 100:+.1f} %)")
    print(f"in a fresh worker     {new * 1e3:8.2f} ms a page ({(new / near - 1) * 100:+.1f} %)")
    print(
        f"a worker's start      {statistics.median(starts) * 1e3:8.0f} ms, {cold * 1e3:.0f} ms on the clock"
    )


if __name__ == "__main__":
    main()
