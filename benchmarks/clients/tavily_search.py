"""tavily-python's async client, as it comes, pointed at loopback."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tavily import AsyncTavilyClient

from benchmarks.answers import QUERY

from . import Search


@asynccontextmanager
async def open_search(base: str, rows: int) -> AsyncIterator[Search]:
    async with AsyncTavilyClient("a-made-up-key", api_base_url=f"{base}/tavily/{rows}") as client:

        async def search() -> int:
            answer = await client.search(QUERY, max_results=rows)
            return len(answer["results"])

        yield search
