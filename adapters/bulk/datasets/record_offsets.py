"""Where the records of a WARC file begin, and every stretch between them that is unreadable.

fastwarc stops at the first bad byte (1.1.0, seen 2026-11-15). Nothing may be lost silently: after a
bad stretch we look for the next record and go on.
"""

import io
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

from .lengths import has_crlf, offset_after_misfit, stated_end

_TRUNCATED_RECORDS_GZIP: Final = b"\x1f\x8b"
_TRUNCATED_RECORDS_ANY_GZIP: Final = 31
_TRUNCATED_RECORDS_READ_BYTES: Final = 1 << 16
_TRUNCATED_RECORDS_MAX_HEAD_BYTES: Final = 256 * 1024
_TRUNCATED_RECORDS_PLAIN: Final = b"WARC/"


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
    start = stream.read(len(_TRUNCATED_RECORDS_PLAIN))
    if start.startswith(_TRUNCATED_RECORDS_GZIP):
        return _member_end(stream, offset)
    return _plain_end(stream, offset) if start == _TRUNCATED_RECORDS_PLAIN else None


def _member_end(stream: BinaryIO, offset: int) -> int | None:
    stream.seek(offset)
    member = zlib.decompressobj(_TRUNCATED_RECORDS_ANY_GZIP)
    while not member.eof and (chunk := stream.read(_TRUNCATED_RECORDS_READ_BYTES)):
        try:
            while chunk and not member.eof:
                member.decompress(chunk, _TRUNCATED_RECORDS_READ_BYTES)
                chunk = member.unconsumed_tail
        except zlib.error:
            return None
    return stream.tell() - len(member.unused_data) if member.eof else None


def _plain_end(stream: BinaryIO, offset: int) -> int | None:
    stream.seek(offset)
    end = stated_end(stream.read(_TRUNCATED_RECORDS_MAX_HEAD_BYTES))
    return None if end is None else offset + end


def _blank_end(stream: BinaryIO, place: int) -> int | None:
    """Return where a gzip member without content ends, as some tools put it last; else None."""
    stream.seek(place)
    start = stream.read(_TRUNCATED_RECORDS_READ_BYTES)
    member = zlib.decompressobj(_TRUNCATED_RECORDS_ANY_GZIP)
    try:
        content = member.decompress(start, 1) if start.startswith(_TRUNCATED_RECORDS_GZIP) else b"."
    except zlib.error:
        return None
    return None if content or not member.eof else place + len(start) - len(member.unused_data)


def _has_more(stream: BinaryIO, place: int) -> bool:
    stream.seek(place)
    while chunk := stream.read(_TRUNCATED_RECORDS_READ_BYTES):
        if chunk.strip(b"\r\n\0"):
            return True
    return False


# WARC records whose fields are named in another case than fastwarc knows them by.

_GZIP: Final = b"\x1f\x8b"
_ANY_GZIP: Final = 31
_PLAIN: Final = b"WARC/"
_MAX_HEAD_BYTES: Final = 256 * 1024
# Longer ones are refused for their length, which stands in their heads.
_MAX_RECORD_BYTES: Final = 21 * 1024 * 1024
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_NAMES: Final = {name.lower(): name for name in (b"WARC-Type", b"Content-Length")}
_FIELD: Final = re.compile(rb"^(?:%s)(?=:)" % b"|".join(_NAMES), re.IGNORECASE | re.MULTILINE)
_BLANKS: Final = 16


class RecordAt(io.BytesIO):
    """A record by itself, which is told to begin where it does in its file."""

    def __init__(self, content: bytes, place: int) -> None:
        """Hold the record that begins at ``place``."""
        super().__init__(content)
        self._place = place

    def tell(self) -> int:
        """Return the place in the file: fastwarc asks for it once, at the beginning."""
        return self._place


