"""Notice when the event loop stands still."""

import asyncio
from collections.abc import Callable

_POLL_SECONDS = 0.25
_MAX_LATE_SECONDS = 0.1


async def watch_loop(count_stall: Callable[[float], None]) -> None:
    """Call ``count_stall`` with the seconds of each stall, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _POLL_SECONDS
        await asyncio.sleep(_POLL_SECONDS)
        if (late := loop.time() - due) > _MAX_LATE_SECONDS:
            count_stall(late)
