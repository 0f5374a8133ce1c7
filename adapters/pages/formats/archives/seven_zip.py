"""The files in a 7z archive, by name, size and day.

The format is described in the text that comes with the LZMA SDK (7zFormat.txt, read 2026-11-16): a
head says where at the end the list is, which is mostly compressed by LZMA, which Python has.
"""

import lzma
import struct
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from ..office.package import BrokenFileError, EncryptedError, TooLargeError

_HEAD: Final = 32
_LIST, _STREAMS, _FILES, _PACKED_LIST = 0x01, 0x04, 0x05, 0x17
_END, _PACK, _UNPACK, _PARTS, _SIZE, _CHECKS = 0x00, 0x06, 0x07, 0x08, 0x09, 0x0A
_FOLDERS, _FOLDER_SIZES, _COUNTS = 0x0B, 0x0C, 0x0D
_NO_STREAM, _NO_FOLDER, _NAMES, _TIMES = 0x0E, 0x0F, 0x11, 0x14
_COPY, _LZMA, _LZMA2, _AES = b"\0", b"\x03\x01\x01", b"\x21", b"\x06\xf1\x07\x01"
_SEVERAL, _WITH_OPTIONS = 0x10, 0x20
_MOST_LISTED: Final = 16 * 1024 * 1024
_DEEPEST: Final = 4
_MOST_THINGS: Final = 500_000
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_SMALLEST_DICTIONARY: Final = 4096


class Entry(NamedTuple):
    """A file: its name, its length, and the day it was changed."""

    name: str
    size: int
    day: str


class _Folder(msgspec.Struct):
    """What is compressed together: by which methods, with which options, and how long it is."""

    methods: list[tuple[bytes, bytes]]
    outputs: int
    main: int
    sizes: list[int] = []
    is_checked: bool = False

    @property
    def size(self) -> int:
        return self.sizes[self.main] if self.main < len(self.sizes) else 0


class _Streams(NamedTuple):
    place: int
    packed: list[int]
    folders: list[_Folder]
    sizes: list[int]


def seven_zip_entries(body: bytes) -> list[Entry]:
    """Return the files; an archive whose list is encrypted is ``EncryptedError``."""
    place, length = struct.unpack_from("<QQ", body, 12)
    raw = body[_HEAD + place : _HEAD + place + length]
    if len(raw) != length:
        raise BrokenFileError
    for _ in range(_DEEPEST):
        if raw[:1] != bytes([_PACKED_LIST]):
            break
        raw = _unpacked(body, _streams(_Bytes(raw[1:])))
    return list(_entries(_Bytes(raw))) if raw else []


