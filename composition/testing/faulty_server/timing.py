"""Answers that never end, or never begin."""

from .conversation import Conversation
from .fault import Group
from .pages import PAGE

TIMING = Group("timing")
_IN_TIME = "wall time <= deadline + 0.25 s"


@TIMING.fault("timeout")
async def hang(talk: Conversation) -> None:
    """Read the request and never answer."""
    await talk.silence()


@TIMING.fault("timeout")
async def hang_in_status(talk: Conversation) -> None:
    """Send half a status line, then nothing."""
    await talk.send(b"HTTP/1.1 20")
    await talk.silence()


@TIMING.fault("timeout deadline_exceeded")
async def slow_headers(talk: Conversation) -> None:
    """Send a header byte every 0.2 s for ever: each read succeeds, the head never ends."""
    await talk.send(b"HTTP/1.1 200 OK\r\nX-Drip: ")
    while True:
        await talk.send(b"a")
        await talk.pause(0.2)


@TIMING.fault("timeout")
async def headers_then_hang(talk: Conversation) -> None:
    """Promise 1000 bytes of body and send none."""
    await talk.send_head("Content-Type: text/html", "Content-Length: 1000")
    await talk.silence()


@TIMING.fault("timeout")
async def body_then_hang(talk: Conversation) -> None:
    """Send half of the body, then fall silent with the connection open."""
    await talk.send_head("Content-Type: text/html", f"Content-Length: {len(PAGE) * 2}")
    await talk.send(PAGE)
    await talk.silence()


@TIMING.fault("timeout")
async def chunk_then_hang(talk: Conversation) -> None:
    """Begin a chunk whose bytes never come."""
    await talk.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await talk.send(b"1000\r\n<html>")
    await talk.silence()


@TIMING.fault("deadline_exceeded timeout", check=_IN_TIME)
async def slow_body_drip(talk: Conversation) -> None:
    """Send a body byte every 0.3 s: no idle timer fires, only a deadline for the whole ends it."""
    await talk.send_head("Content-Type: text/html", "Content-Length: 1000000")
    while True:
        await talk.send(b"a")
        await talk.pause(0.3)


@TIMING.fault("deadline_exceeded too_many_redirects", check=_IN_TIME)
async def slow_redirects(talk: Conversation) -> None:
    """Take 0.8 s for each hop of an endless redirect: the deadline must span the hops."""
    await talk.pause(0.8)
    await talk.redirect(f"/slow_redirects?n={int(talk.query.get('n', '0')) + 1}")
