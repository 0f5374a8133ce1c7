"""Bodies as WARC files keep them: in chunks and packed, or taken apart by whoever wrote the file.

A writer may keep a body as it came, or undo what its headers say and leave the headers. So what is
evidently not packed is taken as it is. What is packed and cut off is an error, not a shorter page.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final

from returns.result import Failure, Result, Success

from ....ports.errors import BadEncoding, ResponseTooLarge, WebError

# RFC 9110, 8.4.1, and the names that old servers use (2026-11-15).
_SAME: Final = {"x-gzip": "gzip", "x-deflate": "deflate"}
_NONE: Final = frozenset({"", "identity", "none"})
_PLAIN: Final = (b"<", b"%PDF-", b"\xef\xbb\xbf<")
_GZIP, _ZLIB, _BARE = 31, 15, -15
_START: Final = 512
_METHOD: Final = 8  # RFC 1950, 2.2: deflate


def decode_body(body: bytes, transfer: str, codings: str, limit: int) -> Result[bytes, WebError]:
    """Return a body as its reader wants it, of at most ``limit`` bytes."""
    names = [_SAME.get(name, name) for name in _names(codings)]
    if "chunked" in _names(transfer):
        joined = _joined(body)
        if joined is None:
            return _bad("a chunk is cut off")
        body = joined
    for name in reversed([name for name in names if name not in _NONE]):
        if not body or body[:_START].lstrip().startswith(_PLAIN):
            break
        unpacked = _unpacked(body, name, limit)
        if isinstance(unpacked, Failure):
            return unpacked
        body = unpacked.unwrap()
    return Success(body) if len(body) <= limit else _too_large(limit)


def _names(header: str) -> list[str]:
    return [name.strip().lower() for name in header.split(",")]


def _joined(body: bytes) -> bytes | None:
    """Return chunks as one piece (RFC 9112, 7.1); what is not in chunks, or no more, as it is.

    None: the last chunk is not there.
    """
    pieces: list[bytes] = []
    place = 0
    while True:
        line_end = body.find(b"\r\n", place)
        size = _size(body[place:line_end]) if line_end >= 0 else None
        if size is None or line_end + 2 + size > len(body):
            return None if pieces else body
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[line_end + 2 : line_end + 2 + size])
        place = line_end + 2 + size + 2


def _size(line: bytes) -> int | None:
    digits = line.partition(b";")[0].strip()
    try:
        return int(digits, 16) if digits.isalnum() else None
    except ValueError:
        return None


def _unpacked(body: bytes, name: str, limit: int) -> Result[bytes, WebError]:
    unpack = _UNPACKERS.get(name)
    if unpack is None:
        return _bad(f"{name[:40]!r} is no coding that is known")
    try:
        content = unpack(body, limit + 1)
    # zlib's own, and what pyarrow makes of the others.
    except (zlib.error, OSError, EOFError):
        return _bad(f"{name} is damaged or cut off")
    return Success(content) if len(content) <= limit else _too_large(limit)


def _gzip(body: bytes, most: int) -> bytes:
    """Undo gzip, which may be of several members (RFC 1952, 2.2)."""
    pieces, room = [], most
    while body[:2] == b"\x1f\x8b" and room > 0:
        stream = zlib.decompressobj(_GZIP)
        pieces.append(stream.decompress(body, room))
        room -= len(pieces[-1])
        body = _after(stream, is_full=room <= 0)
    if not pieces:
        raise EOFError
    return b"".join(pieces)


def _deflate(body: bytes, most: int) -> bytes:
    """Undo zlib, or the bare stream that some servers send instead (RFC 9110, 8.4.1.2)."""
    has_head = len(body) > 1 and body[0] & 15 == _METHOD
    is_zlib = has_head and int.from_bytes(body[:2], "big") % 31 == 0
    stream = zlib.decompressobj(_ZLIB if is_zlib else _BARE)
    content = stream.decompress(body, most)
    _after(stream, is_full=len(content) >= most)
    return content


def _after(stream: zlib._Decompress, *, is_full: bool) -> bytes:
    if not stream.eof and not is_full:
        raise EOFError
    return stream.unused_data


def _by_arrow(codec: str) -> Callable[[bytes, int], bytes]:
    def unpack(body: bytes, most: int) -> bytes:
        import pyarrow as pa  # noqa: PLC0415  an extra

        with pa.CompressedInputStream(pa.BufferReader(body), codec) as stream:
            content: bytes = stream.read(most)
        return content

    return unpack


_UNPACKERS: Final[dict[str, Callable[[bytes, int], bytes]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _by_arrow("brotli"),
    "zstd": _by_arrow("zstd"),
}


def _bad(reason: str) -> Failure[WebError]:
    return Failure(BadEncoding(reason=reason))


def _too_large(limit: int) -> Failure[WebError]:
    return Failure(ResponseTooLarge(what="decoded", limit=limit))
