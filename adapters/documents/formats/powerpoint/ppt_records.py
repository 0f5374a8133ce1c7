"""The records of a presentation before 2007: each may hold others.

[MS-PPT] 2.3.1 (read 2026-11-16). All that are read count against one allowance, as the same record
can be pointed to any number of times.
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..draft import StepAllowance

_HEAD: Final = 8
_HOLDS: Final = 15
MAX_PPT_RECORDS: Final = 300_000
_MAX_RECORD_DEPTH: Final = 20


class PptRecord(NamedTuple):
    """A record: what it is, which of its sort, whether others are in it, and where it lies."""

    sort: int
    number: int
    holds: bool
    begin: int
    end: int


class PptRecords:
    """The stream of a presentation, from which records are read."""

    def __init__(self, stream: bytes) -> None:
        """Have read none."""
        self._stream = stream
        self.allowance = StepAllowance(MAX_PPT_RECORDS)

    def at(self, place: int) -> PptRecord | None:
        """Return the record at a place; None where none begins."""
        return next(self._between(place, len(self._stream)), None)

    def every(self) -> Iterator[PptRecord]:
        """Yield the records that are in no other."""
        return self._between(0, len(self._stream))

    def inside(self, record: PptRecord | None, *sorts: int) -> Iterator[PptRecord]:
        """Yield what a record holds, of some sorts where they are named."""
        if record is None or not record.holds:
            return
        for inner in self._between(record.begin, record.end):
            if not sorts or inner.sort in sorts:
                yield inner

    def first(self, record: PptRecord | None, *sorts: int) -> PptRecord | None:
        """Return the first record of a sort in the first of another sort, and so on."""
        for sort in sorts:
            record = next(self.inside(record, sort), None)
        return record

    def walk(self, record: PptRecord | None, deep: int = 0) -> Iterator[PptRecord]:
        """Yield all that a record holds, and what that holds."""
        for inner in self.inside(record):
            yield inner
            if deep < _MAX_RECORD_DEPTH:
                yield from self.walk(inner, deep + 1)

    def data(self, record: PptRecord | None) -> bytes:
        """Return what is in a record, nothing for none."""
        return self._stream[record.begin : record.end] if record else b""

    def _between(self, begin: int, end: int) -> Iterator[PptRecord]:
        while begin + _HEAD <= end and not self.allowance.is_spent:
            self.allowance.spend(1)
            about, sort, length = struct.unpack_from("<HHI", self._stream, begin)
            begin += _HEAD
            last = min(begin + length, end)
            yield PptRecord(sort, about >> 4, about & 15 == _HOLDS, begin, last)
            begin = last
