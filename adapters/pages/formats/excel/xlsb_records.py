"""The records of a binary workbook, streamed, and the texts in them.

[MS-XLSB] 2.1.4 and 2.5.168 (read 2026-11-16). What a record is and how long it is are numbers of
seven bits a byte.
"""

import struct
from collections.abc import Iterator
from typing import Final

from ..office.package import Package, TooLargeError

# About a second (measured 2026-11-16: a microsecond each, and as much again for a text).
MAX_XLSB_RECORDS: Final = 600_000
# No record of cells or texts is longer; others are passed over unread.
MAX_RECORD_BYTES: Final = 1 << 18
_GOES_ON: Final = 0x80
_SORT_BYTES, _LENGTH_BYTES = 2, 4


class WorkbookParts:
    """The parts of one workbook; all records that are read from them count."""

    def __init__(self, package: Package) -> None:
        """Have read none."""
        self._package = package
        self._left = MAX_XLSB_RECORDS

    def records(self, part: str) -> Iterator[tuple[int, bytes]]:
        """Yield what each record is and holds, as far as they are whole; none where none is.

        Stop asking and nothing more is unpacked.
        """
        held, skip = b"", 0
        for chunk in self._package.chunks(part):
            passed = min(skip, len(chunk))
            skip -= passed
            held += chunk[passed:]
            at = 0
            while head := _head(held, at):
                sort, begin, length = head
                end = begin + length
                if end > len(held) and length <= MAX_RECORD_BYTES:
                    break
                self._left -= 1
                if self._left < 0:
                    raise TooLargeError
                if length <= MAX_RECORD_BYTES:
                    yield sort, held[begin:end]
                at = min(end, len(held))
                skip = end - at
            held = held[at:]


def _head(held: bytes, at: int) -> tuple[int, int, int] | None:
    """Return what a record is, where it begins and how long it is; None where that is cut."""
    if at + 1 < len(held) and held[at] < _GOES_ON and held[at + 1] < _GOES_ON:
        # As most are, of a byte each.
        return held[at], at + 2, held[at + 1]
    sort, place = _number(held, at, _SORT_BYTES)
    length, begin = _number(held, place, _LENGTH_BYTES) if place else (0, 0)
    return (sort, begin, length) if begin else None


def _number(held: bytes, at: int, most: int) -> tuple[int, int]:
    """Return a number and where it ends, 0 where it is cut: seven bits a byte, the lowest first."""
    number = 0
    for place, byte in enumerate(held[at : at + most], start=1):
        number |= (byte & ~_GOES_ON) << 7 * (place - 1)
        if not byte & _GOES_ON or place == most:
            return number, at + place
    return 0, 0


def read_xlsb_text(data: bytes, offset: int) -> tuple[str, int]:
    """Return a text behind its length, and where it ends."""
    (length,) = struct.unpack_from("<I", data, offset)
    # The longest length says that there is no text.
    end = offset + 4 + (2 * length if length <= MAX_RECORD_BYTES else 0)
    return data[offset + 4 : end].decode("utf-16-le", "replace"), end