def read_renamed(stream: BinaryIO, offset: int) -> RecordAt | None:
    """Return the record that begins at a place, under the names that are known.

    None where it has them already, or where none begins.
    """
    start = _content(stream, offset, _MAX_HEAD_BYTES)
    end = _HEAD_END.search(start)
    if end is None or not start.startswith(_PLAIN):
        return None
    head = start[: end.end()]
    known = _FIELD.sub(lambda found: _NAMES[found[0].lower()], head)
    if known == head:
        return None
    size = min(stated_end(head) or 0, _MAX_RECORD_BYTES)
    return RecordAt(known + _content(stream, offset, size)[len(head) :], offset)


def next_offset(stream: BinaryIO, offset: int) -> int | None:
    """Return where the record after the one at a place may begin, None where nothing follows."""
    end = record_end(stream, offset)
    if end is None:
        return None
    stream.seek(end)
    after = stream.read(_BLANKS)
    return end + len(after) - len(after.lstrip(b"\r\n")) if after.strip(b"\r\n") else None


def _content(stream: BinaryIO, place: int, size: int) -> bytes:
    """Return so much of what begins at a place, unpacked; less where there is no more."""
    stream.seek(place)
    # What cannot be packed is a little longer for it.
    start = stream.read(size + size // 512 + 1024)
    if not start.startswith(_GZIP):
        return start[:size]
    try:
        return zlib.decompressobj(_ANY_GZIP).decompress(start, size)
    except zlib.error:
        return b""


# Where the records of a WARC file begin, and every stretch between them that is unreadable.

# How a record begins: packed with gzip or zstd, or plain.
_MARKS: Final = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"WARC/1.")
PACKED: Final = _MARKS[:2]
MAX_HEAD_BYTES: Final = 256 * 1024
_READ_BYTES: Final = 1 << 20
Seen = TypeVar("Seen")


class RecordOffset(NamedTuple):
    """Where a record begins; None of a record is a bad stretch after that place.

    A ``misfit`` says afterwards that the last record is not as long as its head says.
    """

    offset: int
    record: Any
    misfit: bool = False


def record_offsets(stream: BinaryIO, offset: int) -> Iterator[RecordOffset]:
    """Yield all there is from a place on, in the order of the file."""
    is_record = in_gap = False
    while offset >= 0:
        is_over = True
        for record in _records(stream, offset):
            is_over = record is not None
            if is_over:
                offset, is_record, in_gap = record.stream_pos, True, False
                yield RecordOffset(offset, record)
        said, offset = _break(stream, offset, is_record=is_record, is_over=is_over)
        if said is not None and not in_gap:
            yield said
            in_gap = not said.misfit
        is_record = False


def _records(stream: BinaryIO, offset: int) -> Iterator[Any]:
    """Yield the records from a place on, and None where one cannot be read.

    Each stretch of a file is read as it would be from its own beginning: shards begin anywhere.
    """
    place: int | None = offset
    while place is not None:
        place = yield from _by_known_names(stream, place)
        if place is not None:
            place = yield from _by_other_names(stream, place)


def _by_known_names(stream: BinaryIO, offset: int) -> Generator[Any, None, int | None]:
    """Yield records up to one whose fields are named in another case, and return where that is."""
    from fastwarc.warc import WarcRecordType  # noqa: PLC0415

    typeless = (WarcRecordType.no_type, WarcRecordType.unknown)
    last: int | None = None
    for record in _in_lines(stream, offset):
        if record is None or record.record_type in typeless:
            place = _renamed_place(stream, (offset, last), record)
            if place is not None:
                return place
        yield record
        last = None if record is None else int(record.stream_pos)
    return None


def _by_other_names(stream: BinaryIO, offset: int) -> Generator[Any, None, int | None]:
    """Yield records whose fields are named in another case, and return where there is another."""
    place: int | None = offset
    while place is not None:
        content = read_renamed(stream, place)
        if content is None:
            return place
        # Who reads it has to be there for as long as the record is.
        reading = _read_on(content, quirks=False)
        yield next(reading, None)
        place = next_offset(stream, place)
    return None


def _renamed_place(
    stream: BinaryIO,
    before: tuple[int, int | None],
    record: Any,  # noqa: ANN401
) -> int | None:
    """Return where a record begins that cannot be read, or has no type, for the case of a name.

    ``before`` is where reading began, and where the last record did, if there was one.
    """
    if record is not None:
        return None if _aside(stream, read_renamed, record) is None else int(record.stream_pos)
    first, last = before
    place = first if last is None else next_offset(stream, last)
    return place if place is not None and read_renamed(stream, place) is not None else None


