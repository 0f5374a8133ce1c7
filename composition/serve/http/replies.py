"""How a reply leaves: whole, or piece by piece while it is made."""

from collections.abc import AsyncIterator

import msgspec

from ....adapters.dialect.http_messages import Reply
from .bodies import Send

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
