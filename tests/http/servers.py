"""A server that keeps connections alive and says exactly what a test tells it to."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Self, TypeAlias

from webseam.adapters.http.transport import FastTransport
from webseam.adapters.server_shutdown import close_server

OK = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"results":[]}'
)
Answer: TypeAlias = bytes | Callable[["Visit"], Awaitable[None]]


class Visit:
    """One request on one connection."""

    def __init__(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        self.request = request
        self.writer = writer

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def hang_up(self) -> None:
        self.writer.close()


class Server:
    """Answers each request with the next of ``answers``, and with the last one ever after."""

    def __init__(self, *answers: Answer) -> None:
        self._answers: Sequence[Answer] = answers or (OK,)
        self.requests: list[bytes] = []
        self.connections = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def open_now(self) -> int:
        return len(self._tasks)

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def idle(self, within: float = 30.0) -> bool:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within)
        return not self._tasks

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._attend, "127.0.0.1", 0, backlog=1024)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await close_server(self._server)
        for task in self._tasks:
            task.cancel()
        await self.idle()

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                while not writer.is_closing():
                    await self._answer(await _read(reader), writer)
        except asyncio.CancelledError:
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _answer(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        turn = min(len(self.requests), len(self._answers) - 1)
        self.requests.append(request)
        answer = self._answers[turn]
        visit = Visit(request, writer)
        await (visit.say(answer) if isinstance(answer, bytes) else answer(visit))


async def _read(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    return head + await reader.readexactly(length)


@contextlib.asynccontextmanager
async def closing(transport: FastTransport) -> AsyncIterator[FastTransport]:
    try:
        yield transport
    finally:
        await transport.aclose()


# These take a second or more each, nearly all of it waiting; the others take none.
SLOW = (
    *("hang", "hang_in_status", "slow_headers", "headers_then_hang", "body_then_hang"),
    *("chunk_then_hang", "slow_body_drip", "slow_redirects", "chunk_huge_size", "event_stream"),
    *("accept_hang", "tls_hang"),
)


# Whether the end of a connection is seen while connecting or after it is a race.
RACES = ("accept_reset", "tls_close")
