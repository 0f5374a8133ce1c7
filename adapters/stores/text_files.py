"""Full texts in a folder, one file each, named by what is in them."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, StoreFailed, WebError
from ..files import restrict_permissions, write_file
from .handles import is_handle, stored_text, text_handle

MAX_FOLDER_BYTES = 256 * 1024 * 1024
_MAX_AGE_SECONDS = 30 * 24 * 3600.0
_SAVES_PER_PRUNING = 64


class _StoredText(msgspec.Struct, frozen=True, kw_only=True):
    path: Path
    size: int
    saved: float


class TextFiles:
    """A ``TextStore`` in a folder that only the user can read. The oldest texts make room."""

    def __init__(
        self, folder: Path, now: Callable[[], float] = time.time, most_bytes: int = MAX_FOLDER_BYTES
    ) -> None:
        """Keep texts below ``folder``, which is made when it is needed."""
        self._folder = folder
        self._now = now
        self._most_bytes = most_bytes
        self._saves = 0

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Write ``text`` whole or not at all, and return its handle."""
        try:
            return Success(await asyncio.to_thread(self._write, text.encode()))
        except OSError as error:
            return Failure(StoreFailed(store="texts", reason=os_error_reason(error)))

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``, checked to be what was saved."""
        if not is_handle(handle):
            return Failure(InvalidQuery(field="handle", reason="is not a handle of a stored text"))
        try:
            data = await asyncio.to_thread(self._path(handle).read_bytes)
        except FileNotFoundError:
            return Failure(InvalidQuery(field="handle", reason="no text is stored under it"))
        except OSError as error:
            return Failure(StoreFailed(store="texts", reason=os_error_reason(error)))
        return stored_text(handle, data)

    def clear(self) -> Result[int, StoreFailed]:
        """Throw every text away; return how many there were."""
        try:
            texts = self._texts()
            for text in texts:
                text.path.unlink(missing_ok=True)
        except OSError as error:
            return Failure(StoreFailed(store="texts", reason=os_error_reason(error)))
        return Success(len(texts))

    def _write(self, data: bytes) -> str:
        handle = text_handle(data)
        path = self._path(handle)
        if path.exists():
            # Saved again, it is as good as new.
            os.utime(path)
        else:
            write_file(path, data)
            restrict_permissions(self._folder)
        if self._saves % _SAVES_PER_PRUNING == 0:
            self._prune()
        self._saves += 1
        return handle

    def _prune(self) -> None:
        """Remove texts that are too old, and the oldest for as long as all are too large."""
        texts = sorted(self._texts(), key=lambda text: text.saved, reverse=True)
        total = 0
        for text in texts:
            total += text.size
            if total > self._most_bytes or text.saved < self._now() - _MAX_AGE_SECONDS:
                text.path.unlink(missing_ok=True)

    def _texts(self) -> list[_StoredText]:
        if not self._folder.is_dir():
            return []
        with os.scandir(self._folder) as entries:
            files = [(entry.path, entry.stat()) for entry in entries if _is_text(entry.name)]
        return [
            _StoredText(path=Path(path), size=held.st_size, saved=held.st_mtime)
            for path, held in files
        ]

    def _path(self, handle: str) -> Path:
        return self._folder / f"{handle}.md"


def os_error_reason(error: OSError) -> str:
    """Say what the system said, without the path."""
    return (error.strerror or type(error).__name__).lower()


def _is_text(name: str) -> bool:
    return name.endswith(".md") and is_handle(name[:-3])
