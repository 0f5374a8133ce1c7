"""Heads that are malformed, too large, or never the last one."""

from .conversation import Conversation
from .framing import FRAMING
from .limits import MIB


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
