"""WARC records whose heads tell another length than they have.

fastwarc believes the head (1.1.0, seen 2026-11-17): a length that is too great takes in the records
that follow, and one that is too small leaves the rest of the page for the next record.
"""

import hashlib
import re
import zlib
from base64 import b32encode
from collections.abc import Iterable
from typing import BinaryIO, Final, NamedTuple

_GZIP: Final = b"\x1f\x8b"
_ANY_GZIP: Final = 31
_READ_BYTES: Final = 1 << 16
_MAX_HEAD_BYTES: Final = 256 * 1024
_RECORD_END: Final = b"\r\n\r\n"
_INTO_NEXT: Final = _RECORD_END + b"WARC/1."
# Some writers end lines without CR.
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_LENGTH: Final = re.compile(rb"\nContent-Length:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
_NEXT: Final = re.compile(rb"\nWARC/1\.\d\r?\n(?:[\w-]+:[^\r\n]*\r?\n)*?WARC-Type:", re.IGNORECASE)
_OVERLAP: Final = 8192
_PLAIN: Final = b"WARC/"
_BLANK: Final = b"\r\n\0"
_AFTER: Final = 16


def stated_end(start: bytes) -> int | None:
    """Return where a record ends, by its head; None where that cannot be told."""
    blank = _HEAD_END.search(start)
    length = None if blank is None else _LENGTH.search(start, 0, blank.start() + 2)
    return None if blank is None or length is None else blank.end() + int(length[1])


def takes_in_others(body: bytes, length: str | None, digests: Iterable[str | None]) -> bool:
    """Tell whether a body goes on into further records, though by its own word it ends before.

    That word is the ``length`` in its HTTP head or one of the ``digests`` of its record: pages may
    hold records, as those about the format do.
    """
    end = body.find(_INTO_NEXT)
    if end < 0:
        return False
    digest = hashlib.sha1(body[:end], usedforsecurity=False).digest()
    own = {f"sha1:{b32encode(digest).decode()}", f"sha1:{digest.hex()}"}
    return length == str(end) or not own.isdisjoint(digests)


def has_crlf(stream: BinaryIO, offset: int) -> bool:
    """Tell whether a record begins there whose lines end as they should."""
    stream.seek(offset)
    start = stream.read(_AFTER)
    if start.startswith(_GZIP):
        start = _start(stream, offset)
    line, end, _ = start.partition(b"\n")
    return bool(end) and line.startswith(_PLAIN) and line.endswith(b"\r")


def offset_after_misfit(stream: BinaryIO, offset: int) -> int | None:
    """Return where to go on after a record that is not as long as its head says.

    None where it is, where that cannot be told, or where nothing follows.
    """
    stream.seek(offset)
    start = stream.read(_MAX_HEAD_BYTES)
    if start.startswith(_GZIP):
        return _after_member(stream, offset)
    return _after_plain(stream, offset, start) if start.startswith(_PLAIN) else None


def _after_plain(stream: BinaryIO, offset: int, start: bytes) -> int | None:
    end = stated_end(start)
    if end is None:
        return None
    size = stream.seek(0, 2)
    stream.seek(min(offset + end, size))
    if offset + end <= size and _is_end(stream.read(_AFTER)):
        return None
    return _next_head(stream, offset + len(_PLAIN))


def _is_end(after: bytes) -> bool:
    """Tell whether a record may end before some bytes."""
    if after.startswith(_RECORD_END):
        return True
    words = after.lstrip(_BLANK)
    return not words or words.startswith(_PLAIN)


def _next_head(stream: BinaryIO, start: int) -> int | None:
    """Return where the next record begins after a place, None where there is none."""
    stream.seek(start)
    before, at = b"", start
    while piece := stream.read(_READ_BYTES):
        window = before + piece
        found = _NEXT.search(window)
        if found is not None:
            return at - len(before) + found.start() + 1
        at, before = at + len(piece), window[-_OVERLAP:]
    return None


class _Member(NamedTuple):
    """A gzip member: its size unpacked, what stands where its record should end, its own end."""

    size: int
    after: bytes
    end: int


def _after_member(stream: BinaryIO, offset: int) -> int | None:
    start = _start(stream, offset)
    end = stated_end(start)
    member = None if end is None else _member(stream, offset, end)
    if end is None or member is None:
        return None
    if member.size >= end and _is_end(member.after):
        return None
    # Of a file that is packed in pieces of any length, a record may go on in the next one.
    return member.end if _start(stream, member.end).startswith(_PLAIN) else None


def _start(stream: BinaryIO, offset: int) -> bytes:
    """Return how the content of a member begins, nothing where there is none."""
    stream.seek(offset)
    try:
        return zlib.decompressobj(_ANY_GZIP).decompress(
            stream.read(_MAX_HEAD_BYTES), _MAX_HEAD_BYTES
        )
    except zlib.error:
        return b""


def _member(stream: BinaryIO, offset: int, end: int) -> _Member | None:
    """Look through a member for what stands at ``end``; None where it is damaged or cut off."""
    stream.seek(offset)
    unpacking = zlib.decompressobj(_ANY_GZIP)
    size, after = 0, b""
    while not unpacking.eof:
        chunk = unpacking.unconsumed_tail or stream.read(_READ_BYTES)
        try:
            content = unpacking.decompress(chunk, _READ_BYTES)
        except zlib.error:
            return None
        if not chunk and not content:
            return None
        after += content[max(0, end - size) :][: _AFTER - len(after)]
        size += len(content)
    return _Member(size, after, stream.tell() - len(unpacking.unused_data))
