"""Send the messages of one request to its client: a single one as JSON, several as events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from webseam.composition.doors.mcp import json_rpc

from .heads import McpHead
from .sessions import MessageStream

Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
SendEvent: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[None]]
Headers: TypeAlias = tuple[tuple[str, str], ...]
# Status and reason.
HttpRefusal: TypeAlias = tuple[int, str]
MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_BODY_SECONDS = 10.0
_ERROR_STATUSES = {
    json_rpc.PARSE_ERROR: 400, json_rpc.INVALID_REQUEST: 400, json_rpc.INVALID_PARAMS: 400,
    json_rpc.HEADER_MISMATCH: 400, json_rpc.MISSING_CAPABILITY: 400,
    json_rpc.UNSUPPORTED_VERSION: 400, json_rpc.METHOD_NOT_FOUND: 404,
}  # fmt: skip
_FORBIDDEN = 403
_ALLOWED_HEADERS = (
    b"accept, authorization, content-type, last-event-id, mcp-method, mcp-name,"
    b" mcp-protocol-version, mcp-session-id"
)
_RETRY_MS = 1_000


async def read_mcp_body(receive: Receive, max_bytes: int, seconds: float) -> bytes | HttpRefusal:
    """Return the body, or a refusal if it is too large, late or incomplete."""
    try:
        # One timeout for the body: a timeout per read never ends a client that sends slowly.
        async with asyncio.timeout(seconds):
            return await _collect_body(receive, max_bytes)
    except TimeoutError:
        return 408, "The body did not come in time."


async def _collect_body(receive: Receive, max_bytes: int) -> bytes | HttpRefusal:
    parts: list[bytes] = []
    size = 0
    while True:
        event = await receive()
        if event["type"] != "http.request":
            return 400, "The body is incomplete."
        part: bytes = event.get("body", b"")
        size += len(part)
        if size > max_bytes:
            return 413, f"A message may have {max_bytes} bytes."
        parts.append(part)
        if not event.get("more_body"):
            return b"".join(parts)


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def send_mcp_reply(
    send: SendEvent, status: int, body: bytes = b"", headers: Headers = ()
) -> None:
    """Send a whole answer."""
    fields = [("content-length", str(len(body))), *headers]
    await send(
        {"type": "http.response.start", "status": status, "headers": _encode_headers(fields)}
    )
    await send({"type": "http.response.body", "body": body})


async def send_mcp_json(
    send: SendEvent,
    status: int,
    message: json_rpc.Json | list[json_rpc.Json],
    headers: Headers = (),
) -> None:
    """Send a message, or a batch of them."""
    body = msgspec.json.encode(message)
    await send_mcp_reply(send, status, body, (("content-type", "application/json"), *headers))


class EventStream:
    """An answer in pieces: server-sent events."""

    def __init__(self, send: SendEvent) -> None:
        """Write with ``send``."""
        self._send = send

    async def send_head(self, headers: Headers = ()) -> None:
        """Send the status and headers."""
        fields = (
            ("content-type", "text/event-stream"),
            ("cache-control", "no-cache, no-transform"),
            # Without this, nginx buffers events.
            ("x-accel-buffering", "no"),
            *headers,
        )
        await self._send(
            {"type": "http.response.start", "status": 200, "headers": _encode_headers(fields)}
        )

    async def send_event(self, data: bytes, number: str = "") -> None:
        """Send one event; encoded JSON has no line breaks."""
        id_line = f"id: {number}\n".encode() if number else b""
        await self._write(id_line + b"event: message\ndata: " + data + b"\n\n")

    async def send_resume_point(self, number: str, retry: int) -> None:
        """Send an empty event, from which a client can resume."""
        await self._write(f"id: {number}\nretry: {retry}\ndata:\n\n".encode())

    async def keep_alive(self) -> None:
        """Send a comment, so that proxies keep the idle connection open."""
        await self._write(b": still here\n\n")

    async def end_body(self) -> None:
        """End the body."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


