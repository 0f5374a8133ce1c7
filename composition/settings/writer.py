"""The settings file, written: whole or not at all, and for its owner alone."""

import contextlib
import os
import tempfile
from pathlib import Path

from returns.result import Failure, Result, Success

from ...ports.errors import InvalidSetting


def write_private(path: Path, content: bytes, before: bytes | None) -> Result[None, InvalidSetting]:
    """Put ``content`` in the place of ``before``, which was there when it was read.

    A link is followed. Whoever reads the file meanwhile sees the old one or the new one.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = _written(target.parent, content)
        try:
            if _content(target) != before:
                return _failed(path, "was changed by somebody else meanwhile; try again")
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(target.parent)
    except OSError as error:
        return _failed(path, f"cannot be written: {(error.strerror or 'no reason given').lower()}")
    return Success(None)


def _written(folder: Path, content: bytes) -> Path:
    # Its mode is 600 from the beginning.
    handle, name = tempfile.mkstemp(dir=folder, prefix=".webseam-")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return Path(name)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    # The new name is on disk only with its folder; Windows cannot open one.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _failed(path: Path, reason: str) -> Failure[InvalidSetting]:
    return Failure(InvalidSetting(setting="the settings file", place=str(path), reason=reason))
