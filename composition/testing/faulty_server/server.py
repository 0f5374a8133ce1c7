"""The server itself: how it reads a request, its ports, its life, and what it counted."""

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

from ....adapters.server_shutdown import close_server
from .catalogue import FAULTS, fault_play
from .conversation import Conversation
from .listeners import CERTIFICATE, PORT_HANDLERS, PortHandler, serve_canary, server_context


async def read_request(
    server: "FaultyServer", reader: StreamReader, writer: StreamWriter
) -> Conversation:
    """Return the request that stands on the connection; what is no HTTP ends in ValueError."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head.split("\r\n")
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


# The server itself: its ports, its life, and what it counted.

# What a client may do to us at any moment; none of it is news.
_CLIENT_ERRORS = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError)


class FaultyServer:
    """Serves every fault while it is entered with ``async with``.

    ``hits`` counts requests by path, ``canary_hits`` those that reached the service nobody may
    reach, ``open_now`` the connections; ``sni`` holds the names that TLS clients asked for.
    Trust ``ca_pem`` to speak TLS with it. ``speed`` multiplies every delay.
    """

    ca_pem = CERTIFICATE

    def __init__(self, host: str = "127.0.0.1", port: int = 0, speed: float = 1.0) -> None:
        """Take a port for the faults (0 for any free one); the others are always free ones."""
        self.host = host
        self.speed = speed
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
        """Host and port of the service nobody may reach."""
        return f"{self.host}:{self.ports['canary']}"

    def url(self, name: str, host: str | None = None, **query: object) -> str:
        """Return where to meet a fault, under another host name if one is given."""
        fault = FAULTS[name]
        path = fault.path or f"/{fault.name}"
        question = f"?{urlencode(query)}" if query else ""
        return f"{fault.scheme}://{host or self.host}:{self.ports[fault.port]}{path}{question}"

    def reset(self) -> None:
        """Start counting anew; connections stay as they are."""
        self.hits.clear()
        self.counters.clear()
        self.sni.clear()
        self.open_peak = self.canary_hits = 0

    async def idle(self, within: float = 10.0) -> bool:
        """Wait until no connection is open, for so many seconds at most; tell whether it is so."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within)
        return not self._tasks

    async def __aenter__(self) -> Self:
        await self._listen("main", self._serve, self._port)
        await self._listen("canary", self._count_canary)
        for name, handler in PORT_HANDLERS.items():
            await self._listen(name, handler)
        await self._listen("tls", self._serve, tls=server_context(self.sni.append))
        # Taken, and nobody listens: whoever connects is refused, and nobody else can take it.
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

    async def _listen(
        self, name: str, handler: PortHandler, port: int = 0, tls: ssl.SSLContext | None = None
    ) -> None:
        async def attend(reader: StreamReader, writer: StreamWriter) -> None:
            await self._attend(handler, reader, writer)

        server = await asyncio.start_server(
            attend, self.host, port, ssl=tls, limit=1 << 17, backlog=512
        )
        self.ports[name] = server.sockets[0].getsockname()[1]
        self._servers.append(server)

    async def _attend(
        self, handler: PortHandler, reader: StreamReader, writer: StreamWriter
    ) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        self._tasks.add(task)
        self.open_now += 1
        self.open_peak = max(self.open_peak, self.open_now)
        try:
            with contextlib.suppress(*_CLIENT_ERRORS):
                await handler(reader, writer)
            writer.close()
        except asyncio.CancelledError:
            # The server stops: what is still to be written will never be read.
            writer.transport.abort()
        finally:
            self.open_now -= 1
            self._tasks.discard(task)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        talk = await read_request(self, reader, writer)
        name = talk.path.strip("/")
        self.hits[name] += 1
        await fault_play(name)(talk)

    async def _count_canary(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.canary_hits += 1
        await serve_canary(reader, writer)


# The server in a thread of its own, for tests that have no event loop, or several.

_RunningServer: TypeAlias = tuple[FaultyServer, asyncio.AbstractEventLoop, asyncio.Event]


@contextmanager
def faulty_server_thread(host: str = "127.0.0.1", speed: float = 1.0) -> Iterator[FaultyServer]:
    """Run a faulty server in the background until the block ends."""
    started: Future[_RunningServer] = Future()
    thread = threading.Thread(target=_run_server_thread, args=(host, speed, started), daemon=True)
    thread.start()
    server, loop, stop = started.result(timeout=10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(timeout=10)


def _run_server_thread(host: str, speed: float, started: "Future[_RunningServer]") -> None:
    async def serve() -> None:
        async with FaultyServer(host, speed=speed) as server:
            stop = asyncio.Event()
            started.set_result((server, asyncio.get_running_loop(), stop))
            await stop.wait()

    try:
        asyncio.run(serve())
    except OSError as error:
        started.set_exception(error)
