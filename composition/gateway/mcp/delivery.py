"""The messages of one request sent to its client: alone as JSON, or one by one as events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from ...mcp.json_rpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Json,
    RpcError,
    error_message,
)
from .heads import McpHead
from .sessions import MessageStream

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


# Refusals over HTTP: the status that an error of the protocol has, and how one is turned away.

_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
_FORBIDDEN = 403
_ALLOWED = (
    b"accept, authorization, content-type, last-event-id, mcp-method, mcp-name,"
    b" mcp-protocol-version, mcp-session-id"
)


async def send_refusal(send: SendEvent, status: int, message: str, headers: Headers = ()) -> None:
    """Turn a request away with a sentence."""
    refusal = RpcError(INVALID_REQUEST, message)
    await send_json(send, status, error_message(None, refusal), headers)


def answer_status(data: bytes) -> int:
    """Return the status of an answer in the newer revision."""
    error = msgspec.json.decode(data).get("error")
    return 200 if error is None else _STATUS.get(error["code"], 200)


def explain_media_mismatch(head: McpHead) -> tuple[int, str] | None:
    """Return why a message cannot be read, or its answer not be understood."""
    if head.get("content-type").partition(";")[0].strip().lower() != "application/json":
        return 415, "Send application/json."
    accept = head.get("accept")
    if "*/*" in accept or ("application/json" in accept and "text/event-stream" in accept):
        return None
    return 406, "Accept both application/json and text/event-stream."


def with_origin(head: McpHead, send: SendEvent) -> SendEvent:
    """Have each answer say that the page which asks may read it; others never come this far."""
    origin = head.get("origin")
    if not origin:
        return send
    more = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-headers", _ALLOWED),
        (b"access-control-allow-methods", b"POST, GET, DELETE"),
        (b"access-control-expose-headers", b"mcp-session-id, www-authenticate"),
        (b"vary", b"origin"),
    ]

    async def sending(event: Mapping[str, Any]) -> None:
        start = event["type"] == "http.response.start" and event["status"] != _FORBIDDEN
        await send({**event, "headers": [*event["headers"], *more]} if start else event)

    return sending


# The messages of one request sent to its client: alone as JSON, or one by one as events.

_RETRY_MS = 1_000


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """How one answer goes out.

    ``resumable`` numbers the events, ``place`` is the last that the client has seen, ``streamed``
    leaves out the wait for a single message, and ``patience`` is how long that wait may be.
    """

    patience: float
    resumable: bool = False
    headers: Headers = ()
    place: int = 0
    streamed: bool = False


async def deliver_stream(
    stream: MessageStream, delivery: Delivery, receive: Receive, send: SendEvent
) -> bool:
    """Send what comes into a stream; tell whether the client left before its end."""
    leaving = asyncio.ensure_future(wait_for_disconnect(receive))
    try:
        if not delivery.streamed and await _is_single(stream, delivery, leaving):
            await _send_single(stream, delivery, send)
            return False
        if leaving.done():
            return True
        events = EventStream(send)
        await events.begin(delivery.headers)
        if delivery.resumable and not delivery.place:
            await events.prime(f"{stream.name}-0", _RETRY_MS)
        return await _pour(stream, delivery, events, leaving)
    finally:
        leaving.cancel()


async def _is_single(stream: MessageStream, way: Delivery, leaving: asyncio.Future[None]) -> bool:
    """Wait for the first message, and tell whether it is the only one."""
    await _either(stream, 0, leaving, way.patience)
    return stream.over and len(stream.after(0)) == 1


async def _send_single(stream: MessageStream, way: Delivery, send: SendEvent) -> None:
    (_, data), *_ = stream.after(0)
    # The older revision has no statuses for errors.
    status = 200 if way.resumable else answer_status(data)
    await send_whole_reply(send, status, data, (("content-type", "application/json"), *way.headers))


async def _pour(
    stream: MessageStream, way: Delivery, events: EventStream, leaving: asyncio.Future[None]
) -> bool:
    place = way.place
    while not leaving.done():
        for number, data in stream.after(place):
            await events.event(data, f"{stream.name}-{number}" if way.resumable else "")
            place = number
        if stream.over:
            await events.end()
            return False
        if not await _either(stream, place, leaving, way.patience):
            await events.keep_alive()
    return True


async def _either(
    stream: MessageStream, place: int, leaving: asyncio.Future[None], seconds: float
) -> bool:
    """Wait for a message after a place, or for the client to leave; tell whether either came."""
    news = asyncio.ensure_future(stream.wait(place, seconds))
    both: set[asyncio.Future[Any]] = {news, leaving}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if news.done():
        return news.result()
    news.cancel()
    return True
