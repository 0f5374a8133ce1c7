"""Find the records of a WARC file, and every unreadable stretch between them.

fastwarc stops at the first bad byte (1.1.0, seen 2026-11-15). To lose nothing silently, we search
for the next record after a bad stretch and continue.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.
# ruff: noqa: ANN401
# fastwarc has no types.

import io
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

from . import record_lengths

_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_WINDOW_BITS: Final = 31
_MEMBER_READ_BYTES: Final = 1 << 16
MAX_HEAD_BYTES: Final = 256 * 1024
_WARC_MAGIC: Final = b"WARC/"
# Longer records are refused by the length in their head.
_MAX_RECORD_BYTES: Final = 21 * 1024 * 1024
_HEAD_END_PATTERN: Final = re.compile(rb"\r?\n\r?\n")
_MAX_BLANK_BYTES: Final = 16
# First bytes of a record: gzip, zstd, or plain.
_RECORD_STARTS: Final = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"WARC/1.")
PACKED_RECORD_STARTS: Final = _RECORD_STARTS[:2]
_READ_BYTES: Final = 1 << 20


def truncated_warc_offset(stream: BinaryIO, offset: int, *, is_record: bool) -> int | None:
    """Return the offset of an unreadable record; None if the file ends properly.

    ``offset`` is the start of the last record, or of a stretch without one.
    """
    end = find_warc_record_end(stream, offset) if is_record else offset
    while end is not None and (after := _empty_member_end(stream, end)) is not None:
        end = after
    return end if end is not None and _has_more_content(stream, end) else None


def find_warc_record_end(stream: BinaryIO, offset: int) -> int | None:
    """Return the end of a record; None if it is unknown, as for a truncated last record."""
    stream.seek(offset)
    start = stream.read(len(_WARC_MAGIC))
    if start.startswith(_GZIP_MAGIC):
        member = record_lengths.read_warc_member(stream, offset, 0)
        return None if member is None else member.end
    if start != _WARC_MAGIC:
        return None
    stream.seek(offset)
    end = record_lengths.stated_warc_record_end(stream.read(MAX_HEAD_BYTES))
    return None if end is None else offset + end


def _empty_member_end(stream: BinaryIO, offset: int) -> int | None:
    """Return the end of an empty gzip member, which some tools append; else None."""
    stream.seek(offset)
    start = stream.read(_MEMBER_READ_BYTES)
    member = zlib.decompressobj(_GZIP_WINDOW_BITS)
    try:
        content = member.decompress(start, 1) if start.startswith(_GZIP_MAGIC) else b"."
    except zlib.error:
        return None
    return None if content or not member.eof else offset + len(start) - len(member.unused_data)


def _has_more_content(stream: BinaryIO, offset: int) -> bool:
    stream.seek(offset)
    while chunk := stream.read(_MEMBER_READ_BYTES):
        if chunk.strip(b"\r\n\0"):
            return True
    return False


_EXPECTED_FIELD_NAMES: Final = {name.lower(): name for name in (b"WARC-Type", b"Content-Length")}
_FIELD_NAME_PATTERN: Final = re.compile(
    rb"^(?:%s)(?=:)" % b"|".join(_EXPECTED_FIELD_NAMES), re.IGNORECASE | re.MULTILINE
)


class SingleRecord(io.BytesIO):
    """A single record as a stream that reports its offset in the file."""

    def __init__(self, content: bytes, offset: int) -> None:
        """Hold the record that begins at ``offset``."""
        super().__init__(content)
        self._offset = offset

    def tell(self) -> int:
        """Return the offset in the file; fastwarc calls this once, at the beginning."""
        return self._offset


def read_renamed_warc_record(stream: BinaryIO, offset: int) -> SingleRecord | None:
    """Return a record with the names that fastwarc expects; None if it has them, or is none."""
    start = _unpack_content(stream, offset, MAX_HEAD_BYTES)
    end = _HEAD_END_PATTERN.search(start)
    if end is None or not start.startswith(_WARC_MAGIC):
        return None
    head = start[: end.end()]
    renamed = _FIELD_NAME_PATTERN.sub(lambda match: _EXPECTED_FIELD_NAMES[match[0].lower()], head)
    if renamed == head:
        return None
    size = min(record_lengths.stated_warc_record_end(head) or 0, _MAX_RECORD_BYTES)
    return SingleRecord(renamed + _unpack_content(stream, offset, size)[len(head) :], offset)


def next_warc_record_offset(stream: BinaryIO, offset: int) -> int | None:
    """Return the offset of the next record; None if nothing follows."""
    end = find_warc_record_end(stream, offset)
    if end is None:
        return None
    stream.seek(end)
    after = stream.read(_MAX_BLANK_BYTES)
    return end + len(after) - len(after.lstrip(b"\r\n")) if after.strip(b"\r\n") else None


def _unpack_content(stream: BinaryIO, offset: int, size: int) -> bytes:
    stream.seek(offset)
    # gzip can make incompressible data slightly longer, so read a little more than ``size``.
    start = stream.read(size + size // 512 + 1024)
    if not start.startswith(_GZIP_MAGIC):
        return start[:size]
    try:
        return zlib.decompressobj(_GZIP_WINDOW_BITS).decompress(start, size)
    except zlib.error:
        return b""


Finding = TypeVar("Finding")


class RecordOffset(NamedTuple):
    """The offset of a record; without a record it is a bad stretch after that offset.

    ``has_wrong_length`` reports afterwards that the head of the last record states a wrong length.
    """

    offset: int
    record: Any
    has_wrong_length: bool = False


def warc_record_offsets(stream: BinaryIO, offset: int) -> Iterator[RecordOffset]:
    """Yield all records and bad stretches from an offset on, in the order of the file."""
    is_record = in_gap = False
    while offset >= 0:
        is_over = True
        next_head: int | None = None
        for record in _read_records(stream, offset):
            is_over = record is not None
            if is_over:
                next_head = _embedded_head_offset(stream, record)
                if next_head is not None:
                    offset = record.stream_pos
                    break
                offset, is_record, in_gap = record.stream_pos, True, False
                yield RecordOffset(offset, record)
        if next_head is not None:
            if not in_gap:
                yield RecordOffset(offset, None)
            offset, is_record, in_gap = next_head, False, True
            continue
        report, offset = _report_break(stream, offset, is_record=is_record, is_over=is_over)
        if report is not None and not in_gap:
            yield report
            in_gap = not report.has_wrong_length
        is_record = False


def _embedded_head_offset(stream: BinaryIO, record: Any) -> int | None:
    """Return where the next record begins inside the head of one that was cut off; else None."""
    if len(record.headers.get_multiple("WARC-Type")) <= 1:
        return None
    return _inspect_record(stream, record_lengths.embedded_warc_head, record)


def _read_records(stream: BinaryIO, offset: int) -> Iterator[Any]:
    """Yield the records from an offset on, and None for an unreadable one.

    Each stretch is read as from the file's beginning, because shards begin anywhere.
    """
    at: int | None = offset
    while at is not None:
        at = yield from _read_expected_records(stream, at)
        if at is not None:
            at = yield from _read_renamed_records(stream, at)


def _read_expected_records(stream: BinaryIO, offset: int) -> Generator[Any, None, int | None]:
    """Yield records up to one whose fields have another case, and return its offset."""
    from fastwarc.warc import WarcRecordType

    typeless = (WarcRecordType.no_type, WarcRecordType.unknown)
    last: int | None = None
    for record in _read_crlf_and_lf_records(stream, offset):
        if record is None or record.record_type in typeless:
            renamed_at = _renamed_record_offset(stream, (offset, last), record)
            if renamed_at is not None:
                return renamed_at
        yield record
        last = None if record is None else int(record.stream_pos)
    return None


def _read_renamed_records(stream: BinaryIO, offset: int) -> Generator[Any, None, int | None]:
    """Yield records whose fields have another case, and return the offset of the next other one."""
    at: int | None = offset
    while at is not None:
        content = read_renamed_warc_record(stream, at)
        if content is None:
            return at
        # Keep the reader alive as long as its record.
        reading = _iterate_records(content, quirks=False)
        yield next(reading, None)
        at = next_warc_record_offset(stream, at)
    return None


def _renamed_record_offset(
    stream: BinaryIO,
    before: tuple[int, int | None],
    record: Any,
) -> int | None:
    """Return the offset of a record that is unreadable or has no type because of a name's case.

    ``before`` has the start of reading, and the offset of the last record if there was one.
    """
    if record is not None:
        renamed = _inspect_record(stream, read_renamed_warc_record, record)
        return None if renamed is None else int(record.stream_pos)
    first, last = before
    at = first if last is None else next_warc_record_offset(stream, last)
    return at if at is not None and read_renamed_warc_record(stream, at) is not None else None


def _read_crlf_and_lf_records(stream: BinaryIO, offset: int) -> Iterator[Any]:
    at: int | None = offset
    while at is not None:
        at = yield from _read_crlf_records(stream, at)
        if at is not None:
            at = yield from _read_lf_records(stream, at)


def _read_crlf_records(stream: BinaryIO, offset: int) -> Generator[Any, None, int | None]:
    """Yield records up to one whose head has lines without CR, and return its offset."""
    for record in _iterate_records_from(stream, offset, quirks=False):
        if record is not None and _has_lf_head(stream, record):
            return int(record.stream_pos)
        yield record
    return None


def _read_lf_records(stream: BinaryIO, offset: int) -> Generator[Any, None, int | None]:
    """Yield records whose heads have lines without CR, and return the offset of another kind.

    fastwarc trusts every length in this mode, so stop at a wrong one.
    """
    for record in _iterate_records_from(stream, offset, quirks=True):
        if record is None:
            yield None
            continue
        if record.stream_pos != offset and _has_other_mode(stream, record):
            return int(record.stream_pos)
        yield record
        if (
            _inspect_record(stream, record_lengths.offset_after_wrong_warc_length, record)
            is not None
        ):
            yield None
            return None
    return None


def _has_other_mode(stream: BinaryIO, record: Any) -> bool:
    """Tell whether a record needs the other mode when it is read from its own beginning."""
    has_length = record.headers.get("Content-Length") is not None
    return not has_length or _inspect_record(stream, record_lengths.has_crlf_warc_head, record)


def _inspect_record(
    stream: BinaryIO,
    look: Callable[[BinaryIO, int], Finding],
    record: Any,
) -> Finding:
    """Apply ``look`` to a record without moving the stream."""
    position = stream.tell()
    finding = look(stream, record.stream_pos)
    stream.seek(position)
    return finding


def _iterate_records_from(stream: BinaryIO, offset: int, *, quirks: bool) -> Iterator[Any]:
    stream.seek(offset)
    return _iterate_records(stream, quirks=quirks)


def _iterate_records(stream: BinaryIO, *, quirks: bool) -> Iterator[Any]:
    from fastwarc.warc import ArchiveIterator  # an extra

    try:
        yield from ArchiveIterator(
            stream, parse_http=False, max_header_len=MAX_HEAD_BYTES, quirks_mode=quirks
        )
    except OSError:
        yield None


def _has_lf_head(stream: BinaryIO, record: Any) -> bool:
    """Tell whether a head that seems truncated is complete but has lines without CR."""
    if record.headers.get("Content-Length") is not None:
        return False
    return _inspect_record(stream, _has_lf_length, record)


def _has_lf_length(stream: BinaryIO, offset: int) -> bool:
    record = next(_iterate_records_from(stream, offset, quirks=True), None)
    return record is not None and record.headers.get("Content-Length") is not None


def _report_break(
    stream: BinaryIO, offset: int, *, is_record: bool, is_over: bool
) -> tuple[RecordOffset | None, int]:
    """Return what to report where records end, and the offset to continue from, or -1."""
    after = record_lengths.offset_after_wrong_warc_length(stream, offset) if is_record else None
    if after is not None:
        return RecordOffset(offset, None, has_wrong_length=True), after
    if not is_over:
        return RecordOffset(offset, None), _find_record_mark(stream, offset + 1)
    torn = truncated_warc_offset(stream, offset, is_record=is_record)
    if torn is None:
        return None, -1
    # fastwarc also stops at an empty member, as between concatenated files.
    if torn > offset:
        return None, torn
    return RecordOffset(torn, None), _find_record_mark(stream, torn + 1)


def _find_record_mark(stream: BinaryIO, start: int) -> int:
    """Return the offset where the next record may begin; -1 if there is none."""
    stream.seek(start)
    before, read_at = b"", start
    while piece := stream.read(_READ_BYTES):
        window = before + piece
        starts = [found_at for mark in _RECORD_STARTS if (found_at := window.find(mark)) >= 0]
        if starts:
            return read_at - len(before) + min(starts)
        read_at, before = read_at + len(piece), window[-8:]
    return -1
