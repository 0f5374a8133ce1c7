"""Wait for a job of the gateway."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from .asgi import Site


async def until_done(site: Site, path: str, **headers: str) -> Any:  # noqa: ANN401  JSON is anything
    while True:
        view = (await site.asked("GET", path, **headers)).json
        if view["status"] != "scraping":
            return view
        await asyncio.sleep(0)


def run(life: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401  whatever a test wants
    return asyncio.run(life())  # type: ignore[arg-type]
