"""The faulty server: its ports, its lifecycle and its counts."""

import asyncio
import contextlib
import socket
import ssl
import threading
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Self, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from webseam.adapters.server_shutdown import close_server

from .catalogue import FAULTS, fault_play
from .conversation import Conversation
from .listeners import CERTIFICATE, PORT_HANDLERS, PortHandler, fault_server_tls, serve_canary

# A client may cause these errors at any time; the server ignores them.
_CLIENT_ERRORS = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError)


async def read_faulty_request(
    server: "FaultyServer", reader: StreamReader, writer: StreamWriter
) -> Conversation:
    """Return the request on the connection; raise ValueError if it is no HTTP."""
    line, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _version = line.split(" ", 2)
    named = (header.partition(":") for header in rest if header)
    headers = [(name.strip().lower(), value.strip()) for name, _, value in named]
    length = next((value for name, value in headers if name == "content-length"), "0")
    parts = urlsplit(target)
    return Conversation(
        server=server,
        reader=reader,
        writer=writer,
        method=method,
        target=target,
        path=parts.path,
        query=dict(parse_qsl(parts.query, keep_blank_values=True)),
        headers=headers,
        body=await reader.readexactly(int(length)),
    )


class FaultyServer:
    """Serves every fault inside ``async with``.

    ``hits`` counts requests by path, ``canary_hits`` requests to the canary, ``open_now`` open
    connections; ``sni`` holds the names that TLS clients requested. A TLS client must trust
    ``ca_pem``. ``speed`` multiplies every delay.
    """

    ca_pem = CERTIFICATE

    def __init__(self, host: str = "127.0.0.1", port: int = 0, speed: float = 1.0) -> None:
        """Serve the faults on ``port`` (0 for any free one); the other ports are always free."""
        self.host, self.speed = host, speed
        self.ports: dict[str, int] = {}
        self.hits: Counter[str] = Counter()
        self.counters: Counter[tuple[str, str]] = Counter()
        self.sni: list[str | None] = []
        self.open_now = 0
        self.open_peak = 0
        self.canary_hits = 0
        self._port = port
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def authority(self) -> str:
        """Host and port of the faults."""
        return f"{self.host}:{self.ports['main']}"

    @property
    def canary(self) -> str:
        """Host and port of the canary, a service that no client may reach."""
        return f"{self.host}:{self.ports['canary']}"

    def url(self, name: str, host: str | None = None, **query: object) -> str:
        """Return the URL of a fault, with another host name if one is given."""
        fault = FAULTS[name]
        path = fault.path or f"/{fault.name}"
        question = f"?{urlencode(query)}" if query else ""
        return f"{fault.scheme}://{host or self.host}:{self.ports[fault.port]}{path}{question}"

    def reset(self) -> None:
        """Reset the counts; connections stay open."""
        self.hits.clear()
        self.counters.clear()
        self.sni.clear()
        self.open_peak = self.canary_hits = 0

    async def idle(self, within: float = 10.0) -> bool:
        """Wait at most ``within`` seconds; tell whether all connections are closed."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within)
        return not self._tasks

    async def __aenter__(self) -> Self:
        await self._listen_on_port("main", self._serve_fault, self._port)
        await self._listen_on_port("canary", self._serve_counted_canary)
        for name, handler in PORT_HANDLERS.items():
            await self._listen_on_port(name, handler)
        await self._listen_on_port("tls", self._serve_fault, tls=fault_server_tls(self.sni.append))
        # A bound port without a listener: connections are refused, and no process can take it.
        self._refusing = socket.socket()
        self._refusing.bind((self.host, 0))
        self.ports["refused"] = self._refusing.getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._refusing.close()
        await asyncio.gather(*map(close_server, self._servers))
        for task in self._tasks:
            task.cancel()
        await self.idle()

    async def _listen_on_port(
        self, name: str, handler: PortHandler, port: int = 0, tls: ssl.SSLContext | None = None
    ) -> None:
        async def attend(reader: StreamReader, writer: StreamWriter) -> None:
            await self._attend_connection(handler, reader, writer)

        server = await asyncio.start_server(
            attend, self.host, port, ssl=tls, limit=1 << 17, backlog=512
        )
        self.ports[name] = server.sockets[0].getsockname()[1]
        self._servers.append(server)

    async def _attend_connection(
        self, handler: PortHandler, reader: StreamReader, writer: StreamWriter
    ) -> None:
        if (task := asyncio.current_task()) is None:
            return
        self._tasks.add(task)
        self.open_now += 1
        self.open_peak = max(self.open_peak, self.open_now)
        try:
            with contextlib.suppress(*_CLIENT_ERRORS):
                await handler(reader, writer)
            writer.close()
        except asyncio.CancelledError:
            # The server stops, so no client will read the rest.
            writer.transport.abort()
        finally:
            self.open_now -= 1
            self._tasks.discard(task)

    async def _serve_fault(self, reader: StreamReader, writer: StreamWriter) -> None:
        talk = await read_faulty_request(self, reader, writer)
        name = talk.path.strip("/")
        self.hits[name] += 1
        await fault_play(name)(talk)

    async def _serve_counted_canary(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.canary_hits += 1
        await serve_canary(reader, writer)


_RunningServer: TypeAlias = tuple[FaultyServer, asyncio.AbstractEventLoop, asyncio.Event]


@contextmanager
def faulty_server_thread(host: str = "127.0.0.1", speed: float = 1.0) -> Iterator[FaultyServer]:
    """Run a faulty server in the background until the block ends."""
    started: Future[_RunningServer] = Future()
    thread = threading.Thread(target=_run_thread, args=(host, speed, started), daemon=True)
    thread.start()
    server, loop, stop = started.result(timeout=10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(timeout=10)


def _run_thread(host: str, speed: float, started: "Future[_RunningServer]") -> None:
    async def serve() -> None:
        async with FaultyServer(host, speed=speed) as server:
            stop = asyncio.Event()
            started.set_result((server, asyncio.get_running_loop(), stop))
            await stop.wait()

    try:
        asyncio.run(serve())
    except OSError as error:
        started.set_exception(error)
