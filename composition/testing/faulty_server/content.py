"""Content that has no end, is no text, or is not there."""

import os

from .conversation import Conversation
from .fault import Group

CONTENT = Group("content")
_PNG = b"\x89PNG\r\n\x1a\n"


@CONTENT.fault("response_too_large", check="stops within max_wire_bytes + one read")
async def endless_body(talk: Conversation) -> None:
    """Send a chunked body without end, fast."""
    await talk.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    block = b"4000\r\n" + b"a" * 0x4000 + b"\r\n"
    while True:
        await talk.send(block)


@CONTENT.fault("unsupported_content", check="refused on the type, before the body")
async def event_stream(talk: Conversation) -> None:
    """Send server-sent events without end."""
    await talk.send_head("Content-Type: text/event-stream")
    while True:
        await talk.send(b"data: x\n\n")
        await talk.pause(0.1)


@CONTENT.fault("unsupported_content")
async def binary(talk: Conversation) -> None:
    """Send an octet stream."""
    await talk.reply(kind="application/octet-stream", body=os.urandom(2048))


@CONTENT.fault("unsupported_content")
async def image(talk: Conversation) -> None:
    """Send an image."""
    await talk.reply(kind="image/png", body=_PNG + os.urandom(512))


@CONTENT.fault("unsupported_content")
async def type_lie(talk: Conversation) -> None:
    """Say HTML and send an image."""
    await talk.reply(body=_PNG + bytes(range(256)) * 8)


async def _zip(talk: Conversation) -> None:
    name = "Content-Disposition: attachment; filename=../../x.sh"
    await talk.reply(kind="application/zip", body=b"PK\x03\x04" + os.urandom(256), extra=[name])


CONTENT.add("zip", "unsupported_content", "Send a ZIP file as a download.", play=_zip)


@CONTENT.fault("unsupported_content ok")
async def pdf(talk: Conversation) -> None:
    """Send a PDF, which is ok only where PDF is supported."""
    await talk.reply(
        kind="application/pdf", body=b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + os.urandom(256)
    )


@CONTENT.fault("ok", check="text contains MARKER-OK")
async def no_type(talk: Conversation) -> None:
    """Send HTML without a Content-Type."""
    await talk.reply(kind=None)


@CONTENT.fault("empty_content")
async def empty_200(talk: Conversation) -> None:
    """Send a success with nothing in it."""
    await talk.reply(body=b"")


@CONTENT.fault("empty_content", check="the message says that the page needs a browser")
async def js_shell(talk: Conversation) -> None:
    """Send a page that only a script would fill."""
    await talk.reply(
        body=b"<!doctype html><html><head><title>App</title><script src=/a.js></script></head>"
        b"<body><div id=root></div><noscript></noscript></body></html>"
    )
