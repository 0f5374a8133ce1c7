"""One connection: sends a request, feeds the answer to an exchange, watches the clock."""

import asyncio
import threading
from collections.abc import Callable
from typing import NamedTuple, cast

import httpx

from .error_mapping import BodyStalled
from .exchange import Exchange, ResponseHead


class LoopAlarm:
    """One alarm over one timer of the loop.

    The timer is left running when the alarm is stopped or set to a later time; when it runs out
    it looks for itself what is due. So most calls on a connection never touch the loop's timers.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin with nothing set."""
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._ring: Callable[[], None] | None = None

    def set(self, seconds: float, ring: Callable[[], None]) -> None:
        """Call ``ring`` after so many seconds, in place of whatever was set before."""
        self._due, self._ring = self._loop.time() + seconds, ring
        if self._timer is None or self._timer.when() > self._due:
            self._start()

    def stop(self) -> None:
        """Do not ring."""
        self._ring = None

    def end(self) -> None:
        """Do not ring, and leave nothing in the loop."""
        self._ring = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._run_out)

    def _run_out(self) -> None:
        self._timer = None
        ring = self._ring
        if ring is None:
            return
        if self._loop.time() < self._due:
            self._start()
            return
        self._ring = None
        ring()


_BUFFER_BYTES = 64 * 1024


class _Receiver(threading.local):
    """Where bytes are put down on their way to a parser: one for all connections of a thread.

    Each is fed to its exchange before the next connection is read. Without it asyncio allocates,
    and gives back, a quarter of a megabyte for every read.
    """

    def __init__(self) -> None:
        self.buffer = memoryview(bytearray(_BUFFER_BYTES))


_RECEIVER = _Receiver()


class ForwardProxy(NamedTuple):
    """A proxy that passes plain requests on; ``setting`` names it."""

    setting: str
    origin: bytes
    credentials: bytes

    def rewrite(self, request: bytes) -> bytes:
        """Write the whole URL into the first line, and who we are for the proxy alone."""
        method, path, rest = request.split(b" ", 2)
        version, lines = rest.split(b"\r\n", 1)
        proof = b"Proxy-Authorization: %b\r\n" % self.credentials if self.credentials else b""
        return b"%b %b%b %b\r\n%b%b" % (method, self.origin, path, version, proof, lines)


class Connection(asyncio.BufferedProtocol):
    """An open connection that carries one exchange at a time."""

    def __init__(self) -> None:
        """Wait for the connection."""
        self.loop = asyncio.get_running_loop()
        self.exchange: Exchange | None = None
        self.closed = False
        self.forward: ForwardProxy | None = None
        self._transport: asyncio.Transport | None = None
        self._paused = False
        self._alarm = LoopAlarm(self.loop)
        self._last_byte = 0.0
        self._idle = 0.0
        self._gone: Callable[[Connection], None] | None = None

    # -- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002  one size for all
        """Lend the buffer that is read into."""
        return _RECEIVER.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Feed the exchange; bytes that nobody asked for end the connection."""
        exchange = self.exchange
        if exchange is None or exchange.is_over():
            self.close()
            return
        self._last_byte = self.loop.time()
        exchange.feed(_RECEIVER.buffer[:nbytes])
        if exchange.is_over():
            self._alarm.stop()
        elif exchange.wants_pause and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        """Let the transport close itself."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  why does not matter
        """Tell the exchange that nothing more will come."""
        self._leave()
        if self.exchange is not None:
            self.exchange.feed_eof()

    # -- the transport's side

    def send(self, request: bytes, within: float | None) -> "asyncio.Future[ResponseHead]":
        """Send one request; the head must be complete within that many seconds."""
        exchange = self.exchange = Exchange(self.loop, self._resume)
        if self._transport is None or self.closed:
            exchange.feed_eof()
            return exchange.head
        if within is not None:
            self._alarm.set(within, self._expire_head)
        self._transport.write(request if self.forward is None else self.forward.rewrite(request))
        return exchange.head

    async def ask(self, request: bytes, within: float | None) -> Exchange:
        """Send one request; return its exchange when the head is complete."""
        await self.send(request, within)
        return cast("Exchange", self.exchange)

    def watch_body(self, idle: float | None) -> None:
        """From now on fail when no byte comes for ``idle`` seconds."""
        self._alarm.stop()
        if idle is not None and self.exchange is not None and not self.exchange.is_over():
            self._idle, self._last_byte = idle, self.loop.time()
            self._alarm.set(idle, self._check_idle)

    def has_heard(self) -> bool:
        """Tell whether any byte of an answer to the last request came."""
        return self.exchange is None or self.exchange.received > 0

    def rest(self, seconds: float, gone: "Callable[[Connection], None]") -> None:
        """Close by itself when nobody uses the connection for that long.

        ``gone`` is told when it closes, for that reason or any other, before it is taken up again.
        """
        self.exchange = None
        self._gone = gone
        self._alarm.set(seconds, self.close)

    def take_up(self) -> None:
        """Stop every clock: the connection is about to be used."""
        self._gone = None
        self._alarm.stop()

    def close(self) -> None:
        """Close at once; an exchange under way fails."""
        self._leave()
        if self._transport is not None:
            self._transport.abort()

    # -- inside

    def _leave(self) -> None:
        self.closed = True
        self._alarm.end()
        if self._gone is not None:
            gone, self._gone = self._gone, None
            gone(self)

    def _check_idle(self) -> None:
        # A paused wire is quiet because the reader is slow, not the server.
        quiet = 0.0 if self._paused else self.loop.time() - self._last_byte
        if quiet >= self._idle:
            self._expire(BodyStalled("the body stopped coming"))
        else:
            self._alarm.set(self._idle - quiet, self._check_idle)

    def _expire_head(self) -> None:
        self._expire(httpx.ReadTimeout("no head in time"))

    def _expire(self, error: httpx.TransportError) -> None:
        if self.exchange is not None:
            self.exchange.fail(error)
        self.close()

    def _resume(self) -> None:
        if self._paused and not self.closed and self._transport is not None:
            self._paused = False
            self._last_byte = self.loop.time()
            self._transport.resume_reading()
