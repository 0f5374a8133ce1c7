"""All that a group of hosts gave in one round, in one file: records by row, and what goes onward.

The records stand in the order of their rows; after them a table of where each is, the errands for
others, and where these two begin. So the rows of a shard are found without reading the rest.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeAlias

import msgspec

from ....ports.errors import WebError
from ..datasets import warc
from ..datasets.whole_files import atomic_file
from .warc_records import info_record


class FetchTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One input: the URL to ask now, the one that was ``asked`` for, and the hops between them.

    With ``error`` there is nothing to ask. ``number`` is the row.
    """

    number: int
    url: str
    asked: str
    hops: int = 0
    error: WebError | None = None


class FetchResult(msgspec.Struct, frozen=True, kw_only=True):
    """What an errand brought: WARC records, and the errand of whoever has to go on with it.

    ``size`` counts the bytes of the pages.
    """

    records: bytes
    onward: FetchTask | None = None
    size: int = 0


def host_group(authority: str, groups: int) -> int:
    """Return which group a host belongs to: the same on every machine.

    >>> host_group("example.com", 16), host_group("example.com:8080", 16)
    (5, 9)
    """
    return int.from_bytes(hashlib.sha256(authority.encode()).digest()[:8], "big") % groups


# All that a group of hosts gave in one round, in one file: records by row, and what goes onward.

_PLACE: Final = struct.Struct(">QQQ")
_END: Final = struct.Struct(">QQQ")
_ERRANDS: Final = msgspec.json.Decoder(list[FetchTask])


class _Tail(NamedTuple):
    table: int
    errands: int
    size: int


def write_group_results(path: Path, parcels: Iterable[tuple[int, FetchResult]]) -> None:
    """Write a file, whole or not at all; raises ``OSError``."""
    places, onward, size = bytearray(), [], 0
    with atomic_file(path) as stream:
        for number, parcel in parcels:
            places += _PLACE.pack(number, stream.tell(), len(parcel.records))
            stream.write(parcel.records)
            size += parcel.size
            if parcel.onward is not None:
                onward.append(parcel.onward)
        table = stream.tell()
        stream.write(places)
        errands = stream.tell()
        stream.write(msgspec.json.encode(onward))
        stream.write(_END.pack(table, errands, size))


def page_bytes(path: Path) -> int:
    """Return how many bytes of pages are in a file; raises ``OSError``."""
    with path.open("rb") as stream, _undamaged(path):
        return _tail(stream).size


def read_onward_tasks(path: Path) -> list[FetchTask]:
    """Return what others have to go on with; raises ``OSError``, also where it is damaged."""
    with path.open("rb") as stream, _undamaged(path):
        tail = _tail(stream)
        end = stream.seek(-_END.size, 2)
        stream.seek(tail.errands)
        return _ERRANDS.decode(stream.read(end - tail.errands))


