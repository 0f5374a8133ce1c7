"""The SQLite files that this process has open, which nothing but SQLite may open and close.

POSIX advisory locks belong to a process and a file, not to a descriptor: when *any* descriptor of
a file is closed, the process loses *all* its locks on it (fcntl(2); sqlite.org, "How To Corrupt An
SQLite Database File", howtocorrupt.html, section 2.2). SQLite knows this, and closes no descriptor
of a file on which one of its connections has a lock. It cannot know of ours. After such a loss
everything seems well, until another process closes the file: it asks for an exclusive lock, gets
it, believes to be the last, and deletes the log and the shared memory beside the file. From then
on two processes write to two logs, and each reads its own. A key that one of them revokes is good
for the other, and what the other books is gone when it ends.

So our own code never opens a store (``store_files.py``), and the one place that opens files
that a user names asks here first. The files are known by device and inode: a link or a second name
leads to the same locks.
"""

import os
import threading
from pathlib import Path
from weakref import WeakKeyDictionary

# Beside its file SQLite has a write-ahead log with an index in shared memory, or a journal.
SIDE_FILE_ENDINGS = ("-wal", "-shm", "-journal")


# Reentrant: a collection inside the lock may close a connection that nobody refers to.
_lock = threading.RLock()
_held: WeakKeyDictionary[object, Path] = WeakKeyDictionary()


def hold_store(connection: object, path: Path) -> None:
    """Remember that ``connection`` has the store at ``path`` open, until it is collected."""
    with _lock:
        _held[connection] = path


def release_store(connection: object) -> None:
    """Forget the store of ``connection``, which was closed."""
    with _lock:
        _held.pop(connection, None)


def held_stores() -> frozenset[Path]:
    """Return the stores that this process has open."""
    with _lock:
        return frozenset(_held.values())


def is_held_store(status: os.stat_result) -> bool:
    """Tell whether a file is a store that this process has open, or one of the files beside it."""
    for path in held_stores():
        for ending in ("", *SIDE_FILE_ENDINGS):
            try:
                if os.path.samestat(status, os.stat(f"{path}{ending}")):  # noqa: PTH116  a text
                    return True
            except OSError:
                continue
    return False
