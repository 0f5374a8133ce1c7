"""Where the records of a WARC file begin, and every stretch between them that is unreadable.

fastwarc stops at the first bad byte (1.1.0, seen 2026-11-15). Nothing may be lost silently: after a
bad stretch we look for the next record and go on.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from .lengths import after_misfit
from .torn import torn_place

# How a record begins: packed with gzip or zstd, or plain.
_MARKS: Final = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"WARC/1.")
PACKED: Final = _MARKS[:2]
MOST_HEAD: Final = 256 * 1024
_CHUNK: Final = 1 << 20


class Place(NamedTuple):
    """Where a record begins; None of a record is a bad stretch after that place.

    A ``misfit`` says afterwards that the last record is not as long as its head says.
    """

    offset: int
    record: Any
    misfit: bool = False


def places(stream: BinaryIO, offset: int) -> Iterator[Place]:
    """Yield all there is from a place on, in the order of the file."""
    is_record = in_gap = False
    while offset >= 0:
        is_over = True
        for record in _records(stream, offset):
            is_over = record is not None
            if is_over:
                offset, is_record, in_gap = record.stream_pos, True, False
                yield Place(offset, record)
        said, offset = _break(stream, offset, is_record=is_record, is_over=is_over)
        if said is not None and not in_gap:
            yield said
            in_gap = not said.misfit
        is_record = False


def _records(stream: BinaryIO, offset: int) -> Iterator[Any]:
    """Yield the records from a place on, and None where one cannot be read."""
    for record in _read(stream, offset, quirks=False):
        if record is not None and _ends_lines_with_lf(stream, record):
            yield from _read_checked(stream, record.stream_pos)
            return
        yield record


def _read_checked(stream: BinaryIO, offset: int) -> Iterator[Any]:
    """Yield records with lines of any end, up to one that is not as long as its head says.

    fastwarc believes every length there.
    """
    for record in _read(stream, offset, quirks=True):
        yield record
        place = stream.tell()
        if record is None or after_misfit(stream, record.stream_pos) is not None:
            yield None
            return
        stream.seek(place)


def _read(stream: BinaryIO, offset: int, *, quirks: bool) -> Iterator[Any]:
    from fastwarc.warc import ArchiveIterator  # noqa: PLC0415  an extra

    stream.seek(offset)
    try:
        yield from ArchiveIterator(
            stream, parse_http=False, max_header_len=MOST_HEAD, quirks_mode=quirks
        )
    except OSError:
        yield None


def _ends_lines_with_lf(stream: BinaryIO, record: Any) -> bool:  # noqa: ANN401
    """Tell whether a head that seems cut off is whole, its lines ending without CR."""
    if record.headers.get("Content-Length") is not None:
        return False
    place = stream.tell()
    again = next(_read(stream, record.stream_pos, quirks=True), None)
    stream.seek(place)
    return again is not None and again.headers.get("Content-Length") is not None


def _break(
    stream: BinaryIO, offset: int, *, is_record: bool, is_over: bool
) -> tuple[Place | None, int]:
    """Return what there is to say where records end, and where they go on: -1 is nowhere."""
    after = after_misfit(stream, offset) if is_record else None
    if after is not None:
        return Place(offset, None, misfit=True), after
    if not is_over:
        return Place(offset, None), _next_mark(stream, offset + 1)
    torn = torn_place(stream, offset, is_record=is_record)
    return None if torn is None else Place(torn, None), -1


def _next_mark(stream: BinaryIO, start: int) -> int:
    """Return where the next record may begin, -1 where there is none."""
    stream.seek(start)
    before, at = b"", start
    while piece := stream.read(_CHUNK):
        window = before + piece
        places = [place for mark in _MARKS if (place := window.find(mark)) >= 0]
        if places:
            return at - len(before) + min(places)
        at, before = at + len(piece), window[-8:]
    return -1
