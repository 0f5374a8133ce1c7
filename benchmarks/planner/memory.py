"""Is memory flat? Calls along a route, failing ones among them, and what the process holds.

python -m benchmarks.planner.memory [--calls 100000]
"""

import argparse
import asyncio
import gc
import sys
import tempfile
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

from returns.result import Failure, Success

from webseam.kernel.deps import WebDeps
from webseam.kernel.search import web_search
from webseam.ports.backends import BackendAbout, RowsAnswer, WebBackend
from webseam.ports.errors import RateLimited, UpstreamUnavailable
from webseam.ports.web import WebSearchQuery

from .cpu import route

_ROWS = ({"title": "t", "url": "https://a.example/", "snippet": "s"},)
_PARTS = 10


class Moody(WebBackend):
    """Answers, but fails now and then, in turn by 503 and 429."""

    def __init__(self, every: int) -> None:
        self._about = BackendAbout(name=f"moody-{every}")
        self.every, self.asked = every, 0

    @property
    def about(self) -> BackendAbout:
        return self._about

    async def search(self, _query: WebSearchQuery, /) -> RowsAnswer:
        self.asked += 1
        if self.asked % self.every:
            return Success(_ROWS)
        again = self.asked // self.every % 2
        return Failure(UpstreamUnavailable(status=503) if again else RateLimited(retry_after=0.0))

    async def aclose(self) -> None:
        """Hold nothing."""


async def held_bytes(calls: int, folder: Path) -> list[int]:
    """Return the bytes that are held after each tenth of the calls."""
    backend = route([Moody(7), Moody(11), Moody(10**9)], folder)
    deps = WebDeps(backend=backend)
    sizes = []
    tracemalloc.start()
    for _ in range(_PARTS):
        for _ in range(calls // _PARTS):
            (await web_search("q", deps)).unwrap()
        # What was learned is written beside the calls.
        await asyncio.sleep(0)
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    await backend.aclose()
    return sizes


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.planner.memory", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    calls = parser.parse_args(arguments).calls
    with tempfile.TemporaryDirectory() as folder:
        sizes = asyncio.run(held_bytes(calls, Path(folder)))
    print(" ".join(f"{size / 1024:.0f}" for size in sizes), "KiB after each tenth of the calls")
    # The first tenth fills caches.
    grown = sizes[-1] - sizes[1]
    print(f"grown by {grown / 1024:+.1f} KiB over {calls * 8 // 10} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
