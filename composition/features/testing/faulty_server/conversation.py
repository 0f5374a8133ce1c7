"""One request to the faulty server, the ways to answer it, and the declaration of faults."""

import asyncio
import contextlib
import inspect
import socket
import struct
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
PAGE: Final = (
    b"<!doctype html><html lang=en><head><title>Fine page</title></head><body><main>"
    b"<h1>Fine page</h1><p>The quick brown fox jumps over the lazy dog. MARKER-OK</p>"
    b"</main></body></html>"
)


def fault_head(*headers: str, status: str = "200 OK") -> bytes:
    """Return a status line and headers, and the blank line that ends them."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode("latin-1")


def fault_html(*headers: str) -> bytes:
    """Return the head of an HTML page."""
    return fault_head("Content-Type: text/html", *headers)


class FaultHost(Protocol):
    """The part of the server that a fault uses: its ports and its counts."""

    speed: float
    ports: dict[str, int]
    hits: Counter[str]
    counters: Counter[tuple[str, str]]
    open_now: int
    open_peak: int
    canary_hits: int

    @property
    def authority(self) -> str:
        """Host and port of the faults."""

    @property
    def canary(self) -> str:
        """Host and port of the canary, a service that no client may reach."""

    def reset(self) -> None:
        """Reset the counts."""


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """A parsed request, its connection and its server."""

    server: FaultHost
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    method: str
    target: str
    path: str
    query: dict[str, str]
    headers: list[tuple[str, str]]
    body: bytes

    async def send(self, data: bytes) -> None:
        """Send bytes unchanged."""
        self.writer.write(data)
        await self.writer.drain()

    async def send_head(self, *headers: str, status: str = "200 OK") -> None:
        """Send a status line and headers, and the blank line that ends them."""
        await self.send(fault_head(*headers, status=status))

    async def reply(
        self,
        status: str = "200 OK",
        kind: str | None = HTML,
        body: bytes = PAGE,
        extra: Sequence[str] = (),
    ) -> None:
        """Send a complete and correct answer; ``extra`` headers may break it."""
        typed = [] if kind is None else [f"Content-Type: {kind}"]
        length = f"Content-Length: {len(body)}"
        await self.send_head(*typed, length, *extra, "Connection: close", status=status)
        await self.send(body)

    async def redirect(
        self, where: str | None, status: str = "302 Found", extra: Sequence[str] = ()
    ) -> None:
        """Send a redirect; None leaves out the Location."""
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
        """Sleep ``seconds`` times the server's speed."""
        await asyncio.sleep(seconds * self.server.speed)

    async def silence(self) -> None:
        """Send nothing until the client disconnects."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(65536):
                pass

    def reset(self) -> None:
        """End the connection with a reset instead of a close."""
        reset_connection(self.writer)

    def turn(self) -> int:
        """Return the number of this request for its path and ``?id=``; the first is 1."""
        key = (self.path, self.query.get("id", ""))
        self.server.counters[key] += 1
        return self.server.counters[key]


def reset_connection(writer: asyncio.StreamWriter) -> None:
    """Drop a connection with a TCP reset."""
    with contextlib.suppress(OSError):
        on, no_seconds = 1, 0
        linger = struct.pack("ii", on, no_seconds)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


FaultPlay: TypeAlias = Callable[[Conversation], Coroutine[None, None, None]]


def fault_reply(
    status: str = "200 OK",
    kind: str | None = HTML,
    body: bytes | Callable[[], bytes] = PAGE,
    extra: Sequence[str] = (),
) -> FaultPlay:
    """Return a play that sends one answer; a function makes its body when it is sent."""

    async def play(talk: Conversation) -> None:
        await talk.reply(status, kind, body if isinstance(body, bytes) else body(), extra)

    return play


def fault_bytes(
    data: bytes, *, silent: bool = False, endless: bytes = b"", seconds: float = 0.0
) -> FaultPlay:
    """Return a play that sends ``data``, then stays open, sends ``endless`` pieces, or closes."""

    async def play(talk: Conversation) -> None:
        await talk.send(data)
        while endless:
            await talk.send(endless)
            await talk.pause(seconds)
        if silent:
            await talk.silence()

    return play


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault of the catalogue.

    ``expect`` holds the correct error kinds, the best first; ``expect_api`` those for the client of
    a JSON API, if they differ. ``check`` describes what else to check. A fault with a ``host`` must
    be requested under that name, so the client needs its own resolver.
    """

    name: str
    group: str
    behaviour: str
    expect: tuple[str, ...]
    play: FaultPlay | None = None
    expect_api: tuple[str, ...] = ()
    check: str = ""
    port: str = "main"
    path: str = ""
    host: str = ""
    scheme: str = "http"

    def row(self) -> dict[str, object]:
        """Return the fault's fields for JSON, without defaults."""
        fields: dict[str, object] = {
            "name": self.name,
            "group": self.group,
            "behaviour": self.behaviour,
            "expect": list(self.expect),
        }
        optional = {
            "expect_api": list(self.expect_api),
            "check": self.check,
            "port": "" if self.port == "main" else self.port,
            "host": self.host,
        }
        return fields | {name: value for name, value in optional.items() if value}


class FaultGroup:
    """The faults of one kind, in the order in which their file declares them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.faults: list[Fault] = []

    def fault(
        self, expect: str, *, api: str = "", check: str = ""
    ) -> Callable[[FaultPlay], FaultPlay]:
        """Declare a function as a fault; its name is the path, its docstring the behaviour."""

        def declare(play: FaultPlay) -> FaultPlay:
            behaviour = inspect.getdoc(play) or ""
            self.add(play.__name__, expect, behaviour, play, api=api, check=check)
            return play

        return declare

    def add(
        self,
        name: str,
        expect: str,
        behaviour: str,
        play: FaultPlay | None = None,
        *,
        api: str = "",
        **details: str,
    ) -> None:
        """Declare a fault; ``expect`` and ``api`` separate several kinds by blanks."""
        self.faults.append(
            Fault(
                name=name,
                group=self.name,
                behaviour=behaviour,
                expect=tuple(expect.split()),
                play=play,
                expect_api=tuple(api.split()),
                **details,
            )
        )
