"""Notice when the event loop stands still, and keep long texts off it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from webseam.adapters.features.gateway.asks import Page

_POLL_SECONDS = 0.25
_MAX_LATE_SECONDS = 0.1
# A bound: markdown in another form costs some microseconds a character, at most 0.25 ms.
MAX_LOOP_CHARS = 400
T = TypeVar("T")


async def watch_loop(count_stall: Callable[[float], None]) -> None:
    """Call ``count_stall`` with the seconds of each stall, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _POLL_SECONDS
        await asyncio.sleep(_POLL_SECONDS)
        if (late := loop.time() - due) > _MAX_LATE_SECONDS:
            count_stall(late)


async def call_with_pages(
    function: Callable[..., T], *arguments: object, pages: Sequence[Page]
) -> T:
    """Call a function that reads the text of pages; in a thread, if they are long."""
    chars = sum(len(page.result.content) for page in pages if page.result is not None)
    if chars <= MAX_LOOP_CHARS:
        return function(*arguments)
    return await asyncio.to_thread(function, *arguments)
