"""A fast httpx transport on asyncio and httptools, with a pool whose steps cost O(1).

httpcore's pool scans every connection for every request, so its cost per call grows with the
number of concurrent calls; this one pops a connection off a stack. It never follows redirects,
decompresses bodies or reads the environment.
"""

import asyncio
import functools
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import cast

import httpx
import msgspec

from .body import WireBody, WireResponse
from .connection import Connection
from .dial import Dial, DialRules, make_dialer, proxy_error
from .error_mapping import DialRefused
from .exchange import Exchange, ResponseHead
from .request_writing import HttpOrigin, WrittenRequest, serialise_request, url_origin


class ConnectionPool:
    """A bounded number of connections, idle and in use; every step costs O(1)."""

    def __init__(self, max_connections: int) -> None:
        """Start without connections, for the running event loop."""
        self.loop = asyncio.get_running_loop()
        self._max_connections = max_connections
        self._used_slots = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._idle: dict[HttpOrigin, list[Connection]] = {}
        # Every idle connection again, the longest idle one first.
        self._idle_origins: dict[Connection, HttpOrigin] = {}
        self._closed = False
        self.ending: AsyncIterator[None] | None = None

    @property
    def resting(self) -> int:
        """The number of idle connections."""
        return len(self._idle_origins)

    def try_take_slot(self) -> bool:
        """Take a slot for one more request; return False if the pool is full."""
        if self._used_slots >= self._max_connections:
            return False
        self._used_slots += 1
        return True

    async def wait_for_slot(self) -> None:
        """Wait for a slot, first come, first served."""
        slot = self.loop.create_future()
        self._queue.append(slot)
        try:
            await slot
        except asyncio.CancelledError:
            # Cancelled just after the slot was granted: pass it on.
            if not slot.cancelled():
                self.release_slot()
            raise

    def release_slot(self) -> None:
        """Release a slot, to the next waiting request if there is one."""
        while self._queue:
            slot = self._queue.popleft()
            if not slot.done():
                slot.set_result(None)
                return
        self._used_slots -= 1

    def take_idle(self, origin: HttpOrigin) -> Connection | None:
        """Return the most recently used idle connection to an origin; None if there is none."""
        idle = self._idle.get(origin)
        if idle is None:
            return None
        connection = idle.pop()
        if not idle:
            del self._idle[origin]
        del self._idle_origins[connection]
        connection.leave_idle()
        return connection

    def make_room(self) -> None:
        """Close the longest idle connections until one more may be opened."""
        while (
            self._idle_origins
            and self._used_slots + len(self._idle_origins) > self._max_connections
        ):
            next(iter(self._idle_origins)).close()

    def return_connection(self, origin: HttpOrigin, wire: Connection, keep: float) -> None:
        """Release the slot; keep a connection whose response was read completely, else close it."""
        self.release_slot()
        exchange = wire.exchange
        if wire.closed or exchange is None:
            return
        if self._closed or not exchange.keep_alive:
            wire.close()
            return
        self._idle.setdefault(origin, []).append(wire)
        self._idle_origins[wire] = origin
        wire.become_idle(keep, self._forget_idle_connection)

    def close(self) -> None:
        """Close idle connections now, and the others when they are returned."""
        self._closed = True
        while self._idle_origins:
            next(iter(self._idle_origins)).close()

    def _forget_idle_connection(self, wire: Connection) -> None:
        """Remove a connection that closed while it was idle."""
        origin = self._idle_origins.pop(wire)
        idle = self._idle[origin]
        idle.remove(wire)
        if not idle:
            del self._idle[origin]


async def open_pool(max_connections: int) -> ConnectionPool:
    """Return a pool that closes itself when its event loop is shut down."""
    pool = ConnectionPool(max_connections)
    pool.ending = _close_pool_with_loop(pool)
    await anext(pool.ending)
    return pool


