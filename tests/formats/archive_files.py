"""Archives of 7z and RAR with nothing but their lists, made by hand."""

import lzma
import struct
from collections.abc import Mapping

_TIME = 133_800_000_000_000_000
_SECONDS = 1_735_526_400
_DICTIONARY = 1 << 16
# The name of each method and its options, as they stand in a list.
_METHODS = {
    "copy": b"\x01\x00",
    "lzma": b"\x23\x03\x01\x01\x05\x5d" + struct.pack("<I", _DICTIONARY),
    "lzma2": b"\x21\x21\x01\x08",
    "aes": b"\x24\x06\xf1\x07\x01\x00",
}
_FILTERS = {
    "lzma": {"id": lzma.FILTER_LZMA1, "dict_size": _DICTIONARY},
    "lzma2": {"id": lzma.FILTER_LZMA2, "dict_size": _DICTIONARY},
}


def number(value: int) -> bytes:
    """A number of 7z: a small one is itself, any other follows a byte of ones."""
    return bytes([value]) if value < 0x80 else b"\xff" + struct.pack("<Q", value)


def seven_zip(
    files: Mapping[str, int | None], *, packer: str = "lzma", told: int | None = None
) -> bytes:
    """An archive of files by their length, None for a folder; ``told`` is a length that is a lie."""
    listed = _listed(files) if files else b""
    if not packer:
        return _whole(b"", listed)
    filters = [_FILTERS[packer]] if packer in _FILTERS else []
    packed = lzma.compress(listed, lzma.FORMAT_RAW, filters=filters) if filters else listed
    about = _streams([len(packed)], _METHODS[packer], [told or len(listed)])
    return _whole(packed, b"\x17" + about + b"\x00")


def _whole(packed: bytes, listed: bytes) -> bytes:
    head = struct.pack("<QQI", len(packed), len(listed), 0)
    return b"7z\xbc\xaf\x27\x1c\x00\x04\0\0\0\0" + head + packed + listed


def _streams(packed: list[int], method: bytes, sizes: list[int]) -> bytes:
    """Where the packed bytes are and how they are packed, with a checksum that nobody looks at."""
    pack = b"\x06\x00" + number(len(packed)) + b"\x09" + b"".join(map(number, packed)) + b"\x00"
    folder = b"\x0b\x01\x00\x01" + method + b"\x0c" + number(sum(sizes))
    return pack + b"\x07" + folder + b"\x0a\x01\0\0\0\0\x00"


def _listed(files: Mapping[str, int | None]) -> bytes:
    sizes = [size for size in files.values() if size]
    parts = b"\x08\x0d" + number(len(sizes)) + b"\x09" + b"".join(map(number, sizes[:-1]))
    parts += b"\x0a\x00" + _bits([True] * len(sizes)) + b"\0" * 4 * len(sizes) + b"\x00"
    streams = b"\x04" + _streams([9], _METHODS["copy"], sizes) + parts + b"\x00"
    without = [not size for size in files.values()]
    empty = [size is not None for size in files.values() if not size]
    names = b"\0" + b"".join(f"{name}\0".encode("utf-16-le") for name in files)
    times = b"\x01\x00" + struct.pack("<Q", _TIME) * len(files)
    said = {0x0E: _bits(without), 0x0F: _bits(empty), 0x11: names, 0x14: times, 0x19: b"\0\0"}
    about = b"".join(bytes([name]) + number(len(raw)) + raw for name, raw in said.items())
    return b"\x01" + streams + b"\x05" + number(len(files)) + about + b"\x00\x00"


def _bits(each: list[bool]) -> bytes:
    raw = bytearray((len(each) + 7) // 8)
    for place, is_set in enumerate(each):
        raw[place // 8] |= 0x80 >> place % 8 if is_set else 0
    return bytes(raw)


def new_rar(files: Mapping[str, int | None], *, locked: bool = False) -> bytes:
    """An archive of RAR 5; each file has two bytes of data."""
    heads = [b"\x04\x00" if locked else b"\x01\x00\x00"]
    for name, size in files.items():
        raw = name.encode()
        flags = 2 | 4 | (size is None)
        about = bytes([flags, size or 0, 0]) + struct.pack("<II", _SECONDS, 0) + b"\0\0"
        heads.append(b"\x02\x03\x01\x02" + about + bytes([len(raw)]) + raw + b"x")
    whole = b"".join(
        b"\0" * 4 + bytes([len(head)]) + head + (b"zz" if head[0] == 2 else b"") for head in heads
    )
    return b"Rar!\x1a\x07\x01\x00" + whole + b"\0\0\0\0\x03\x05\x00\x00"


def old_rar(
    files: Mapping[str, int | None], *, locked: bool = False, raw_name: bytes = b""
) -> bytes:
    """An archive of RAR 1.5 to 4; each file has two bytes of data."""
    day = (2024 - 1980) << 25 | 12 << 21 | 30 << 16
    whole = struct.pack("<2xBHH6x", 0x73, 0x80 if locked else 0, 13)
    for name, size in files.items():
        raw = raw_name or name.replace("/", "\\").encode()
        flags = 0x8000 | 0x100 | (0x200 if raw_name else 0) | (0xE0 if size is None else 0)
        about = struct.pack("<IIBIIBBHI", 2, size or 0, 2, 0, day, 20, 48, len(raw), 32)
        head = struct.pack("<II", 0, 0) + raw
        length = 7 + len(about) + len(head)
        whole += struct.pack("<2xBHH", 0x74, flags, length) + about + head + b"zz"
    return b"Rar!\x1a\x07\x00" + whole + struct.pack("<2xBHH", 0x7B, 0, 7)
