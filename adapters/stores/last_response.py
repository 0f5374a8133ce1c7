"""The id of the last answer that somebody else keeps for us, in a file for its owner alone."""

import os
import tempfile
from pathlib import Path

from returns.result import Failure, Result, Success

from ...ports.errors import StoreFailed
from .texts import reason_of

_STORE = "the last response id"
_MOST_BYTES = 2000


class LastResponse:
    """One id in one file."""

    def __init__(self, path: Path) -> None:
        """Keep it at ``path``, whose folder is made when it is needed."""
        self._path = path

    def load(self) -> Result[str | None, StoreFailed]:
        """Return the id; None when none was kept."""
        try:
            with self._path.open("rb") as file:
                data = file.read(_MOST_BYTES)
        except FileNotFoundError:
            return Success(None)
        except OSError as error:
            return Failure(StoreFailed(store=_STORE, reason=reason_of(error)))
        return Success(data.decode("utf-8", "replace").strip() or None)

    def save(self, response_id: str) -> Result[None, StoreFailed]:
        """Keep the id in the place of the one before, whole or not at all."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Made readable by the user alone; renamed in one step, so that no reader sees a part.
            descriptor, unfinished = tempfile.mkstemp(dir=self._path.parent)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(f"{response_id}\n".encode())
                Path(unfinished).replace(self._path)
            finally:
                Path(unfinished).unlink(missing_ok=True)
        except OSError as error:
            return Failure(StoreFailed(store=_STORE, reason=reason_of(error)))
        return Success(None)
