"""Faults of bodies: compression bombs, wrong codings, endless or empty content."""

import base64
import functools
import gzip
import os
import struct
import zlib
from typing import Final

from .conversation import PAGE, Conversation, FaultGroup
from .listeners import MIB

_MIB_OF_ZEROS: Final = bytes(MIB)
_RAW_WINDOW_BITS: Final = -15
# 203 bytes of brotli that stand for 256 MiB of zeros; the standard library cannot write brotli.
BROTLI_256_MIB: Final = base64.b64decode(
    "z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf//P//B0ACIA4LQPf+n////wBI"
    "AMRhAeje//P//x8ACYA4LADd+3/+//8DIAEQhwWge//P//9/ACQA4rAAdO//+f//D4AEQBwWgO79P////wGQAIjDAtC9"
    "/+f//z8AEgBxWAC69//8//8HQAIgDgtA9/6f////AEgAxGEB6N7/8///HwAJgDgsAN37f/7//wMgARCHBaB7/z8="
)


@functools.cache
def gzip_zeros(mib: int, layers: int = 1) -> bytes:
    """Return ``mib`` MiB of zeros, gzipped ``layers`` times."""
    checksum = 0
    for _ in range(mib):
        checksum = zlib.crc32(_MIB_OF_ZEROS, checksum)
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    bomb = head + _deflated_zeros(mib) + struct.pack("<II", checksum, mib * MIB % 2**32)
    for _ in range(layers - 1):
        bomb = gzip.compress(bomb)
    return bomb


@functools.cache
def deflate_zeros(mib: int) -> bytes:
    """Return ``mib`` MiB of zeros as a zlib stream."""
    checksum = 1
    for _ in range(mib):
        checksum = zlib.adler32(_MIB_OF_ZEROS, checksum)
    return b"\x78\xda" + _deflated_zeros(mib) + struct.pack(">I", checksum)


@functools.cache
def zstd_zeros(mib: int) -> bytes:
    """Return ``mib`` MiB of zeros as a zstd frame of run-length blocks, 128 KiB in 4 bytes."""
    magic_and_window = b"\x28\xb5\x2f\xfd\x00\x38"
    size, run_length, last = (128 * 1024) << 3, 1 << 1, 1
    block = struct.pack("<I", size | run_length)[:3] + b"\0"
    final = struct.pack("<I", size | run_length | last)[:3] + b"\0"
    return magic_and_window + block * (mib * 8 - 1) + final


def _deflated_zeros(mib: int) -> bytes:
    """Compress one MiB and repeat it: after a full flush a block does not depend on its offset."""
    stream = zlib.compressobj(9, zlib.DEFLATED, _RAW_WINDOW_BITS)
    block = stream.compress(_MIB_OF_ZEROS) + stream.flush(zlib.Z_FULL_FLUSH)
    return block * mib + stream.flush()


CODING = FaultGroup("coding")
_SMALL_MEMORY_CHECK = "peak RSS grows by < 32 MiB"
_CODING_LAYERS = 10


@CODING.fault("response_too_large", check=_SMALL_MEMORY_CHECK)
async def gzip_bomb(talk: Conversation) -> None:
    """Send 64 MiB as 65 KB of gzip."""
    await talk.reply(body=gzip_zeros(64), extra=["Content-Encoding: gzip"])


@CODING.fault("response_too_large bad_encoding", check=_SMALL_MEMORY_CHECK)
async def gzip_bomb_nested(talk: Conversation) -> None:
    """Send 64 MiB as gzip within gzip, less than 1 KB."""
    await talk.reply(body=gzip_zeros(64, layers=2), extra=["Content-Encoding: gzip, gzip"])


@CODING.fault("response_too_large", check=_SMALL_MEMORY_CHECK)
async def deflate_bomb(talk: Conversation) -> None:
    """Send 64 MiB as deflate."""
    await talk.reply(body=deflate_zeros(64), extra=["Content-Encoding: deflate"])


@CODING.fault("response_too_large bad_encoding", check=_SMALL_MEMORY_CHECK)
async def br_bomb(talk: Conversation) -> None:
    """Send 256 MiB as 203 bytes of brotli, also to clients that did not offer it."""
    await talk.reply(body=BROTLI_256_MIB, extra=["Content-Encoding: br"])


@CODING.fault("response_too_large bad_encoding", check=_SMALL_MEMORY_CHECK)
async def zstd_bomb(talk: Conversation) -> None:
    """Send 256 MiB as 8 KB of zstd."""
    await talk.reply(body=zstd_zeros(256), extra=["Content-Encoding: zstd"])


@CODING.fault("bad_encoding")
async def coding_chain(talk: Conversation) -> None:
    """Name ten layers of gzip in one header."""
    await talk.reply(
        body=_gzip_layers(), extra=["Content-Encoding: " + ", ".join(["gzip"] * _CODING_LAYERS)]
    )


@CODING.fault("bad_encoding")
async def coding_chain_lines(talk: Conversation) -> None:
    """Name ten layers of gzip in ten headers, which passes a limit per header."""
    await talk.reply(body=_gzip_layers(), extra=["Content-Encoding: gzip"] * _CODING_LAYERS)


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


def _gzip_layers() -> bytes:
    body = PAGE
    for _ in range(_CODING_LAYERS):
        body = gzip.compress(body)
    return body


CONTENT = FaultGroup("content")
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


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
    await talk.reply(kind="image/png", body=_PNG_SIGNATURE + os.urandom(512))


@CONTENT.fault("unsupported_content")
async def type_lie(talk: Conversation) -> None:
    """Say HTML and send an image."""
    await talk.reply(body=_PNG_SIGNATURE + bytes(range(256)) * 8)


async def _send_zip(talk: Conversation) -> None:
    name = "Content-Disposition: attachment; filename=../../x.sh"
    await talk.reply(kind="application/zip", body=b"PK\x03\x04" + os.urandom(256), extra=[name])


CONTENT.add("zip", "unsupported_content", "Send a ZIP file as a download.", play=_send_zip)


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
