"""Files of fetch results: a group of hosts in one round, spools of a run, and WARC archives.

A group file has the records in the order of their rows, a table of their offsets, the tasks for
other groups, and the offsets of these two. So a shard's rows are found without reading the rest.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeAlias

import msgspec

from webseam.ports.errors import WebError

from ..datasets import warc
from ..datasets.atomic_files import open_atomic_file
from .warc_records import warc_info_record

_TABLE_ENTRY: Final = struct.Struct(">QQQ")
_TRAILER_LAYOUT: Final = struct.Struct(">QQQ")
# Number, length and CRC-32 of a piece.
_PIECE_HEAD: Final = struct.Struct(">IQI")
_SPOOL_SUFFIX: Final = ".spool"


class FetchTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One input: the URL to fetch now, the URL that was ``asked`` for, and the hops between them.

    With ``error`` there is nothing to fetch. ``number`` is the row.
    """

    number: int
    url: str
    asked: str
    hops: int = 0
    error: WebError | None = None


class FetchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The WARC records of a task, the bytes of its pages, and a task for another group."""

    records: bytes
    onward: FetchTask | None = None
    size: int = 0


def host_group(authority: str, groups: int) -> int:
    """Return the group of a host: the same on every machine.

    >>> host_group("example.com", 16)
    5
    >>> host_group("example.com:8080", 16)
    9
    """
    return int.from_bytes(hashlib.sha256(authority.encode()).digest()[:8], "big") % groups


_TASKS_DECODER: Final = msgspec.json.Decoder(list[FetchTask])


class _Trailer(NamedTuple):
    table: int
    tasks: int
    size: int


def write_group_results(path: Path, results: Iterable[tuple[int, FetchResult]]) -> None:
    """Write a group file atomically; raises ``OSError``."""
    entries, onward, size = bytearray(), [], 0
    with open_atomic_file(path) as stream:
        for row, result in results:
            entries += _TABLE_ENTRY.pack(row, stream.tell(), len(result.records))
            stream.write(result.records)
            size += result.size
            if result.onward is not None:
                onward.append(result.onward)
        table_start = stream.tell()
        stream.write(entries)
        tasks_start = stream.tell()
        stream.write(msgspec.json.encode(onward))
        stream.write(_TRAILER_LAYOUT.pack(table_start, tasks_start, size))


def count_page_bytes(path: Path) -> int:
    """Return how many bytes of pages a group file has; raises ``OSError``."""
    with path.open("rb") as stream, _report_damage(path):
        return _read_trailer(stream).size


def read_onward_tasks(path: Path) -> list[FetchTask]:
    """Return the tasks for other groups; raises ``OSError``, also for a damaged file."""
    with path.open("rb") as stream, _report_damage(path):
        tail = _read_trailer(stream)
        end = stream.seek(-_TRAILER_LAYOUT.size, 2)
        stream.seek(tail.tasks)
        return _TASKS_DECODER.decode(stream.read(end - tail.tasks))


def read_group_records(path: Path, first: int, count: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records of ``count`` rows from ``first`` on; raises ``OSError``, also if cut."""
    with path.open("rb") as stream, _report_damage(path):
        tail = _read_trailer(stream)
        low = _bisect_table(stream, tail, first)
        stream.seek(tail.table + low * _TABLE_ENTRY.size)
        max_bytes = min(count * _TABLE_ENTRY.size, tail.tasks - stream.tell())
        for number, start, length in _TABLE_ENTRY.iter_unpack(stream.read(max_bytes)):
            if number < first + count:
                stream.seek(start)
                yield number, stream.read(length)


@contextmanager
def _report_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (msgspec.DecodeError, ValueError, struct.error) as error:
        reason = f"{path} is damaged; without it, its pages are fetched again"
        raise OSError(None, reason) from error


def _bisect_table(stream: BinaryIO, tail: _Trailer, number: int) -> int:
    """Return the index in the table of the first row that is not before ``number``."""
    low, high = 0, (tail.tasks - tail.table) // _TABLE_ENTRY.size
    while low < high:
        middle = (low + high) // 2
        stream.seek(tail.table + middle * _TABLE_ENTRY.size)
        if _TABLE_ENTRY.unpack(stream.read(_TABLE_ENTRY.size))[0] < number:
            low = middle + 1
        else:
            high = middle
    return low


def _read_trailer(stream: BinaryIO) -> _Trailer:
    end = stream.seek(max(0, stream.seek(0, 2) - _TRAILER_LAYOUT.size))
    tail = _Trailer(*_TRAILER_LAYOUT.unpack(stream.read(_TRAILER_LAYOUT.size)))
    if not tail.table <= tail.tasks <= end:
        msg = "the offsets at the end of the file lie outside of it"
        raise ValueError(msg)
    return tail


PieceSpans: TypeAlias = dict[int, tuple[int, int]]


def scan_spool(stream: BinaryIO) -> tuple[PieceSpans, int]:
    """Return start and length of each complete piece, and the end of the last one."""
    spans: PieceSpans = {}
    end = 0
    stream.seek(0)
    while len(head := stream.read(_PIECE_HEAD.size)) == _PIECE_HEAD.size:
        number, length, crc = _PIECE_HEAD.unpack(head)
        piece = stream.read(length)
        if len(piece) < length or zlib.crc32(piece) != crc:
            break
        spans[number] = (end + _PIECE_HEAD.size, length)
        end += _PIECE_HEAD.size + length
    return spans, end


