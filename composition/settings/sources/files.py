"""The text of files that settings come from, within bounds, and whether others can read it."""

import os
import stat
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import InvalidSetting

MAX_CONFIG_BYTES = 1024 * 1024
SETTING = "WEBSEAM_CONFIG"


def read_text(path: Path, label: str = SETTING) -> Result[str | None, InvalidSetting]:
    """Return a file's text; None when there is no such file. ``label`` names it in an error."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        return _unreadable(path, label, error)
    return decode_config(content, path, label)


def decode_config(
    content: bytes, path: Path, label: str = SETTING
) -> Result[str | None, InvalidSetting]:
    """Return what was read of a file as text; at most one byte more than is allowed is needed."""
    if len(content) > MAX_CONFIG_BYTES:
        return unusable_error(path, label, f"is larger than {MAX_CONFIG_BYTES} bytes")
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return unusable_error(path, label, "is not UTF-8 text")


class FileContent(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a plain file, and whether it is neither this user's nor the system's."""

    whole: bytes
    anothers: bool

    def __repr__(self) -> str:
        return f"FileContent({len(self.whole)})"


def read_regular(path: Path, label: str) -> Result[FileContent | None, InvalidSetting]:
    """Return a plain file's bytes; None when nothing is there, or a pipe, a device or a folder."""
    try:
        # Whoever put a pipe there would have us wait for a writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        return _unreadable(path, label, error)
    try:
        held = os.fstat(handle)
        if not stat.S_ISREG(held.st_mode):
            return Success(None)
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        return _unreadable(path, label, error)
    finally:
        os.close(handle)
    return Success(FileContent(whole=content, anothers=_is_anothers(held.st_uid)))


def _is_anothers(owner: int) -> bool:
    return os.name != "nt" and owner not in (0, os.geteuid())


def _unreadable(path: Path, what: str, error: Exception) -> Failure[InvalidSetting]:
    reason = getattr(error, "strerror", None) or "it is no file name"
    return unusable_error(path, what, f"cannot be read: {reason.lower()}")


def is_exposed(path: Path) -> bool:
    """Tell whether other users of this machine may read a file; Windows has no such bits."""
    if os.name == "nt":
        return False
    try:
        return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def unusable_error(path: Path, label: str, reason: str) -> Failure[InvalidSetting]:
    """Say why a file cannot be used; ``label`` names it."""
    return Failure(InvalidSetting(setting=label, place=str(path), reason=reason))
