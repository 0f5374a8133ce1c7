"""The files in a RAR archive, by name, size and day: the heads of its files are not compressed.

As RAR 5.0 describes its format, and the older one as unrar reads it (2026-11-16).
"""

import struct
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Final

from ..office.package import BrokenFileError, EncryptedError
from .seven_zip import Entry

_NEW: Final = b"Rar!\x1a\x07\x01\x00"
_OLD: Final = b"Rar!\x1a\x07\x00"
MOST_HEADS: Final = 20_000
_FILE, _LOCK, _END = 2, 4, 5
_WITH_MORE, _WITH_DATA = 1, 2
_FOLDER, _WITH_TIME, _WITH_CHECK = 1, 2, 4
_OLD_MAIN, _OLD_FILE, _OLD_END = 0x73, 0x74, 0x7B
_OLD_LOCKED, _OLD_WITH_DATA, _OLD_LARGE, _OLD_WIDE, _OLD_FOLDER = 0x80, 0x8000, 0x100, 0x200, 0xE0
_LONGEST_NUMBER: Final = 10
_CHECK: Final = 4
_PAGE, _OWN_PAGE, _RUN = 1, 2, 3
_OLD_HEAD: Final = struct.Struct("<2xBHH")


def rar_entries(body: bytes) -> Iterator[Entry]:
    """Yield the files as far as the archive is whole; one with encrypted names is an error."""
    if body.startswith(_NEW):
        return _new_entries(body, len(_NEW))
    if body.startswith(_OLD):
        return _old_entries(body, len(_OLD))
    raise BrokenFileError


class _Head:
    """The head of a file, read from its begin on."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self.at = raw, 0

    def number(self) -> int:
        """Return a number of seven bits a byte, of which each but the last has its highest set."""
        value = 0
        for place in range(_LONGEST_NUMBER):
            byte = self._raw[self.at]
            self.at += 1
            value |= (byte & 0x7F) << 7 * place
            if not byte & 0x80:
                return value
        raise BrokenFileError

    def take(self, count: int) -> bytes:
        self.at += count
        return self._raw[self.at - count : self.at]


def _new_entries(body: bytes, at: int) -> Iterator[Entry]:
    for _ in range(MOST_HEADS):
        # Before each is its checksum.
        front = _Head(body[at + _CHECK : at + _CHECK + _LONGEST_NUMBER])
        if at + _CHECK >= len(body):
            return
        size = front.number()
        begin = at + _CHECK + front.at
        sort, data, head = _opened(_Head(body[begin : begin + size]))
        if sort == _END:
            return
        entry = _new_file(head) if sort == _FILE else None
        if entry:
            yield entry
        at = begin + size + data


def _opened(head: _Head) -> tuple[int, int, _Head]:
    """Return of which sort a head is and how much data follows it, with what is left to read."""
    sort, flags = head.number(), head.number()
    if sort == _LOCK:
        raise EncryptedError
    if flags & _WITH_MORE:
        head.number()
    return sort, head.number() if flags & _WITH_DATA else 0, head


def _new_file(head: _Head) -> Entry | None:
    flags, size = head.number(), head.number()
    head.number()
    seconds = int.from_bytes(head.take(4), "little") if flags & _WITH_TIME else None
    head.take(4 if flags & _WITH_CHECK else 0)
    head.number()
    head.number()
    name = head.take(head.number()).decode("utf-8", "replace")
    if flags & _FOLDER:
        return None
    day = datetime.fromtimestamp(seconds, UTC).date().isoformat() if seconds else ""
    return Entry(name, size, day)


def _old_entries(body: bytes, at: int) -> Iterator[Entry]:
    for _ in range(MOST_HEADS):
        sort, flags, size = _OLD_HEAD.unpack_from(
            body[at : at + _OLD_HEAD.size].ljust(_OLD_HEAD.size, b"\0")
        )
        if sort == _OLD_MAIN and flags & _OLD_LOCKED:
            raise EncryptedError
        if sort == _OLD_END or size < _OLD_HEAD.size:
            return
        data = int.from_bytes(body[at + 7 : at + 11], "little") if flags & _OLD_WITH_DATA else 0
        if sort == _OLD_FILE:
            entry, large = _old_file(body[at : at + size], flags)
            data += large
            yield from () if flags & _OLD_FOLDER == _OLD_FOLDER else (entry,)
        at += size + data


def _old_file(head: bytes, flags: int) -> tuple[Entry, int]:
    """Return a file, and what its data takes beyond four gigabytes."""
    size, time, length = struct.unpack_from("<I5xI2xH", head, 11)
    place, large = 32, 0
    if flags & _OLD_LARGE:
        more, high = struct.unpack_from("<II", head, place)
        place, large, size = place + 8, more << 32, size | high << 32
    name = _old_name(head[place : place + length], is_wide=bool(flags & _OLD_WIDE))
    return Entry(name.replace("\\", "/"), size, _old_day(time)), large


def _old_day(time: int) -> str:
    try:
        return date(1980 + (time >> 25), time >> 21 & 15, time >> 16 & 31).isoformat()
    except ValueError:
        return ""


def _old_name(raw: bytes, *, is_wide: bool) -> str:
    """Return a name: letters of one byte, and behind a zero how it differs from them."""
    plain, _, packed = raw.partition(b"\0")
    if is_wide and packed:
        return "".join(_wide_letters(plain, packed[0] << 8, iter(packed[1:])))
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError:
        return plain.decode("cp437")


def _wide_letters(plain: bytes, page: int, packed: Iterator[int]) -> Iterator[str]:
    """Yield the letters: two bits each say whether one, its page, or a run of plain ones follow."""
    count = 0
    for flags in packed:
        for shift in (6, 4, 2, 0):
            first = next(packed, None)
            if first is None:
                return
            kind = flags >> shift & 3
            if kind == _RUN:
                letters = _run(plain[count:], first, page, packed)
            else:
                own = next(packed, 0) << 8 if kind == _OWN_PAGE else 0
                letters = chr(first | (page if kind == _PAGE else own))
            count += len(letters)
            yield letters


def _run(plain: bytes, first: int, page: int, packed: Iterator[int]) -> str:
    if not first & 0x80:
        return plain[: first + 2].decode("latin-1")
    step = next(packed, 0)
    return "".join(chr(page | (byte + step & 0xFF)) for byte in plain[: (first & 0x7F) + 2])
