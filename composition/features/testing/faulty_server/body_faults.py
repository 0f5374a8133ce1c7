"""Faults of bodies: compression bombs, wrong codings, endless or empty content."""

import base64
import functools
import gzip
import os
import struct
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from .conversation import HTML, PAGE, FaultGroup, fault_bytes, fault_head, fault_html, fault_reply
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


def _add_coding(
    name: str,
    behaviour: str,
    coding: str,
    body: bytes | Callable[[], bytes] = PAGE,
    expect: str = "bad_encoding",
    *,
    headers: int = 1,
    check: str = "",
) -> None:
    """Add a fault that sends ``body`` under the name of a coding, in several equal headers."""
    play = fault_reply(body=body, extra=[f"Content-Encoding: {coding}"] * headers)
    CODING.add(name, expect, behaviour, play, check=check)


def _add_bomb(name: str, behaviour: str, coding: str, body: bytes | Callable[[], bytes]) -> None:
    # A client need not know brotli, zstd or nested codings.
    is_common = coding in ("gzip", "deflate")
    expect = "response_too_large" if is_common else "response_too_large bad_encoding"
    _add_coding(name, behaviour, coding, body, expect, check=_SMALL_MEMORY_CHECK)


def _gzip_fault_layers() -> bytes:
    body = PAGE
    for _ in range(_CODING_LAYERS):
        body = gzip.compress(body)
    return body


def _broken_gzip() -> bytes:
    body = bytearray(gzip.compress(os.urandom(4000)))
    body[2000:2010] = b"\xff" * 10
    return bytes(body)


def _truncated_gzip() -> bytes:
    body = gzip.compress(PAGE * 50)
    return body[: len(body) // 2]


_add_bomb("gzip_bomb", "Send 64 MiB as 65 KB of gzip.", "gzip", partial(gzip_zeros, 64))
_add_bomb(
    "gzip_bomb_nested",
    "Send 64 MiB as gzip within gzip, less than 1 KB.",
    "gzip, gzip",
    partial(gzip_zeros, 64, layers=2),
)
_add_bomb("deflate_bomb", "Send 64 MiB as deflate.", "deflate", partial(deflate_zeros, 64))
_add_bomb(
    "br_bomb",
    "Send 256 MiB as 203 bytes of brotli, also to clients that did not offer it.",
    "br",
    BROTLI_256_MIB,
)
_add_bomb("zstd_bomb", "Send 256 MiB as 8 KB of zstd.", "zstd", partial(zstd_zeros, 256))
_add_coding(
    "coding_chain",
    "Name ten layers of gzip in one header.",
    ", ".join(["gzip"] * _CODING_LAYERS),
    _gzip_fault_layers,
)
_add_coding(
    "coding_chain_lines",
    "Name ten layers of gzip in ten headers, which passes a limit per header.",
    "gzip",
    _gzip_fault_layers,
    headers=_CODING_LAYERS,
)
_add_coding("gzip_lie", "Say gzip and send plain text.", "gzip")
_add_coding("gzip_corrupt", "Send gzip with bytes overwritten in the middle.", "gzip", _broken_gzip)
_add_coding(
    "gzip_truncated",
    "Cut a gzip stream short, with a Content-Length that agrees.",
    "gzip",
    _truncated_gzip,
    "bad_encoding connection_lost",
    check="the partial text is not returned as a whole page",
)
_add_coding("coding_unknown", "Name an unknown content coding.", "rot13")


CONTENT = FaultGroup("content")
_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_UNSAFE_DOWNLOAD = "Content-Disposition: attachment; filename=../../x.sh"
_SCRIPT_SHELL = (
    b"<!doctype html><html><head><title>App</title><script src=/a.js></script></head>"
    b"<body><div id=root></div><noscript></noscript></body></html>"
)


def _add_type(
    name: str, behaviour: str, kind: str, body: bytes, *, extra: Sequence[str] = ()
) -> None:
    CONTENT.add(name, "unsupported_content", behaviour, fault_reply("200 OK", kind, body, extra))


CONTENT.add(
    "endless_body",
    "response_too_large",
    "Send a chunked body without end, fast.",
    fault_bytes(
        fault_html("Transfer-Encoding: chunked"),
        endless=b"4000\r\n" + b"a" * 0x4000 + b"\r\n",
    ),
    check="stops within max_wire_bytes + one read",
)
CONTENT.add(
    "event_stream",
    "unsupported_content",
    "Send server-sent events without end.",
    fault_bytes(fault_head("Content-Type: text/event-stream"), endless=b"data: x\n\n", seconds=0.1),
    check="refused on the type, before the body",
)
_add_type("binary", "Send an octet stream.", "application/octet-stream", os.urandom(2048))
_add_type("image", "Send an image.", "image/png", _PNG_MAGIC + os.urandom(512))
_add_type("type_lie", "Say HTML and send an image.", HTML, _PNG_MAGIC + bytes(range(256)) * 8)
_add_type(
    "zip",
    "Send a ZIP file as a download.",
    "application/zip",
    b"PK\x03\x04" + os.urandom(256),
    extra=[_UNSAFE_DOWNLOAD],
)
CONTENT.add(
    "pdf",
    "unsupported_content ok",
    "Send a PDF, which is ok only where PDF is supported.",
    fault_reply(kind="application/pdf", body=b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + os.urandom(256)),
)
CONTENT.add(
    "no_type",
    "ok",
    "Send HTML without a Content-Type.",
    fault_reply(kind=None),
    check="text contains MARKER-OK",
)
CONTENT.add(
    "empty_200", "empty_content", "Send a success with nothing in it.", fault_reply(body=b"")
)
CONTENT.add(
    "js_shell",
    "empty_content",
    "Send a page that only a script would fill.",
    fault_reply(body=_SCRIPT_SHELL),
    check="the message says that the page needs a browser",
)
