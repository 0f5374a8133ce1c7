"""One request that came in, and the ways to answer it."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .pages import HTML, PAGE

if TYPE_CHECKING:
    from .server import FaultyServer


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """A parsed request, the connection it came on, and the server it came to."""

    server: "FaultyServer"
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    method: str
    target: str
    path: str
    query: dict[str, str]
    headers: list[tuple[str, str]]
    body: bytes

    async def send(self, data: bytes) -> None:
        """Put bytes on the wire, as they are."""
        self.writer.write(data)
        await self.writer.drain()

    async def send_head(self, *headers: str, status: str = "200 OK") -> None:
        """Send a status line and headers, and the blank line that ends them."""
        await self.send("\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode("latin-1"))

    async def reply(
        self,
        status: str = "200 OK",
        kind: str | None = HTML,
        body: bytes = PAGE,
        extra: Sequence[str] = (),
    ) -> None:
        """Send a whole and correct answer, unless ``extra`` headers make it otherwise."""
        typed = [] if kind is None else [f"Content-Type: {kind}"]
        length = f"Content-Length: {len(body)}"
        await self.send_head(*typed, length, *extra, "Connection: close", status=status)
        await self.send(body)

    async def redirect(
        self, where: str | None, status: str = "302 Found", extra: Sequence[str] = ()
    ) -> None:
        """Send the client elsewhere; None leaves out where."""
        location = [] if where is None else [f"Location: {where}"]
        await self.reply(status, None, b"", [*location, *extra])

    async def show(self, inner: str) -> None:
        """Send a page with ``inner`` in its main part."""
        page = (
            "<!doctype html><html><head><title>t</title></head>"
            f"<body><main><p>MARKER-OK</p>{inner}</main></body></html>"
        )
        await self.reply(body=page.encode())

    async def pause(self, seconds: float) -> None:
        """Wait, at the server's speed."""
        await asyncio.sleep(seconds * self.server.speed)

    async def silence(self) -> None:
        """Say nothing until the client goes away."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(65536):
                pass

    def reset(self) -> None:
        """End the connection with a reset instead of a close."""
        reset(self.writer)

    def turn(self) -> int:
        """Count the requests for this path with this ``?id=``; the first is 1."""
        key = (self.path, self.query.get("id", ""))
        self.server.counters[key] += 1
        return self.server.counters[key]


def reset(writer: asyncio.StreamWriter) -> None:
    """Drop a connection so that the other side sees a reset."""
    with contextlib.suppress(OSError):
        on, no_seconds = 1, 0
        linger = struct.pack("ii", on, no_seconds)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()
