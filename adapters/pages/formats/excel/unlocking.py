"""Workbooks that are locked with the password that Excel itself has, and opens without asking.

[MS-XLS] 2.2.10 and 2.4.117, [MS-OFFCRYPTO] 2.3.5 to 2.3.7: Excel encrypts a
workbook with it whose sheets may not be moved. Nothing is guessed: any other password is not ours.
"""

import hashlib
import struct
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

_PASSWORD: Final = "VelvetSweatshop".encode("utf-16-le")
_LOCK, _SHEET = 0x002F, 0x0085
# Records that stay as they are: beginnings, the lock, and what is known before it is opened.
_OPEN: Final = frozenset({0x0809, _LOCK, 0x00E1, 0x0194, 0x0195, 0x0196, 0x0138})
# It follows the beginning.
_LOCK_WITHIN: Final = 20
_BLOCK: Final = 1024
# About a second (measured 2026-11-17: 0.2 µs a byte).
_MOST: Final = 4 * 1024 * 1024
_LATER: Final = (2, 3, 4)
# In bits: a key so short is filled up with zeros.
_SHORT: Final = 40
_Key = Callable[[int], bytes]


def unlocked(stream: bytes) -> bytes:
    """Return a workbook without that lock; one without a lock, or with another, as it is."""
    first = islice(_records(stream), _LOCK_WITHIN)
    lock = next((data for kind, _, data in first if kind == _LOCK), b"")
    key = _key(lock) if len(stream) <= _MOST else None
    return _opened(stream, key) if key else stream


def _records(stream: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the kind of each record, where what it says begins, and that."""
    at = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        yield kind, at + 4, stream[at + 4 : at + 4 + length]
        at += 4 + length


def _opened(stream: bytes, key: _Key) -> bytes:
    sealed = bytearray(stream)
    signs = b"".join(_signs(key(block), _BLOCK) for block in range(len(stream) // _BLOCK + 1))
    for kind, at, data in _records(stream):
        # Where a sheet begins is never encrypted.
        skipped = len(data) if kind in _OPEN else 4 if kind == _SHEET else 0
        begin, end = at + skipped, at + len(data)
        if begin < end:
            sealed[begin:end] = _mixed(stream[begin:end], signs[begin:end])
        if kind == _LOCK:
            # It is open now.
            struct.pack_into("<H", sealed, at - 4, 0x00E1)
    return bytes(sealed)


def _mixed(text: bytes, signs: bytes) -> bytes:
    mixed = int.from_bytes(text, "little") ^ int.from_bytes(signs, "little")
    return mixed.to_bytes(len(text), "little")


def _key(lock: bytes) -> _Key | None:
    """Return the keys of the blocks, where the password is the one that Excel has."""
    if len(lock) < struct.calcsize("<HHH16s16s16s"):
        return None
    kind, version, _, salt, proof, told = struct.unpack_from("<HHH16s16s16s", lock)
    if kind != 1:
        return None
    if version in _LATER:
        return _later_key(lock[6:])
    key = _early_key(salt)
    both = _mixed(proof + told, _signs(key(0), 32))
    return key if _md5(both[:16]) == both[16:] else None


def _early_key(salt: bytes) -> _Key:
    seed = _md5((_md5(_PASSWORD)[:5] + salt) * 16)[:5]
    return lambda block: _md5(seed + struct.pack("<I", block))


def _later_key(lock: bytes) -> _Key | None:
    """Return the keys of the newer way; the header has its own length."""
    try:
        _, length = struct.unpack_from("<II", lock)
        bits = struct.unpack_from("<I", lock, 8 + 16)[0] or _SHORT
        _, salt, proof, _, told = struct.unpack_from("<I16s16sI20s", lock, 8 + length)
    except struct.error:
        return None
    seed = hashlib.sha1(salt + _PASSWORD, usedforsecurity=False).digest()

    def key(block: int) -> bytes:
        whole = hashlib.sha1(seed + struct.pack("<I", block), usedforsecurity=False).digest()
        return whole[: min(bits, 128) // 8].ljust(16 if bits == _SHORT else 0, b"\0")

    both = _mixed(proof + told, _signs(key(0), 36))
    return key if hashlib.sha1(both[:16], usedforsecurity=False).digest() == both[16:] else None


def _md5(text: bytes) -> bytes:
    return hashlib.md5(text, usedforsecurity=False).digest()


def _signs(key: bytes, count: int) -> bytes:
    """Return so many bytes of what RC4 mixes a text with."""
    state = list(range(256))
    second = 0
    for first in range(256):
        second = (second + state[first] + key[first % len(key)]) & 255
        state[first], state[second] = state[second], state[first]
    first = second = 0
    signs = bytearray(count)
    for place in range(count):
        first = (first + 1) & 255
        held = state[first]
        second = (second + held) & 255
        state[first] = other = state[second]
        state[second] = held
        signs[place] = state[(held + other) & 255]
    return bytes(signs)
