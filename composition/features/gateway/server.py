"""The gateway on uvicorn: sockets and signals.

SIGHUP asks for a reload, and its default is to end the process. ``hold_reload_signal`` blocks it
from the start of the command on. One that comes before there is a handler waits, and counts then.
"""

import asyncio
import select
import signal
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

import uvicorn

from .gateway import Gateway
from .protocol import KEEP_ALIVE_SECONDS, BoundedProtocol
from .settings import ServeSettings
from .worker_channel import WorkerChannel

_BACKLOG = 2048
_MAX_OPEN_FILES = 65_536
_MAX_ACCEPT_SECONDS = 5.0


class GatewayServer(uvicorn.Server):
    """A uvicorn server that exits with 0 on SIGTERM and reads the settings again on SIGHUP.

    A worker, which has a ``channel``, gets its settings there, and ignores SIGHUP.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        gateway: Gateway,
        ready: Callable[[], None],
        channel: WorkerChannel | None,
    ) -> None:
        super().__init__(config)
        self._gateway, self._tell_ready, self._channel = gateway, ready, channel

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals on the event loop where the system allows it."""
        loop = asyncio.get_running_loop()
        names = ("SIGINT", "SIGTERM", "SIGHUP") if self._channel is None else ("SIGINT", "SIGTERM")
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        try:
            for number in numbers:
                loop.add_signal_handler(number, self.handle_exit, number, None)
        except (NotImplementedError, RuntimeError, ValueError):
            # Windows, or a thread that is not the main one: leave signals to uvicorn.
            with super().capture_signals():
                yield
            return
        _release_reload_signal()
        try:
            yield
        finally:
            for number in numbers:
                with suppress(ValueError, RuntimeError):
                    loop.remove_signal_handler(number)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Reload the settings on SIGHUP; end on other signals."""
        if sig == getattr(signal, "SIGHUP", None):
            self._gateway.request_reload()
            return
        self._gateway.drain()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept the connections that wait, stop listening, and end as uvicorn does."""
        # uvloop accepts one connection in a turn, and the system resets those left at the end.
        end = time.monotonic() + min(
            _MAX_ACCEPT_SECONDS, self.config.timeout_graceful_shutdown or 0
        )
        while time.monotonic() < end and select.select(sockets or [], [], [], 0)[0]:  # noqa: ASYNC110  no event
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()
        for connection in self.server_state.connections:
            connection.shutdown()
        # Connections that were just accepted begin meanwhile; uvicorn ends these.
        await asyncio.sleep(0.1)
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, then call ``ready``."""
        if self._channel is not None:
            self._gateway.obey(self._channel)
        await super().startup(sockets)
        self._tell_ready()


@contextmanager
def hold_reload_signal() -> Iterator[None]:
    """Block SIGHUP until there is a handler; no-op where the system has no such signal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _release_reload_signal() -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])


def open_certificate(settings: ServeSettings) -> ssl.SSLContext | None:
    """Read the certificate, which was checked, once for all workers; None without one.

    A worker that is started again has it from its supervisor: the files may be half renewed.
    """
    if settings.certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings.certificate, settings.certificate_key)
    return context


def open_worker_listener() -> socket.socket:
    """Return a socket for the other workers of this machine."""
    return socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)


def run_gateway(
    gateway: Gateway,
    settings: ServeSettings,
    bound: Sequence[socket.socket],
    ready: Callable[[], None],
    *,
    certificate: ssl.SSLContext | None = None,
    channel: WorkerChannel | None = None,
) -> None:
    """Serve until a signal; running calls then have ``drain`` seconds to end."""
    _raise_open_file_limit()
    config = uvicorn.Config(
        gateway,
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=int(settings.drain),
        backlog=_BACKLOG,
    )
    config.load()
    config.ssl = certificate
    GatewayServer(config, gateway, ready, channel).run(sockets=list(bound))


def _raise_open_file_limit() -> None:
    """Raise the limit of open files, because each connection uses one."""
    try:
        import resource  # noqa: PLC0415  not on Windows
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    max_files = _MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < max_files:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, hard))
