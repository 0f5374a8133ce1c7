"""Names to addresses: asked once per hop, in time, and never again by anybody."""

import asyncio
import functools
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeAlias, TypeVar

from returns.result import Failure, Result, Success

from ....ports.errors import DnsNotFound, DnsUnavailable

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


# Names to addresses: asked once per hop, in time, and never again by anybody.

# Raises socket.gaierror, as the standard library does; any other OSError counts as no answer.
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
THREADS = 16
# What says that the name has no address; all else says that nobody could be asked.
_NO_SUCH_NAME = frozenset(
    number
    for name in ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY")
    if (number := getattr(socket, name, None)) is not None
)


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system's resolver, in a thread of our own."""
    future = _lookups().submit(functools.partial(_look_up, host, port))
    return await asyncio.wrap_future(future)


async def find_addresses(
    resolve: Resolve, host: str, port: int, within: float
) -> Result[Sequence[str], DnsNotFound | DnsUnavailable]:
    """Ask ``resolve`` once, and say in typed words when there is no answer."""
    try:
        async with asyncio.timeout(within):
            found = await resolve(host, port)
    except socket.gaierror as error:
        missing = error.errno in _NO_SUCH_NAME
        return Failure(DnsNotFound(host=host) if missing else DnsUnavailable(host=host))
    except UnicodeError:
        return Failure(DnsNotFound(host=host))
    except OSError:  # a TimeoutError is one
        return Failure(DnsUnavailable(host=host))
    return Success(found) if found else Failure(DnsNotFound(host=host))


def _look_up(host: str, port: int) -> Sequence[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@functools.cache
def _lookups() -> Lookups[Sequence[str]]:
    return Lookups(THREADS)
