"""Status lines and lengths that are not HTTP, or that contradict each other."""

from .conversation import Conversation
from .fault import Group
from .pages import PAGE

FRAMING = Group("framing")


@FRAMING.fault("protocol_error")
async def not_http(talk: Conversation) -> None:
    """Greet like a mail server."""
    await talk.send(b"220 mail.example ESMTP ready\r\n250 ok\r\n\r\n")


@FRAMING.fault("protocol_error")
async def ssh_banner(talk: Conversation) -> None:
    """Greet like an SSH server."""
    await talk.send(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")


@FRAMING.fault("protocol_error")
async def http09(talk: Conversation) -> None:
    """Send bare HTML without a status line, as HTTP/0.9 did."""
    await talk.send(PAGE + b"\r\n\r\n")


@FRAMING.fault("protocol_error")
async def http2_frames(talk: Conversation) -> None:
    """Send HTTP/2 frames to a client that speaks HTTP/1.1."""
    settings = b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64"
    await talk.send(settings + bytes(64) + b"\r\n\r\n")


@FRAMING.fault("protocol_error")
async def status_99999(talk: Conversation) -> None:
    """Give the status 99999."""
    await talk.send_head("Content-Length: 0", status="99999 What")


@FRAMING.fault("protocol_error")
async def status_letters(talk: Conversation) -> None:
    """Write letters in the status."""
    await talk.send_head("Content-Length: 0", status="2OO OK")


@FRAMING.fault("protocol_error")
async def cl_negative(talk: Conversation) -> None:
    """Give a negative Content-Length."""
    await talk.send_head("Content-Type: text/html", "Content-Length: -5")
    await talk.send(b"hello")


@FRAMING.fault("protocol_error")
async def cl_words(talk: Conversation) -> None:
    """Give the Content-Length as a word."""
    await talk.send_head("Content-Type: text/html", "Content-Length: ten")
    await talk.send(b"0123456789")


@FRAMING.fault("protocol_error")
async def cl_conflict(talk: Conversation) -> None:
    """Give two Content-Lengths that differ."""
    await talk.send_head("Content-Type: text/html", "Content-Length: 10", "Content-Length: 20")
    await talk.send(b"0123456789" * 2)


@FRAMING.fault(
    "ok protocol_error",
    check="the surplus never shows up in any later response on a reused connection",
)
async def cl_too_small(talk: Conversation) -> None:
    """Give a Content-Length of 10 and send 500 bytes."""
    await talk.send_head("Content-Type: text/plain", "Content-Length: 10")
    await talk.send(b"MARKER-OK " + b"S" * 490)


@FRAMING.fault("ok protocol_error")
async def cl_and_te(talk: Conversation) -> None:
    """Give both a Content-Length and a Transfer-Encoding."""
    await talk.send_head(
        "Content-Type: text/plain",
        "Content-Length: 3",
        "Transfer-Encoding: chunked",
        "Connection: close",
    )
    await talk.send(b"9\r\nMARKER-OK\r\n0\r\n\r\n")


@FRAMING.fault("response_too_large protocol_error")
async def cl_petabyte(talk: Conversation) -> None:
    """Announce a petabyte: it is to be refused before it is read."""
    await talk.send_head("Content-Type: text/html", "Content-Length: 1000000000000000")
    await talk.send(b"<html>")
    await talk.silence()


@FRAMING.fault("protocol_error")
async def cl_5000_digits(talk: Conversation) -> None:
    """Give a Content-Length of 5,000 digits."""
    await talk.send_head("Content-Type: text/html", "Content-Length: " + "9" * 5000)
    await talk.silence()
