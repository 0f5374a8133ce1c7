"""Stores in plain files: full texts, the last response id, reading positions."""

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

from webseam.ports.errors import InvalidQuery, StoreFailed, WebError
from webseam.ports.stores import TextStore

from ..files import restrict_permissions, write_file

_HANDLE_PATTERN = re.compile(r"[0-9a-f]{24}")
MAX_FOLDER_BYTES = 256 * 1024 * 1024
_MAX_AGE_SECONDS = 30 * 24 * 3600.0
_SAVES_PER_PRUNING = 64
_LAST_RESPONSE_STORE = "the last response id"
_MAX_RESPONSE_ID_BYTES = 2000
_READING_POSITIONS_STORE = "reading places"
_MAX_POSITIONS = 500


def text_handle(data: bytes) -> str:
    """Return the handle of a text."""
    return hashlib.sha256(data).hexdigest()[:24]


def is_text_handle(text: str) -> bool:
    """Tell whether a text could be a handle."""
    return _HANDLE_PATTERN.fullmatch(text) is not None


def stored_text(handle: str, data: bytes | None) -> Result[str, WebError]:
    """Return the stored data as text; an error if it is missing or does not match the handle."""
    if data is None:
        return Failure(InvalidQuery(field="handle", reason="no text is stored under it"))
    if text_handle(data) != handle:
        return Failure(StoreFailed(store="texts", reason="the stored text was changed"))
    return Success(data.decode())


class RemoteTexts(TextStore, Protocol):
    """A ``TextStore`` on a server."""

    async def aclose(self) -> None:
        """Close the connections."""


class SharedTexts:
    """A ``TextStore`` of two stores: ``near`` on this machine, ``far`` on a shared server."""

    def __init__(self, near: TextStore, far: RemoteTexts) -> None:
        """Save to both stores; load from the near one first."""
        self._near = near
        self._far = far

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Save ``text``; it is a success if one of the two stores has it."""
        far = await self._far.save(text)
        near = await self._near.save(text)
        return far if isinstance(near, Failure) else near

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle`` from the near store, else from the far one."""
        near = await self._near.load(handle)
        if not isinstance(near, Failure) or not is_text_handle(handle):
            return near
        far = await self._far.load(handle)
        missing = isinstance(far, Failure) and isinstance(far.failure(), InvalidQuery)
        # The near store's error says more than a missing text on the server.
        return near if missing else far

    async def aclose(self) -> None:
        """Close the connections to the server."""
        await self._far.aclose()


class _StoredText(msgspec.Struct, frozen=True, kw_only=True):
    path: Path
    size: int
    saved: float


