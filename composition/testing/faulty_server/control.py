"""Answers that are unusual and right: a client must succeed on every one."""

import gzip
import zlib

from .conversation import Conversation
from .fault import Group
from .pages import JSON, PAGE

CONTROL = Group("control")
_HAS_MARKER = "text contains MARKER-OK"


@CONTROL.fault("ok", check=_HAS_MARKER)
async def ok(talk: Conversation) -> None:
    """Send a small and correct page."""
    await talk.reply()


@CONTROL.fault("ok")
async def slow_start_ok(talk: Conversation) -> None:
    """Wait 0.4 s and answer correctly: slow is not broken."""
    await talk.pause(0.4)
    await talk.reply()


@CONTROL.fault("ok")
async def close_delimited(talk: Conversation) -> None:
    """Give no length; the body ends where the connection does, as in HTTP/1.0."""
    await talk.send_head("Content-Type: text/html", "Connection: close")
    await talk.send(PAGE)


@CONTROL.fault("ok")
async def sliced(talk: Conversation) -> None:
    """Send a correct chunked body, a chunk for every byte, in tiny packets."""
    await talk.send_head(
        "Content-Type: text/html", "Transfer-Encoding: chunked", "Connection: close"
    )
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
    step = talk.query.get("n", "0")
    if step == "0":
        absolute = f"http://{talk.server.authority}/redirect_3_ok?n=1"
        await talk.redirect(absolute, "301 Moved Permanently")
    elif step == "1":
        await talk.redirect("redirect_3_ok?n=2", "307 Temporary Redirect")
    else:
        await talk.redirect("/ok", "308 Permanent Redirect")


@CONTROL.fault("ok", check=_HAS_MARKER)
async def gzip_two_members(talk: Conversation) -> None:
    """Send a gzip body of two members, one after the other; both belong to the page."""
    middle = len(PAGE) // 2
    body = gzip.compress(PAGE[:middle]) + gzip.compress(PAGE[middle:])
    await talk.reply(body=body, extra=["Content-Encoding: gzip"])


@CONTROL.fault("ok", check=_HAS_MARKER)
async def deflate_raw(talk: Conversation) -> None:
    """Send deflate without the zlib wrapper, as some servers do."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = stream.compress(PAGE) + stream.flush()
    await talk.reply(body=body, extra=["Content-Encoding: deflate"])


@CONTROL.fault("ok")
async def plain_text(talk: Conversation) -> None:
    """Send text/plain."""
    await talk.reply(kind="text/plain", body=b"MARKER-OK just text\n")


@CONTROL.fault("ok")
async def json_page(talk: Conversation) -> None:
    """Send a JSON document."""
    await talk.reply(kind=JSON, body=b'{"k": "MARKER-OK"}')
