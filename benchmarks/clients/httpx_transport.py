"""httpx's own transport called directly, without the client around it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import msgspec

from benchmarks.answers import QUERY

from . import MOST_CONNECTIONS, Search
from .rows import DECODER


@asynccontextmanager
async def open_search(base: str, rows: int) -> AsyncIterator[Search]:
    url = f"{base}/plain/{rows}/search"
    headers = {"authorization": "Bearer a-made-up-key", "content-type": "application/json"}
    limits = httpx.Limits(
        max_connections=MOST_CONNECTIONS,
        max_keepalive_connections=MOST_CONNECTIONS,
        keepalive_expiry=None,
    )
    async with httpx.AsyncHTTPTransport(limits=limits) as transport:

        async def search() -> int:
            content = msgspec.json.encode({"query": QUERY, "max_results": rows})
            request = httpx.Request("POST", url, headers=headers, content=content)
            response = await transport.handle_async_request(request)
            try:
                body = await response.aread()
            finally:
                await response.aclose()
            return len(DECODER.decode(body).results)

        yield search
