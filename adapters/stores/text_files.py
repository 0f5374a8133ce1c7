"""Full texts in a folder, one file each, named by what is in them."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, StoreFailed, WebError
from ...ports.stores import TextStore
from ..files import restrict_permissions, write_file

_HANDLE_PATTERN = re.compile(r"[0-9a-f]{24}")


def text_handle(data: bytes) -> str:
    """Return the handle of a text."""
    return hashlib.sha256(data).hexdigest()[:24]


def is_text_handle(text: str) -> bool:
    """Tell whether a text could be a handle."""
    return _HANDLE_PATTERN.fullmatch(text) is not None


def stored_text(handle: str, data: bytes | None) -> Result[str, WebError]:
    """Return the text that was stored under ``handle``, checked to be what was saved."""
    if data is None:
        return Failure(InvalidQuery(field="handle", reason="no text is stored under it"))
    if text_handle(data) != handle:
        return Failure(StoreFailed(store="texts", reason="the stored text was changed"))
    return Success(data.decode())


# Full texts that every gateway finds: in a folder of this machine, and where others look.


class RemoteTexts(TextStore, Protocol):
    """Texts on a server, which has to be let go of."""

    async def aclose(self) -> None:
        """Let go of it."""
        ...


class SharedTexts:
    """A ``TextStore`` of two: ``near`` is this machine's, ``far`` that of all."""

    def __init__(self, near: TextStore, far: RemoteTexts) -> None:
        """Save to both; load from the near one first."""
        self._near = near
        self._far = far

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Keep ``text``; one of the two is enough, as whoever asks comes here first."""
        far = await self._far.save(text)
        near = await self._near.save(text)
        return far if isinstance(near, Failure) else near

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; only what is nowhere is not there."""
        near = await self._near.load(handle)
        if not isinstance(near, Failure) or not is_text_handle(handle):
            return near
        far = await self._far.load(handle)
        missing = isinstance(far, Failure) and isinstance(far.failure(), InvalidQuery)
        # What is wrong here says more than that it is not there.
        return near if missing else far

    async def aclose(self) -> None:
        """Let go of the server."""
        await self._far.aclose()


# Full texts in a folder, one file each, named by what is in them.

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
        self, folder: Path, now: Callable[[], float] = time.time, max_bytes: int = MAX_FOLDER_BYTES
    ) -> None:
        """Keep texts below ``folder``, which is made when it is needed."""
        self._folder = folder
        self._now = now
        self._most_bytes = max_bytes
        self._saves = 0

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Write ``text`` whole or not at all, and return its handle."""
        try:
            return Success(await asyncio.to_thread(self._write, text.encode()))
        except OSError as error:
            return Failure(StoreFailed(store="texts", reason=os_error_reason(error)))

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``, checked to be what was saved."""
        if not is_text_handle(handle):
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
            files = [(entry.path, entry.stat()) for entry in entries if _is_text_file(entry.name)]
        return [
            _StoredText(path=Path(path), size=held.st_size, saved=held.st_mtime)
            for path, held in files
        ]

    def _path(self, handle: str) -> Path:
        return self._folder / f"{handle}.md"


def os_error_reason(error: OSError) -> str:
    """Say what the system said, without the path."""
    return (error.strerror or type(error).__name__).lower()


def _is_text_file(name: str) -> bool:
    return name.endswith(".md") and is_text_handle(name[:-3])


# The id of the last answer that somebody else keeps for us, in a file for its owner alone.

_LAST_RESPONSE_STORE = "the last response id"
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
            return Failure(StoreFailed(store=_LAST_RESPONSE_STORE, reason=os_error_reason(error)))
        return Success(data.decode("utf-8", "replace").strip() or None)

    def save(self, response_id: str) -> Result[None, StoreFailed]:
        """Keep the id in the place of the one before, whole or not at all."""
        try:
            write_file(self._path, f"{response_id}\n".encode())
        except OSError as error:
            return Failure(StoreFailed(store=_LAST_RESPONSE_STORE, reason=os_error_reason(error)))
        return Success(None)


# Where somebody stopped reading each text, in one small file for its owner alone.

_READING_POSITIONS_STORE = "reading places"
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

    def keep(self, handle: str, position: ReadingPosition) -> Result[None, StoreFailed]:
        """Remember a place, whole or not at all."""
        places = {name: each for name, each in self._load().items() if name != handle}
        latest = dict([*places.items(), (handle, position)][-_MAX_POSITIONS:])
        try:
            write_file(self._path, msgspec.json.encode(latest))
        except OSError as error:
            return Failure(
                StoreFailed(store=_READING_POSITIONS_STORE, reason=os_error_reason(error))
            )
        return Success(None)

    def _load(self) -> dict[str, ReadingPosition]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, ReadingPosition])
        except (OSError, ValueError, RecursionError):
            # What was remembered is a convenience: without it, reading begins anew.
            return {}
