"""Read the body of a request, send its reply, and hold the fields of its log line."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec

from webseam.adapters.features.gateway import replies
from webseam.kernel.envelopes import failure_envelope
from webseam.ports.errors.error_fields import RefusalKind

from .request_heads import RequestHead, refuse_large_body

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
_LATE_BODY_MESSAGE = "The body did not come in time."
STATUSES: dict[RefusalKind, int] = {
    **replies.DEFAULT_STATUSES, "conflict": 409, "unreadable": 422, "backend": 502,
}  # fmt: skip
# These stop browsers from running scripts in a page text or a title.
_SAFETY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
_NO_CONTENT = 204
_MAX_IGNORED_NAMES = 20
_MAX_NAME_CHARS = 60
READ_METHODS = ("GET", "HEAD")
_NATIVE_DIALECT = "native"
_CLOSE_HEADERS = (("connection", "close"),)


async def read_gateway_body(
    receive: Receive, max_bytes: int, seconds: float
) -> bytes | replies.Refusal:
    """Return the body, or a refusal if it is late, too large or the caller left."""
    if isinstance(message := await _next_asgi_message(receive, seconds), replies.Refusal):
        return message
    if not message.get("more_body", False):
        body: bytes = message.get("body", b"")
        return body if len(body) <= max_bytes else refuse_large_body(max_bytes)
    return await _read_body_rest(receive, message, max_bytes, seconds)


async def _read_body_rest(
    receive: Receive, first: Message, max_bytes: int, seconds: float
) -> bytes | replies.Refusal:
    # One deadline for the body: a timeout per read never ends a caller that sends slowly.
    deadline = asyncio.get_running_loop().time() + seconds
    parts, size, message = [first.get("body", b"")], len(first.get("body", b"")), first
    while message.get("more_body", False):
        following = await _next_asgi_message(receive, deadline - asyncio.get_running_loop().time())
        if isinstance(following, replies.Refusal):
            return following
        message = following
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > max_bytes:
            return refuse_large_body(max_bytes)
        parts.append(part)
    return b"".join(parts)


async def _next_asgi_message(receive: Receive, seconds: float) -> Message | replies.Refusal:
    try:
        async with asyncio.timeout(seconds):
            message = await receive()
    except TimeoutError:
        return replies.Refusal(kind="deadline", message=_LATE_BODY_MESSAGE)
    if message["type"] == "http.disconnect":
        return replies.Refusal(kind="invalid", message="The caller went away.")
    return message


def refusal_envelope(refusal: replies.Refusal, _call: replies.Call | None = None) -> replies.Reply:
    """Return a refusal as a native envelope."""
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
    return replies.refusal_reply(refusal, STATUSES, body)


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """A reply whose body is made while it is sent, such as server-sent events."""

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


async def send_gateway_reply(
    reply: replies.Reply, send: Send, more: tuple[tuple[str, str], ...]
) -> None:
    """Send a whole reply."""
    headers = _response_headers(reply.media_type, (*reply.headers, *more))
    if reply.status == _NO_CONTENT:
        # A 204 has no type and no length (RFC 9110, section 8.6).
        headers = headers[1:]
    else:
        headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


async def send_gateway_stream(
    stream: Stream, send: Send, more: tuple[tuple[str, str], ...]
) -> None:
    """Send a reply piece by piece."""
    # Without this, nginx buffers the pieces (X-Accel-Buffering, read 2026-11-15).
    headers = _response_headers(
        stream.media_type, (*stream.headers, *more, ("x-accel-buffering", "no"))
    )
    await send({"type": "http.response.start", "status": stream.status, "headers": headers})
    async for piece in stream.pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _response_headers(
    media_type: str, extra: tuple[tuple[str, str], ...]
) -> list[tuple[bytes, bytes]]:
    given_names = {name for name, _ in extra}
    return [
        (b"content-type", media_type.encode("latin-1")),
        *((name, value) for name, value in _SAFETY_HEADERS if name.decode() not in given_names),
        *((name.encode("latin-1"), value.encode("latin-1")) for name, value in extra),
    ]


class RequestTalk:
    """One request and the fields of its log line."""

    def __init__(self, head: RequestHead) -> None:
        self.head = head
        self.id = head.id or os.urandom(8).hex()
        self.started = time.monotonic()
        self.dialect = _NATIVE_DIALECT
        self.route = "other"
        self.caller = ""
        self.failure = ""
        self.status = 0
        self.ignored: tuple[str, ...] = ()
        self.provenance: tuple[tuple[str, str], ...] = ()
        self.refuse: Callable[[replies.Refusal], replies.Reply] = refusal_envelope


def ignored_headers(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return a header that names the fields of a call that were not read; none without names.

    >>> ignored_headers(["units", "a b"])
    (('x-webseam-ignored', 'units, a%20b'),)
    """
    distinct = list(dict.fromkeys(names))[:_MAX_IGNORED_NAMES]
    shown = [quote(name[:_MAX_NAME_CHARS], safe="[]") for name in distinct]
    return (("x-webseam-ignored", ", ".join(shown)),) if shown else ()


def add_close_header(
    reply: replies.Reply, talk: RequestTalk, refusal: replies.Refusal
) -> replies.Reply:
    """Add ``connection: close``, because the rest of the connection is unread or not trusted."""
    talk.failure = refusal.kind
    # 408 is the status for a late body (RFC 9110, section 15.5.9).
    status = 408 if refusal.kind == "deadline" else reply.status
    return msgspec.structs.replace(reply, status=status, headers=(*reply.headers, *_CLOSE_HEADERS))


def refuse_http_method(
    *methods: str, refuse: Callable[[replies.Refusal], replies.Reply] = refusal_envelope
) -> replies.Reply:
    """Refuse a method and list the allowed ones."""
    refusal = replies.Refusal(kind="invalid", message=f"This path takes {', '.join(methods)}.")
    allow = (("allow", ", ".join(methods)),)
    return msgspec.structs.replace(refuse(refusal), status=405, headers=allow)


def make_status_recorder(
    talk: RequestTalk, send: Send
) -> Callable[[Mapping[str, Any]], Awaitable[None]]:
    """Return a send function that also records the status for the log."""

    async def sent(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            talk.status = message["status"]
        await send(dict(message))

    return sent


def join_caller_trace(head: RequestHead) -> None:
    """Attach the spans of this call to the trace of the caller, if OpenTelemetry is loaded."""
    if "opentelemetry.trace" not in sys.modules:
        return
    from opentelemetry import context, propagate  # noqa: PLC0415  an extra

    context.attach(propagate.extract({"traceparent": head.trace}))
