"""WARC records whose head states a wrong length.

fastwarc trusts the head (1.1.0, seen 2026-11-17): a length that is too large swallows the records
after it, and one that is too small leaves the rest of the page for the next record.
"""

import hashlib
import re
import zlib
from base64 import b32encode
from collections.abc import Iterable
from typing import BinaryIO, Final, NamedTuple

_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_WINDOW_BITS: Final = 31
_READ_BYTES: Final = 1 << 16
_MAX_HEAD_BYTES: Final = 256 * 1024
_RECORD_END: Final = b"\r\n\r\n"
_NEXT_RECORD_MARK: Final = _RECORD_END + b"WARC/1."
# Some writers end lines without CR.
_HEAD_END_PATTERN: Final = re.compile(rb"\r?\n\r?\n")
_LENGTH_PATTERN: Final = re.compile(rb"\nContent-Length:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
# A record that was cut off ends anywhere in a line, so the next one begins anywhere in a line.
_VERSION_PATTERN: Final = re.compile(rb"WARC/1\.\d\r?\n", re.IGNORECASE)
_FIELD_NAME_PATTERN: Final = re.compile(rb"[\w-]+:")
_TYPE_FIELD: Final = b"warc-type:"
_OVERLAP_BYTES: Final = 8192
_WARC_MAGIC: Final = b"WARC/"
_BLANK_BYTES: Final = b"\r\n\0"
_AFTER_END_BYTES: Final = 16


def stated_warc_record_end(start: bytes) -> int | None:
    """Return the end of a record by its head; None if the head does not say."""
    blank = _HEAD_END_PATTERN.search(start)
    length = None if blank is None else _LENGTH_PATTERN.search(start, 0, blank.start() + 2)
    return None if blank is None or length is None else blank.end() + int(length[1])


def has_swallowed_records(body: bytes, length: str | None, digests: Iterable[str | None]) -> bool:
    """Tell whether a body runs on into further records, though its own head ends it before.

    The HTTP ``length`` or one of the record's ``digests`` must confirm that end, because a page may
    quote records, as pages about the format do.
    """
    end = body.find(_NEXT_RECORD_MARK)
    if end < 0:
        return False
    digest = hashlib.sha1(body[:end], usedforsecurity=False).digest()
    digest_texts = {f"sha1:{b32encode(digest).decode()}", f"sha1:{digest.hex()}"}
    return length == str(end) or not digest_texts.isdisjoint(digests)


def has_crlf_warc_head(stream: BinaryIO, offset: int) -> bool:
    """Tell whether a record begins there whose lines end with CRLF."""
    stream.seek(offset)
    start = stream.read(_AFTER_END_BYTES)
    if start.startswith(_GZIP_MAGIC):
        start = _member_start(stream, offset)
    line, end, _ = start.partition(b"\n")
    return bool(end) and line.startswith(_WARC_MAGIC) and line.endswith(b"\r")


def offset_after_wrong_warc_length(stream: BinaryIO, offset: int) -> int | None:
    """Return where to go on after a wrong length; None if it is right, unknown or the last."""
    stream.seek(offset)
    start = stream.read(_MAX_HEAD_BYTES)
    if start.startswith(_GZIP_MAGIC):
        return _offset_after_member(stream, offset)
    return (
        _offset_after_plain_record(stream, offset, start) if start.startswith(_WARC_MAGIC) else None
    )


def _offset_after_plain_record(stream: BinaryIO, offset: int, start: bytes) -> int | None:
    end = stated_warc_record_end(start)
    if end is None:
        return None
    size = stream.seek(0, 2)
    stream.seek(min(offset + end, size))
    if offset + end <= size and _is_record_end(stream.read(_AFTER_END_BYTES)):
        return None
    return _next_head_offset(stream, offset + len(_WARC_MAGIC))


def embedded_warc_head(stream: BinaryIO, offset: int) -> int | None:
    """Return the offset of the next record's head in that of a record that was cut off in its head.

    The reader takes both for one head, and so the page of the next record for that of the first.
    """
    stream.seek(offset)
    start = stream.read(_MAX_HEAD_BYTES)
    blank = _HEAD_END_PATTERN.search(start)
    if blank is None or not start.startswith(_WARC_MAGIC):
        return None
    head = _find_head(start[: blank.end()], len(_WARC_MAGIC))
    return None if head is None else offset + head


def _find_head(data: bytes, start: int) -> int | None:
    """Return where the head of a record begins: a version, and lines of which one tells the type.

    Where those lines end without a type, no version between them begins a head either: its lines
    would be the same. So the search goes on after them, and each line is read once.
    """
    while (version := _VERSION_PATTERN.search(data, start)) is not None:
        start = version.end()
        while start < len(data):
            end = data.find(b"\n", start) + 1 or len(data)
            line = data[start:end]
            if line[: len(_TYPE_FIELD)].lower() == _TYPE_FIELD:
                return version.start()
            if not _FIELD_NAME_PATTERN.match(line):
                break
            start = end
    return None


def _is_record_end(after: bytes) -> bool:
    if after.startswith(_RECORD_END):
        return True
    rest = after.lstrip(_BLANK_BYTES)
    return not rest or rest.startswith(_WARC_MAGIC)


def _next_head_offset(stream: BinaryIO, start: int) -> int | None:
    stream.seek(start)
    before, offset = b"", start
    while piece := stream.read(_READ_BYTES):
        window = before + piece
        head = _find_head(window, 0)
        if head is not None:
            return offset - len(before) + head
        offset, before = offset + len(piece), window[-_OVERLAP_BYTES:]
    return None


class _GzipMember(NamedTuple):
    """A gzip member: its unpacked size, the bytes after the stated end, its own end."""

    size: int
    after: bytes
    end: int


def _offset_after_member(stream: BinaryIO, offset: int) -> int | None:
    end = stated_warc_record_end(_member_start(stream, offset))
    member = None if end is None else read_warc_member(stream, offset, end)
    if end is None or member is None or (member.size >= end and _is_record_end(member.after)):
        return None
    # In a file packed in pieces of any length, a record may continue in the next member.
    return member.end if _member_start(stream, member.end).startswith(_WARC_MAGIC) else None


def _member_start(stream: BinaryIO, offset: int) -> bytes:
    """Return the beginning of a member's content; empty if it cannot be unpacked."""
    stream.seek(offset)
    start = stream.read(_MAX_HEAD_BYTES)
    try:
        return zlib.decompressobj(_GZIP_WINDOW_BITS).decompress(start, _MAX_HEAD_BYTES)
    except zlib.error:
        return b""


def read_warc_member(stream: BinaryIO, offset: int, end: int) -> _GzipMember | None:
    """Read a member and the bytes after ``end``; None if it is damaged or truncated."""
    stream.seek(offset)
    decompressor = zlib.decompressobj(_GZIP_WINDOW_BITS)
    size, after = 0, b""
    while not decompressor.eof:
        chunk = decompressor.unconsumed_tail or stream.read(_READ_BYTES)
        try:
            content = decompressor.decompress(chunk, _READ_BYTES)
        except zlib.error:
            return None
        if not chunk and not content:
            return None
        after += content[max(0, end - size) :][: _AFTER_END_BYTES - len(after)]
        size += len(content)
    return _GzipMember(size, after, stream.tell() - len(decompressor.unused_data))
