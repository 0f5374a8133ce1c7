"""Files and folders for their owner alone, whatever the umask says, written whole or not at all."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_OURS = "webseam"
_FILE = 0o600
_FOLDER = 0o700
_OTHERS = 0o077
# What file systems say that cannot sync a folder, or need not.
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)


def make_folder(folder: Path) -> None:
    """Make a folder and each that is missing above it, for their owner alone.

    ``Path.mkdir`` gives the folders above only what the umask leaves. A folder of our name that is
    there already is mended; any other may be shared on purpose.
    """
    if folder.name == _OURS and folder.is_dir():
        restrict_permissions(folder)
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        with suppress(FileExistsError):
            # Another process may have been faster, and is one of ours.
            each.mkdir(_FOLDER)
        each.chmod(_FOLDER)


def make_file(path: Path) -> None:
    """Make an empty file if there is none; take from others what one that is there allows them."""
    make_folder(path.parent)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, _FILE))
    restrict_permissions(path)


def restrict_permissions(path: Path) -> None:
    """Take from others what a file or folder of this user allows them; that of another stays."""
    if os.name == "nt":
        return
    held = path.stat()
    if held.st_mode & _OTHERS and held.st_uid == os.geteuid():
        path.chmod(_FOLDER if path.is_dir() else _FILE)


def write_file(path: Path, content: bytes, is_wanted: Callable[[], bool] = lambda: True) -> bool:
    """Put ``content`` in the place of what is at ``path``, and on the disk, in one step.

    ``is_wanted`` is asked last; when it says no, nothing is changed and this returns False.
    Whoever reads meanwhile sees the old file or the new one; an ``OSError`` leaves the old one.
    """
    make_folder(path.parent)
    unfinished = path.with_name(f".webseam-{os.urandom(8).hex()}")
    try:
        _write(unfinished, content)
        if not is_wanted():
            return False
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    sync_folder(path.parent)
    return True


def _write(path: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, _FILE)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
        # A new name for what is not on the disk yet could, after a power cut, be an empty file.
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Put a new name on the disk; Windows cannot open a folder, and does it by itself."""
    if os.name == "nt":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
