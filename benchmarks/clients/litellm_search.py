"""LiteLLM's ``asearch`` with its Tavily provider, as it comes, pointed at loopback."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import litellm

from benchmarks.answers import QUERY

from . import Search


@asynccontextmanager
async def open_search(base: str, rows: int) -> AsyncIterator[Search]:
    async def search() -> int:
        answer = await litellm.asearch(
            query=QUERY,
            search_provider="tavily",
            max_results=rows,
            api_key="a-made-up-key",
            api_base=f"{base}/tavily/{rows}",
        )
        return len(answer.results)

    yield search
