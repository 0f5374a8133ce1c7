"""The loopback server: answers from bytes made beforehand, so that it is faster than any client.

Run as ``python -m benchmarks.server``: it prints its port, and stops when its input is closed.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import TypeAlias

import httptools

from .answers import SERVED_COUNTS, plain_answer, tavily_answer

# From the path of a request to the whole response; None when there is nothing there.
Answer: TypeAlias = Callable[[bytes], bytes | None]

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"


def ready_answers() -> dict[bytes, bytes]:
    """Return whole HTTP responses by path: ``/plain/10/search``, ``/tavily/100/search`` ..."""
    shapes = {"plain": plain_answer, "tavily": tavily_answer}
    bodies = {
        f"/{shape}/{count}/search".encode(): make(count)
        for shape, make in shapes.items()
        for count in SERVED_COUNTS
    }
    return {path: _HEAD % len(body) + body for path, body in bodies.items()}


class Connection(asyncio.Protocol):
    """One keep-alive connection: whatever is asked at a path gets the path's answer."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._parser = httptools.HttpRequestParser(self)
        self._path = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._transport.close()

    def on_url(self, url: bytes) -> None:
        self._path += url

    def on_message_complete(self) -> None:
        path, self._path = self._path, b""
        self._transport.write(self._answer(path) or _NOT_FOUND)


async def serve(answer: Answer) -> None:
    """Serve until standard input is closed, which happens at the latest when the parent ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answer), "127.0.0.1", 0, backlog=1024)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    print(server.sockets[0].getsockname()[1], flush=True)
    await ended.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(ready_answers().get))
