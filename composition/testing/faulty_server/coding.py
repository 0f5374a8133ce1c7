"""Content codings: bombs, lies and layers."""

import gzip
import os

from . import bombs
from .conversation import Conversation
from .fault import Group
from .pages import PAGE

CODING = Group("coding")
_SMALL = "peak RSS grows by < 32 MiB"
_LAYERS = 10


@CODING.fault("response_too_large", check=_SMALL)
async def gzip_bomb(talk: Conversation) -> None:
    """Send 64 MiB as 65 KB of gzip."""
    await talk.reply(body=bombs.gzip_bomb(64), extra=["Content-Encoding: gzip"])


@CODING.fault("response_too_large bad_encoding", check=_SMALL)
async def gzip_bomb_nested(talk: Conversation) -> None:
    """Send 64 MiB as gzip within gzip, less than 1 KB."""
    await talk.reply(body=bombs.gzip_bomb(64, layers=2), extra=["Content-Encoding: gzip, gzip"])


@CODING.fault("response_too_large", check=_SMALL)
async def deflate_bomb(talk: Conversation) -> None:
    """Send 64 MiB as deflate."""
    await talk.reply(body=bombs.deflate_bomb(64), extra=["Content-Encoding: deflate"])


@CODING.fault("response_too_large bad_encoding", check=_SMALL)
async def br_bomb(talk: Conversation) -> None:
    """Send 256 MiB as 203 bytes of brotli, also to clients that did not offer it."""
    await talk.reply(body=bombs.BROTLI_256_MIB, extra=["Content-Encoding: br"])


@CODING.fault("response_too_large bad_encoding", check=_SMALL)
async def zstd_bomb(talk: Conversation) -> None:
    """Send 256 MiB as 8 KB of zstd."""
    await talk.reply(body=bombs.zstd_bomb(256), extra=["Content-Encoding: zstd"])


@CODING.fault("bad_encoding")
async def coding_chain(talk: Conversation) -> None:
    """Name ten layers of gzip in one header."""
    await talk.reply(body=_layered(), extra=["Content-Encoding: " + ", ".join(["gzip"] * _LAYERS)])


@CODING.fault("bad_encoding")
async def coding_chain_lines(talk: Conversation) -> None:
    """Name ten layers of gzip in ten headers, which passes a limit per header."""
    await talk.reply(body=_layered(), extra=["Content-Encoding: gzip"] * _LAYERS)


@CODING.fault("bad_encoding")
async def gzip_lie(talk: Conversation) -> None:
    """Say gzip and send plain text."""
    await talk.reply(extra=["Content-Encoding: gzip"])


@CODING.fault("bad_encoding")
async def gzip_corrupt(talk: Conversation) -> None:
    """Send gzip with bytes overwritten in the middle."""
    body = bytearray(gzip.compress(os.urandom(4000)))
    body[2000:2010] = b"\xff" * 10
    await talk.reply(body=bytes(body), extra=["Content-Encoding: gzip"])


@CODING.fault(
    "bad_encoding connection_lost", check="the partial text is not returned as a whole page"
)
async def gzip_truncated(talk: Conversation) -> None:
    """Cut a gzip stream short, with a Content-Length that agrees."""
    body = gzip.compress(PAGE * 50)
    await talk.reply(body=body[: len(body) // 2], extra=["Content-Encoding: gzip"])


@CODING.fault("bad_encoding")
async def coding_unknown(talk: Conversation) -> None:
    """Name a content coding that nobody knows."""
    await talk.reply(extra=["Content-Encoding: rot13"])


def _layered() -> bytes:
    body = PAGE
    for _ in range(_LAYERS):
        body = gzip.compress(body)
    return body
