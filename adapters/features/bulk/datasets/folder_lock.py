"""A lock so that only one process writes to a folder; it ends with the process.

The folder itself is locked, so no lock file stays behind. Where locks are not supported (Windows,
some network drives), no process is kept out.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# ``is_folder_locked`` holds the lock only briefly, so try again.
_MAX_ATTEMPTS: Final = 10
_PAUSE_SECONDS: Final = 0.02


@contextmanager
def lock_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder during the block; yield False if another process has the lock."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        # Windows opens no folder.
        yield True
        return
    try:
        yield _try_lock(handle)
    finally:
        os.close(handle)


def is_folder_locked(folder: Path) -> bool | None:
    """Tell whether a process has locked a folder; None where that cannot be known."""
    if sys.platform == "win32":
        return None
    with lock_folder(folder) as is_free:
        return not is_free


def _try_lock(handle: int) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl  # noqa: PLC0415  not on Windows

    for attempt in range(_MAX_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        except OSError:
            # The file system has no locks.
            return True
        return True
    return False
