"""The fast transport: httpx's seam on asyncio and httptools, with a pool that costs O(1).

httpcore's pool looks at every connection for every request, so its cost per call grows with the
number of calls at once; this one pops a connection off a stack. Redirects are never followed,
bodies never decompressed, the environment never read.
"""

import asyncio
import functools
from collections import deque
from collections.abc import AsyncIterator

import httpx
import msgspec

from .body import WireBody
from .connection import Connection
from .dial import Dial, DialRules, make_dialer, proxy_error
from .error_mapping import DialRefused
from .exchange import Exchange
from .request_writing import HostPort, WrittenRequest, serialise_request, url_origin


class ConnectionPool:
    """At most so many connections, resting and in use together; every step costs O(1)."""

    def __init__(self, max_connections: int) -> None:
        """Begin with none, for the running event loop."""
        self.loop = asyncio.get_running_loop()
        self._most = max_connections
        self._busy = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._idle: dict[HostPort, list[Connection]] = {}
        # Every resting connection once more, the one that has rested longest first.
        self._resting: dict[Connection, HostPort] = {}
        self._closed = False
        self.ending: AsyncIterator[None] | None = None

    @property
    def resting(self) -> int:
        """How many connections wait to be used again."""
        return len(self._resting)

    def enter_at_once(self) -> bool:
        """Let one more request be under way, if there is room."""
        if self._busy >= self._most:
            return False
        self._busy += 1
        return True

    async def enter_in_turn(self) -> None:
        """Wait until one more request may be under way; whoever came first is first."""
        turn = self.loop.create_future()
        self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # Given a turn and cancelled in one go: somebody else can use it.
            if not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Hand our turn to the next request, or to nobody."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._busy -= 1

    def take(self, origin: HostPort) -> Connection | None:
        """Return the connection that was used last, if one rests for this origin."""
        idle = self._idle.get(origin)
        if idle is None:
            return None
        wire = idle.pop()
        if not idle:
            del self._idle[origin]
        del self._resting[wire]
        wire.take_up()
        return wire

    def make_room(self) -> None:
        """Close what has rested longest, until one more connection may be opened."""
        while self._resting and self._busy + len(self._resting) > self._most:
            next(iter(self._resting)).close()

    def give_back(self, origin: HostPort, wire: Connection, keep: float) -> None:
        """End a turn: keep a connection whose answer was read to its end, close any other."""
        self.leave()
        exchange = wire.exchange
        if wire.closed or exchange is None:
            return
        if self._closed or not exchange.keep_alive:
            wire.close()
            return
        self._idle.setdefault(origin, []).append(wire)
        self._resting[wire] = origin
        wire.rest(keep, self._forget)

    def close(self) -> None:
        """Close what rests; what is in use is closed when it is given back."""
        self._closed = True
        while self._resting:
            next(iter(self._resting)).close()

    def _forget(self, wire: Connection) -> None:
        """Drop a connection that closed while it rested, and its origin with the last one."""
        origin = self._resting.pop(wire)
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
    # asyncio.run closes the async generators that are still open. This one stays open for that:
    # otherwise connections would outlive their loop, and Python would warn of each.
    try:
        yield
    finally:
        pool.close()


# The fast transport: httpx's seam on asyncio and httptools, with a pool that costs O(1).


class TransportTimes(msgspec.Struct, frozen=True, kw_only=True):
    """How long each step may take, in seconds. None means as long as the caller's deadline."""

    connect: float | None = 10.0
    head: float | None = 30.0
    idle: float | None = 30.0
    keep: float = 15.0


class FastTransport(httpx.AsyncBaseTransport):
    """HTTP/1.1 with keep-alive. One per composition; safe to cancel at any await."""

    def __init__(
        self,
        *,
        times: TransportTimes | None = None,
        max_connections: int = 512,
        dial: Dial | None = None,
        rules: DialRules = DialRules(),  # noqa: B008  it holds nothing that changes
    ) -> None:
        """Hold at most ``max_connections`` connections at once; further requests wait their turn.

        ``rules`` decides what may be dialled and through which proxy, unless ``dial`` does.
        """
        self._times = times or TransportTimes()
        self._most = max_connections
        self._dial = dial or make_dialer(self._times.connect, rules=rules)
        self._pool: ConnectionPool | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send ``request``; the body is streamed. Raises httpx's exceptions only."""
        ready = request.ready() if isinstance(request, WrittenRequest) else None
        message, origin = ready or await _serialise_streamed_request(request)
        pool = self._pool
        if pool is None or pool.loop is not asyncio.get_running_loop():
            # The first request, or a second asyncio.run: each loop has connections of its own.
            pool = self._pool = await open_pool(self._most)
        if not pool.enter_at_once():
            await pool.enter_in_turn()
        try:
            wire, exchange = await self._ask(pool, origin, message)
        except BaseException:
            pool.leave()
            raise
        wire.watch_body(self._times.idle)
        give_back = functools.partial(pool.give_back, origin, wire, self._times.keep)
        status, headers = exchange.head.result()
        if status == httpx.codes.PROXY_AUTHENTICATION_REQUIRED and wire.forward is not None:
            wire.close()
            pool.leave()
            raise DialRefused(proxy_error(wire.forward.setting, status, ""))
        body = WireBody(exchange, give_back)
        return httpx.Response(status, headers=headers, stream=body, request=request)

    async def aclose(self) -> None:
        """Close every idle connection at once, and the others as they are given back."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    async def _ask(
        self, pool: ConnectionPool, origin: HostPort, message: bytes
    ) -> tuple[Connection, Exchange]:
        """Send a request and await its head, on a connection that rested or on a new one."""
        wire = pool.take(origin)
        if wire is not None:
            try:
                return wire, await wire.ask(message, self._times.head)
            except BaseException as error:
                wire.close()
                # The server closed a kept connection just as we used it. Nothing of an answer
                # came, so asking once more on a fresh one asks only once in effect. RFC 9112, 9.5:
                # a server may close an idle connection while a request is on its way.
                if not isinstance(error, httpx.ReadError) or wire.has_heard():
                    raise
        pool.make_room()
        wire = await self._dial(origin)
        try:
            return wire, await wire.ask(message, self._times.head)
        except BaseException:
            wire.close()
            raise


async def _serialise_streamed_request(request: httpx.Request) -> tuple[bytes, HostPort]:
    # Nearly every body is in memory already, and taken from there without httpx's detour.
    if isinstance(request.stream, httpx.ByteStream):
        body = b"".join(request.stream)
    else:
        body = await request.aread()
    return serialise_request(request, body), url_origin(request.url)
