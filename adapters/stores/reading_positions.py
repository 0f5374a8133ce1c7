"""Where somebody stopped reading each text, in one small file for its owner alone."""

from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import StoreFailed
from ..files import write_file
from .text_files import os_error_reason

_STORE = "reading places"
_MAX_POSITIONS = 500


class ReadingPosition(msgspec.Struct, frozen=True, kw_only=True):
    """Where to go on in a text, and how much of it was shown at once."""

    cursor: int
    size: int


class ReadingPositions:
    """The place in each text, by its handle; the oldest make room."""

    def __init__(self, path: Path) -> None:
        """Keep them at ``path``, whose folder is made when it is needed."""
        self._path = path

    def find(self, handle: str) -> ReadingPosition | None:
        """Return where to go on; None where nobody began, or nothing can be read."""
        return self._load().get(handle)

    def keep(self, handle: str, place: ReadingPosition) -> Result[None, StoreFailed]:
        """Remember a place, whole or not at all."""
        places = {name: each for name, each in self._load().items() if name != handle}
        latest = dict([*places.items(), (handle, place)][-_MAX_POSITIONS:])
        try:
            write_file(self._path, msgspec.json.encode(latest))
        except OSError as error:
            return Failure(StoreFailed(store=_STORE, reason=os_error_reason(error)))
        return Success(None)

    def _load(self) -> dict[str, ReadingPosition]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, ReadingPosition])
        except (OSError, ValueError, RecursionError):
            # What was remembered is a convenience: without it, reading begins anew.
            return {}
