"""Requests read and answers written, as ASGI has it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from ..json_rpc import Json

Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
SendEvent: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[None]]
Headers: TypeAlias = tuple[tuple[str, str], ...]

# The status and the reason.
Refused: TypeAlias = tuple[int, str]

MAX_BODY_BYTES = 4 * 1024 * 1024
BODY_SECONDS = 10.0


async def read_body(receive: Receive, max_bytes: int, seconds: float) -> bytes | Refused:
    """Return the whole body, or why it is not taken: its size, its time, a sender that went."""
    try:
        # One time for all of it: who sends a byte a second is never late with the next one.
        async with asyncio.timeout(seconds):
            return await _whole(receive, max_bytes)
    except TimeoutError:
        return 408, "The body did not come in time."


async def _whole(receive: Receive, most: int) -> bytes | Refused:
    parts: list[bytes] = []
    size = 0
    while True:
        event = await receive()
        if event["type"] != "http.request":
            return 400, "The body is not whole."
        part: bytes = event.get("body", b"")
        size += len(part)
        if size > most:
            return 413, f"A message may have {most} bytes."
        parts.append(part)
        if not event.get("more_body"):
            return b"".join(parts)


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def send_whole_reply(
    send: SendEvent, status: int, body: bytes = b"", headers: Headers = ()
) -> None:
    """Send a whole answer."""
    named = [("content-length", str(len(body))), *headers]
    await send({"type": "http.response.start", "status": status, "headers": _raw(named)})
    await send({"type": "http.response.body", "body": body})


async def send_json(
    send: SendEvent, status: int, message: Json | list[Json], headers: Headers = ()
) -> None:
    """Send a message, or a batch of them."""
    body = msgspec.json.encode(message)
    await send_whole_reply(send, status, body, (("content-type", "application/json"), *headers))


class EventStream:
    """An answer in pieces: server-sent events."""

    def __init__(self, send: SendEvent) -> None:
        """Write with ``send``."""
        self._send = send

    async def begin(self, headers: Headers = ()) -> None:
        """Say what is to come."""
        named = (
            ("content-type", "text/event-stream"),
            ("cache-control", "no-cache, no-transform"),
            # nginx and its like would otherwise keep events until there are many.
            ("x-accel-buffering", "no"),
            *headers,
        )
        await self._send({"type": "http.response.start", "status": 200, "headers": _raw(named)})

    async def event(self, data: bytes, number: str = "") -> None:
        """Send one event; JSON holds no line breaks."""
        known = f"id: {number}\n".encode() if number else b""
        await self._write(known + b"event: message\ndata: " + data + b"\n\n")

    async def prime(self, number: str, retry: int) -> None:
        """Send an event that says nothing, so that a client can go on from it."""
        await self._write(f"id: {number}\nretry: {retry}\ndata:\n\n".encode())

    async def keep_alive(self) -> None:
        """Send a comment, so that nobody between takes the connection for dead."""
        await self._write(b": still here\n\n")

    async def end(self) -> None:
        """Send nothing more."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


def _raw(headers: list[tuple[str, str]] | Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
