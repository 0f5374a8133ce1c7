"""Decode bodies of WARC files: chunked and compressed, or already decoded by the writer.

A writer may store a body as received, or decode it and leave the headers. So a body that is
evidently not compressed is used as it is. A truncated one is an error, not a shorter page.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final

from returns.result import Failure, Result, Success

from webseam.ports.errors import BadEncoding, ResponseTooLarge, WebError

# RFC 9110, 8.4.1, and the names that old servers use (2026-11-15).
_CODING_ALIASES: Final = {"x-gzip": "gzip", "x-deflate": "deflate"}
_IDENTITY_CODINGS: Final = frozenset({"", "identity", "none"})
_PLAIN_BODY_STARTS: Final = (b"<", b"%PDF-", b"\xef\xbb\xbf<")
_GZIP_WINDOW_BITS, _ZLIB_WINDOW_BITS, _RAW_WINDOW_BITS = 31, 15, -15
_START_BYTES: Final = 512
_DEFLATE_METHOD: Final = 8  # RFC 1950, 2.2: deflate


def decode_warc_body(
    body: bytes, transfer: str, codings: str, limit: int
) -> Result[bytes, WebError]:
    """Return the decoded body of at most ``limit`` bytes, or an error."""
    names = [_CODING_ALIASES.get(name, name) for name in _coding_names(codings)]
    if "chunked" in _coding_names(transfer):
        joined = _join_chunks(body)
        if joined is None:
            return _bad_body("a chunk is cut off")
        body = joined
    for name in reversed([name for name in names if name not in _IDENTITY_CODINGS]):
        if not body or body[:_START_BYTES].lstrip().startswith(_PLAIN_BODY_STARTS):
            break
        unpacked = _unpack_body(body, name, limit)
        if isinstance(unpacked, Failure):
            return unpacked
        body = unpacked.unwrap()
    return Success(body) if len(body) <= limit else _body_too_large(limit)


def _coding_names(header: str) -> list[str]:
    return [name.strip().lower() for name in header.split(",")]


def _join_chunks(body: bytes) -> bytes | None:
    """Join chunks (RFC 9112, 7.1), else return the body; None if the last chunk is missing."""
    pieces: list[bytes] = []
    offset = 0
    while True:
        line_end = body.find(b"\r\n", offset)
        size = _chunk_size(body[offset:line_end]) if line_end >= 0 else None
        if size is None or line_end + 2 + size > len(body):
            return None if pieces else body
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[line_end + 2 : line_end + 2 + size])
        offset = line_end + 2 + size + 2


def _chunk_size(line: bytes) -> int | None:
    digits = line.partition(b";")[0].strip()
    try:
        return int(digits, 16) if digits.isalnum() else None
    except ValueError:
        return None


def _unpack_body(body: bytes, name: str, limit: int) -> Result[bytes, WebError]:
    unpack = _UNPACKERS.get(name)
    if unpack is None:
        return _bad_body(f"{name[:40]!r} is an unknown coding")
    try:
        content = unpack(body, limit + 1)
    # zlib's exception, and those of pyarrow for the other codecs.
    except (zlib.error, OSError, EOFError):
        return _bad_body(f"{name} is damaged or cut off")
    return Success(content) if len(content) <= limit else _body_too_large(limit)


def _unpack_gzip(body: bytes, max_bytes: int) -> bytes:
    """Decompress gzip, which may have several members (RFC 1952, 2.2)."""
    pieces, remaining = [], max_bytes
    while body[:2] == b"\x1f\x8b" and remaining > 0:
        stream = zlib.decompressobj(_GZIP_WINDOW_BITS)
        pieces.append(stream.decompress(body, remaining))
        remaining -= len(pieces[-1])
        body = _unused_data(stream, is_full=remaining <= 0)
    if not pieces:
        raise EOFError
    return b"".join(pieces)


def _unpack_deflate(body: bytes, max_bytes: int) -> bytes:
    """Decompress zlib, or the raw stream that some servers send instead (RFC 9110, 8.4.1.2)."""
    has_head = len(body) > 1 and body[0] & 15 == _DEFLATE_METHOD
    is_zlib = has_head and int.from_bytes(body[:2], "big") % 31 == 0
    stream = zlib.decompressobj(_ZLIB_WINDOW_BITS if is_zlib else _RAW_WINDOW_BITS)
    content = stream.decompress(body, max_bytes)
    _unused_data(stream, is_full=len(content) >= max_bytes)
    return content


def _unused_data(stream: zlib._Decompress, *, is_full: bool) -> bytes:
    if not stream.eof and not is_full:
        raise EOFError
    return stream.unused_data


def _make_arrow_unpacker(codec: str) -> Callable[[bytes, int], bytes]:
    def unpack(body: bytes, most: int) -> bytes:
        import pyarrow as pa  # noqa: PLC0415  an extra

        with pa.CompressedInputStream(pa.BufferReader(body), codec) as stream:
            content: bytes = stream.read(most)
        return content

    return unpack


_UNPACKERS: Final[dict[str, Callable[[bytes, int], bytes]]] = {
    "gzip": _unpack_gzip,
    "deflate": _unpack_deflate,
    "br": _make_arrow_unpacker("brotli"),
    "zstd": _make_arrow_unpacker("zstd"),
}


def _bad_body(reason: str) -> Failure[WebError]:
    return Failure(BadEncoding(reason=reason))


def _body_too_large(limit: int) -> Failure[WebError]:
    return Failure(ResponseTooLarge(what="decoded", limit=limit))
