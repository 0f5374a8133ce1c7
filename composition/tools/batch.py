"""Many pages: a bounded number at once, one outcome for each URL, in their order."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias

from returns.result import Result

from ...kernel.answers import about_of
from ...kernel.deps import WebDeps
from ...kernel.extract import web_extract_many
from ...ports.errors import WebError
from ...ports.web import WebExtractResult

ExtractResult: TypeAlias = Result[WebExtractResult, WebError]

AT_ONCE = 8


async def extract_all(
    urls: Sequence[str],
    deps: WebDeps,
    *,
    at_once: int = AT_ONCE,
    done: Callable[[str], None] = lambda _url: None,
) -> list[ExtractResult]:
    """Read all pages; ``done`` is called with each URL that has its outcome.

    A backend that takes several pages in one call is given as many as it takes.
    """
    size = about_of(deps.backend).batch
    parts = [urls[start : start + size] for start in range(0, len(urls), size)]
    gate = asyncio.Semaphore(at_once)

    async def read(part: Sequence[str]) -> tuple[ExtractResult, ...]:
        async with gate:
            pages = await web_extract_many(part, deps)
        for url in part:
            done(url)
        return pages

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(read(part)) for part in parts]
    return [page for task in tasks for page in task.result()]