class _Bytes:
    """The list, read from its begin to its end."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self._at = raw, 0

    def take(self, count: int) -> bytes:
        taken = self._raw[self._at : self._at + count]
        if len(taken) != count:
            raise BrokenFileError
        self._at += count
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        """Return a number whose first byte says how many follow it, and has its highest bits."""
        first, value = self.byte(), 0
        for place in range(8):
            mask = 0x80 >> place
            if not first & mask:
                return value | (first & (mask - 1)) << 8 * place
            value |= self.byte() << 8 * place
        return value

    def count(self) -> int:
        """Return a number of things; of more than any archive has, nothing is read."""
        count = self.number()
        if count > _MOST_THINGS:
            raise TooLargeError
        return count

    def bits(self, count: int) -> list[bool]:
        raw = self.take((count + 7) // 8)
        return [bool(raw[at // 8] & 0x80 >> at % 8) for at in range(count)]

    def some(self, count: int) -> list[bool]:
        """Return for which things something is said: all, or those whose bits are set."""
        if count > _MOST_THINGS:
            raise TooLargeError
        return [True] * count if self.byte() else self.bits(count)

    def checks(self, count: int) -> list[bool]:
        """Step over the checksums of things, and return which have one."""
        some = self.some(count)
        self.take(4 * sum(some))
        return some


def _streams(raw: _Bytes) -> _Streams:
    place, packed = 0, list[int]()
    folders, sizes = list[_Folder](), list[int]()
    for part in _parts(raw, (_PACK, _UNPACK, _PARTS)):
        if part == _PACK:
            place, packed = _pack(raw)
        elif part == _UNPACK:
            folders = _folders(raw)
            sizes = [folder.size for folder in folders]
        else:
            sizes = _part_sizes(raw, folders)
    return _Streams(place, packed, folders, sizes)


def _parts(raw: _Bytes, known: tuple[int, ...]) -> Iterator[int]:
    """Yield the parts of a list, each of which is then to be read, until they end."""
    while (part := raw.byte()) != _END:
        if part not in known:
            raise BrokenFileError
        yield part


def _pack(raw: _Bytes) -> tuple[int, list[int]]:
    place, count, sizes = raw.number(), raw.count(), list[int]()
    for part in _parts(raw, (_SIZE, _CHECKS)):
        if part == _SIZE:
            sizes = [raw.number() for _ in range(count)]
        else:
            raw.checks(count)
    return place, sizes


def _folders(raw: _Bytes) -> list[_Folder]:
    # The zero says that they follow, and are not in another stream, which nobody writes.
    mark, count, elsewhere = raw.byte(), raw.count(), raw.byte()
    if mark != _FOLDERS or elsewhere:
        raise BrokenFileError
    folders = [_folder(raw) for _ in range(count)]
    for part in _parts(raw, (_FOLDER_SIZES, _CHECKS)):
        checked = raw.checks(count) if part == _CHECKS else []
        for number, folder in enumerate(folders):
            if part == _FOLDER_SIZES:
                folder.sizes = [raw.number() for _ in range(folder.outputs)]
            else:
                folder.is_checked = checked[number]
    return folders


def _folder(raw: _Bytes) -> _Folder:
    methods, inputs, outputs = list[tuple[bytes, bytes]](), 0, 0
    for _ in range(raw.count()):
        about = raw.byte()
        name = raw.take(about & 15)
        inputs += raw.count() if about & _SEVERAL else 1
        outputs += raw.count() if about & _SEVERAL else 1
        methods.append((name, raw.take(raw.count()) if about & _WITH_OPTIONS else b""))
    # Which output goes into which input; the one that goes nowhere is what comes out of all.
    bound = {(raw.number(), raw.number())[1] for _ in range(outputs - 1)}
    packed = inputs - max(0, outputs - 1)
    for _ in range(packed if packed > 1 else 0):
        raw.number()
    main = next((number for number in range(outputs) if number not in bound), 0)
    return _Folder(methods, outputs, main)


def _part_sizes(raw: _Bytes, folders: list[_Folder]) -> list[int]:
    """Return how long the files are that are compressed together: all are told but the last."""
    counts = [1] * len(folders)
    told: list[list[int]] = [[] for _ in folders]
    for part in _parts(raw, (_COUNTS, _SIZE, _CHECKS)):
        if part == _COUNTS:
            counts = [raw.count() for _ in folders]
        elif part == _SIZE:
            told = [[raw.number() for _ in range(count - 1)] for count in counts]
        else:
            pairs = zip(folders, counts, strict=True)
            # One that is alone, and was checked with all of it, is not checked again.
            raw.checks(sum(0 if count == 1 and one.is_checked else count for one, count in pairs))
    return [
        size
        for folder, count, some in zip(folders, counts, told, strict=True)
        for size in ([*some, max(0, folder.size - sum(some))] if count else [])
    ]


def _unpacked(body: bytes, streams: _Streams) -> bytes:
    """Return the list of files, which was compressed as if it were one of them."""
    if not streams.folders:
        return b""
    folder = streams.folders[0]
    if any(name == _AES for name, _ in folder.methods):
        raise EncryptedError
    if folder.size > _MOST_LISTED:
        raise TooLargeError
    begin = _HEAD + streams.place
    packed = body[begin : begin + sum(streams.packed[:1])]
    if len(folder.methods) != 1 or folder.methods[0][0] not in (_COPY, _LZMA, _LZMA2):
        raise BrokenFileError
    name, options = folder.methods[0]
    if name == _COPY:
        return packed[: folder.size]
    opened = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[_filter(name, options, folder.size)])
    return opened.decompress(packed, folder.size)


def _filter(name: bytes, options: bytes, size: int) -> Mapping[str, int]:
    """Return the method's options; what was told once is never farther back than all there is."""
    dictionary = max(size, _SMALLEST_DICTIONARY)
    if name == _LZMA2:
        return {"id": lzma.FILTER_LZMA2, "dict_size": dictionary}
    rest, lc = divmod(options[0], 9)
    pb, lp = divmod(rest, 5)
    return {"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}


def _entries(raw: _Bytes) -> Iterator[Entry]:
    if raw.byte() != _LIST:
        raise BrokenFileError
    sizes: list[int] = []
    for part in _parts(raw, (_STREAMS, _FILES)):
        if part == _STREAMS:
            sizes = _streams(raw).sizes
        else:
            yield from _files(raw, iter(sizes))
            return


def _files(raw: _Bytes, sizes: Iterator[int]) -> Iterator[Entry]:
    count = raw.count()
    said: dict[int, bytes] = {}
    while (part := raw.byte()) != _END:
        said[part] = raw.take(raw.number())
    without = _Bytes(said[_NO_STREAM]).bits(count) if _NO_STREAM in said else [False] * count
    empty = iter(_Bytes(said[_NO_FOLDER]).bits(sum(without)) if _NO_FOLDER in said else ())
    # A byte says that the names are not elsewhere.
    names = said.get(_NAMES, b"")[1:].decode("utf-16-le", "replace").split("\0")
    days = _days(said.get(_TIMES, b""), count)
    for name, has_none, day in zip(names, without, days, strict=False):
        is_folder = has_none and not next(empty, False)
        size = 0 if has_none else next(sizes, 0)
        if not is_folder:
            yield Entry(name, size, day)


def _days(said: bytes, count: int) -> list[str]:
    if not said:
        return [""] * count
    raw = _Bytes(said)
    some = raw.some(count)
    raw.byte()
    return [_day(int.from_bytes(raw.take(8), "little")) if known else "" for known in some]


def _day(tenths: int) -> str:
    """Return the day of a time that counts tenths of microseconds since 1601."""
    try:
        return (_EPOCH + timedelta(microseconds=tenths // 10)).date().isoformat()
    except OverflowError:
        return ""
