"""Cancelling a call at one step after another, to see that it stops."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine

from .contract_laws import complain

# How many turns of the event loop the call is given before it is cancelled.
_STEPS = (0, 1, 2, 3, 5, 8, 13, 21)


async def check_cancellation(call: Callable[[], Awaitable[object]], seconds: float) -> None:
    """Complain if a call, cancelled before it is done, ends in anything but its cancellation."""
    for steps in _STEPS:
        task = asyncio.ensure_future(_awaited(call))
        for _ in range(steps):
            await asyncio.sleep(0)
        if task.cancel():
            await asyncio.wait({task}, timeout=seconds)
            _judge(task, seconds)
        elif not task.cancelled():
            # It was done already; how it ended is the matter of other promises.
            task.exception()


def run_apart(call: Coroutine[None, None, None]) -> None:
    """Run in a loop of its own, and leave behind what cannot be cancelled.

    ``asyncio.run`` would wait for it, and the complaint would never be heard.
    """
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(call)
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _judge(task: "asyncio.Future[object]", seconds: float) -> None:
    if not task.done():
        complain(f"it went on for {seconds} s after it was cancelled")
    elif not task.cancelled():
        ended = task.exception() or task.result()
        complain(f"it was cancelled and ended in {type(ended).__name__}")


async def _awaited(call: Callable[[], Awaitable[object]]) -> object:
    return await call()
