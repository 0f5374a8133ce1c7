"""Small bodies that become huge when they are decompressed."""

import base64
import functools
import gzip
import struct
import zlib
from typing import Final

from .limits import MIB

_ZEROS: Final = bytes(MIB)
_RAW: Final = -15

# 203 bytes of brotli that stand for 256 MiB of zeros; the standard library cannot write brotli.
BROTLI_256_MIB: Final = base64.b64decode(
    "z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf//P//B0ACIA4LQPf+n////wBI"
    "AMRhAeje//P//x8ACYA4LADd+3/+//8DIAEQhwWge//P//9/ACQA4rAAdO//+f//D4AEQBwWgO79P////wGQAIjDAtC9"
    "/+f//z8AEgBxWAC69//8//8HQAIgDgtA9/6f////AEgAxGEB6N7/8///HwAJgDgsAN37f/7//wMgARCHBaB7/z8="
)


@functools.cache
def gzip_bomb(mib: int, layers: int = 1) -> bytes:
    """Return that many MiB of zeros, gzipped ``layers`` times."""
    checksum = 0
    for _ in range(mib):
        checksum = zlib.crc32(_ZEROS, checksum)
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    bomb = head + _deflated_zeros(mib) + struct.pack("<II", checksum, mib * MIB % 2**32)
    for _ in range(layers - 1):
        bomb = gzip.compress(bomb)
    return bomb


@functools.cache
def deflate_bomb(mib: int) -> bytes:
    """Return that many MiB of zeros as a zlib stream."""
    checksum = 1
    for _ in range(mib):
        checksum = zlib.adler32(_ZEROS, checksum)
    return b"\x78\xda" + _deflated_zeros(mib) + struct.pack(">I", checksum)


@functools.cache
def zstd_bomb(mib: int) -> bytes:
    """Return that many MiB of zeros as a zstd frame of run-length blocks, 128 KiB in 4 bytes."""
    magic_and_window = b"\x28\xb5\x2f\xfd\x00\x38"
    size, run_length, last = (128 * 1024) << 3, 1 << 1, 1
    block = struct.pack("<I", size | run_length)[:3] + b"\0"
    final = struct.pack("<I", size | run_length | last)[:3] + b"\0"
    return magic_and_window + block * (mib * 8 - 1) + final


def _deflated_zeros(mib: int) -> bytes:
    """Compress one MiB and repeat it: after a full flush a block does not depend on its place."""
    stream = zlib.compressobj(9, zlib.DEFLATED, _RAW)
    block = stream.compress(_ZEROS) + stream.flush(zlib.Z_FULL_FLUSH)
    return block * mib + stream.flush()
