"""The demo's own API, kept running in a thread while a command calls it."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from webseam.composition.demo_api import DemoApi

Api = DemoApi


@contextmanager
def running_api() -> Iterator[DemoApi]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    api = DemoApi()
    try:
        asyncio.run_coroutine_threadsafe(api.__aenter__(), loop).result(10)
        yield api
        asyncio.run_coroutine_threadsafe(api.__aexit__(None, None, None), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
