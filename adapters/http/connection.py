"""One HTTP connection: sends requests, feeds responses to an exchange, enforces time limits."""

import asyncio
import threading
from collections.abc import Callable
from typing import NamedTuple, cast

import httpx

from .error_mapping import BodyStalled
from .exchange import Exchange, ResponseHead

_BUFFER_BYTES = 64 * 1024


class LoopAlarm:
    """One alarm on one timer of the loop.

    The timer keeps running when the alarm is stopped or set to a later time; when it fires, it
    checks what is due. So most calls on a connection never touch the loop's timers.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start with no alarm set."""
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._ring: Callable[[], None] | None = None

    def set(self, seconds: float, ring: Callable[[], None]) -> None:
        """Call ``ring`` after ``seconds``, instead of any earlier alarm."""
        self._due, self._ring = self._loop.time() + seconds, ring
        if self._timer is None or self._timer.when() > self._due:
            self._start_timer()

    def stop(self) -> None:
        """Stop the alarm; the timer may stay in the loop."""
        self._ring = None

    def end(self) -> None:
        """Stop the alarm and cancel its timer."""
        self._ring = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._ring_if_due)

    def _ring_if_due(self) -> None:
        self._timer = None
        ring = self._ring
        if ring is None:
            return
        if self._loop.time() < self._due:
            self._start_timer()
            return
        self._ring = None
        ring()


class _ReadBuffer(threading.local):
    """A read buffer for all connections of a thread.

    Its bytes are fed to an exchange before the next connection is read. Without it asyncio
    allocates and frees a quarter of a megabyte for every read.
    """

    def __init__(self) -> None:
        self.buffer = memoryview(bytearray(_BUFFER_BYTES))


_READ_BUFFER = _ReadBuffer()


class ForwardProxy(NamedTuple):
    """A proxy that forwards plain HTTP requests; ``setting`` is where it is configured."""

    setting: str
    origin: bytes
    credentials: bytes

    def rewrite(self, request: bytes) -> bytes:
        """Put the full URL into the request line, and add the proxy's credentials."""
        method, path, rest = request.split(b" ", 2)
        version, lines = rest.split(b"\r\n", 1)
        proof = b"Proxy-Authorization: %b\r\n" % self.credentials if self.credentials else b""
        return b"%b %b%b %b\r\n%b%b" % (method, self.origin, path, version, proof, lines)


class Connection(asyncio.BufferedProtocol):
    """An open connection that carries one exchange at a time."""

    def __init__(self) -> None:
        """Start before the connection is made."""
        self.loop = asyncio.get_running_loop()
        self.exchange: Exchange | None = None
        self.closed = self._paused = False
        self.forward: ForwardProxy | None = None
        self._transport: asyncio.Transport | None = None
        self._alarm = LoopAlarm(self.loop)
        self._last_byte = self._idle_seconds = 0.0
        self._on_idle_close: Callable[[Connection], None] | None = None

    # -- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002  one size for all
        """Return the thread's read buffer."""
        return _READ_BUFFER.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Feed the exchange; bytes outside an exchange close the connection."""
        exchange = self.exchange
        if exchange is None or exchange.is_over():
            self.close()
            return
        self._last_byte = self.loop.time()
        exchange.feed(_READ_BUFFER.buffer[:nbytes])
        if exchange.is_over():
            self._alarm.stop()
            exchange.drop_parser()
        elif exchange.wants_pause and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        """Let the transport close itself."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  the reason does not matter
        """Report the end of the connection to the exchange."""
        self._mark_closed()
        if self.exchange is not None:
            self.exchange.feed_eof()

    # -- the transport's side

    def send(self, request: bytes, within: float | None) -> "asyncio.Future[ResponseHead]":
        """Send one request; the head must be complete within ``within`` seconds."""
        exchange = self.exchange = Exchange(self.loop, self._resume_reading)
        if self._transport is None or self.closed:
            exchange.feed_eof()
            return exchange.head
        if within is not None:
            self._alarm.set(within, self._expire_response_head)
        self._transport.write(request if self.forward is None else self.forward.rewrite(request))
        return exchange.head

    def watch_body(self, idle: float | None) -> None:
        """Fail from now on when no byte arrives for ``idle`` seconds."""
        self._alarm.stop()
        if idle is not None and self.exchange is not None and not self.exchange.is_over():
            self._idle_seconds, self._last_byte = idle, self.loop.time()
            self._alarm.set(idle, self._check_body_stall)

    def has_received_bytes(self) -> bool:
        """Tell whether any byte of the response to the last request arrived."""
        return self.exchange is None or self.exchange.received > 0

    def become_idle(self, seconds: float, gone: "Callable[[Connection], None]") -> None:
        """Become idle; close after ``seconds`` without use.

        ``gone`` is called when the connection closes for any reason before it is used again.
        """
        self.exchange = None
        self._on_idle_close = gone
        self._alarm.set(seconds, self.close)

    def leave_idle(self) -> None:
        """Leave the idle state: stop the alarm."""
        self._on_idle_close = None
        self._alarm.stop()

    def close(self) -> None:
        """Close at once; a running exchange fails."""
        self._mark_closed()
        if self._transport is not None:
            self._transport.abort()

    def _mark_closed(self) -> None:
        self.closed = True
        self._alarm.end()
        if self._on_idle_close is not None:
            gone, self._on_idle_close = self._on_idle_close, None
            gone(self)

    def _check_body_stall(self) -> None:
        # On a paused connection the reader is slow, not the server.
        quiet_seconds = 0.0 if self._paused else self.loop.time() - self._last_byte
        if quiet_seconds >= self._idle_seconds:
            self._fail_exchange(BodyStalled("the body stopped coming"))
        else:
            self._alarm.set(self._idle_seconds - quiet_seconds, self._check_body_stall)

    def _expire_response_head(self) -> None:
        self._fail_exchange(httpx.ReadTimeout("no head in time"))

    def _fail_exchange(self, error: httpx.TransportError) -> None:
        if self.exchange is not None:
            self.exchange.fail(error)
        self.close()

    def _resume_reading(self) -> None:
        if self._paused and not self.closed and self._transport is not None:
            self._paused = False
            self._last_byte = self.loop.time()
            self._transport.resume_reading()