async def _close_pool_with_loop(pool: ConnectionPool) -> AsyncIterator[None]:
    # asyncio.run closes open async generators at its end, and this one then closes the pool.
    # Otherwise connections would outlive their loop, and Python would warn about each.
    try:
        yield
    finally:
        pool.close()


class TransportTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Time limits of each step in seconds; None leaves it to the caller's deadline.

    A caller with a deadline for the whole call needs no other: a shorter one would cut its time.
    """

    connect: float | None = 10.0
    head: float | None = None
    idle: float | None = None
    keep: float = 15.0


class FastTransport(httpx.AsyncBaseTransport):
    """HTTP/1.1 with keep-alive. One per composition; safe to cancel at any await."""

    def __init__(
        self,
        *,
        times: TransportTimes | None = None,
        max_connections: int = 512,
        dial: Dial | None = None,
        rules: DialRules = DialRules(),  # noqa: B008  immutable
        on_write: Callable[[], None] | None = None,
    ) -> None:
        """Open at most ``max_connections`` connections; further requests wait in a queue.

        ``rules`` decide what may be dialled and through which proxy, unless ``dial`` is given.
        ``on_write`` is called, in the task of the request, as its bytes go to a connection: before
        that no server got it, and after that only an answer tells. Requests that are counted so
        are written once; without it, one that a closing connection lost is written again.
        """
        self.on_write = on_write
        self._times = times or TransportTimes()
        self._max_connections = max_connections
        self._dial = dial or make_dialer(self._times.connect, rules=rules)
        self._pool: ConnectionPool | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send ``request``; the body is streamed. Raises httpx's exceptions only."""
        ready_bytes = request.ready() if isinstance(request, WrittenRequest) else None
        message, origin = ready_bytes or await _serialise_httpx_request(request)
        pool = self._pool
        if pool is None or pool.loop is not asyncio.get_running_loop():
            # The first request, or a second asyncio.run: each loop has its own connections.
            pool = self._pool = await open_pool(self._max_connections)
        if not pool.try_take_slot():
            await pool.wait_for_slot()
        try:
            connection, (status, lines) = await self._send_message(pool, origin, message)
        except BaseException:
            pool.release_slot()
            raise
        connection.watch_body(self._times.idle)
        give_back = functools.partial(pool.return_connection, origin, connection, self._times.keep)
        if status == httpx.codes.PROXY_AUTHENTICATION_REQUIRED and connection.forward is not None:
            connection.close()
            pool.release_slot()
            raise DialRefused(proxy_error(connection.forward.setting, status, ""))
        exchange = cast("Exchange", connection.exchange)
        return WireResponse(status, lines, WireBody(exchange, give_back), request)

    async def aclose(self) -> None:
        """Close idle connections now, and the others when they are returned."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    async def _send_message(
        self, pool: ConnectionPool, origin: HttpOrigin, message: bytes
    ) -> tuple[Connection, ResponseHead]:
        """Send a request and await its head, on an idle connection or a new one."""
        connection = pool.take_idle(origin)
        if connection is not None:
            if self.on_write is not None:
                self.on_write()
            try:
                return connection, await connection.send(message, self._times.head)
            except BaseException as error:
                connection.close()
                # The server closed an idle connection just as we used it, which RFC 9112, 9.5
                # allows. No byte of a response came, so a retry on a new connection is safe.
                # It may have read the request all the same: who counts requests retries himself.
                is_lost = isinstance(error, httpx.ReadError) and not connection.has_received_bytes()
                if not is_lost or self.on_write is not None:
                    raise
        pool.make_room()
        connection = await self._dial(origin)
        if self.on_write is not None:
            self.on_write()
        try:
            return connection, await connection.send(message, self._times.head)
        except BaseException:
            connection.close()
            raise


async def _serialise_httpx_request(request: httpx.Request) -> tuple[bytes, HttpOrigin]:
    # Nearly every body is already in memory, so skip httpx's slower aread.
    if isinstance(request.stream, httpx.ByteStream):
        body = b"".join(request.stream)
    else:
        body = await request.aread()
    return serialise_request(request, body), url_origin(request.url)
