"""The records of a presentation before 2007: each may hold others.

[MS-PPT] 2.3.1 (read 2026-11-16). All records that are read count against one allowance, because
a file can refer to the same record any number of times.
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..draft import StepAllowance

_RECORD_HEAD_BYTES: Final = 8
_CONTAINER_VERSION: Final = 15
MAX_RECORDS: Final = 300_000


class Record(NamedTuple):
    """A record: its type, its instance number, whether it is a container, and its offsets."""

    sort: int
    number: int
    holds: bool
    begin: int
    end: int


class RecordStream:
    """The stream of a presentation, from which records are read."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self.allowance = StepAllowance(MAX_RECORDS)

    def record_at(self, offset: int) -> Record | None:
        """Return the record at an offset; None where none begins."""
        return next(self._read_records(offset, len(self._stream)), None)

    def outermost_records(self) -> Iterator[Record]:
        """Yield the outermost records."""
        return self._read_records(0, len(self._stream))

    def records_inside(self, record: Record | None, *sorts: int) -> Iterator[Record]:
        """Yield the records in a container, of these types or all."""
        if record is None or not record.holds:
            return
        for inner in self._read_records(record.begin, record.end):
            if not sorts or inner.sort in sorts:
                yield inner

    def first_record(self, record: Record | None, *sorts: int) -> Record | None:
        """Follow a path of types to the first record of each; None where one is missing."""
        for sort in sorts:
            record = next(self.records_inside(record, sort), None)
        return record

    def record_data(self, record: Record | None) -> bytes:
        """Return the data of a record, empty for None."""
        return self._stream[record.begin : record.end] if record else b""

    def _read_records(self, begin: int, end: int) -> Iterator[Record]:
        while begin + _RECORD_HEAD_BYTES <= end and not self.allowance.is_spent:
            self.allowance.spend(1)
            version, sort, length = struct.unpack_from("<HHI", self._stream, begin)
            begin += _RECORD_HEAD_BYTES
            last = min(begin + length, end)
            yield Record(sort, version >> 4, version & 15 == _CONTAINER_VERSION, begin, last)
            begin = last
