"""What lies behind the last record of a WARC file that was cut off.

fastwarc ends without a word where the head of a record is cut off (1.1.0, seen 2026-11-16): a file
whose writer was killed would lose its last page, and nobody would know.
"""

import zlib
from typing import BinaryIO, Final

from .lengths import stated_end

_GZIP: Final = b"\x1f\x8b"
_ANY_GZIP: Final = 31
_READ_BYTES: Final = 1 << 16
_MAX_HEAD_BYTES: Final = 256 * 1024
_PLAIN: Final = b"WARC/"


def truncated_offset(stream: BinaryIO, offset: int, *, is_record: bool) -> int | None:
    """Return where a record begins that cannot be read, None where the file ends as it should.

    ``offset`` is where the last record begins, or where nothing was found that is one.
    """
    end = record_end(stream, offset) if is_record else offset
    while end is not None and (after := _blank_end(stream, end)) is not None:
        end = after
    return end if end is not None and _has_more(stream, end) else None


def record_end(stream: BinaryIO, offset: int) -> int | None:
    """Return where a record ends; None where that cannot be told: it is the last one, then."""
    stream.seek(offset)
    start = stream.read(len(_PLAIN))
    if start.startswith(_GZIP):
        return _member_end(stream, offset)
    return _plain_end(stream, offset) if start == _PLAIN else None


def _member_end(stream: BinaryIO, offset: int) -> int | None:
    stream.seek(offset)
    member = zlib.decompressobj(_ANY_GZIP)
    while not member.eof and (chunk := stream.read(_READ_BYTES)):
        try:
            while chunk and not member.eof:
                member.decompress(chunk, _READ_BYTES)
                chunk = member.unconsumed_tail
        except zlib.error:
            return None
    return stream.tell() - len(member.unused_data) if member.eof else None


def _plain_end(stream: BinaryIO, offset: int) -> int | None:
    stream.seek(offset)
    end = stated_end(stream.read(_MAX_HEAD_BYTES))
    return None if end is None else offset + end


def _blank_end(stream: BinaryIO, place: int) -> int | None:
    """Return where a gzip member without content ends, as some tools put it last; else None."""
    stream.seek(place)
    start = stream.read(_READ_BYTES)
    member = zlib.decompressobj(_ANY_GZIP)
    try:
        content = member.decompress(start, 1) if start.startswith(_GZIP) else b"."
    except zlib.error:
        return None
    return None if content or not member.eof else place + len(start) - len(member.unused_data)


def _has_more(stream: BinaryIO, place: int) -> bool:
    stream.seek(place)
    while chunk := stream.read(_READ_BYTES):
        if chunk.strip(b"\r\n\0"):
            return True
    return False
