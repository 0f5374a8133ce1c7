"""A loopback server that plays one service: it checks what it is sent, and answers from a script."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from webseam.adapters.server_shutdown import close_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What came in, byte for byte where it matters."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Imitation:
    """Answers each request with the next reply of its script, and keeps what it was asked."""

    def __init__(self, replies: Sequence[dict[str, Any]]) -> None:
        """Take the replies, in order."""
        self.requests: list[Request] = []
        self._replies = list(replies)
        self.base_url = ""

    @asynccontextmanager
    async def running(self) -> "AsyncIterator[Imitation]":
        """Listen on a free port of this machine."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()[:2]
        self.base_url = f"http://{host}:{port}"
        try:
            yield self
        finally:
            await close_server(server)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await read_request(reader)) is not None:
                self.requests.append(request)
                writer.write(self._answer())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self) -> bytes:
        return reply_bytes(self._replies.pop(0) if self._replies else {"status": 599})


def reply_bytes(reply: dict[str, Any]) -> bytes:
    """Return the response that a reply of a script describes."""
    body, kind = _body(reply)
    headers: dict[str, str] = {
        "content-type": kind,
        **reply.get("headers", {}),
        "content-length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.get('status', 200)} X\r\n{head}\r\n".encode() + body


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    start, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = start.split(" ")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method=method, path=path, headers=headers, body=body)


def _body(reply: dict[str, Any]) -> tuple[bytes, str]:
    if "text" in reply:
        return reply["text"].encode(), reply.get("type", "text/plain; charset=utf-8")
    return json.dumps(_expanded(reply.get("body"))).encode(), "application/json"


def _expanded(value: Any) -> Any:  # noqa: ANN401  any JSON
    """Write out ``{repeat: n, row: ...}``, with ``{n}`` as the number of each row."""
    if isinstance(value, dict) and set(value) == {"repeat", "row"}:
        rows = [json.dumps(value["row"]).replace("{n}", str(i)) for i in range(value["repeat"])]
        return [json.loads(row) for row in rows]
    if isinstance(value, dict):
        return {name: _expanded(inner) for name, inner in value.items()}
    return [_expanded(inner) for inner in value] if isinstance(value, list) else value