def _encode_headers(headers: list[tuple[str, str]] | Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


async def send_mcp_refusal(
    send: SendEvent, status: int, message: str, headers: Headers = ()
) -> None:
    """Refuse a request with a JSON-RPC error."""
    refusal = json_rpc.RpcError(json_rpc.INVALID_REQUEST, message)
    await send_mcp_json(send, status, json_rpc.rpc_error_message(None, refusal), headers)


def http_status(data: bytes) -> int:
    """Return the status of an answer in the newer revision."""
    error = msgspec.json.decode(data).get("error")
    return 200 if error is None else _ERROR_STATUSES.get(error["code"], 200)


def explain_mcp_media_mismatch(head: McpHead) -> tuple[int, str] | None:
    """Return a refusal if Content-Type or Accept does not fit; None if both do."""
    if head.get("content-type").partition(";")[0].strip().lower() != "application/json":
        return 415, "Send application/json."
    accept = head.get("accept")
    if "*/*" in accept or ("application/json" in accept and "text/event-stream" in accept):
        return None
    return 406, "Accept both application/json and text/event-stream."


def add_mcp_cors_headers(head: McpHead, send: SendEvent) -> SendEvent:
    """Add CORS headers to answers; HostRules has refused other origins before."""
    origin = head.get("origin")
    if not origin:
        return send
    cors_headers = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-headers", _ALLOWED_HEADERS),
        (b"access-control-allow-methods", b"POST, GET, DELETE"),
        (b"access-control-expose-headers", b"mcp-session-id, www-authenticate"),
        (b"vary", b"origin"),
    ]

    async def sending(event: Mapping[str, Any]) -> None:
        start = event["type"] == "http.response.start" and event["status"] != _FORBIDDEN
        await send({**event, "headers": [*event["headers"], *cors_headers]} if start else event)

    return sending


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """How to send one answer.

    ``resumable`` numbers the events; ``last_number`` is the last number that the client received.
    Unless ``streamed``, wait ``patience`` seconds for a single message.
    """

    patience: float
    resumable: bool = False
    headers: Headers = ()
    last_number: int = 0
    streamed: bool = False


async def deliver_mcp_stream(
    stream: MessageStream, delivery: Delivery, receive: Receive, send: SendEvent
) -> bool:
    """Send the messages of a stream; return True if the client left before its end."""
    leaving = asyncio.ensure_future(wait_for_disconnect(receive))
    try:
        if not delivery.streamed and await _wait_single_message(stream, delivery, leaving):
            await _send_single_message(stream, delivery, send)
            return False
        if leaving.done():
            return True
        events = EventStream(send)
        await events.send_head(delivery.headers)
        if delivery.resumable and not delivery.last_number:
            await events.send_resume_point(f"{stream.name}-0", _RETRY_MS)
        return await _send_messages(stream, delivery, events, leaving)
    finally:
        leaving.cancel()


async def _wait_single_message(
    stream: MessageStream, delivery: Delivery, leaving: asyncio.Future[None]
) -> bool:
    """Wait for the first message; return whether it is the only one."""
    await _wait_message(stream, 0, leaving, delivery.patience)
    return stream.over and len(stream.messages_after(0)) == 1


async def _send_single_message(stream: MessageStream, delivery: Delivery, send: SendEvent) -> None:
    (_, data), *_ = stream.messages_after(0)
    # The older revision sends errors with status 200.
    status = 200 if delivery.resumable else http_status(data)
    await send_mcp_reply(
        send, status, data, (("content-type", "application/json"), *delivery.headers)
    )


async def _send_messages(
    stream: MessageStream, delivery: Delivery, events: EventStream, leaving: asyncio.Future[None]
) -> bool:
    last_number = delivery.last_number
    while not leaving.done():
        for number, data in stream.messages_after(last_number):
            await events.send_event(data, f"{stream.name}-{number}" if delivery.resumable else "")
            last_number = number
        if stream.over:
            await events.end_body()
            return False
        if not await _wait_message(stream, last_number, leaving, delivery.patience):
            await events.keep_alive()
    return True


async def _wait_message(
    stream: MessageStream, last_number: int, leaving: asyncio.Future[None], seconds: float
) -> bool:
    """Wait for the next message or a disconnect; return False after ``seconds``."""
    arrival = asyncio.ensure_future(stream.wait_for_messages(last_number, seconds))
    both: set[asyncio.Future[Any]] = {arrival, leaving}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if arrival.done():
        return arrival.result()
    arrival.cancel()
    return True