def _in_lines(stream: BinaryIO, offset: int) -> Iterator[Any]:
    """Yield records however the lines of their heads end."""
    place: int | None = offset
    while place is not None:
        place = yield from _with_crlf(stream, place)
        if place is not None:
            place = yield from _without_cr(stream, place)


def _with_crlf(stream: BinaryIO, offset: int) -> Generator[Any, None, int | None]:
    """Yield records up to one whose head has lines without CR, and return where that is."""
    for record in _read(stream, offset, quirks=False):
        if record is not None and _has_no_cr(stream, record):
            return int(record.stream_pos)
        yield record
    return None


def _without_cr(stream: BinaryIO, offset: int) -> Generator[Any, None, int | None]:
    """Yield records whose heads have lines without CR, and return where there is another.

    fastwarc believes every length there; it ends at one that is wrong.
    """
    for record in _read(stream, offset, quirks=True):
        if record is not None and record.stream_pos != offset and _is_other(stream, record):
            return int(record.stream_pos)
        yield record
        if record is not None and _aside(stream, offset_after_misfit, record) is not None:
            yield None
            return None
    return None


def _is_other(stream: BinaryIO, record: Any) -> bool:  # noqa: ANN401
    """Tell whether a record is one that is read otherwise from its own beginning."""
    return record.headers.get("Content-Length") is None or _aside(stream, has_crlf, record)


def _aside(stream: BinaryIO, look: Callable[[BinaryIO, int], Seen], record: Any) -> Seen:  # noqa: ANN401
    """Look at a record while others are read on."""
    place = stream.tell()
    seen = look(stream, record.stream_pos)
    stream.seek(place)
    return seen


def _read(stream: BinaryIO, offset: int, *, quirks: bool) -> Iterator[Any]:
    stream.seek(offset)
    return _read_on(stream, quirks=quirks)


def _read_on(stream: BinaryIO, *, quirks: bool) -> Iterator[Any]:
    from fastwarc.warc import ArchiveIterator  # noqa: PLC0415  an extra

    try:
        yield from ArchiveIterator(
            stream, parse_http=False, max_header_len=MAX_HEAD_BYTES, quirks_mode=quirks
        )
    except OSError:
        yield None


def _has_no_cr(stream: BinaryIO, record: Any) -> bool:  # noqa: ANN401
    """Tell whether a head that seems cut off is whole, its lines ending without CR."""
    if record.headers.get("Content-Length") is not None:
        return False
    return _aside(stream, _has_length, record)


def _has_length(stream: BinaryIO, offset: int) -> bool:
    record = next(_read(stream, offset, quirks=True), None)
    return record is not None and record.headers.get("Content-Length") is not None


def _break(
    stream: BinaryIO, offset: int, *, is_record: bool, is_over: bool
) -> tuple[RecordOffset | None, int]:
    """Return what there is to say where records end, and where they go on: -1 is nowhere."""
    after = offset_after_misfit(stream, offset) if is_record else None
    if after is not None:
        return RecordOffset(offset, None, misfit=True), after
    if not is_over:
        return RecordOffset(offset, None), _next_mark(stream, offset + 1)
    torn = truncated_offset(stream, offset, is_record=is_record)
    if torn is None:
        return None, -1
    # fastwarc also ends at a member without content, as between files that were put together.
    if torn > offset:
        return None, torn
    return RecordOffset(torn, None), _next_mark(stream, torn + 1)


def _next_mark(stream: BinaryIO, start: int) -> int:
    """Return where the next record may begin, -1 where there is none."""
    stream.seek(start)
    before, at = b"", start
    while piece := stream.read(_READ_BYTES):
        window = before + piece
        places = [place for mark in _MARKS if (place := window.find(mark)) >= 0]
        if places:
            return at - len(before) + min(places)
        at, before = at + len(piece), window[-8:]
    return -1
