"""Faults of connections: closed, reset, broken TLS, or answers that never end."""

from .conversation import PAGE, Conversation, FaultGroup, fault_bytes, fault_html
from .listeners import TLS_HOST

CONNECTION = FaultGroup("connection")
_FIRST_FAILURES = 2
_HALF_BODY = fault_html("Content-Length: 1000") + b"x" * 500
_CHUNKED_HEAD = fault_html("Transfer-Encoding: chunked")


def _add_cut(name: str, behaviour: str, data: bytes, check: str = "") -> None:
    CONNECTION.add(name, "connection_lost", behaviour, fault_bytes(data), check=check)


@CONNECTION.fault("connection_lost")
async def reset_now(talk: Conversation) -> None:
    """Reset without an answer."""
    talk.reset()


@CONNECTION.fault("connection_lost")
async def body_cut_rst(talk: Conversation) -> None:
    """Promise 1000 bytes, send 500 and reset."""
    await talk.send(_HALF_BODY)
    await talk.pause(0.05)
    talk.reset()


_add_cut("close_now", "Close without an answer.", b"")
_add_cut(
    "close_in_headers", "Close in the middle of the head.", b"HTTP/1.1 200 OK\r\nContent-Type: te"
)
_add_cut(
    "body_cut_fin",
    "Promise 1000 bytes, send 500 and close.",
    _HALF_BODY,
    "the partial body is not returned as a page",
)
_add_cut("chunked_cut", "Leave out the last chunk.", _CHUNKED_HEAD + b"5\r\nhello\r\n")
CONNECTION.add(
    "keepalive_lie",
    "ok",
    "Promise keep-alive and close: the second request of a pooled client must still succeed.",
    fault_bytes(fault_html("Connection: keep-alive", f"Content-Length: {len(PAGE)}") + PAGE),
)


@CONNECTION.fault(
    "ok", check="with retries on: ok after 3 requests; with retries off: connection_lost"
)
async def flaky_reset(talk: Conversation) -> None:
    """Reset the first two requests with a given ?id=, serve the third."""
    if talk.turn() <= _FIRST_FAILURES:
        talk.reset()
    else:
        await talk.reply()


# Faults below HTTP, which need their own port.
SOCKET = FaultGroup("socket")
TLS = FaultGroup("tls")
SOCKET.add("refused", "connect_failed", "Listen on no port.", port="refused", path="/")
for _name, _expect, _behaviour in (
    ("accept_hang", "timeout", "Accept, never read, never answer."),
    ("accept_close", "connection_lost", "Accept and close at once."),
    ("accept_reset", "connection_lost connect_failed", "Accept and reset at once."),
):
    SOCKET.add(_name, _expect, _behaviour, port=_name, path="/")


def _add_tls(name: str, expect: str, behaviour: str, **details: str) -> None:
    path = "/" if "port" in details else "/ok"
    fields = {"port": "tls", "path": path, "host": TLS_HOST, "scheme": "https"}
    TLS.add(name, expect, behaviour, None, **(fields | details))


_add_tls(
    "tls_ok",
    "ok",
    f"Speak good TLS for {TLS_HOST}; the client must trust the server's ca_pem.",
    check=f"SNI seen by the server is {TLS_HOST} although the client dialled an address",
)
_add_tls("tls_untrusted", "tls_failed", "Show an untrusted certificate.")
_add_tls(
    "tls_wrong_name", "tls_failed", "Show a certificate for another name.", host="other.example.com"
)
_add_tls("tls_plain_http", "tls_failed", "Speak plain HTTP on a TLS port.", port="tls_plain")
_add_tls("tls_hang", "timeout", "Accept and never say hello.", port="accept_hang")
_add_tls(
    "tls_close",
    "tls_failed connection_lost connect_failed",
    "Close after the client's hello.",
    port="tls_close",
)
_add_tls(
    "tls_downgrade",
    "url_denied",
    "Redirect from https to http on the same host.",
    path="/_downgrade",
    check="a secure page may not hand over to clear text unless the user allows it",
)


TIMING = FaultGroup("timing")
_DEADLINE_CHECK = "wall time <= deadline + 0.25 s"


def _add_hang(name: str, behaviour: str, data: bytes) -> None:
    TIMING.add(name, "timeout", behaviour, fault_bytes(data, silent=True))


_add_hang("hang", "Read the request and never answer.", b"")
_add_hang("hang_in_status", "Send half a status line, then nothing.", b"HTTP/1.1 20")
TIMING.add(
    "slow_headers",
    "timeout deadline_exceeded",
    "Send a header byte every 0.2 s for ever: each read succeeds, the head never ends.",
    fault_bytes(b"HTTP/1.1 200 OK\r\nX-Drip: ", endless=b"a", seconds=0.2),
)
_add_hang(
    "headers_then_hang",
    "Promise 1000 bytes of body and send none.",
    fault_html("Content-Length: 1000"),
)
_add_hang(
    "body_then_hang",
    "Send half of the body, then fall silent with the connection open.",
    fault_html(f"Content-Length: {len(PAGE) * 2}") + PAGE,
)
_add_hang(
    "chunk_then_hang", "Begin a chunk whose bytes never come.", _CHUNKED_HEAD + b"1000\r\n<html>"
)
TIMING.add(
    "slow_body_drip",
    "deadline_exceeded timeout",
    "Send a body byte every 0.3 s: no idle timer fires, only a deadline for the whole ends it.",
    fault_bytes(fault_html("Content-Length: 1000000"), endless=b"a", seconds=0.3),
    check=_DEADLINE_CHECK,
)


@TIMING.fault("deadline_exceeded too_many_redirects", check=_DEADLINE_CHECK)
async def slow_redirects(talk: Conversation) -> None:
    """Take 0.8 s for each hop of an endless redirect: the deadline must span the hops."""
    await talk.pause(0.8)
    await talk.redirect(f"/slow_redirects?n={int(talk.query.get('n', '0')) + 1}")
