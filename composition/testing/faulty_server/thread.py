"""The server in a thread of its own, for tests that have no event loop, or several."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeAlias

from .server import FaultyServer

_Running: TypeAlias = tuple[FaultyServer, asyncio.AbstractEventLoop, asyncio.Event]


@contextmanager
def faulty_server_thread(host: str = "127.0.0.1", speed: float = 1.0) -> Iterator[FaultyServer]:
    """Run a faulty server in the background until the block ends."""
    started: Future[_Running] = Future()
    thread = threading.Thread(target=_run, args=(host, speed, started), daemon=True)
    thread.start()
    server, loop, stop = started.result(timeout=10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(timeout=10)


def _run(host: str, speed: float, started: "Future[_Running]") -> None:
    async def serve() -> None:
        async with FaultyServer(host, speed=speed) as server:
            stop = asyncio.Event()
            started.set_result((server, asyncio.get_running_loop(), stop))
            await stop.wait()

    try:
        asyncio.run(serve())
    except OSError as error:
        started.set_exception(error)
