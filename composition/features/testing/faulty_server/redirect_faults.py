"""Correct answers as a control group, and faults of redirects."""

import gzip
import zlib

from .conversation import (
    JSON,
    PAGE,
    Conversation,
    FaultGroup,
    FaultPlay,
    fault_bytes,
    fault_html,
    fault_reply,
)

CONTROL = FaultGroup("control")
_MARKER_CHECK = "text contains MARKER-OK"


def _add_page(name: str, behaviour: str, play: FaultPlay, check: str = "") -> None:
    CONTROL.add(name, "ok", behaviour, play, check=check)


_add_page("ok", "Send a small and correct page.", fault_reply(), _MARKER_CHECK)


@CONTROL.fault("ok")
async def slow_start_ok(talk: Conversation) -> None:
    """Wait 0.4 s and answer correctly: slow is not broken."""
    await talk.pause(0.4)
    await talk.reply()


@CONTROL.fault("ok")
async def sliced(talk: Conversation) -> None:
    """Send a correct chunked body, a chunk for every byte, in tiny packets."""
    await talk.send(fault_html("Transfer-Encoding: chunked", "Connection: close"))
    for byte in PAGE:
        await talk.send(b"1\r\n%c\r\n" % byte)
    await talk.send(b"0\r\n\r\n")


@CONTROL.fault("ok")
async def early_hints(talk: Conversation) -> None:
    """Send 103 Early Hints, then a normal answer."""
    await talk.send_head("Link: </s.css>; rel=preload", status="103 Early Hints")
    await talk.reply()


@CONTROL.fault("ok")
async def redirect_3_ok(talk: Conversation) -> None:
    """Redirect three times, by an absolute, a relative and a rooted URL, to a page."""
    if (step := talk.query.get("n", "0")) == "0":
        absolute = f"http://{talk.server.authority}/redirect_3_ok?n=1"
        await talk.redirect(absolute, "301 Moved Permanently")
    elif step == "1":
        await talk.redirect("redirect_3_ok?n=2", "307 Temporary Redirect")
    else:
        await talk.redirect("/ok", "308 Permanent Redirect")


def _raw_deflate_fault_body(body: bytes) -> bytes:
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    return stream.compress(body) + stream.flush()


_add_page(
    "close_delimited",
    "Give no length; the body ends where the connection does, as in HTTP/1.0.",
    fault_bytes(fault_html("Connection: close") + PAGE),
)
_add_page(
    "gzip_two_members",
    "Send a gzip body of two members, one after the other; both belong to the page.",
    fault_reply(
        body=gzip.compress(PAGE[:80]) + gzip.compress(PAGE[80:]), extra=["Content-Encoding: gzip"]
    ),
    _MARKER_CHECK,
)
_add_page(
    "deflate_raw",
    "Send deflate without the zlib wrapper, as some servers do.",
    fault_reply(body=_raw_deflate_fault_body(PAGE), extra=["Content-Encoding: deflate"]),
    _MARKER_CHECK,
)
_add_page(
    "plain_text", "Send text/plain.", fault_reply(kind="text/plain", body=b"MARKER-OK just text\n")
)
_add_page("json_page", "Send a JSON document.", fault_reply(kind=JSON, body=b'{"k": "MARKER-OK"}'))


REDIRECT = FaultGroup("redirect")
_CANARY_CHECK = "canary_hits == 0"
_DENIED_CHECK = f"no connection is attempted to the target; {_CANARY_CHECK}"


def _add_redirect(name: str, expect: str, behaviour: str, url: str, check: str = "") -> None:
    """Add a redirect; ``{canary}`` is the canary's address and port, ``{port}`` its port."""

    async def play(talk: Conversation) -> None:
        server = talk.server
        await talk.redirect(url.format(canary=server.canary, port=server.ports["canary"]))

    REDIRECT.add(name, expect, behaviour, play, check=check)


_add_redirect("redirect_self", "too_many_redirects", "Redirect to itself.", "/redirect_self")


