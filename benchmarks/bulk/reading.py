"""One reader's process: ``python -m benchmarks.bulk.reading READER BASE PAGES AT_ONCE``.

Prints one line of JSON: what it took to read them all, once a few were read to warm up.
"""

import asyncio
import os
import sys
import time

import msgspec

from benchmarks.fence import stay_on_loopback

from .pages import sentence
from .readers import READERS, Read

_WARM_UP = 20


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """So many pages, how many of them came back whole, and what that took."""

    pages: int
    whole: int
    seconds: float
    cpu_seconds: float


async def read_all(reader: str, base: str, pages: int, at_once: int) -> Sample:
    """Read every page, so many at once."""
    async with READERS[reader](base) as reader_of_pages:
        await _read(reader_of_pages, base, range(min(_WARM_UP, pages)), at_once)
        began, cpu = time.perf_counter(), _cpu_seconds()
        whole = await _read(reader_of_pages, base, range(pages), at_once)
        seconds = time.perf_counter() - began
    # The worker processes are counted when they have ended.
    return Sample(pages=pages, whole=whole, seconds=seconds, cpu_seconds=_cpu_seconds() - cpu)


async def _read(reader_of_pages: Read, base: str, numbers: range, at_once: int) -> int:
    """Return how many pages came back with the sentence that only they have."""
    waiting, whole = iter(numbers), 0

    async def go_on() -> None:
        nonlocal whole
        for number in waiting:
            try:
                text = await reader_of_pages(f"{base}/page/{number}")
            except Exception as error:
                print(f"page {number}: {type(error).__name__}: {error}"[:300], file=sys.stderr)
            else:
                whole += sentence(number) in text

    await asyncio.gather(*(go_on() for _ in range(at_once)))
    return whole


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    stay_on_loopback()
    name, address, count, together = sys.argv[1:]
    sample = asyncio.run(read_all(name, address, int(count), int(together)))
    print(msgspec.json.encode(sample).decode())