def group_records(path: Path, first: int, count: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records of the rows from ``first`` on, ``count`` rows far; raises likewise."""
    with path.open("rb") as stream, _undamaged(path):
        tail = _tail(stream)
        for number, start, length in _places(stream, tail, first, first + count):
            stream.seek(start)
            yield number, stream.read(length)


@contextmanager
def _undamaged(path: Path) -> Iterator[None]:
    try:
        yield
    except (msgspec.DecodeError, ValueError, struct.error) as error:
        reason = f"{path} is damaged; without it, its pages are fetched again"
        raise OSError(None, reason) from error


def _places(stream: BinaryIO, tail: _Tail, first: int, end: int) -> list[tuple[int, int, int]]:
    low = _bisect(stream, tail, first)
    stream.seek(tail.table + low * _PLACE.size)
    most = min((end - first) * _PLACE.size, tail.errands - stream.tell())
    return [place for place in _PLACE.iter_unpack(stream.read(most)) if place[0] < end]


def _bisect(stream: BinaryIO, tail: _Tail, number: int) -> int:
    """Return the place of the first row that is not before ``number``."""
    low, high = 0, (tail.errands - tail.table) // _PLACE.size
    while low < high:
        middle = (low + high) // 2
        stream.seek(tail.table + middle * _PLACE.size)
        if _PLACE.unpack(stream.read(_PLACE.size))[0] < number:
            low = middle + 1
        else:
            high = middle
    return low


def _tail(stream: BinaryIO) -> _Tail:
    end = stream.seek(max(0, stream.seek(0, 2) - _END.size))
    tail = _Tail(*_END.unpack(stream.read(_END.size)))
    if not tail.table <= tail.errands <= end:
        msg = "what the end of the file tells is not in it"
        raise ValueError(msg)
    return tail


# Pages as they come in, kept at once: a run that is killed asks for none of them again.

_NUMBER, _LENGTH, _SUM = 4, 8, 4
_HEAD: Final = _NUMBER + _LENGTH + _SUM
Places: TypeAlias = dict[int, tuple[int, int]]


def scan_spool(stream: BinaryIO) -> tuple[Places, int]:
    """Return where each whole piece is, start and length, and where the last of them ends."""
    places: Places = {}
    end = 0
    stream.seek(0)
    while len(head := stream.read(_HEAD)) == _HEAD:
        length = int.from_bytes(head[_NUMBER : _NUMBER + _LENGTH], "big")
        piece = stream.read(length)
        if len(piece) < length or zlib.crc32(piece).to_bytes(_SUM, "big") != head[-_SUM:]:
            break
        places[int.from_bytes(head[:_NUMBER], "big")] = (end + _HEAD, length)
        end += _HEAD + length
    return places, end


def spooled_numbers(path: Path) -> Iterator[int]:
    """Yield the numbers of the pieces in a file, without reading these; raises ``OSError``."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        end = stream.seek(0)
        while len(head := stream.read(_HEAD)) == _HEAD:
            length = int.from_bytes(head[_NUMBER : _NUMBER + _LENGTH], "big")
            end = stream.seek(end + _HEAD + length)
            if end <= size:
                yield int.from_bytes(head[:_NUMBER], "big")


class Spool:
    """Numbered pieces in a file, in the order in which they came; a torn end is dropped."""

    def __init__(self, path: Path) -> None:
        """Find what is there already; raises ``OSError``."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._stream = path.open("a+b")
        self._places, end = scan_spool(self._stream)
        self._stream.truncate(end)
        self._stream.seek(0, 2)

    def __contains__(self, number: int) -> bool:
        """Tell whether there is such a piece."""
        return number in self._places

    def add(self, number: int, piece: bytes) -> None:
        """Keep a piece."""
        start = self._stream.seek(0, 2)
        sizes = number.to_bytes(_NUMBER, "big") + len(piece).to_bytes(_LENGTH, "big")
        self._stream.write(sizes + zlib.crc32(piece).to_bytes(_SUM, "big") + piece)
        self._stream.flush()
        self._places[number] = (start + _HEAD, len(piece))

    def drop(self, number: int) -> None:
        """Take a piece as not there, until another one comes in its place."""
        del self._places[number]

    def pieces(self, numbers: Iterable[int]) -> Iterable[bytes]:
        """Yield pieces in the order of ``numbers``."""
        for number in numbers:
            start, length = self._places[number]
            self._stream.seek(start)
            yield self._stream.read(length)

    def close(self) -> None:
        """Keep the file for the next run."""
        self._stream.close()

    def remove(self) -> None:
        """Drop the file: its pieces are elsewhere."""
        self._stream.close()
        self._path.unlink(missing_ok=True)


# A WARC file of what was fetched, put together from its records, and taken apart again.

Unwanted: TypeAlias = Callable[[WebError | None], bool]


def write_records(path: Path, pieces: Iterable[bytes], notes: Mapping[str, str]) -> None:
    """Write a file, whole or not at all, with who wrote it and how first; raises ``OSError``."""
    with atomic_file(path) as stream:
        for place, piece in enumerate(pieces):
            if place == 0:
                stream.write(info_record(piece, path.name, notes))
            stream.write(piece)


def unpack_archive(path: Path, spool_path: Path, count: int, unwanted: Unwanted) -> bool:
    """Write the wanted inputs of a file back into a spool at ``spool_path``.

    False where there are none, or not ``count`` inputs, and then all stays as it is; raises
    ``OSError``.
    """
    errors = [item.error for item in warc.read_inputs(path, 0, path.name)]
    if len(errors) != count or not any(map(unwanted, errors)):
        return False
    spool = Spool(spool_path)
    try:
        for number, (item, piece) in enumerate(warc.read_input_records(path)):
            if not unwanted(item.error):
                spool.add(number, piece)
    finally:
        spool.close()
    path.unlink()
    return True


def drop_refused(spool: Spool, numbers: Iterable[int], unwanted: Unwanted) -> None:
    """Take what is unwanted as not there."""
    for number in [number for number in numbers if number in spool]:
        (piece,) = spool.pieces((number,))
        if any(unwanted(item.error) for item in warc.read_stream_inputs(io.BytesIO(piece), 0, "")):
            spool.drop(number)


# What several attempts at the same errands brought: each writes to a file of its own.

_ENDING: Final = ".spool"
_PARCEL: Final = msgspec.msgpack.Decoder(FetchResult)


class AttemptSegments:
    """Parcels by number, as far as they have come."""

    def __init__(self, folder: Path, attempt: str) -> None:
        """Find what earlier attempts brought; raises ``OSError``."""
        folder.mkdir(parents=True, exist_ok=True)
        earlier = sorted(folder.glob(f"*{_ENDING}"))
        self.is_first = not earlier
        self._places: dict[int, tuple[Path, int, int]] = {}
        for path in earlier:
            with path.open("rb") as stream:
                for number, (start, length) in scan_spool(stream)[0].items():
                    self._places[number] = (path, start, length)
        self._path = folder / f"{attempt}{_ENDING}"
        self._own = Spool(self._path)
        self._numbers: set[int] = set()

    def __contains__(self, number: int) -> bool:
        """Tell whether there is such a parcel."""
        return number in self._places or number in self._numbers

    def add(self, number: int, parcel: FetchResult) -> None:
        """Keep a parcel."""
        self._own.add(number, msgspec.msgpack.encode(parcel))
        self._numbers.add(number)

    def parcels(self) -> Iterator[tuple[int, FetchResult]]:
        """Yield all parcels in the order of their numbers."""
        for number in sorted({*self._places, *self._numbers}):
            yield number, _PARCEL.decode(self._piece(number))

    def close(self) -> None:
        """Keep the files."""
        self._own.close()

    def _piece(self, number: int) -> bytes:
        if number not in self._places:
            return next(iter(self._own.pieces((number,))))
        path, start, length = self._places[number]
        with path.open("rb") as stream:
            stream.seek(start)
            return stream.read(length)
