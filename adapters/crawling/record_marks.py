"""Marks on records of a WARC file of ours, when all of it is known; the others stay as they are."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Final

from ..datasets.whole_files import atomic_file
from .warc_records import gzip_member

_GZIP: Final = 31
_READ_BYTES: Final = 1 << 16


def mark_records(path: Path, field: str, marks_by_offset: Mapping[int, str]) -> None:
    """Give the records at some places one more field each; raises ``OSError``."""
    with path.open("rb") as source, atomic_file(path) as target:
        for place in sorted(marks_by_offset):
            _copy(source, target, place - source.tell())
            head, blank, block = _member(source).partition(b"\r\n\r\n")
            mark = f"\r\n{field}: {' '.join(marks_by_offset[place].split())}".encode()
            target.write(gzip_member(head + mark + blank + block))
        _copy(source, target, path.stat().st_size - source.tell())


def _copy(source: BinaryIO, target: BinaryIO, size: int) -> None:
    while size and (piece := source.read(min(size, _READ_BYTES))):
        target.write(piece)
        size -= len(piece)


def _member(source: BinaryIO) -> bytes:
    """Return the record that begins here, and stand where it ends."""
    unpacking = zlib.decompressobj(_GZIP)
    pieces: list[bytes] = []
    while not unpacking.eof and (piece := source.read(_READ_BYTES)):
        pieces.append(unpacking.decompress(piece))
    source.seek(-len(unpacking.unused_data), 1)
    return b"".join(pieces)
