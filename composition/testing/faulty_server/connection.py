"""Connections that break before the answer is whole."""

from .conversation import Conversation
from .fault import Group
from .pages import PAGE

CONNECTION = Group("connection")
_FAILS_FIRST = 2


@CONNECTION.fault("connection_lost")
async def close_now(_talk: Conversation) -> None:
    """Close without an answer."""


@CONNECTION.fault("connection_lost")
async def reset_now(talk: Conversation) -> None:
    """Reset without an answer."""
    talk.reset()


@CONNECTION.fault("connection_lost")
async def close_in_headers(talk: Conversation) -> None:
    """Close in the middle of the head."""
    await talk.send(b"HTTP/1.1 200 OK\r\nContent-Type: te")


@CONNECTION.fault("connection_lost", check="the partial body is not returned as a page")
async def body_cut_fin(talk: Conversation) -> None:
    """Promise 1000 bytes, send 500 and close."""
    await _half(talk)


@CONNECTION.fault("connection_lost")
async def body_cut_rst(talk: Conversation) -> None:
    """Promise 1000 bytes, send 500 and reset."""
    await _half(talk)
    await talk.pause(0.05)
    talk.reset()


@CONNECTION.fault("connection_lost")
async def chunked_cut(talk: Conversation) -> None:
    """Leave out the last chunk."""
    await talk.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await talk.send(b"5\r\nhello\r\n")


@CONNECTION.fault(
    "ok", check="with retries on: ok after 3 requests; with retries off: connection_lost"
)
async def flaky_reset(talk: Conversation) -> None:
    """Reset the first two requests with a given ?id=, serve the third."""
    if talk.turn() <= _FAILS_FIRST:
        talk.reset()
    else:
        await talk.reply()


@CONNECTION.fault("ok")
async def keepalive_lie(talk: Conversation) -> None:
    """Promise keep-alive and close: the second request of a pooled client must still succeed."""
    await talk.send_head(
        "Content-Type: text/html", "Connection: keep-alive", f"Content-Length: {len(PAGE)}"
    )
    await talk.send(PAGE)


async def _half(talk: Conversation) -> None:
    await talk.send_head("Content-Type: text/html", "Content-Length: 1000")
    await talk.send(b"x" * 500)
