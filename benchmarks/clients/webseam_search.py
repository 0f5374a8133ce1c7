"""webseam by its public path: a JSON backend, ``WebDeps`` and ``web_search``."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.answers import QUERY
from webseam import WebDeps, json_backend, web_search
from webseam.ports.web import Query

from . import Search


@asynccontextmanager
async def open_search(base: str, rows: int) -> AsyncIterator[Search]:
    url = f"{base}/plain/{rows}/search"
    deps = WebDeps(backend=json_backend(search_url=url, key="a-made-up-key").unwrap())
    query: Query = {"query": QUERY, "max_results": rows}

    async def search() -> int:
        outcome = await web_search(query, deps)
        return len(outcome.unwrap().rows)

    yield search
