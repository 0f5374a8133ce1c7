"""Faults of connections: closed, reset, broken TLS, or answers that never end."""

from .conversation import PAGE, Conversation, FaultGroup
from .listeners import TLS_HOST

CONNECTION = FaultGroup("connection")
_FIRST_FAILURES = 2


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
    await _send_half_body(talk)


@CONNECTION.fault("connection_lost")
async def body_cut_rst(talk: Conversation) -> None:
    """Promise 1000 bytes, send 500 and reset."""
    await _send_half_body(talk)
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
    if talk.turn() <= _FIRST_FAILURES:
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


async def _send_half_body(talk: Conversation) -> None:
    await talk.send_head("Content-Type: text/html", "Content-Length: 1000")
    await talk.send(b"x" * 500)


# Faults below HTTP, which need their own port.

SOCKET = FaultGroup("socket")
TLS = FaultGroup("tls")
SOCKET.add("refused", "connect_failed", "Listen to nobody.", port="refused", path="/")
SOCKET.add(
    "accept_hang", "timeout", "Accept, never read, never answer.", port="accept_hang", path="/"
)
SOCKET.add(
    "accept_close", "connection_lost", "Accept and close at once.", port="accept_close", path="/"
)
SOCKET.add(
    "accept_reset",
    "connection_lost connect_failed",
    "Accept and reset at once.",
    port="accept_reset",
    path="/",
)


def _add_tls_fault(
    name: str, expect: str, behaviour: str, port: str = "tls", host: str = TLS_HOST
) -> None:
    path = "/ok" if port == "tls" else "/"
    TLS.add(name, expect, behaviour, port=port, path=path, scheme="https", host=host)


TLS.add(
    "tls_ok",
    "ok",
    f"Speak good TLS for {TLS_HOST}; the server's ca_pem is to be trusted.",
    port="tls",
    path="/ok",
    scheme="https",
    host=TLS_HOST,
    check=f"SNI seen by the server is {TLS_HOST} although the client dialled an address",
)
_add_tls_fault("tls_untrusted", "tls_failed", "Show a certificate that nobody trusts.")
_add_tls_fault(
    "tls_wrong_name", "tls_failed", "Show a certificate for another name.", host="other.example.com"
)
_add_tls_fault("tls_plain_http", "tls_failed", "Speak plain HTTP on a TLS port.", "tls_plain")
_add_tls_fault("tls_hang", "timeout", "Accept and never say hello.", "accept_hang")
_add_tls_fault(
    "tls_close",
    "tls_failed connection_lost connect_failed",
    "Close after the client's hello.",
    "tls_close",
)
TLS.add(
    "tls_downgrade",
    "url_denied",
    "Redirect from https to http on the same host.",
    port="tls",
    path="/_downgrade",
    scheme="https",
    host=TLS_HOST,
    check="a secure page may not hand over to clear text unless the user allows it",
)


TIMING = FaultGroup("timing")
_DEADLINE_CHECK = "wall time <= deadline + 0.25 s"


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


@TIMING.fault("deadline_exceeded timeout", check=_DEADLINE_CHECK)
async def slow_body_drip(talk: Conversation) -> None:
    """Send a body byte every 0.3 s: no idle timer fires, only a deadline for the whole ends it."""
    await talk.send_head("Content-Type: text/html", "Content-Length: 1000000")
    while True:
        await talk.send(b"a")
        await talk.pause(0.3)


@TIMING.fault("deadline_exceeded too_many_redirects", check=_DEADLINE_CHECK)
async def slow_redirects(talk: Conversation) -> None:
    """Take 0.8 s for each hop of an endless redirect: the deadline must span the hops."""
    await talk.pause(0.8)
    await talk.redirect(f"/slow_redirects?n={int(talk.query.get('n', '0')) + 1}")
