"""All that a group of hosts gave in one round, in one file: records by row, and what goes onward.

The records stand in the order of their rows; after them a table of where each is, the errands for
others, and where these two begin. So the rows of a shard are found without reading the rest.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from ..datasets.whole_files import atomic_file
from .fetch_tasks import FetchResult, FetchTask

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
