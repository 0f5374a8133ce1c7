"""Chunked bodies gone wrong."""

from .conversation import Conversation
from .framing import FRAMING

_BOUNDED = "peak memory bounded"


@FRAMING.fault("protocol_error")
async def chunk_bad_hex(talk: Conversation) -> None:
    """Give a chunk size that is not hexadecimal."""
    await _begin(talk, b"xyz\r\nhello\r\n0\r\n\r\n")


@FRAMING.fault("protocol_error")
async def chunk_bad_terminator(talk: Conversation) -> None:
    """End a chunk without a line break, which h11 before 0.16 let pass."""
    await _begin(talk, b"5\r\nhelloXX0\r\n\r\n")


@FRAMING.fault("protocol_error response_too_large timeout connection_lost")
async def chunk_huge_size(talk: Conversation) -> None:
    """Announce a chunk of 2^64 bytes."""
    await _begin(talk, b"FFFFFFFFFFFFFFFF\r\nhello")
    await talk.silence()


@FRAMING.fault("protocol_error response_too_large", check=_BOUNDED)
async def chunk_ext_endless(talk: Conversation) -> None:
    """Begin a chunk extension that never ends."""
    await _begin(talk, b"5;")
    while True:
        await talk.send(b"e" * 16384)


@FRAMING.fault("protocol_error response_too_large", check=_BOUNDED)
async def trailers_endless(talk: Conversation) -> None:
    """Send trailers that never end."""
    await _begin(talk, b"5\r\nhello\r\n0\r\n")
    while True:
        await talk.send(b"X-T: " + b"t" * 1000 + b"\r\n")


@FRAMING.fault("protocol_error")
async def te_unknown(talk: Conversation) -> None:
    """Name a transfer coding that nobody knows."""
    await talk.send_head("Content-Type: text/html", "Transfer-Encoding: bogus")
    await talk.send(b"hello")


async def _begin(talk: Conversation, body: bytes) -> None:
    await talk.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await talk.send(body)
