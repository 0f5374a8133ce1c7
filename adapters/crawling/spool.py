"""Pages as they come in, kept at once: a run that is killed asks for none of them again."""

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

_NUMBER, _LENGTH, _SUM = 4, 8, 4
_HEAD: Final = _NUMBER + _LENGTH + _SUM
Places: TypeAlias = dict[int, tuple[int, int]]


def scan_spool(stream: BinaryIO) -> tuple[Places, int]:
    """Return where each whole piece is, start and length, and where the last of them ends."""
    places: Places = {}
    end = 0
    stream.seek(0)
    while len(head := stream.read(_HEAD)) == _HEAD:
        length = int.from_bytes(head[_NUMBER : _NUMBER + _LENGTH], "big")
        piece = stream.read(length)
        if len(piece) < length or zlib.crc32(piece).to_bytes(_SUM, "big") != head[-_SUM:]:
            break
        places[int.from_bytes(head[:_NUMBER], "big")] = (end + _HEAD, length)
        end += _HEAD + length
    return places, end


def spooled_numbers(path: Path) -> Iterator[int]:
    """Yield the numbers of the pieces in a file, without reading these; raises ``OSError``."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        end = stream.seek(0)
        while len(head := stream.read(_HEAD)) == _HEAD:
            length = int.from_bytes(head[_NUMBER : _NUMBER + _LENGTH], "big")
            end = stream.seek(end + _HEAD + length)
            if end <= size:
                yield int.from_bytes(head[:_NUMBER], "big")


class Spool:
    """Numbered pieces in a file, in the order in which they came; a torn end is dropped."""

    def __init__(self, path: Path) -> None:
        """Find what is there already; raises ``OSError``."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._stream = path.open("a+b")
        self._places, end = scan_spool(self._stream)
        self._stream.truncate(end)
        self._stream.seek(0, 2)

    def __contains__(self, number: int) -> bool:
        """Tell whether there is such a piece."""
        return number in self._places

    def add(self, number: int, piece: bytes) -> None:
        """Keep a piece."""
        start = self._stream.seek(0, 2)
        sizes = number.to_bytes(_NUMBER, "big") + len(piece).to_bytes(_LENGTH, "big")
        self._stream.write(sizes + zlib.crc32(piece).to_bytes(_SUM, "big") + piece)
        self._stream.flush()
        self._places[number] = (start + _HEAD, len(piece))

    def drop(self, number: int) -> None:
        """Take a piece as not there, until another one comes in its place."""
        del self._places[number]

    def pieces(self, numbers: Iterable[int]) -> Iterable[bytes]:
        """Yield pieces in the order of ``numbers``."""
        for number in numbers:
            start, length = self._places[number]
            self._stream.seek(start)
            yield self._stream.read(length)

    def close(self) -> None:
        """Keep the file for the next run."""
        self._stream.close()

    def remove(self) -> None:
        """Drop the file: its pieces are elsewhere."""
        self._stream.close()
        self._path.unlink(missing_ok=True)
