"""Those who fetch and read: each opens a ``Read``, from a URL to the text of its page."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias
from urllib.parse import urlsplit

Read: TypeAlias = Callable[[str], Awaitable[str]]
OpenReader: TypeAlias = Callable[[str], AbstractAsyncContextManager[Read]]

_PROCESSES = 2


@asynccontextmanager
async def webseam(base: str) -> AsyncIterator[Read]:
    """By its public path: the page reader, ``WebDeps`` and ``web_extract``."""
    from webseam import WebDeps, web_extract  # noqa: PLC0415  only this reader's process has it
    from webseam.composition.wiring.pages import pages_backend  # noqa: PLC0415
    from webseam.kernel.policy.policy_rules import PolicySettings, make_policy  # noqa: PLC0415

    policy = make_policy(PolicySettings(allow_hosts=(urlsplit(base).netloc,))).unwrap()
    backend = pages_backend(policy)
    deps = WebDeps(backend=backend, policy=policy)

    async def read(url: str) -> str:
        return (await web_extract(url, deps)).unwrap().content

    try:
        yield read
    finally:
        await backend.aclose()


@asynccontextmanager
async def httpx_trafilatura(base: str) -> AsyncIterator[Read]:
    """As most people write it: one client, and each page read where it arrives."""
    from trafilatura import extract  # noqa: PLC0415

    async with _fetcher(base) as fetch:

        async def read(url: str) -> str:
            return extract(await fetch(url), url=url, output_format="markdown") or ""

        yield read


@asynccontextmanager
async def httpx_trafilatura_processes(base: str) -> AsyncIterator[Read]:
    """The same with the pages handed to two processes; without limits on what they may use."""
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(_PROCESSES) as processes:
        async with _fetcher(base) as fetch:

            async def read(url: str) -> str:
                html = await fetch(url)
                return await loop.run_in_executor(processes, _extract, html, url)

            yield read


@asynccontextmanager
async def _fetcher(base: str) -> AsyncIterator[Read]:
    import httpx  # noqa: PLC0415

    # Its pool would time out with many waiting; a failure is no measure of its speed.
    async with httpx.AsyncClient(base_url=base, timeout=None) as client:

        async def fetch(url: str) -> str:
            response = await client.get(url)
            return response.raise_for_status().text

        yield fetch


def _extract(html: str, url: str) -> str:
    from trafilatura import extract  # noqa: PLC0415

    return extract(html, url=url, output_format="markdown") or ""


READERS: dict[str, OpenReader] = {
    "webseam": webseam,
    "httpx + trafilatura": httpx_trafilatura,
    "httpx + trafilatura in two processes": httpx_trafilatura_processes,
}
