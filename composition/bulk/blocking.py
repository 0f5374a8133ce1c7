"""Runs that block, from a script and from a notebook, whose thread has a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ..calls.loop_thread import wait_for_outcome

Value = TypeVar("Value")


def run_blocking(work: Callable[[Callable[[], bool]], Coroutine[Any, Any, Value]]) -> Value:
    """Return what comes of ``work``, which is told how to know that it is to stop.

    Inside a running loop another thread does it, and an interrupt lets what is under way end.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work(lambda: False))
    stop = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        try:
            return wait_for_outcome(threads.submit(lambda: asyncio.run(work(stop.is_set))))
        except KeyboardInterrupt:
            stop.set()
            raise
