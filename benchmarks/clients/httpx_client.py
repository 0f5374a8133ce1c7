"""httpx as most people use it, one client for all calls, with msgspec for the JSON."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from benchmarks.answers import QUERY

from . import MOST_CONNECTIONS, Search
from .rows import DECODER


@asynccontextmanager
async def open_search(base: str, rows: int) -> AsyncIterator[Search]:
    url = f"{base}/plain/{rows}/search"
    headers = {"authorization": "Bearer a-made-up-key"}
    limits = httpx.Limits(
        max_connections=MOST_CONNECTIONS,
        max_keepalive_connections=MOST_CONNECTIONS,
        keepalive_expiry=None,
    )
    # Its pool would time out on the larger scenes; a failure is no measure of its speed.
    async with httpx.AsyncClient(limits=limits, timeout=None, headers=headers) as client:

        async def search() -> int:
            response = await client.post(url, json={"query": QUERY, "max_results": rows})
            response.raise_for_status()
            return len(DECODER.decode(response.content).results)

        yield search
