"""Marks on records of a WARC file of ours, when all of it is known; the others stay as they are."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Final

from ..datasets.parts import whole_file
from .records import packed

_GZIP: Final = 31
_CHUNK: Final = 1 << 16


def mark_records(path: Path, field: str, marks: Mapping[int, str]) -> None:
    """Give the records at some places one more field each; raises ``OSError``."""
    with path.open("rb") as source, whole_file(path) as target:
        for place in sorted(marks):
            _copy(source, target, place - source.tell())
            head, blank, block = _member(source).partition(b"\r\n\r\n")
            mark = f"\r\n{field}: {' '.join(marks[place].split())}".encode()
            target.write(packed(head + mark + blank + block))
        _copy(source, target, path.stat().st_size - source.tell())


def _copy(source: BinaryIO, target: BinaryIO, size: int) -> None:
    while size and (piece := source.read(min(size, _CHUNK))):
        target.write(piece)
        size -= len(piece)


def _member(source: BinaryIO) -> bytes:
    """Return the record that begins here, and stand where it ends."""
    unpacking = zlib.decompressobj(_GZIP)
    pieces: list[bytes] = []
    while not unpacking.eof and (piece := source.read(_CHUNK)):
        pieces.append(unpacking.decompress(piece))
    source.seek(-len(unpacking.unused_data), 1)
    return b"".join(pieces)