def spool_piece_numbers(path: Path) -> Iterator[int]:
    """Yield the numbers of the pieces in a spool without reading them; raises ``OSError``."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        end = stream.seek(0)
        while len(head := stream.read(_PIECE_HEAD.size)) == _PIECE_HEAD.size:
            number, length, _ = _PIECE_HEAD.unpack(head)
            end = stream.seek(end + _PIECE_HEAD.size + length)
            if end <= size:
                yield number


class Spool:
    """Numbered pieces in a file in the order of their arrival; a truncated end is dropped.

    Every page is stored on arrival, so a run after a killed one fetches none of them again.
    """

    def __init__(self, path: Path) -> None:
        """Open a spool and find its pieces; raises ``OSError``."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._stream = path.open("a+b")
        self._spans, end = scan_spool(self._stream)
        self._stream.truncate(end)
        self._stream.seek(0, 2)

    def __contains__(self, number: int) -> bool:
        """Tell whether the spool has this piece."""
        return number in self._spans

    def add_piece(self, number: int, piece: bytes) -> None:
        """Append a piece."""
        start = self._stream.seek(0, 2)
        self._stream.write(_PIECE_HEAD.pack(number, len(piece), zlib.crc32(piece)) + piece)
        self._stream.flush()
        self._spans[number] = (start + _PIECE_HEAD.size, len(piece))

    def drop_piece(self, number: int) -> None:
        """Treat a piece as absent until another one replaces it."""
        del self._spans[number]

    def read_pieces(self, numbers: Iterable[int]) -> Iterable[bytes]:
        """Yield pieces in the order of ``numbers``."""
        for number in numbers:
            start, length = self._spans[number]
            self._stream.seek(start)
            yield self._stream.read(length)

    def close(self) -> None:
        """Close the file and leave it for the next run."""
        self._stream.close()

    def remove_spool(self) -> None:
        """Delete the file after its pieces were stored elsewhere."""
        self._stream.close()
        self._path.unlink(missing_ok=True)


IsUnwanted: TypeAlias = Callable[[WebError | None], bool]


def write_warc_records(path: Path, pieces: Iterable[bytes], notes: Mapping[str, str]) -> None:
    """Write an archive atomically with an info record first; raises ``OSError``."""
    with open_atomic_file(path) as stream:
        for index, piece in enumerate(pieces):
            if index == 0:
                stream.write(warc_info_record(piece, path.name, notes))
            stream.write(piece)


def archive_to_spool(path: Path, spool_path: Path, count: int, unwanted: IsUnwanted) -> bool:
    """Write the wanted inputs of an archive back into a spool at ``spool_path``.

    Return False and change nothing if no input is unwanted, or the archive does not have ``count``
    inputs; raises ``OSError``.
    """
    errors = [item.error for item in warc.read_warc_inputs(path, 0, path.name)]
    if len(errors) != count or not any(map(unwanted, errors)):
        return False
    with closing(Spool(spool_path)) as spool:
        for number, (item, piece) in enumerate(warc.read_warc_input_records(path)):
            if not unwanted(item.error):
                spool.add_piece(number, piece)
    path.unlink()
    return True


def drop_unwanted_pieces(spool: Spool, numbers: Iterable[int], unwanted: IsUnwanted) -> None:
    """Drop the unwanted pieces of a spool."""
    for number in [number for number in numbers if number in spool]:
        (piece,) = spool.read_pieces((number,))
        items = warc.read_warc_stream_inputs(io.BytesIO(piece), 0, "")
        if any(unwanted(item.error) for item in items):
            spool.drop_piece(number)


_RESULT_DECODER: Final = msgspec.msgpack.Decoder(FetchResult)


class AttemptResults:
    """The fetch results of all attempts, by number; each attempt writes a spool of its own."""

    def __init__(self, folder: Path, attempt: str) -> None:
        """Find the results of earlier attempts; raises ``OSError``."""
        folder.mkdir(parents=True, exist_ok=True)
        earlier = sorted(folder.glob(f"*{_SPOOL_SUFFIX}"))
        self.is_first = not earlier
        self._earlier: dict[int, tuple[Path, int, int]] = {}
        for path in earlier:
            with path.open("rb") as stream:
                for number, (start, length) in scan_spool(stream)[0].items():
                    self._earlier[number] = (path, start, length)
        self._spool = Spool(folder / f"{attempt}{_SPOOL_SUFFIX}")
        self._numbers: set[int] = set()

    def __contains__(self, number: int) -> bool:
        """Tell whether there is such a result."""
        return number in self._earlier or number in self._numbers

    def add_result(self, number: int, result: FetchResult) -> None:
        """Store a result."""
        self._spool.add_piece(number, msgspec.msgpack.encode(result))
        self._numbers.add(number)

    def read_results(self) -> Iterator[tuple[int, FetchResult]]:
        """Yield all results in the order of their numbers."""
        for number in sorted({*self._earlier, *self._numbers}):
            yield number, _RESULT_DECODER.decode(self._read_piece(number))

    def close(self) -> None:
        """Close the files."""
        self._spool.close()

    def _read_piece(self, number: int) -> bytes:
        if number not in self._earlier:
            return next(iter(self._spool.read_pieces((number,))))
        path, start, length = self._earlier[number]
        with path.open("rb") as stream:
            stream.seek(start)
            return stream.read(length)
