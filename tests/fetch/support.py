"""What the fetch tests share: fetchers that may reach this machine, servers, name servers."""

import asyncio
import errno
import socket
import ssl
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

from webseam.adapters.pages.fetch.connect import FetchLimits, Resolve
from webseam.adapters.pages.fetch.fetcher import Fetcher
from webseam.adapters.server_shutdown import close_server
from webseam.composition.features.testing.faulty_server import REFERENCE_LIMITS, FaultyServer
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.kernel.policy import Policy, PolicySettings, make_policy

Answer = TypeVar("Answer")

# The reference limits in bytes and hops; more patient in seconds, for machines that are busy.
LIMITS = FetchLimits(
    dns=3.0,
    connect=3.0,
    head=3.0,
    idle=2.5,
    deadline=2 * REFERENCE_LIMITS["deadline_s"],
    redirects=int(REFERENCE_LIMITS["max_redirects"]),
    wire_bytes=int(REFERENCE_LIMITS["max_wire_bytes"]),
    decoded_bytes=int(REFERENCE_LIMITS["max_decoded_bytes"]),
)


def run(call: Coroutine[Any, Any, Answer]) -> Answer:
    return asyncio.run(call)


def opening(*entries: str) -> Policy:
    """Open exact ranges of this machine."""
    return make_policy(PolicySettings(allow_private=entries)).unwrap()


def opening_server(server: FaultyServer) -> Policy:
    """Open every port of a faulty server but the one that nobody may reach."""
    ports = [port for name, port in server.ports.items() if name != "canary"]
    return opening(*(f"{server.host}/32:{port}" for port in ports))


def fetcher_for(
    server: FaultyServer, limits: FetchLimits = LIMITS, context: ssl.SSLContext | None = None
) -> Fetcher:
    """Make a fetcher that may reach ``server``, under any name as well."""
    return wire_page_fetcher(
        opening_server(server), limits, resolve=always(server.host), context=context
    )


def trusting(server: FaultyServer) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=server.ca_pem)


def always(*addresses: str) -> Resolve:
    """Answer every name alike."""

    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return addresses

    return resolve


class ScriptedNames:
    """A name server that answers from a script, the last line for ever; ``asked`` remembers."""

    def __init__(self, script: Iterable[Sequence[str]]) -> None:
        self._script = deque(script)
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> Sequence[str]:
        self.asked.append(host)
        return self._script.popleft() if len(self._script) > 1 else self._script[0]


class Site:
    """A tiny web server; ``heads`` holds the requests it was sent. Without a reply it is silent."""

    def __init__(self, reply: bytes | None) -> None:
        self.heads: list[bytes] = []
        self.connections = 0
        self.attending: set[asyncio.Task[None] | None] = set()
        self._reply = reply

    async def attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self.attending.add(task)
        self.connections += 1
        try:
            # The client may go away at any moment; none of it is news.
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._answer(reader, writer)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
        finally:
            self.attending.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        if self._reply is None:
            await reader.read()
        else:
            writer.write(self._reply)
            await writer.drain()


@asynccontextmanager
async def serving(site: Site, host: str, port: int = 0) -> AsyncIterator[int]:
    """Serve ``site`` at an address, on a free port unless one is given, until all have gone."""
    server = await asyncio.start_server(site.attend, host, port, backlog=1024)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        await close_server(server)
    tasks = [task for task in site.attending if task is not None]
    if tasks:
        await asyncio.wait(tasks, timeout=60)


@asynccontextmanager
async def serving_both(one: tuple[Site, str], other: tuple[Site, str]) -> AsyncIterator[int]:
    """Serve two sites at two addresses on one port, which nobody else has at either."""
    while True:
        async with AsyncExitStack() as stack:
            port = await stack.enter_async_context(serving(*one))
            try:
                await stack.enter_async_context(serving(*other, port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            yield port
            return


@contextmanager
def closed_port(host: str) -> Iterator[int]:
    """Give a port that refuses everybody: it is taken, and nobody listens at it."""
    with socket.socket() as held:
        held.bind((host, 0))
        yield held.getsockname()[1]


def page(body: bytes, *headers: str, status: str = "200 OK", kind: str = "text/html") -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Length: {len(body)}",
        *([f"Content-Type: {kind}"] if kind else []),
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
