"""Several processes at one port: who does what, what is passed between them, who watches them."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FrameType
from typing import Any

import httptools
import msgspec

from .http.heads import RequestHead
from .http.request_talk import Receive, Send
from .journal import Write

# What a worker does, given its number and what to call once it listens; it returns an exit code.
Work = Callable[[int, Callable[[], None]], int]
_MAX_WORKER_DEATHS = 5
_A_WHILE = 60.0
_GRACE = 5.0
_PASSED_ON = ("SIGTERM", "SIGINT", "SIGHUP")
_POLL_SECONDS = 0.05


def can_supervise() -> bool:
    """Tell whether this system lets a process become two."""
    return hasattr(os, "fork")


class Supervisor:
    """The process that began the workers. It serves nothing itself."""

    def __init__(self, work: Work, count: int, journal: Write, drain: float) -> None:
        """Have ``count`` workers do ``work``; they have ``drain`` seconds to end."""
        self._work = work
        self._count = count
        self._journal = journal
        self._drain = drain
        self._workers: dict[int, int] = {}
        self._deaths: list[float] = []
        self._ending = 0.0
        # Nothing is ever written: it ends when the supervisor does, however that comes.
        self._life = os.pipe()

    def run(self, ready: Callable[[], None]) -> int:
        """Begin them all, tell when they listen, and return once they have ended: the exit code."""
        reading, writing = os.pipe()
        before = {name: signal.getsignal(_number(name)) for name in _PASSED_ON}
        # What is loaded is shared with the workers for as long as nobody writes to it.
        gc.freeze()
        for number in range(self._count):
            self._begin(number, writing)
        for name in _PASSED_ON:
            signal.signal(_number(name), self._hear)
        try:
            if self._all_listen(reading):
                ready()
                return self._watch(writing)
            stopped = bool(self._ending)
            self._hear(signal.SIGTERM, None)
            self._watch(writing)
            return 0 if stopped else 1
        finally:
            for descriptor in (reading, writing, *self._life):
                os.close(descriptor)
            for name, handler in before.items():
                signal.signal(_number(name), handler)

    def _begin(self, number: int, writing: int) -> None:
        process = os.fork()
        if process:
            self._workers[process] = number
            return
        code = 1
        self._workers.clear()
        # Ctrl-C is for the supervisor, which tells the workers once.
        os.setpgid(0, 0)
        for name in _PASSED_ON:
            # From here on they are for this worker alone.
            signal.signal(_number(name), signal.SIG_DFL)
        os.close(self._life[1])
        threading.Thread(target=_end_with, args=(self._life[0],), daemon=True).start()
        try:
            code = self._work(number, lambda: _tell(writing))
        finally:
            # Nothing of the parent's is ended twice.
            os._exit(code)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if number != _number("SIGHUP"):
            self._ending = self._ending or time.monotonic() + self._drain + _GRACE
            number = signal.SIGTERM
        for process in list(self._workers):
            _send(process, number)

    def _all_listen(self, reading: int) -> bool:
        """Wait until every worker listens; tell whether they do."""
        os.set_blocking(reading, False)
        listening = 0
        while listening < self._count and len(self._workers) == self._count:
            try:
                listening += len(os.read(reading, self._count))
            except BlockingIOError:
                time.sleep(_POLL_SECONDS)
            self._reap()
        return listening == self._count

    def _watch(self, writing: int) -> int:
        code = 0
        while self._workers:
            for number in self._reap():
                code = self._mourn(number, writing) or code
            if self._ending and time.monotonic() > self._ending:
                for process in list(self._workers):
                    _send(process, signal.SIGKILL)
            time.sleep(_POLL_SECONDS)
        return code

    def _mourn(self, number: int, writing: int) -> int:
        """Begin a worker again that died; too many deaths end them all. Return the exit code."""
        if self._ending:
            return 0
        now = time.monotonic()
        self._deaths = [then for then in self._deaths if now - then < _A_WHILE] + [now]
        if len(self._deaths) > _MAX_WORKER_DEATHS:
            self._journal({"level": "error", "event": "workers die", "message": "giving up"})
            self._hear(signal.SIGTERM, None)
            return 1
        self._journal({"level": "error", "event": "worker died", "worker": number})
        self._begin(number, writing)
        return 0

    def _reap(self) -> list[int]:
        """Return which workers have ended."""
        ended: list[int] = []
        for process, number in list(self._workers.items()):
            known, _ = os.waitpid(process, os.WNOHANG)
            if known:
                del self._workers[process]
                ended.append(number)
        return ended


def _number(name: str) -> signal.Signals:
    return signal.Signals[name]


def _end_with(life: int) -> None:
    """End this worker when the supervisor is no more, so that no orphan holds the port."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _tell(writing: int) -> None:
    os.write(writing, b".")


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


# Which worker a request is for, when it is not for whichever took it.

# Set by a worker that passes a request on; its value is known to the workers alone.
PASSED_ON = "x-webseam-worker"
PEER = "x-webseam-peer"
_JOBS = re.compile(r"(?:/k/[^/]+)?(?:/firecrawl)?/v[12]/(?:batch/scrape|crawl)(?:/|\Z)")
_SESSION = re.compile(r"([0-9]{1,3})\.")
_FIRST_WORKER = 0


class WorkerTeam(msgspec.Struct, frozen=True, kw_only=True):
    """The workers by their private ports, which of them this one is, and their common secret.

    Where the gateway speaks ``tls``, so do the private ports.
    """

    number: int
    ports: tuple[int, ...]
    secret: str
    tls: bool = False

    @property
    def others(self) -> tuple[int, ...]:
        """The ports of all but this one."""
        return tuple(port for number, port in enumerate(self.ports) if number != self.number)

    def port_for(self, head: RequestHead) -> int | None:
        """Return the port of the worker that has to answer; None for this one."""
        number = _worker_team_number(head)
        if number is None or number == self.number or number >= len(self.ports):
            return None
        return None if self.passed_on(head) else self.ports[number]

    def passed_on(self, head: RequestHead) -> bool:
        """Tell whether another worker took the request and passed it on."""
        return head.headers.get(PASSED_ON) == self.secret


def session_prefix(team: WorkerTeam | None) -> str:
    """Return what the ids of sessions begin with."""
    return "" if team is None else f"{team.number}."


def _worker_team_number(head: RequestHead) -> int | None:
    if _JOBS.match(head.path):
        return _FIRST_WORKER
    known = _SESSION.match(head.headers.get("mcp-session-id", ""))
    return None if known is None else int(known[1])


# A request passed on to another worker of this machine, and its answer brought back.

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