@REDIRECT.fault("too_many_redirects")
async def redirect_pair(talk: Conversation) -> None:
    """Redirect between two pages, to and fro."""
    await talk.redirect("/redirect_pair" if "b" in talk.query else "/redirect_pair?b")


@REDIRECT.fault("too_many_redirects")
async def redirect_chain(talk: Conversation) -> None:
    """Redirect to a new URL every time."""
    await talk.redirect(f"/redirect_chain?n={int(talk.query.get('n', '0')) + 1}")


@REDIRECT.fault("bad_redirect")
async def redirect_no_location(talk: Conversation) -> None:
    """Redirect without a Location."""
    await talk.redirect(None)


@REDIRECT.fault("bad_redirect")
async def redirect_two_locations(talk: Conversation) -> None:
    """Redirect to two locations at once."""
    await talk.redirect("/ok", extra=["Location: http://10.0.0.1/"])


_add_redirect(
    "redirect_empty", "bad_redirect too_many_redirects", "Redirect to an empty Location.", ""
)
_add_redirect("redirect_bad_url", "bad_redirect", "Redirect to an invalid URL.", "http://[:::]/")
_add_redirect(
    "redirect_long",
    "bad_redirect response_too_large",
    "Redirect to a URL of 60 KB.",
    "/ok?" + "a" * 60_000,
)


_DENIED_TARGETS = {
    "redirect_canary": ("http://{canary}/secret", "another service on this machine, the canary"),
    "redirect_scheme_relative": ("//{canary}/secret", "//host, without a scheme"),
    "redirect_backslash": ("/\\{canary}/secret", "/\\host, which browsers read as //host"),
    "redirect_decimal": ("http://2130706433:{port}/secret", "the canary, written in decimal"),
    "redirect_short": ("http://127.1:{port}/secret", "the canary, written as 127.1"),
    "redirect_mapped": ("http://[::ffff:127.0.0.1]:{port}/secret", "the canary, in mapped IPv6"),
    "redirect_userinfo": ("http://example.com@{canary}/secret", "the canary, behind userinfo"),
    "redirect_name": ("http://localhost:{port}/secret", "localhost by name"),
    "redirect_rfc1918": ("http://10.0.0.1/", "a private address"),
    "redirect_metadata": (
        "http://169.254.169.254/latest/meta-data/iam/security-credentials/", "a cloud's metadata",
    ),
    "redirect_nat64": (
        "http://[64:ff9b::a9fe:a9fe]/latest/meta-data/", "a cloud's metadata, through NAT64",
    ),
    "redirect_file": ("file:///etc/passwd", "file:"),
    "redirect_gopher": ("gopher://127.0.0.1:6379/_FLUSHALL", "gopher:"),
    "redirect_data": ("data:text/html,MARKER-OK", "data:"),
}  # fmt: skip


for _name, (_where, _target) in _DENIED_TARGETS.items():
    _add_redirect(_name, "url_denied", f"Redirect to {_target}.", _where, _DENIED_CHECK)


@REDIRECT.fault("ok", check=_CANARY_CHECK)
async def meta_refresh(talk: Conversation) -> None:
    """Refresh to the canary, in the page and in a header: shown, never followed."""
    where = f"0;url=http://{talk.server.canary}/secret"
    refresh = f'<meta http-equiv=refresh content="{where}"></head>'
    await talk.reply(body=PAGE.replace(b"</head>", refresh.encode()), extra=[f"Refresh: {where}"])


@REDIRECT.fault("ok", check=_CANARY_CHECK)
async def subresources(talk: Conversation) -> None:
    """Point images, scripts, frames, styles and the base at the canary: nothing is loaded."""
    url = f"http://{talk.server.canary}"
    await talk.show(
        f'<base href="{url}/"><img src="{url}/i"><script src="{url}/s"></script>'
        f'<iframe src="{url}/f"></iframe><link rel=stylesheet href="{url}/c">'
    )


@REDIRECT.fault("ok", check="echoed request has no Cookie")
async def redirect_cookie(talk: Conversation) -> None:
    """Set a cookie and redirect to /_echo: the cookie must not come back."""
    await talk.redirect("/_echo", extra=["Set-Cookie: track=1; Path=/"])
