"""The gateway on uvicorn: sockets, signals, and how long a caller may take over a head."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..settings.schema import ServeSettings
from .app import Gateway

_SILENT_SECONDS = 75
_HEAD_SECONDS = 20.0
_HEAD_BYTES = 64 * 1024
_BACKLOG = 2048
_FILES = 65_536
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"connection: close\r\ncontent-length: 0\r\n\r\n"
)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with an end to heads, in time and size; its own waits for ever."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as uvicorn has it
        super().__init__(*arguments, **options)
        self._head_bytes = 0
        self._in_head = True
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  as uvicorn has it
        """Wait for the first byte, not for ever."""
        super().connection_made(transport)
        self._wait(_SILENT_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what comes before the head is whole."""
        super().data_received(data)
        if not self._in_head:
            return
        self._head_bytes += len(data)
        if self._head_bytes > _HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        """Begin to wait for a whole head."""
        self._in_head, self._head_bytes = True, 0
        self._wait(_HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Have the head."""
        self._in_head = False
        self._stop_waiting()
        super().on_headers_complete()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._waiting = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


class GatewayServer(uvicorn.Server):
    """uvicorn that ends with 0 when it is told to end, and reads settings again on a SIGHUP."""

    def __init__(self, config: uvicorn.Config, gateway: Gateway, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._gateway = gateway
        self._tell_ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear the signals on the loop, where it can."""
        loop = asyncio.get_running_loop()
        names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        numbers = [getattr(signal, name) for name in names]
        try:
            for number in numbers:
                loop.add_signal_handler(number, self.handle_exit, number, None)
        except (NotImplementedError, RuntimeError, ValueError):
            # Windows, or a thread that is not the main one: uvicorn has its own way, or none.
            with super().capture_signals():
                yield
            return
        try:
            yield
        finally:
            for number in numbers:
                with suppress(ValueError, RuntimeError):
                    loop.remove_signal_handler(number)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, or read the settings again."""
        if sig == getattr(signal, "SIGHUP", None):
            self._gateway.reload()
            return
        self._gateway.drain()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and tell so."""
        await super().startup(sockets)
        self._tell_ready()


def listen_privately() -> socket.socket:
    """Return a socket for the other workers of this machine."""
    return socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)


def run(
    gateway: Gateway,
    settings: ServeSettings,
    bound: Sequence[socket.socket],
    ready: Callable[[], None],
) -> None:
    """Serve until a signal ends it: what is under way has ``drain`` seconds to come to its end."""
    _allow_many_connections()
    config = uvicorn.Config(
        gateway,
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_SILENT_SECONDS,
        timeout_graceful_shutdown=int(settings.drain),
        backlog=_BACKLOG,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.certificate_key,
    )
    GatewayServer(config, gateway, ready).run(sockets=list(bound))


def _allow_many_connections() -> None:
    """Have as many files open as the system lets us, for each connection is one."""
    try:
        import resource  # noqa: PLC0415  not on Windows
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
