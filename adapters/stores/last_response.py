"""The id of the last answer that somebody else keeps for us, in a file for its owner alone."""

from pathlib import Path

from returns.result import Failure, Result, Success

from ...ports.errors import StoreFailed
from ..files import write_file
from .text_files import os_error_reason

_STORE = "the last response id"
_MAX_FILE_BYTES = 2000


class LastResponse:
    """One id in one file."""

    def __init__(self, path: Path) -> None:
        """Keep it at ``path``, whose folder is made when it is needed."""
        self._path = path

    def load(self) -> Result[str | None, StoreFailed]:
        """Return the id; None when none was kept."""
        try:
            with self._path.open("rb") as file:
                data = file.read(_MAX_FILE_BYTES)
        except FileNotFoundError:
            return Success(None)
        except OSError as error:
            return Failure(StoreFailed(store=_STORE, reason=os_error_reason(error)))
        return Success(data.decode("utf-8", "replace").strip() or None)

    def save(self, response_id: str) -> Result[None, StoreFailed]:
        """Keep the id in the place of the one before, whole or not at all."""
        try:
            write_file(self._path, f"{response_id}\n".encode())
        except OSError as error:
            return Failure(StoreFailed(store=_STORE, reason=os_error_reason(error)))
        return Success(None)
