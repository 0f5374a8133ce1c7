"""The file of a store and the files beside it: SQLite alone opens them; all else is done by name.

``held_files.py`` says why nothing here opens a store. A new file gets its name when it is closed
and whole. Everything else is done by name: permissions, and which file it is.

A store can be replaced while processes have it open: someone puts a backup in its place. SQLite
binds its log and the shared memory to the *name* of the store ("How To Corrupt", sections 1.4 and
2.4), so whoever opens the new file next would read it together with the log of the old one, and
as the supposed last process write that log into it. Two things prevent this. A process looks before
each transaction whether the name still leads to the file that it has open (``FileWatch``).
And who opens a store first puts files aside that belong to another one: ``NAME-inodes`` says with
which store they were last open. That also holds for commands that never saw the old file, and for
a log that a killed process left. A copied folder has other inodes, so there nothing is put aside.
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .files import add_file, make_private_folder, restrict_permissions, write_file
from .held_files import SIDE_FILE_ENDINGS, hold_store, release_store

_INODES_ENDING = "-inodes"
# A journal is written into whatever store it stands beside; it lives for one transaction only.
_BOUND_ENDINGS = ("-wal", "-shm")
_MAX_LOCK_WAIT_SECONDS = 10.0


def real_store_path(path: Path) -> Path:
    """Return the path with links followed, as SQLite does: the files beside it are there."""
    return Path(os.path.realpath(path))


def side_file(path: Path, ending: str) -> Path:
    """Return the path of a file beside a store."""
    return Path(f"{path}{ending}")


class FileWatch:
    """Tells whether a name leads to the same file as before: made before the file is opened.

    ``with_changes`` also tells a file from what it was before it was written to. That is of use
    where the log is not apart: a backup that was copied *into* the file is another store then.
    """

    def __init__(self, path: Path, *, with_changes: bool = False) -> None:
        """Look which file ``path`` is, if there is one."""
        # A text: this is looked at before each transaction.
        self._path = str(path)
        self._with_changes = with_changes
        self._identity = self._read_identity()

    def settle(self) -> None:
        """Look again after opening, which may have made or changed the file.

        A file that was replaced meanwhile is none that is known: it is never the same again.
        """
        before, after = self._identity, self._read_identity()
        is_replaced = before is None or after is None or before[:2] != after[:2]
        self._identity = None if before is not None and is_replaced else after

    def is_same(self) -> bool:
        """Tell whether the name leads to the file of ``settle``."""
        return self._identity is not None and self._read_identity() == self._identity

    def _read_identity(self) -> tuple[int, ...] | None:
        try:
            status = os.stat(self._path)  # noqa: PTH116  a text
        except OSError:
            # Not there, or not to be looked at: opening it says why, as a typed error.
            return None
        if self._with_changes:
            return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
        return (status.st_dev, status.st_ino)


def make_store_file(path: Path, make_content: Callable[[], bytes]) -> None:
    """Make a store that only its owner can read; restrict the permissions of one that exists.

    The new file is linked to its name after it was closed, so no descriptor of ours is ever closed
    while SQLite has the file open. Where a file system has no links, SQLite makes the file itself.
    """
    make_private_folder(path.parent)
    side_files = [side_file(path, ending) for ending in SIDE_FILE_ENDINGS]
    if not path.exists():
        # SQLite drops an old log of an empty file only.
        is_alone = not any(file.exists() for file in side_files)
        add_file(path, make_content() if is_alone else b"")
    # SQLite gives new side files the mode of the file; restrict the existing ones too.
    for file in (path, *side_files):
        # Another process may remove them meanwhile.
        with suppress(FileNotFoundError):
            restrict_permissions(file)


@contextmanager
def opening_store(path: Path) -> Iterator[None]:
    """Keep other processes of webseam from opening stores of this folder until the block ends.

    The lock is on the folder, so it costs no store its locks. Without it, two processes could find
    the same old log, and the slower one put aside the new log of the quicker one.
    """
    if sys.platform == "win32":
        # There an open file can be neither replaced nor removed.
        yield
        return
    import fcntl  # noqa: PLC0415  not on Windows

    try:
        folder = os.open(path.parent, os.O_RDONLY)
    except OSError:
        # Without permission to read the folder, and for a folder that does not exist yet.
        yield
        return
    try:
        # Some network file systems have no such lock, and none that SQLite's log could use.
        with suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def put_aside_old_files(path: Path) -> None:
    """Rename the log and the shared memory that belong to a file that ``path`` led to before.

    They are renamed, not deleted: processes that have them open go on with them until they look.
    """
    bound = _read_inodes(path)
    if not bound or bound[0] == _inode(str(path)):
        return
    for ending, inode in zip(_BOUND_ENDINGS, bound[1:], strict=False):
        if inode and _inode(f"{path}{ending}") == inode:
            side_file(path, ending).replace(f"{path}{ending}.replaced-{inode}")


def bind_side_files(path: Path) -> None:
    """Write down with which store the log and the shared memory beside it are open."""
    inodes = [_inode(f"{path}{ending}") for ending in ("", *_BOUND_ENDINGS)]
    if not inodes[1] or inodes == _read_inodes(path):
        return
    # On a read-only disk no store can be replaced either.
    with suppress(OSError):
        text = " ".join(map(str, inodes))
        write_file(side_file(path, _INODES_ENDING), f"{text}\n".encode(), is_synced=False)


def release_side_files(path: Path) -> None:
    """Remove what ``bind_side_files`` wrote, if the last process has removed the log."""
    with opening_store(path), suppress(OSError):
        if not side_file(path, _BOUND_ENDINGS[0]).exists():
            side_file(path, _INODES_ENDING).unlink(missing_ok=True)


def _read_inodes(path: Path) -> list[int]:
    """Return the inodes of the store, its log and its shared memory; empty if they are unknown."""
    try:
        content = side_file(path, _INODES_ENDING).read_bytes()
        return [int(number) for number in content.split()]
    except (OSError, ValueError):
        return []


def _inode(path: str) -> int:
    """Return the inode of a file; 0 if there is none."""
    try:
        return os.stat(path).st_ino  # noqa: PTH116  a text
    except OSError:
        return 0


class _Connection(sqlite3.Connection):
    """A connection that is known to be held until it is closed."""

    def close(self) -> None:
        """Close it."""
        super().close()
        release_store(self)


def connect_sqlite(path: Path, mode: str, patience: float) -> sqlite3.Connection:
    """Return a connection that commits by itself; raises ``sqlite3.Error``."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=min(_MAX_LOCK_WAIT_SECONDS, patience),
        isolation_level=None,
        check_same_thread=False,
        factory=_Connection,
    )
    hold_store(connection, path)
    return connection
