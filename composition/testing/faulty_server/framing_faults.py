"""Faults of framing: heads, lengths and chunks that are invalid or contradict each other."""

from .conversation import PAGE, Conversation, FaultGroup
from .listeners import MIB

FRAMING = FaultGroup("framing")


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


_MEMORY_CHECK = "peak memory bounded"


@FRAMING.fault("protocol_error")
async def chunk_bad_hex(talk: Conversation) -> None:
    """Give a chunk size that is not hexadecimal."""
    await _begin_chunked(talk, b"xyz\r\nhello\r\n0\r\n\r\n")


@FRAMING.fault("protocol_error")
async def chunk_bad_terminator(talk: Conversation) -> None:
    """End a chunk without a line break, which h11 before 0.16 let pass."""
    await _begin_chunked(talk, b"5\r\nhelloXX0\r\n\r\n")


@FRAMING.fault("protocol_error response_too_large timeout connection_lost")
async def chunk_huge_size(talk: Conversation) -> None:
    """Announce a chunk of 2^64 bytes."""
    await _begin_chunked(talk, b"FFFFFFFFFFFFFFFF\r\nhello")
    await talk.silence()


@FRAMING.fault("protocol_error response_too_large", check=_MEMORY_CHECK)
async def chunk_ext_endless(talk: Conversation) -> None:
    """Begin a chunk extension that never ends."""
    await _begin_chunked(talk, b"5;")
    while True:
        await talk.send(b"e" * 16384)


@FRAMING.fault("protocol_error response_too_large", check=_MEMORY_CHECK)
async def trailers_endless(talk: Conversation) -> None:
    """Send trailers that never end."""
    await _begin_chunked(talk, b"5\r\nhello\r\n0\r\n")
    while True:
        await talk.send(b"X-T: " + b"t" * 1000 + b"\r\n")


@FRAMING.fault("protocol_error")
async def te_unknown(talk: Conversation) -> None:
    """Name a transfer coding that nobody knows."""
    await talk.send_head("Content-Type: text/html", "Transfer-Encoding: bogus")
    await talk.send(b"hello")


async def _begin_chunked(talk: Conversation, body: bytes) -> None:
    await talk.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await talk.send(body)


@FRAMING.fault("protocol_error")
async def header_no_colon(talk: Conversation) -> None:
    """Send a header line without a colon."""
    await talk.send_head("this is not a header", "Content-Length: 0")


@FRAMING.fault("protocol_error")
async def header_nul(talk: Conversation) -> None:
    """Put a NUL byte into a header."""
    await talk.send_head(
        "X-Bad: a\0b", "Content-Type: text/plain", "Content-Length: 9", "Connection: close"
    )
    await talk.send(b"MARKER-OK")


@FRAMING.fault("response_too_large")
async def header_1mib(talk: Conversation) -> None:
    """Send a header of 1 MiB."""
    await talk.send_head("X-Big: " + "b" * MIB, "Content-Length: 0")


@FRAMING.fault("response_too_large")
async def headers_10000(talk: Conversation) -> None:
    """Send ten thousand small headers."""
    await talk.send_head(*(f"X-{number}: v" for number in range(10_000)), "Content-Length: 0")


@FRAMING.fault("response_too_large", check="peak memory bounded")
async def headers_endless(talk: Conversation) -> None:
    """Send headers for ever, fast."""
    await talk.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await talk.send(b"X-H: " + b"h" * 1000 + b"\r\n")


@FRAMING.fault("protocol_error timeout response_too_large")
async def continue_flood(talk: Conversation) -> None:
    """Send 100 Continue over and over."""
    while True:
        await talk.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 64)
        await talk.pause(0.01)


@FRAMING.fault("protocol_error http_status")
async def switching(talk: Conversation) -> None:
    """Switch protocols though nobody asked."""
    await talk.send_head(
        "Upgrade: websocket", "Connection: Upgrade", status="101 Switching Protocols"
    )
    await talk.silence()