class TextFiles:
    """A ``TextStore`` in a folder that only the user can read. Old texts are deleted."""

    def __init__(
        self, folder: Path, now: Callable[[], float] = time.time, max_bytes: int = MAX_FOLDER_BYTES
    ) -> None:
        """Store texts in ``folder``, one file each; the folder is made when it is needed."""
        self._folder = folder
        self._now = now
        self._max_bytes = max_bytes
        self._saves = 0

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Write ``text`` atomically, and return its handle."""
        try:
            return Success(await asyncio.to_thread(self._write_text, text.encode()))
        except OSError as error:
            return _file_failure("texts", error)

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; its hash is checked."""
        if not is_text_handle(handle):
            return Failure(InvalidQuery(field="handle", reason="is not a handle of a stored text"))
        try:
            data = await asyncio.to_thread(self._file_path(handle).read_bytes)
        except FileNotFoundError:
            return Failure(InvalidQuery(field="handle", reason="no text is stored under it"))
        except OSError as error:
            return _file_failure("texts", error)
        return stored_text(handle, data)

    def clear(self) -> Result[int, StoreFailed]:
        """Delete every text; return how many there were."""
        try:
            texts = self._list_texts()
            for text in texts:
                text.path.unlink(missing_ok=True)
        except OSError as error:
            return _file_failure("texts", error)
        return Success(len(texts))

    def _write_text(self, data: bytes) -> str:
        handle = text_handle(data)
        path = self._file_path(handle)
        if path.exists():
            # Saving a text again renews its age.
            os.utime(path)
        else:
            write_file(path, data)
            restrict_permissions(self._folder)
        if self._saves % _SAVES_PER_PRUNING == 0:
            # Delete texts that are too old, and the oldest beyond ``max_bytes``.
            texts = sorted(self._list_texts(), key=lambda text: text.saved, reverse=True)
            total = 0
            for text in texts:
                total += text.size
                if total > self._max_bytes or text.saved < self._now() - _MAX_AGE_SECONDS:
                    text.path.unlink(missing_ok=True)
        self._saves += 1
        return handle

    def _list_texts(self) -> list[_StoredText]:
        if not self._folder.is_dir():
            return []
        with os.scandir(self._folder) as entries:
            files = [
                (entry.path, entry.stat())
                for entry in entries
                if entry.name.endswith(".md") and is_text_handle(entry.name[:-3])
            ]
        return [
            _StoredText(path=Path(path), size=file_stat.st_size, saved=file_stat.st_mtime)
            for path, file_stat in files
        ]

    def _file_path(self, handle: str) -> Path:
        return self._folder / f"{handle}.md"


def os_error_reason(error: OSError) -> str:
    """Return the system's error message without the path."""
    return (error.strerror or type(error).__name__).lower()


def _file_failure(store: str, error: OSError) -> Failure[StoreFailed]:
    return Failure(StoreFailed(store=store, reason=os_error_reason(error)))


class LastResponse:
    """The id of the last response that a provider stores, in a file."""

    def __init__(self, path: Path) -> None:
        """Store the id at ``path``, whose folder is made when it is needed."""
        self._file_path = path

    def load(self) -> Result[str | None, StoreFailed]:
        """Return the id; None when there is none."""
        try:
            with self._file_path.open("rb") as file:
                data = file.read(_MAX_RESPONSE_ID_BYTES)
        except FileNotFoundError:
            return Success(None)
        except OSError as error:
            return _file_failure(_LAST_RESPONSE_STORE, error)
        return Success(data.decode("utf-8", "replace").strip() or None)

    def save(self, response_id: str) -> Result[None, StoreFailed]:
        """Replace the id atomically."""
        try:
            write_file(self._file_path, f"{response_id}\n".encode())
        except OSError as error:
            return _file_failure(_LAST_RESPONSE_STORE, error)
        return Success(None)


class ReadingPosition(msgspec.Struct, frozen=True, kw_only=True):
    """Where to continue in a text, and how much of it was shown at once."""

    cursor: int
    size: int


class ReadingPositions:
    """The reading position in each text, by its handle; the oldest are dropped."""

    def __init__(self, path: Path) -> None:
        """Store positions at ``path``, whose folder is made when it is needed."""
        self._file_path = path

    def find(self, handle: str) -> ReadingPosition | None:
        """Return the position in a text; None if there is none, or the file is unreadable."""
        return self._load_positions().get(handle)

    def keep(self, handle: str, position: ReadingPosition) -> Result[None, StoreFailed]:
        """Store a position atomically."""
        positions = self._load_positions()
        # A position that is stored again becomes the newest.
        positions.pop(handle, None)
        latest = dict([*positions.items(), (handle, position)][-_MAX_POSITIONS:])
        try:
            write_file(self._file_path, msgspec.json.encode(latest))
        except OSError as error:
            return _file_failure(_READING_POSITIONS_STORE, error)
        return Success(None)

    def _load_positions(self) -> dict[str, ReadingPosition]:
        try:
            return msgspec.json.decode(
                self._file_path.read_bytes(), type=dict[str, ReadingPosition]
            )
        except (OSError, ValueError, RecursionError):
            # Positions are a convenience: without them, reading starts at the top.
            return {}
