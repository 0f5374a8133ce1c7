"""The text of files that settings come from, within bounds, and whether others can read it."""

import os
import stat
from pathlib import Path

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
        reason = getattr(error, "strerror", None) or "it is no file name"
        return unusable(path, what, f"cannot be read: {reason.lower()}")
    if len(content) > MOST_BYTES:
        return unusable(path, what, f"is larger than {MOST_BYTES} bytes")
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return unusable(path, what, "is not UTF-8 text")


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
