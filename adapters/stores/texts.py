"""Full texts in a folder, one file each, named by what is in them."""

import asyncio
import hashlib
import os
import re
import tempfile
from pathlib import Path

from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, StoreFailed, WebError

_HANDLE = re.compile(r"[0-9a-f]{24}")


class TextFiles:
    """A ``TextStore`` in a folder that only the user can read."""

    def __init__(self, folder: Path) -> None:
        """Keep texts below ``folder``, which is made when it is needed."""
        self._folder = folder

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Write ``text`` whole or not at all, and return its handle."""
        try:
            return Success(await asyncio.to_thread(self._write, text.encode()))
        except OSError as error:
            return Failure(StoreFailed(store="texts", reason=reason_of(error)))

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``, checked to be what was saved."""
        if _HANDLE.fullmatch(handle) is None:
            return Failure(InvalidQuery(field="handle", reason="is not a handle of a stored text"))
        try:
            data = await asyncio.to_thread(self._path(handle).read_bytes)
        except FileNotFoundError:
            return Failure(InvalidQuery(field="handle", reason="no text is stored under it"))
        except OSError as error:
            return Failure(StoreFailed(store="texts", reason=reason_of(error)))
        if _handle_of(data) != handle:
            return Failure(StoreFailed(store="texts", reason="the stored text was changed"))
        return Success(data.decode())

    def _write(self, data: bytes) -> str:
        handle = _handle_of(data)
        path = self._path(handle)
        if not path.exists():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Made readable by the user alone; renamed in one step, so that no reader sees a part.
            descriptor, unfinished = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                Path(unfinished).replace(path)
            except BaseException:
                Path(unfinished).unlink(missing_ok=True)
                raise
        return handle

    def _path(self, handle: str) -> Path:
        return self._folder / f"{handle}.md"


def reason_of(error: OSError) -> str:
    """Say what the system said, without the path."""
    return (error.strerror or type(error).__name__).lower()


def _handle_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]
