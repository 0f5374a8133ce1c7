"""The fast transport: httpx's seam on asyncio and httptools, with a pool that costs O(1).

httpcore's pool looks at every connection for every request, so its cost per call grows with the
number of calls at once; this one pops a connection off a stack. Redirects are never followed,
bodies never decompressed, the environment never read.
"""

import asyncio
from collections.abc import AsyncIterator

import httpx
import msgspec

from .dial import Dial, Origin, dialer
from .exchange import Head
from .pool import Pool, open_pool
from .serialise import serialise
from .wire import Wire

_PORTS = {"http": 80, "https": 443}


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """How long each step may take, in seconds. None means as long as the caller's deadline."""

    connect: float | None = 10.0
    head: float | None = 30.0
    idle: float | None = 30.0
    keep: float = 15.0


class FastTransport(httpx.AsyncBaseTransport):
    """HTTP/1.1 with keep-alive. One per composition; safe to cancel at any await."""

    def __init__(
        self, *, times: Times | None = None, most: int = 512, dial: Dial | None = None
    ) -> None:
        """Hold at most ``most`` connections at once; further requests wait their turn."""
        self._times = times or Times()
        self._most = most
        self._dial = dial or dialer(self._times.connect)
        self._pool: Pool | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send ``request``; the body is streamed. Raises httpx's exceptions only."""
        message = serialise(request, await _body_of(request))
        origin = _origin(request.url)
        pool = self._pool
        if pool is None or pool.loop is not asyncio.get_running_loop():
            # The first request, or a second asyncio.run: each loop has connections of its own.
            pool = self._pool = await open_pool(self._most)
        await pool.enter()
        try:
            wire, head = await self._exchange(pool, origin, message)
        except BaseException:
            pool.leave()
            raise
        wire.watch_body(self._times.idle)
        body = _Body(wire, pool, origin, self._times.keep)
        return httpx.Response(head.status, headers=head.headers, stream=body, request=request)

    async def aclose(self) -> None:
        """Close every idle connection at once, and the others as they are given back."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    async def _exchange(self, pool: Pool, origin: Origin, message: bytes) -> tuple[Wire, Head]:
        kept = pool.take(origin)
        if kept is not None:
            try:
                return kept, await self._ask(kept, message)
            except httpx.ReadError:
                # The server closed a kept connection just as we used it. Nothing of an answer
                # came, so asking once more on a fresh one asks only once in effect.
                if kept.exchange is None or kept.exchange.received:
                    raise
        pool.make_room()
        wire = await self._dial(origin)
        return wire, await self._ask(wire, message)

    async def _ask(self, wire: Wire, message: bytes) -> Head:
        try:
            return await wire.send(message, self._times.head)
        except BaseException:
            wire.close()
            raise


class _Body(httpx.AsyncByteStream):
    """The body of one answer; closing it gives the connection back or ends it."""

    def __init__(self, wire: Wire, pool: Pool, origin: Origin, keep: float) -> None:
        self._wire = wire
        self._pool = pool
        self._origin = origin
        self._keep = keep
        self._open = True

    # An iterator and no generator: the loop keeps book of every asynchronous generator.
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        exchange = self._wire.exchange
        chunk = None if exchange is None else await exchange.next_chunk()
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        if self._open:
            self._open = False
            self._pool.leave()
            self._pool.give_back(self._origin, self._wire, self._keep)


async def _body_of(request: httpx.Request) -> bytes:
    # Nearly every body is in memory already, and taken from there without httpx's detour.
    if isinstance(request.stream, httpx.ByteStream):
        return b"".join(request.stream)
    return await request.aread()


def _origin(url: httpx.URL) -> Origin:
    scheme = url.scheme
    if scheme not in _PORTS:
        message = "only http and https are spoken here"
        raise httpx.UnsupportedProtocol(message)
    return Origin(scheme, url.raw_host.decode("ascii"), url.port or _PORTS[scheme])
