"""Files and folders that only their owner can read, and atomic writes; the umask has no effect."""

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_OWNER_FILE_MODE = 0o600
_OWNER_FOLDER_MODE = 0o700
_OTHERS_MODE_BITS = 0o077
# Errors of file systems that cannot sync a folder, or need not.
_NO_SYNC_ERRNOS = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)

# Errors of file systems without hard links.
_NO_LINK_ERRNOS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EMLINK)


def make_private_folder(folder: Path) -> None:
    """Make a folder and its missing parents; only their owner may enter them.

    ``Path.mkdir`` gives parents the umask's permissions. An existing folder named ``webseam`` gets
    its permissions restricted; any other folder may be shared on purpose.
    """
    if folder.name == "webseam" and folder.is_dir():
        restrict_permissions(folder)
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    for parent in reversed(missing):
        with suppress(FileExistsError):
            # Another process of webseam may have made it meanwhile.
            parent.mkdir(_OWNER_FOLDER_MODE)
            parent.chmod(_OWNER_FOLDER_MODE)


def open_to_append(path: Path) -> int:
    """Open a file that only its owner can read, which is made if there is none, for appending."""
    make_private_folder(path.parent)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _OWNER_FILE_MODE)
    restrict_permissions(path)
    return descriptor


def restrict_permissions(path: Path) -> None:
    """Remove group and other permissions from a path that this user owns; leave others' paths."""
    if sys.platform == "win32":
        return
    status = path.stat()
    if status.st_mode & _OTHERS_MODE_BITS and status.st_uid == os.geteuid():
        path.chmod(_OWNER_FOLDER_MODE if path.is_dir() else _OWNER_FILE_MODE)


def write_file(
    path: Path,
    content: bytes,
    is_wanted: Callable[[], bool] = lambda: True,
    *,
    is_synced: bool = True,
) -> bool:
    """Replace the file at ``path`` with ``content`` atomically, and sync it to the disk.

    ``is_wanted`` is called last; if it returns False, nothing changes and this returns False.
    Without ``is_synced``, a power cut may leave an old, an empty or no file.
    A concurrent reader sees the old file or the new one; an ``OSError`` leaves the old one.
    """
    make_private_folder(path.parent)
    temporary = path.with_name(f".webseam-{os.urandom(8).hex()}")
    try:
        _write_new_file(temporary, content, is_synced=is_synced)
        if not is_wanted():
            return False
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if is_synced:
        sync_folder(path.parent)
    return True


def add_file(path: Path, content: bytes) -> None:
    """Make a file that is whole from its first moment; leave an existing one as it is.

    A file system without hard links gets no file.
    """
    make_private_folder(path.parent)
    temporary = path.with_name(f".webseam-{os.urandom(8).hex()}")
    try:
        _write_new_file(temporary, content)
        with suppress(FileExistsError):
            path.hardlink_to(temporary)
    except OSError as error:
        if error.errno not in _NO_LINK_ERRNOS:
            raise
    finally:
        temporary.unlink(missing_ok=True)


def _write_new_file(path: Path, content: bytes, *, is_synced: bool = True) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, _OWNER_FILE_MODE)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
        if is_synced:
            # Without this, a power cut after the rename could leave an empty file.
            os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to the disk; Windows cannot open a folder and syncs by itself."""
    if sys.platform == "win32":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC_ERRNOS:
            raise
