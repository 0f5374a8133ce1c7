"""What several attempts at the same errands brought: each writes to a file of its own.

An attempt that was given up may still write to its file; the next one reads what is whole there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from .fetch_tasks import FetchResult
from .spool import Spool, scan_spool

_ENDING: Final = ".spool"
_PARCEL: Final = msgspec.msgpack.Decoder(FetchResult)


class AttemptSegments:
    """Parcels by number, as far as they have come."""

    def __init__(self, folder: Path, attempt: str) -> None:
        """Find what earlier attempts brought; raises ``OSError``."""
        folder.mkdir(parents=True, exist_ok=True)
        earlier = sorted(folder.glob(f"*{_ENDING}"))
        self.is_first = not earlier
        self._places: dict[int, tuple[Path, int, int]] = {}
        for path in earlier:
            with path.open("rb") as stream:
                for number, (start, length) in scan_spool(stream)[0].items():
                    self._places[number] = (path, start, length)
        self._path = folder / f"{attempt}{_ENDING}"
        self._own = Spool(self._path)
        self._numbers: set[int] = set()

    def __contains__(self, number: int) -> bool:
        """Tell whether there is such a parcel."""
        return number in self._places or number in self._numbers

    def add(self, number: int, parcel: FetchResult) -> None:
        """Keep a parcel."""
        self._own.add(number, msgspec.msgpack.encode(parcel))
        self._numbers.add(number)

    def parcels(self) -> Iterator[tuple[int, FetchResult]]:
        """Yield all parcels in the order of their numbers."""
        for number in sorted({*self._places, *self._numbers}):
            yield number, _PARCEL.decode(self._piece(number))

    def close(self) -> None:
        """Keep the files."""
        self._own.close()

    def _piece(self, number: int) -> bytes:
        if number not in self._places:
            return next(iter(self._own.pieces((number,))))
        path, start, length = self._places[number]
        with path.open("rb") as stream:
            stream.seek(start)
            return stream.read(length)
