"""The kernel alone: a search whose backend answers at once, so that only our own checks cost.

Run as ``python -m benchmarks.kernel ROUNDS``; prints microseconds by number of rows, as JSON.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Sequence

import msgspec
from returns.result import Result, Success

from webseam import BackendAbout, UntrustedRow, WebDeps, WebError, WebSearchQuery, web_search
from webseam.ports.web import Query

from .answers import QUERY, rows_like_ours

_CALLS = 100
_WARM_UP = 20


class ReadyBackend:
    """Hands over the same rows every time, as a service's decoder would."""

    about = BackendAbout(name="ready")

    def __init__(self, rows: int) -> None:
        self._rows: Sequence[UntrustedRow] = [_decoded(row) for row in rows_like_ours(rows)]

    async def search(self, _query: WebSearchQuery, /) -> Result[Sequence[UntrustedRow], WebError]:
        return Success(self._rows)

    async def extract(self, _url: str, /) -> Result[UntrustedRow, WebError]:
        return Success({})


async def microseconds(rows: int, rounds: int) -> float:
    """Return the median CPU time of one search over so many rows."""
    deps = WebDeps(backend=ReadyBackend(rows))
    query: Query = {"query": QUERY, "max_results": rows}
    for _ in range(_WARM_UP):
        outcome = await web_search(query, deps)
        assert len(outcome.unwrap().rows) == rows
    durations = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(_CALLS):
            await web_search(query, deps)
        durations.append((time.process_time() - began) / _CALLS * 1e6)
    return statistics.median(durations)


def _decoded(row: dict[str, object]) -> dict[str, object]:
    return {("snippet" if name == "description" else name): row[name] for name in row}


if __name__ == "__main__":
    costs = {rows: asyncio.run(microseconds(rows, int(sys.argv[1]))) for rows in (1, 10, 100)}
    print(msgspec.json.encode(costs).decode())
