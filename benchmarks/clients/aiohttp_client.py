"""aiohttp, one session for all calls, with msgspec for the JSON."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from benchmarks.answers import QUERY

from . import MOST_CONNECTIONS, Search
from .rows import DECODER


@asynccontextmanager
async def open_search(base: str, rows: int) -> AsyncIterator[Search]:
    url = f"{base}/plain/{rows}/search"
    headers = {"authorization": "Bearer a-made-up-key"}
    connector = aiohttp.TCPConnector(limit=MOST_CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def search() -> int:
            payload = {"query": QUERY, "max_results": rows}
            async with session.post(url, json=payload, raise_for_status=True) as response:
                return len(DECODER.decode(await response.read()).results)

        yield search
