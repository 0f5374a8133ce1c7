"""One request on its way: what the log will say of it, and how it ends early."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeAlias

import msgspec

from ....adapters.gateway.refusal import DEFAULT_STATUSES, Call, Refusal, Reply, refusal_reply
from ....kernel.envelopes import failure_envelope
from ....ports.errors.error_fields import RefusalKind
from .heads import RequestHead, refuse_large_body

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
_SLOW = "The body did not come in time."


async def read_body(receive: Receive, max_bytes: int, seconds: float) -> bytes | Refusal:
    """Return the body; a caller that went away is a refusal that nobody will read."""
    message = await _next(receive, seconds)
    if isinstance(message, Refusal):
        return message
    if not message.get("more_body", False):
        body: bytes = message.get("body", b"")
        return body if len(body) <= max_bytes else refuse_large_body(max_bytes)
    return await _rest(receive, message, max_bytes, seconds)


async def _rest(receive: Receive, first: Message, most: int, seconds: float) -> bytes | Refusal:
    # One time for all of it: who sends a byte a second is never late with the next one.
    ending = asyncio.get_running_loop().time() + seconds
    parts, size, message = [first.get("body", b"")], len(first.get("body", b"")), first
    while message.get("more_body", False):
        following = await _next(receive, ending - asyncio.get_running_loop().time())
        if isinstance(following, Refusal):
            return following
        message = following
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > most:
            return refuse_large_body(most)
        parts.append(part)
    return b"".join(parts)


async def _next(receive: Receive, seconds: float) -> Message | Refusal:
    try:
        async with asyncio.timeout(seconds):
            message = await receive()
    except TimeoutError:
        return Refusal(kind="deadline", message=_SLOW)
    if message["type"] == "http.disconnect":
        return Refusal(kind="invalid", message="The caller went away.")
    return message


# A refusal in our own envelope, with its status: the native API's, and that of no dialect.

STATUSES: dict[RefusalKind, int] = {
    **DEFAULT_STATUSES,
    "conflict": 409,
    "unreadable": 422,
    "backend": 502,
}


def refusal_envelope(refusal: Refusal, _call: Call | None = None) -> Reply:
    """Return a refusal as our own envelope of a failure."""
    if refusal.error is not None:
        body = failure_envelope(refusal.error)
    else:
        body = {
            "success": False,
            "error": refusal.message,
            "failure": {
                "kind": refusal.kind,
                "retryable": refusal.kind in ("rate", "busy", "deadline"),
            },
        }
    return refusal_reply(refusal, STATUSES, body)


# How a reply leaves: whole, or piece by piece while it is made.

# Whatever a caller put into a page or a title, no browser takes it for something to run.
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
_NO_CONTENT = 204


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """A reply whose body is made while it is sent: events, as browsers know them."""

    pieces: AsyncIterator[bytes]
    media_type: str = "text/event-stream"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


def server_sent_event(name: str, document: bytes) -> bytes:
    r"""Return one server-sent event.

    >>> server_sent_event("page", b"{}")
    b'event: page\ndata: {}\n\n'
    """
    return b"event: " + name.encode() + b"\ndata: " + document + b"\n\n"


async def send_reply(reply: Reply, send: Send, more: tuple[tuple[str, str], ...]) -> None:
    """Send a whole reply."""
    headers = _headers(reply.media_type, (*reply.headers, *more))
    if reply.status == _NO_CONTENT:
        # It has neither a type nor a length (RFC 9110, section 8.6).
        headers = headers[1:]
    else:
        headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


async def send_stream(stream: Stream, send: Send, more: tuple[tuple[str, str], ...]) -> None:
    """Send a reply piece by piece."""
    # nginx would keep the pieces back (X-Accel-Buffering, read 2026-11-15).
    headers = _headers(stream.media_type, (*stream.headers, *more, ("x-accel-buffering", "no")))
    await send({"type": "http.response.start", "status": stream.status, "headers": headers})
    async for piece in stream.pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _headers(media_type: str, more: tuple[tuple[str, str], ...]) -> list[tuple[bytes, bytes]]:
    own = {name for name, _ in more}
    return [
        (b"content-type", media_type.encode("latin-1")),
        *((name, value) for name, value in _ALWAYS if name.decode() not in own),
        *((name.encode("latin-1"), value.encode("latin-1")) for name, value in more),
    ]


# One request on its way: what the log will say of it, and how it ends early.

READS = ("GET", "HEAD")
_NATIVE = "native"
_CLOSING = (("connection", "close"),)


class RequestTalk:
    """One request on its way, and what the log will say of it."""

    def __init__(self, head: RequestHead) -> None:
        """Begin with what came in."""
        self.head = head
        self.id = head.id or os.urandom(8).hex()
        self.started = time.monotonic()
        self.dialect = _NATIVE
        self.route = "other"
        self.caller = ""
        self.failure = ""
        self.status = 0
        self.refuse: Callable[[Refusal], Reply] = refusal_envelope


def close_connection(reply: Reply, talk: RequestTalk, refusal: Refusal) -> Reply:
    """End the connection too: what follows on it is not to be trusted, or is still to come."""
    talk.failure = refusal.kind
    # A body that is late is the caller's, not ours (RFC 9110, section 15.5.9).
    status = 408 if refusal.kind == "deadline" else reply.status
    return msgspec.structs.replace(reply, status=status, headers=(*reply.headers, *_CLOSING))


def refuse_method(*methods: str) -> Reply:
    """Refuse a method, and say which the path takes."""
    refusal = Refusal(kind="invalid", message=f"This path takes {', '.join(methods)}.")
    allow = (("allow", ", ".join(methods)),)
    return msgspec.structs.replace(refusal_envelope(refusal), status=405, headers=allow)


def record_status(talk: RequestTalk, send: Send) -> Callable[[Mapping[str, Any]], Awaitable[None]]:
    """Return what sends on, and keeps the status for the log."""

    async def sent(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            talk.status = message["status"]
        await send(dict(message))

    return sent


def join_trace(head: RequestHead) -> None:
    """Have spans of this call belong to the caller's trace, where OpenTelemetry is in use."""
    if "opentelemetry.trace" not in sys.modules:
        return
    from opentelemetry import context, propagate  # noqa: PLC0415  an extra

    context.attach(propagate.extract({"traceparent": head.trace}))
