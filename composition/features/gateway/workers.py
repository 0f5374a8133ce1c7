"""Forward requests between the workers at one port: to the one that has the job or session."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from zlib import crc32

import httptools
import msgspec

from .asgi_replies import Receive, Send
from .request_heads import SESSION_HEADER, RequestHead

# A forwarding worker sets this header to the secret that only the workers share.
WORKER_SECRET_HEADER = "x-webseam-worker"  # noqa: S105  the name of a header
PEER_HEADER = "x-webseam-peer"
_JOB_PATH_PATTERN = re.compile(r"(?:/k/[^/]+)?(?:/firecrawl)?/v[12]/(?:batch/scrape|crawl)(?:/|\Z)")
_SESSION_WORKER_PATTERN = re.compile(r"([0-9]{1,3})\.")
_JOB_WORKER_NUMBER = 0
_READ_BYTES = 64 * 1024
_HOP_BY_HOP_HEADERS = (
    b"connection",
    b"transfer-encoding",
    b"keep-alive",
    WORKER_SECRET_HEADER.encode(),
    PEER_HEADER.encode(),
)
_OK = 200
_UNAVAILABLE = 503


class WorkerTeam(msgspec.Struct, frozen=True, kw_only=True):
    """The private ports of all workers, the number of this one, and their shared secret."""

    number: int
    ports: tuple[int, ...]
    secret: str
    tls: bool = False

    @property
    def others(self) -> tuple[int, ...]:
        """The ports of the other workers."""
        return tuple(port for number, port in enumerate(self.ports) if number != self.number)

    def worker_port(self, head: RequestHead) -> int | None:
        """Return the port of the worker that must answer; None for this worker."""
        number, session = _request_worker_number(head), head.headers.get(SESSION_HEADER, "")
        if number is None and session:
            # The memory of a session is in one worker.
            number = crc32(session.encode()) % len(self.ports)
        if number is None or number == self.number or number >= len(self.ports):
            return None
        return None if self.is_from_worker(head) else self.ports[number]

    def is_from_worker(self, head: RequestHead) -> bool:
        """Tell whether another worker forwarded this request."""
        return head.headers.get(WORKER_SECRET_HEADER) == self.secret


def worker_session_prefix(team: WorkerTeam | None) -> str:
    """Return the prefix of session ids; empty without a team."""
    return "" if team is None else f"{team.number}."


def _request_worker_number(head: RequestHead) -> int | None:
    if _JOB_PATH_PATTERN.match(head.path):
        return _JOB_WORKER_NUMBER
    is_about_task = head.headers.get("mcp-method", "").startswith("tasks/")
    handle = head.headers.get("mcp-name" if is_about_task else "mcp-session-id", "")
    match = _SESSION_WORKER_PATTERN.match(handle)
    return None if match is None else int(match[1])


async def forward_request(
    team: WorkerTeam, port: int, scope: Mapping[str, Any], receive: Receive, send: Send
) -> int:
    """Forward a request to the worker at a private port; return its status, or 503."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=_worker_tls(team))
    except OSError:
        await _send_worker_unavailable(send)
        return _UNAVAILABLE
    answer = _WorkerAnswer(send)
    tasks = [
        asyncio.ensure_future(_send_request_to_worker(team, scope, receive, writer)),
        asyncio.ensure_future(answer.forward(reader)),
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
        await _send_worker_unavailable(send)
    return answer.status or _UNAVAILABLE


def _worker_tls(team: WorkerTeam) -> ssl.SSLContext | None:
    """Return a TLS context that skips certificate checks, as the port is on this machine."""
    if not team.tls:
        return None
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def fetch_from_worker(team: WorkerTeam, port: int, path: str, host: str) -> bytes:
    """Return the body of another worker's answer to a GET; empty unless the status is 200."""
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


async def _send_request_to_worker(
    team: WorkerTeam, scope: Mapping[str, Any], receive: Receive, writer: asyncio.StreamWriter
) -> None:
    writer.write(_forwarded_request_head(team, scope))
    while True:
        # Receive even for a GET: this also reports that the caller has left.
        event = await receive()
        if event["type"] != "http.request":
            return
        if body := event.get("body", b""):
            writer.write(b"%x\r\n%b\r\n" % (len(body), body))
        if not event.get("more_body"):
            writer.write(b"0\r\n\r\n")
        with suppress(ConnectionError):
            await writer.drain()


def _forwarded_request_head(team: WorkerTeam, scope: Mapping[str, Any]) -> bytes:
    search = scope.get("query_string", b"")
    target = scope["raw_path"] + (b"?" + search if search else b"")
    peer = str((scope.get("client") or ("",))[0])
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if name.lower() not in _HOP_BY_HOP_HEADERS and name.lower() != b"content-length"
    ]
    headers += [
        (WORKER_SECRET_HEADER.encode(), team.secret.encode()),
        (PEER_HEADER.encode(), peer.encode("latin-1")),
        (b"transfer-encoding", b"chunked"),
        (b"connection", b"close"),
    ]
    lines = [scope["method"].encode() + b" " + target + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n"


class _WorkerAnswer:
    """Parses the answer of another worker and forwards it piece by piece."""

    def __init__(self, send: Send) -> None:
        self.status = 0
        self.begun = False
        self._send = send
        self._headers: list[tuple[bytes, bytes]] = []
        self._pieces: list[bytes] = []
        self._is_complete = False
        self._parser = httptools.HttpResponseParser(self)

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() not in _HOP_BY_HOP_HEADERS:
            self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self._pieces.append(body)

    def on_message_complete(self) -> None:
        self._is_complete = True

    async def forward(self, reader: asyncio.StreamReader) -> None:
        """Forward the answer until it is complete or the connection ends."""
        while not self._is_complete:
            if not (piece := await reader.read(_READ_BYTES)):
                return
            self._parser.feed_data(piece)
            await self._flush()

    async def _flush(self) -> None:
        if self.status and not self.begun:
            self.begun = True
            start = {"type": "http.response.start", "status": self.status, "headers": self._headers}
            await self._send(start)
        body, self._pieces = b"".join(self._pieces), []
        if self.begun and (body or self._is_complete):
            more = not self._is_complete
            await self._send({"type": "http.response.body", "body": body, "more_body": more})


async def _send_worker_unavailable(send: Send) -> None:
    body = b'{"success":false,"error":"The worker that has this is starting again."}'
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", b"2"),
    ]
    await send({"type": "http.response.start", "status": _UNAVAILABLE, "headers": headers})
    await send({"type": "http.response.body", "body": body})
