"""The settings file, written: whole or not at all, and for its owner alone."""

import os
from pathlib import Path

from returns.result import Failure, Result, Success

from ...adapters.files import write_file
from ...ports.errors import InvalidSetting


def write_private(
    path: Path, content: bytes, expected: bytes | None
) -> Result[None, InvalidSetting]:
    """Put ``content`` in the place of ``expected``, which was there when it was read.

    A link is followed. Whoever reads the file meanwhile sees the old one or the new one.
    """
    target = Path(os.path.realpath(path))
    try:
        written = write_file(target, content, lambda: _content(target) == expected)
    except OSError as error:
        return _failed(path, f"cannot be written: {(error.strerror or 'no reason given').lower()}")
    if not written:
        return _failed(path, "was changed by somebody else meanwhile; try again")
    return Success(None)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _failed(path: Path, reason: str) -> Failure[InvalidSetting]:
    return Failure(InvalidSetting(setting="the settings file", place=str(path), reason=reason))
