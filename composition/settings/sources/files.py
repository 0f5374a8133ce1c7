"""The text of files that settings come from, within bounds, and whether others can read it."""

import os
import stat
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import InvalidSetting

MOST_BYTES = 1024 * 1024
SETTING = "WEBSEAM_CONFIG"


def read_text(path: Path, what: str = SETTING) -> Result[str | None, InvalidSetting]:
    """Return a file's text; None when there is no such file. ``what`` names it in an error."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        return _unreadable(path, what, error)
    return text_of(content, path, what)


def text_of(content: bytes, path: Path, what: str = SETTING) -> Result[str | None, InvalidSetting]:
    """Return what was read of a file as text; at most one byte more than is allowed is needed."""
    if len(content) > MOST_BYTES:
        return unusable(path, what, f"is larger than {MOST_BYTES} bytes")
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return unusable(path, what, "is not UTF-8 text")


class FileContent(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a plain file, and whether it is neither this user's nor the system's."""

    whole: bytes
    anothers: bool

    def __repr__(self) -> str:
        return f"FileContent({len(self.whole)})"


def read_regular(path: Path, what: str) -> Result[FileContent | None, InvalidSetting]:
    """Return a plain file's bytes; None when nothing is there, or a pipe, a device or a folder."""
    try:
        # Whoever put a pipe there would have us wait for a writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        return _unreadable(path, what, error)
    try:
        held = os.fstat(handle)
        if not stat.S_ISREG(held.st_mode):
            return Success(None)
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        return _unreadable(path, what, error)
    finally:
        os.close(handle)
    return Success(FileContent(whole=content, anothers=_is_anothers(held.st_uid)))


def _is_anothers(owner: int) -> bool:
    return os.name != "nt" and owner not in (0, os.geteuid())


def _unreadable(path: Path, what: str, error: Exception) -> Failure[InvalidSetting]:
    reason = getattr(error, "strerror", None) or "it is no file name"
    return unusable(path, what, f"cannot be read: {reason.lower()}")


def is_exposed(path: Path) -> bool:
    """Tell whether other users of this machine may read a file; Windows has no such bits."""
    if os.name == "nt":
        return False
    try:
        return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def unusable(path: Path, what: str, reason: str) -> Failure[InvalidSetting]:
    """Say why a file cannot be used; ``what`` names it."""
    return Failure(InvalidSetting(setting=what, place=str(path), reason=reason))
