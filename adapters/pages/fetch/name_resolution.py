"""Names to addresses: asked once per hop, in time, and never again by anybody."""

import asyncio
import functools
import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from returns.result import Failure, Result, Success

from ....ports.errors import DnsNotFound, DnsUnavailable
from ...threads import DaemonThreads

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
    future = _threads(os.getpid()).submit(functools.partial(_look_up, host, port))
    return await asyncio.wrap_future(future)


async def find_addresses(
    resolve: Resolve, host: str, port: int, timeout_seconds: float
) -> Result[Sequence[str], DnsNotFound | DnsUnavailable]:
    """Ask ``resolve`` once, and say in typed words when there is no answer."""
    try:
        async with asyncio.timeout(timeout_seconds):
            addresses = await resolve(host, port)
    except socket.gaierror as error:
        missing = error.errno in _NO_SUCH_NAME
        return Failure(DnsNotFound(host=host) if missing else DnsUnavailable(host=host))
    except UnicodeError:
        return Failure(DnsNotFound(host=host))
    except OSError:  # a TimeoutError is one
        return Failure(DnsUnavailable(host=host))
    return Success(addresses) if addresses else Failure(DnsNotFound(host=host))


def _look_up(host: str, port: int) -> Sequence[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in answers))


@functools.lru_cache(maxsize=1)
def _threads(_process_id: int) -> DaemonThreads:
    """Return the threads of this process: a fork has none of its parent's."""
    return DaemonThreads(THREADS, "webseam-dns")
