"""How much work a warm search is: the next part that is added pays here, where it is seen.

Calls of functions, bytes that are held at once, and objects that are left to the garbage
collector, for one search and for one more row. A bound is little more than what was counted when it
was written (Python 3.11, 2026-11-19).
"""

import asyncio
import gc
import tracemalloc
from collections.abc import Awaitable, Callable
from types import FrameType

import httpx
import pytest

import webseam
from tests.doors.client.counting import (
    ROWS,
    Count,
    _count_events,
    body_of,
    count_calls,
    count_patterns,
    serving,
)
from webseam.kernel.laws.filters import plan_query_filters

Search = Callable[[webseam.Web, int], Awaitable[object]]


async def python_door(web: webseam.Web, rows: int) -> object:
    found = await web.search("wind turbines", max_results=rows)
    assert len(found.unwrap().rows) == rows
    return found


async def tool_door(web: webseam.Web, rows: int) -> object:
    text = await web.call("web_search", {"query": "wind turbines", "max_results": rows})
    assert text.count('"position"') == rows
    return text


async def count_kernel_runs(work: Awaitable[object]) -> int:
    """Return how often the kernel planned the filters of a query: once for the backend it asks."""

    def counts(frame: FrameType, event: str, _argument: object) -> bool:
        return event == "call" and frame.f_code is plan_query_filters.__code__

    return await _count_events(work, counts)


async def count_bytes(work: Awaitable[object]) -> int:
    """Return the most bytes that were held at once beyond what was held before."""
    # A full collection empties the lists of freed objects, which count as held.
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        await work
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


async def count_garbage(work: Awaitable[object]) -> int:
    """Return how many objects only the garbage collector can free, because they form a cycle."""
    gc.collect()
    gc.disable()
    try:
        await work
        return gc.collect()
    finally:
        gc.enable()


class ReadyTransport(httpx.AsyncBaseTransport):
    """Answers at once: a server in this process would hold more bytes than a search."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        headers = {"content-type": "application/json"}
        return httpx.Response(200, headers=headers, content=self._body, request=request)


async def work_of(search: Search, count: Count, rows: int) -> int:
    body = body_of(rows)
    async with serving(body) as base:
        settings = {
            "cache.enabled": False,
            "services": {"tavily": {"api_key": "a-made-up-key", "base_url": base}},
        }
        transport = ReadyTransport(body) if count is count_bytes else None
        async with webseam.open(
            backend="tavily", settings=settings, transport=transport, environment={}
        ) as web:
            for _ in range(5):
                await search(web, rows)
            # The least of a few: a background write may fall into one of them.
            return min([await count(search(web, rows)) for _ in range(5)])


@pytest.mark.parametrize(
    ("search", "count", "most", "most_per_row"),
    [
        (python_door, count_calls, 390, 3),
        (tool_door, count_calls, 620, 15),
        (python_door, count_kernel_runs, 1, 0),
        (tool_door, count_kernel_runs, 1, 0),
        (python_door, count_patterns, 1, 0),
        (tool_door, count_patterns, 1, 0),
        (python_door, count_bytes, 28_100, 2170),
        (tool_door, count_bytes, 31_500, 2170),
        (python_door, count_garbage, 0, 0),
        (tool_door, count_garbage, 0, 0),
    ],
)
def test_a_warm_search_is_no_more_work_than_it_was(
    search: Search, count: Count, most: int, most_per_row: float
) -> None:
    few, many = (asyncio.run(work_of(search, count, rows)) for rows in ROWS)
    per_row = (many - few) / (ROWS[1] - ROWS[0])

    assert few <= most
    assert per_row <= most_per_row
