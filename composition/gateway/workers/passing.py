"""A request passed on to another worker of this machine, and its answer brought back."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httptools

from ..http.request_talk import Receive, Send
from .worker_team import PASSED_ON, PEER, WorkerTeam

_READ_BYTES = 64 * 1024
_OWN = (b"connection", b"transfer-encoding", b"keep-alive", PASSED_ON.encode(), PEER.encode())
_OK = 200
_AWAY = 503


async def forward_request(
    team: WorkerTeam, port: int, scope: Mapping[str, Any], receive: Receive, send: Send
) -> int:
    """Have the worker at a private port answer; return the status that it gave."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=_context(team))
    except OSError:
        await _say_away(send)
        return _AWAY
    answer = _Answer(send)
    tasks = [
        asyncio.ensure_future(_ask(team, scope, receive, writer)),
        asyncio.ensure_future(answer.bring(reader)),
    ]
    try:
        # The first task ends when the caller leaves, the second with the answer.
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        writer.close()
        await asyncio.gather(*tasks, return_exceptions=True)
    if not answer.begun:
        await _say_away(send)
    return answer.status or _AWAY


def _context(team: WorkerTeam) -> ssl.SSLContext | None:
    """Return how to speak to a worker: the port is ours, whatever name is in the certificate."""
    if not team.tls:
        return None
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def fetch_from_worker(team: WorkerTeam, port: int, path: str, host: str) -> bytes:
    """Return what another worker answers to a GET; empty when it does not."""
    pieces: list[bytes] = []
    asked: list[bool] = []

    async def receive() -> dict[str, Any]:
        if asked:
            await asyncio.Event().wait()
        asked.append(True)
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:  # noqa: ANN401  as ASGI has it
        pieces.append(message.get("body", b""))

    headers = [(b"host", host.encode("latin-1"))]
    scope = {"method": "GET", "raw_path": path.encode(), "headers": headers}
    status = await forward_request(team, port, scope, receive, send)
    return b"".join(pieces) if status == _OK else b""


async def _ask(
    team: WorkerTeam, scope: Mapping[str, Any], receive: Receive, writer: asyncio.StreamWriter
) -> None:
    writer.write(_head(team, scope))
    while True:
        # A GET has no body to wait for, and its caller may leave all the same.
        event = await receive()
        if event["type"] != "http.request":
            return
        body = event.get("body", b"")
        if body:
            writer.write(b"%x\r\n%b\r\n" % (len(body), body))
        if not event.get("more_body"):
            writer.write(b"0\r\n\r\n")
        with suppress(ConnectionError):
            await writer.drain()


def _head(team: WorkerTeam, scope: Mapping[str, Any]) -> bytes:
    search = scope.get("query_string", b"")
    target = scope["raw_path"] + (b"?" + search if search else b"")
    peer = str((scope.get("client") or ("",))[0])
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if name.lower() not in _OWN and name.lower() != b"content-length"
    ]
    headers += [
        (PASSED_ON.encode(), team.secret.encode()),
        (PEER.encode(), peer.encode("latin-1")),
        (b"transfer-encoding", b"chunked"),
        (b"connection", b"close"),
    ]
    lines = [scope["method"].encode() + b" " + target + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n"


class _Answer:
    """What the other worker answers, sent on piece by piece."""

    def __init__(self, send: Send) -> None:
        self.status = 0
        self.begun = False
        self._send = send
        self._headers: list[tuple[bytes, bytes]] = []
        self._pieces: list[bytes] = []
        self._whole = False
        self._parser = httptools.HttpResponseParser(self)

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() not in _OWN:
            self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self._pieces.append(body)

    def on_message_complete(self) -> None:
        self._whole = True

    async def bring(self, reader: asyncio.StreamReader) -> None:
        """Read and send on, until the answer is whole or breaks off."""
        while not self._whole:
            piece = await reader.read(_READ_BYTES)
            if not piece:
                return
            self._parser.feed_data(piece)
            await self._flush()

    async def _flush(self) -> None:
        if self.status and not self.begun:
            self.begun = True
            start = {"type": "http.response.start", "status": self.status, "headers": self._headers}
            await self._send(start)
        body, self._pieces = b"".join(self._pieces), []
        if self.begun and (body or self._whole):
            more = not self._whole
            await self._send({"type": "http.response.body", "body": body, "more_body": more})


async def _say_away(send: Send) -> None:
    body = b'{"success":false,"error":"The worker that has this is starting again."}'
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", b"2"),
    ]
    await send({"type": "http.response.start", "status": _AWAY, "headers": headers})
    await send({"type": "http.response.body", "body": body})
