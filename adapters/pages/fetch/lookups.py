"""Threads for name lookups alone, so that a slow name server holds up nothing else.

A lookup cannot be stopped. These threads are daemons: one that hangs never keeps the process from
ending, which those of ``concurrent.futures`` would.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Lookups(Generic[Found]):
    """At most ``most`` threads, started when they are needed."""

    def __init__(self, most: int) -> None:
        """Begin without a thread."""
        self._most = most
        self._waiting: SimpleQueue[tuple[Future[Found], Callable[[], Found]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0

    def submit(self, look: Callable[[], Found]) -> "Future[Found]":
        """Have ``look`` called in a thread; cancelling the future takes it out of the queue."""
        future: Future[Found] = Future()
        self._waiting.put((future, look))
        with self._lock:
            short = self._idle < self._waiting.qsize() and self._threads < self._most
            self._threads += short
        if short:
            threading.Thread(target=self._work, name="webseam-dns", daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
            future, look = self._waiting.get()
            with self._lock:
                self._idle -= 1
            if future.set_running_or_notify_cancel():
                _fulfil(future, look)


def _fulfil(future: "Future[Found]", look: Callable[[], Found]) -> None:
    try:
        found = look()
    except Exception as error:  # noqa: BLE001  it is raised again where the future is awaited
        future.set_exception(error)
    else:
        future.set_result(found)
